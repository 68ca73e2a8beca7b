"""What every answer says to browsers and caches, and how files are sent (THREATS 17, 19, 24, 33, 34)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.gateways import Reply, Site, make_files, open_site, publish, running

SCRIPT = b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
COPIED = {
    "files/page.html": b"<script>alert(1)</script>",
    "files/page.xhtml": b"<script>alert(1)</script>",
    "files/code.js": b"alert(1)",
    "files/style.css": b"x{}",
    "files/drawing.svg": SCRIPT,
    "files/DRAWING.SVG": SCRIPT,
    "files/report.pdf": b"%PDF",
    "files/data.json": b"{}",
    "files/feed.xml": b"<x/>",
    "files/notes.md.exe": b"MZ",
    "files/noending": b"?",
    "files/photo.jpeg": b"\xff\xd8",
    "files/sound.mp3": bytes(range(256)) * 4,
    'files/quo"te; x=.bin': b"?",
    "files/plain.txt": b"text",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway with a repo full of files."""
    made = open_site(tmp_path_factory.mktemp("gateway"))
    publish(made.out / "acme" / "plans", make_files("word"), COPIED)
    with running(made) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def cookie(site: Site) -> dict[str, str]:
    """Somebody who reads it."""
    return site.cookie("ed@acme.example")


def check_common(reply: Reply) -> None:
    assert reply.get("x-content-type-options") == "nosniff"
    assert reply.get("x-frame-options") == "DENY"
    assert reply.get("referrer-policy") == "no-referrer"
    assert reply.get("cross-origin-opener-policy") == "same-origin"
    assert reply.get("cross-origin-resource-policy") == "same-origin"
    assert reply.get("vary") == "Cookie, Authorization"
    assert "camera=()" in (reply.get("permissions-policy") or "")
    policy = reply.get("content-security-policy") or ""
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert len(reply.get("x-request-id") or "") == 16
    assert reply.get("server") is None
    assert "access-control-allow-origin" not in dict(reply.headers)


@pytest.mark.threat(17, 33, 34)
def test_every_answer_has_the_headers(site: Site, cookie: dict[str, str]) -> None:
    targets = ["/", "/-/login", "/-/nothing", "/-/callback", "/-/dev-login?ticket=x", "/healthz", "/api/x", "/mcp", "/.well-known/x"]
    targets += ["/acme/", "/acme/plans", "/acme/plans/", "/acme/plans/index.md", "/acme/plans/llms.txt", "/acme/nothing/", "/%"]
    for headers in ({}, cookie):
        for target in targets:
            for method in ("GET", "HEAD", "POST"):
                reply = site.ask(method, target, headers)
                check_common(reply)
                assert reply.get("cache-control") == "private, no-store"
    check_common(site.ask("GET", "/acme/plans/", {"Host": "evil.example"}))


@pytest.mark.threat(33)
def test_only_files_named_by_their_content_may_be_kept(site: Site, cookie: dict[str, str]) -> None:
    kept = site.ask("GET", "/acme/plans/_/assets/style-OY3EKPKS.css", cookie)
    check_common(kept)
    assert kept.get("cache-control") == "private, max-age=31536000, immutable"
    assert site.ask("GET", "/acme/plans/_/assets/inter-LICENSE.txt", cookie).get("cache-control") == "private, no-store"


@pytest.mark.threat(17)
def test_a_page_runs_what_the_program_wrote_and_sends_nothing_elsewhere(site: Site, cookie: dict[str, str]) -> None:
    page = site.ask("GET", "/acme/plans/", cookie)
    policy = page.get("content-security-policy") or ""
    assert "script-src 'self';" in policy
    assert "form-action 'none'" in policy
    assert "connect-src 'self'" in policy
    assert page.get("content-type") == "text/html; charset=utf-8"


