"""The way back from a site to the page that lists the tenant's sites (SPEC T33): declared in tenant.yml, in the frame, nowhere else."""

from pathlib import Path

import pytest

from tests.tools.commands import run_brain

TENANT = """\
id: acme
title: {title}
{url}
accounts: [{{id: ana, name: Ana}}]
memberships: [{{account: ana}}]
repos: [{{id: plans, title: Plans, owner: ana, folder: plans}}]
"""
URL = "url: https://brains.acme.example/acme"
LINK = '<a href="https://brains.acme.example/acme/"'


def declare(root: Path, url: str, title: str = "Acme") -> Path:
    folder = root / "brains" / "acme"
    (folder / "plans" / "deep").mkdir(parents=True, exist_ok=True)
    (folder / "tenant.yml").write_text(TENANT.format(url=url, title=title))
    (folder / "plans" / "index.md").write_text("# Plans\n\n[[page]]\n")
    (folder / "plans" / "deep" / "page.md").write_text("# Page\n")
    return root


def build(root: Path) -> dict[str, bytes]:
    assert run_brain("build", root / "brains", "--out", root / "out", "-q").code == 0
    site = root / "out" / "acme" / "plans" / "site"
    return {str(path.relative_to(site)): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


@pytest.mark.req("T33")
def test_each_page_leads_back_where_an_address_is_declared_and_nowhere_else(tmp_path: Path) -> None:
    plain = build(declare(tmp_path / "a", ""))
    linked = build(declare(tmp_path / "b", URL))
    pages = [name for name in linked if name.endswith(".html")]
    assert "deep/page/index.html" in pages
    for name in pages:
        text = linked[name].decode()
        assert text.count(LINK) == 2, name
        assert text.count('<span class="brain-visually-hidden">All brains of </span><bdi>Acme</bdi></a>') == 1
    assert not any(b"__home" in content for name, content in plain.items() if name.endswith(".html"))
    others = {name for name in plain if not name.endswith((".html", "sitemap.xml", "llms.txt", "feed.xml", "llms-full.txt"))}
    assert {name: linked[name] for name in others} == {name: plain[name] for name in others}


@pytest.mark.req("P14", "T33")
def test_declaring_it_later_makes_the_same_site_as_from_the_beginning(tmp_path: Path) -> None:
    later = tmp_path / "later"
    build(declare(later, ""))
    for url, title in ((URL, "Acme"), (URL, "New"), ("", "New"), (URL, "<b>&amp;")):
        declare(later, url, title)
        fresh = declare(tmp_path / f"{len(list(tmp_path.iterdir()))}", url, title)
        assert build(later) == build(fresh)


@pytest.mark.threat(21)
def test_a_title_is_text(tmp_path: Path) -> None:
    site = build(declare(tmp_path, URL, '"<script>x</script>{{ 7*7 }}"'))
    page = site["index.html"].decode()
    assert "<bdi>&lt;script&gt;x&lt;/script&gt;{{ 7*7 }}</bdi>" in page
    assert "<script>x" not in page