@pytest.mark.threat(19)
@pytest.mark.parametrize("file", sorted(COPIED))
def test_files_of_people_can_do_nothing_by_themselves(site: Site, cookie: dict[str, str], file: str) -> None:
    from urllib.parse import quote

    reply = site.ask("GET", f"/acme/plans/{quote(file)}", cookie)
    assert (reply.status, reply.body) == (200, COPIED[file])
    check_common(reply)
    assert "; sandbox" in (reply.get("content-security-policy") or "")
    assert "script-src" not in (reply.get("content-security-policy") or "")
    kind = reply.get("content-type") or ""
    assert "html" not in kind
    assert "javascript" not in kind
    shown = kind.startswith(("image/", "audio/", "text/plain"))
    assert ((reply.get("content-disposition") or "").startswith("attachment; filename*=UTF-8''")) == (not shown)


@pytest.mark.threat(48)
def test_one_bounded_part_of_a_film_or_nothing(site: Site, cookie: dict[str, str]) -> None:
    whole = COPIED["files/sound.mp3"]

    def ask(part: str, method: str = "GET") -> Reply:
        return site.ask(method, "/acme/plans/files/sound.mp3", {**cookie, "Range": part})

    for part, start, end in (("bytes=0-9", 0, 10), ("bytes=1000-", 1000, 1024), ("bytes=-4", 1020, 1024), ("bytes=1000-99999", 1000, 1024)):
        reply = ask(part)
        assert (reply.status, reply.body, reply.get("content-range")) == (206, whole[start:end], f"bytes {start}-{end - 1}/1024")
    refused = (
        "bytes=0-1,2-3",
        "bytes=5-2",
        "bytes=1024-",
        "bytes=-",
        "bytes=-0",
        "lines=0-1",
        "bytes=" + "0-0," * 5000 + "0-0",
        "bytes=9" * 99,
    )
    for part in refused:
        assert (ask(part).status, ask(part).body) == (200, whole)
    assert ask("bytes=0-9", "HEAD").status == 200


@pytest.mark.threat(28)
def test_head_says_what_get_says(site: Site, cookie: dict[str, str]) -> None:
    for path in ("/acme/plans/", "/acme/plans/files/report.pdf", "/acme/plans/nothing", "/acme/plans", "/"):
        got, asked = site.ask("GET", path, cookie), site.ask("HEAD", path, cookie)
        assert (asked.status, asked.bare[1], asked.body) == (got.status, got.bare[1], b"")


def test_a_folder_without_its_slash_leads_there_by_a_path(site: Site, cookie: dict[str, str]) -> None:
    for path in ("/acme/plans", "/acme/plans/guides", "/acme/plans/%C3%BCn%C3%AF", "/acme"):
        reply = site.ask("GET", f"{path}?x=https://evil.example", {**cookie, "X-Forwarded-Host": "evil.example"})
        assert (reply.status, reply.get("location"), reply.body) == (303, f"{path}/", b"")


def test_a_large_file_arrives_whole(tmp_path: Path) -> None:
    made = open_site(tmp_path)
    large = bytes(range(256)) * 20_000
    publish(made.out / "acme" / "plans", {"index.html": b"x"}, {"large.bin": large})
    with running(made) as site:
        assert site.ask("GET", "/acme/plans/large.bin", site.cookie("ed@acme.example")).body == large


@pytest.mark.req("X02")
def test_behind_nginx_the_file_is_named_only_after_the_decision(tmp_path: Path) -> None:
    with running(open_site(tmp_path, sendfile="nginx")) as site:
        cookie = site.cookie("ed@acme.example")
        reply = site.ask("GET", "/acme/plans/%C3%BCn%C3%AF/", cookie)
        assert reply.get("x-accel-redirect") == "/-internal/acme/plans/site/%C3%BCn%C3%AF/index.html"
        assert reply.body == b""
        check_common(reply)
        for path in ("/acme/plans/nothing", "/acme/di-home/", "/acme/never-existed/"):
            assert site.ask("GET", path, cookie).get("x-accel-redirect") is None
