"""File names, addresses, search and the files beside the pages. Our own inputs, one brain per test."""

import gzip
import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from unicodedata import normalize

import pytest

from tests.conftest import BuildFactory, RepoFactory
from tests.tools.built import Built, build_vault
from tests.tools.commands import run_brain
from tests.tools.repos import run_git
from tests.tools.trees import find_bytes
from tests.tools.vaults import PNG, Link


def check_sound(built: Built) -> None:
    """The crawl of the site found nothing wrong, and every published page has an address and a file of its own."""
    assert built.crawl.problems == []
    published = [p for p in built.inspected["pages"] if p["published"]]
    for key in ("url", "file"):
        values = [normalize("NFC", p[key]).casefold() for p in published]
        assert len(set(values)) == len(values), sorted(values)
    assert all((built.site / p["file"]).is_file() for p in published)


@pytest.mark.req("P15")
@pytest.mark.threat(10)
def test_reserved_names_are_published_beside_what_reserves_them(build: BuildFactory) -> None:
    names = [
        *("search.md", "tags/index.md", "tags/a.md", "_/x.md", "assets/x.md", "index.html.md", "con.md", "aux.md", "nul.md", "404.md"),
        *("sitemap.xml.md", "contents.md", "recent.md", "report.md", "feed.xml.md", "llms.txt.md", "graph.json.md", "backlinks/x.md"),
    ]
    links = "".join(f"- [[{name.removesuffix('.md')}]]\n" for name in names)
    built = build({**{name: f"# Page {name}\n\nTEXT-{name}\n" for name in names}, "index.md": f"# Home\n\n#a #index\n\n{links}"})
    pages = {p["path"]: p for p in built.inspected["pages"] if p["published"]}
    for name in names:
        assert f"TEXT-{name}" in (built.site / pages[name]["file"]).read_text("utf-8"), name
    assert (built.site / "sitemap.xml").read_bytes().startswith(b"<?xml")
    check_sound(built)


@pytest.mark.req("P15")
@pytest.mark.threat(8)
def test_names_that_clash_are_all_published_and_reported(build: BuildFactory) -> None:
    names = (
        "a.md",
        "A.md",
        "a/index.md",
        "a/README.md",
        "a/readme.md",
        "b.md",
        "b/x.md",
        "B/y.md",
        "c.markdown",
        "c.md",
        "d d.md",
        "d-d.md",
        "d%20d.md",
    )
    built = build({name: f"# {name}\n\nTEXT-({name})\n" for name in names})
    for name in names:
        assert f"TEXT-({name})" in built.article(name).text
    assert {"NAM001", "NAM003"} & {f["code"] for f in built.inspected["findings"]}
    check_sound(built)


@pytest.mark.req("P15")
@pytest.mark.threat(9)
def test_unicode_twins_and_deceiving_names_are_published_and_reported(build: BuildFactory) -> None:
    names = (
        normalize("NFC", "Café.md"),
        normalize("NFD", "Café.md"),
        "ﬁle.md",
        "file.md",
        "раypal.md",
        "rtl\u202egpj.md",
        "zero\u200bwidth.md",
        "straße.md",
        "strasse.md",
    )
    built = build({name: f"# T\n\nTEXT-{i}\n" for i, name in enumerate(names)})
    blob = b"".join(p.read_bytes() for p in built.site.rglob("*.html"))
    for i in range(len(names)):
        assert f"TEXT-{i}".encode() in blob
    reported = {f["path"] for f in built.inspected["findings"] if f["code"].startswith("NAM")}
    assert {"раypal.md", "rtl\u202egpj.md", "zero\u200bwidth.md"} <= reported
    check_sound(built)


@pytest.mark.req("P01", "P15")
@pytest.mark.threat(6)
@pytest.mark.threat(7)
def test_git_trees_with_names_that_no_file_system_takes(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"index.md": "# Home\n"})
    blob = run_git(repo.path, "hash-object", "-w", "index.md")
    deep = "/".join(["d"] * 45)
    names = [
        "n" * 300 + ".md",
        "知" * 120 + ".md",
        f"{deep}/x.md",
        "/".join(["ok"] * 20) + "/x.md",
        "tab\there.md",
        "new\nline.md",
        "back\\slash.md",
        "trailing .md",
        "dot..md",
    ]
    for name in names:
        run_git(repo.path, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    run_git(repo.path, "update-index", "--add", "--cacheinfo", f"160000,{repo.commits[0]},module")
    run_git(repo.path, "-c", "user.name=Ada", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "names")
    built = build_vault(repo.bare(tmp_path / "bare.git"), tmp_path / "out")
    pages = {p["path"] for p in built.inspected["pages"]}
    findings = {(f["path"], f["code"]) for f in built.inspected["findings"]}
    assert {"index.md", "n" * 300 + ".md", "知" * 120 + ".md"} <= pages
    assert "/".join(["ok"] * 20) + "/x.md" in pages
    assert f"{deep}/x.md" not in pages
    assert ("module", "SRC002") in findings
    assert {code for path, code in findings if "\\" in path or "\n" in path} == {"SRC006"}
    assert max(len(part.encode()) for p in built.site.rglob("*") for part in p.parts) <= 255
    check_sound(built)


@pytest.mark.req("P01")
@pytest.mark.threat(2)
def test_symbolic_links_in_a_repository_are_named_and_never_followed(git_repo: RepoFactory, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("OUTSIDE-CANARY")
    files = {
        "index.md": "# I\n\n![[pic.png]] [[out]]\n",
        "out.md": Link("../outside.md"),
        "pic.png": Link("../outside.md"),
        "dir": Link("/etc"),
        "self": Link("."),
    }
    repo = git_repo(files)
    for source in (repo.path, repo.bare(tmp_path / "bare.git")):
        built = build_vault(source, tmp_path / f"out-{source.name}")
        assert [p["path"] for p in built.inspected["pages"]] == ["index.md"]
        assert {f["path"] for f in built.inspected["findings"] if f["code"] == "SRC001"} == {"out.md", "pic.png", "dir", "self"}
        assert find_bytes(built.out, "OUTSIDE-CANARY") == []
        check_sound(built)


@pytest.mark.req("P01")
@pytest.mark.threat(5)
def test_configuration_hooks_and_attributes_of_a_repository_do_nothing(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(
        {
            "index.md": "# I\n",
            ".gitattributes": "*.md filter=evil diff=evil\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% x\n',
        }
    )
    mark = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    script.chmod(0o755)
    for key in (
        "filter.evil.smudge",
        "filter.evil.clean",
        "core.fsmonitor",
        "diff.evil.textconv",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "uploadpack.packObjectsHook",
    ):
        run_git(repo.path, "config", key, str(script))
    run_git(repo.path, "config", "core.hooksPath", str(tmp_path))
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (tmp_path / hook).write_bytes(script.read_bytes())
        (tmp_path / hook).chmod(0o755)
    mark.unlink(missing_ok=True)
    for options in ([], ["--at", "main"], ["--at", "HEAD~0"]):
        assert run_brain("build", repo.path, "--out", tmp_path / "out", *options).code == 0
    assert not mark.exists()


@pytest.mark.req("P01")
def test_hidden_and_vendor_folders_are_not_content(build: BuildFactory) -> None:
    inside = (
        ".obsidian/plugins/x.md",
        "node_modules/pkg/README.md",
        ".trash/gone.md",
        ".git/info/x.md",
        ".venv/lib/y.md",
        "a/.hidden/z.md",
        "__pycache__/q.md",
    )
    built = build({"index.md": "# I\n", **{name: f"# VENDOR-CANARY {name}\n" for name in inside}})
    assert [p["path"] for p in built.inspected["pages"]] == ["index.md"]
    assert find_bytes(built.site, "VENDOR-CANARY") == []


@pytest.mark.req("P01")
def test_large_file_pointers_are_named(build: BuildFactory) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d7a2146" * 8 + "\nsize 12345\n"
    built = build({"index.md": "# I\n\n![[big.png]]\n", "big.png": pointer, "page.md": pointer})
    assert {f["path"] for f in built.inspected["findings"] if f["code"] == "SRC003"} >= {"big.png"}
    check_sound(built)


@pytest.mark.req("P10")
def test_feed_sitemap_and_lists_survive_hostile_titles(git_repo: RepoFactory, tmp_path: Path) -> None:
    titles = (
        "a <b> & \"c\" 'd' ]]> --> {{ x }}",
        "</script><script>alert(1)</script>",
        "\U0001f680 \u202e evil",
        "= 1 + 1",
        "@everyone #1",
        "| bar | `tick`",
        "  spaced  out  ",
    )
    repo = git_repo(
        {
            f"p{i} ü&.md": f"---\ntitle: {json.dumps(title)}\ntags: ['x<y&z']\n---\nText & <more> ]]>\n\n[[p0 ü&]]\n"
            for i, title in enumerate(titles)
        }
    )
    built = build_vault(repo.path, tmp_path / "out")
    assert len([p for p in built.inspected["pages"] if p["published"]]) == len(titles)
    for file in [*built.site.rglob("*.xml"), *built.site.rglob("*.svg")]:
        ET.parse(file)
    for file in built.site.rglob("*.json"):
        json.loads(file.read_bytes())
    for file in built.site.rglob("*.gz"):
        gzip.decompress(file.read_bytes())
    for document in built.crawl.pages.values():
        assert [s for s in document.find_all("script") if "alert(1)" in "".join(c for c in s.children if isinstance(c, str))] == []
    check_sound(built)


@pytest.mark.req("P10")
def test_every_page_has_its_markdown_beside_it_without_comments(build: BuildFactory) -> None:
    text = "---\ntitle: T\n---\n# T\n\nBefore %% NOTE-CANARY %% after\n\n<!-- HTML-CANARY\n\nmore -->\n\n`%% code %%`\n"
    built = build({"a/b c.md": text, "index.md": "# Home\n"})
    twins = [p for p in built.site.rglob("*.md") if "# T" in p.read_text("utf-8")]
    assert len(twins) == 1
    assert "`%% code %%`" in twins[0].read_text("utf-8")
    assert find_bytes(built.site, "NOTE-CANARY", "HTML-CANARY") == []
    link = [e for e in built.document("a/b c.md").find_all("link") if e.get("type") == "text/markdown"]
    assert len(link) == 1


@pytest.mark.req("P04", "P10", "X01")
def test_no_byte_of_a_site_is_of_a_comment_that_reaches_over_blocks(build: BuildFactory) -> None:
    secret = "qzxcanary #qzxtag [[qzxghost]] [qzx](index.md)\n\n## qzxhead\n\n```\nqzx %% code\n```\n\nqzx"
    texts = (
        f"a %% {secret} %% b",
        f"- a %% {secret} %% b",
        f"> [!note] a %% {secret} %% b",
        f"| a |\n|---|\n| a %% {secret} %% b",
        f"a <!-- {secret} --> b",
    )
    built = build({f"p{number}.md": f"# P\n\n{text}\n\nc\n" for number, text in enumerate(texts)} | {"index.md": "# Home\n\n![[p0]]\n"})
    assert find_bytes(built.site, "qzx") == []
    assert "qzx" not in str({**built.inspected, "repo": ""})
    for number in range(len(texts)):
        assert {"a", "b", "c"} <= set(built.article(f"p{number}.md").text.split())
    check_sound(built)


@pytest.mark.req("P15")
@pytest.mark.parametrize(
    ("files", "front"),
    [
        ({"README.md": "# R\n", "index.md": "# I\n"}, "index.md"),
        ({"readme.md": "# R\n", "x.md": "# X\n"}, "readme.md"),
        ({"INDEX.md": "# I\n", "x.md": "# X\n"}, "INDEX.md"),
        ({"x/deep.md": "# D\n", "y.md": "# Y\n"}, None),
        ({"index.md": "---\ndraft: true\n---\n# Hidden\n", "README.md": "# R\n"}, "README.md"),
    ],
)
def test_front_page(build: BuildFactory, files: dict[str, str], front: str | None) -> None:
    built = build(files)
    assert [p["path"] for p in built.inspected["pages"] if p["published"] and p["url"] == ""] == ([front] if front else [])
    assert (built.site / "index.html").is_file()
    check_sound(built)


@pytest.mark.req("P09")
def test_search_finds_identifiers_accents_prefixes_and_sections(build: BuildFactory) -> None:
    built = build(
        {
            "code.md": "# Code\n\nIntro\n\n## Calls\n\nUse `fetch_all_rows` or HttpServerConfig in src/main.py, v2.10.3.\n",
            "meal.md": "# Menu\n\nCrème brûlée and Straße and naïve résumé.\n",
            "zh.md": "# 手册\n\n起飞前检查电池。\n",
            "th.md": "# คู่มือ\n\nวันนี้อากาศดี\n",
            "c.md": "# C++\n\n.NET and C# and node.js\n",
        }
    )

    def find(query: str) -> list[str]:
        ran = run_brain("search", built.source, query, "--json")
        assert ran.code == 0, ran.said
        return [r["path"] for r in ran.json["results"]]

    for query in (
        "fetch_all_rows",
        "fetch",
        "rows",
        "server",
        "httpserverconfig",
        "HttpServer",
        "main.py",
        "v2.10.3",
        "2.10.3",
        "2.10",
        "fetch_al",
    ):
        assert find(query)[:1] == ["code.md"], query
    for query in ("creme brulee", "CRÈME", "resume", "strasse", "Straße", "naive"):
        assert find(query)[:1] == ["meal.md"], query
    assert find("电池") == ["zh.md"]
    assert find("池") == ["zh.md"]
    assert find("อากาศ") == ["th.md"]
    assert find("C++")[:1] == ["c.md"]
    assert find("node.js")[:1] == ["c.md"]
    assert find("zzzz") == []
    assert find("  ") == []
    result = run_brain("search", built.source, "HttpServerConfig", "--json").json["results"][0]
    assert result["line"] in (5, 7)
    assert "HttpServerConfig" in result["snippet"]


@pytest.mark.req("P06")
def test_graph_counts_pages_once_and_lists_what_is_missing(build: BuildFactory) -> None:
    built = build(
        {
            "index.md": "# I\n\n[[a]] [[a|again]] [a](a.md#x) ![[b]]\n",
            "a.md": "# A\n\n## X\n\n[[b]] [[Not written]] [[not written]] [[also/missing]]\n",
            "b.md": "# B\n\n[[a]]\n",
            "lonely.md": "# L\n\n[[lonely]] https://example.org\n",
            "tag only.md": "# T\n\n#x\n",
        }
    )
    graph = built.inspected["graph"]
    assert sorted(map(tuple, graph["edge_list"])) == [("a.md", "b.md"), ("b.md", "a.md"), ("index.md", "a.md"), ("index.md", "b.md")]
    assert graph["edges"] == 4
    assert graph["nodes"] == 5
    assert set(graph["orphans"]) == {"lonely.md", "tag only.md"}
    assert len([s for s in graph["stubs"] if s.lower() == "not written"]) == 1
    assert graph["backlinks"]["a.md"] == ["b.md", "index.md"]
    for page, related in graph["related"].items():
        linked = {b for a, b in graph["edge_list"] if a == page} | {a for a, b in graph["edge_list"] if b == page} | {page}
        assert not linked & {other for other, _ in related}
        assert len(related) <= 10
        assert [s for _, s in related] == sorted((s for _, s in related), reverse=True)


@pytest.mark.req("P15")
def test_a_rename_in_git_history_leaves_a_redirect(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"old name.md": "# Page\n\n" + "Some text that stays. " * 20 + "\n", "index.md": "# I\n"})
    repo.commit(rename=(("old name.md", "new/place.md"),))
    built = build_vault(repo.path, tmp_path / "out")
    redirects = [name for name in built.crawl.pages if name.startswith("old")]
    assert len(redirects) == 1
    targets = {a.get("href") for a in built.crawl.pages[redirects[0]].find_all("a")}
    assert any("new/place" in href for href in targets)
    check_sound(built)


@pytest.mark.req("P08")
def test_dates_come_from_the_last_commit_that_touched_the_page(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "# A\n", "b.md": "# B\n"})
    repo.commit({"b.md": "# B\n\nmore\n"})
    built = build_vault(repo.path, tmp_path / "out")
    days = {name: {t.get("datetime")[:10] for t in built.document(name).find_all("time")} for name in ("a.md", "b.md")}
    assert "2026-01-01" in days["a.md"]
    assert "2026-01-02" in days["b.md"]
    assert "2026-01-02" not in days["a.md"]


@pytest.mark.req("P01")
def test_a_revision_is_read_as_it_was_and_uncommitted_changes_are_not(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({"a.md": "# A\n\nFIRST\n"})
    repo.commit({"a.md": "# A\n\nQZSECOND\n", "b.md": "# B\n"})
    (repo.path / "a.md").write_text("# A\n\nQZUNCOMMITTED\n")
    now = build_vault(repo.path, tmp_path / "now")
    then = build_vault(repo.path, tmp_path / "then", "--at", repo.commits[0])
    assert "QZSECOND" in now.article("a.md").text
    assert find_bytes(now.site, "QZUNCOMMITTED") == []
    assert find_bytes(then.site, "QZSECOND") == []
    assert now.inspected["revision"] == repo.commits[1]
    assert subprocess.run(["git", "-C", repo.path, "status", "--porcelain"], capture_output=True, check=True).stdout == b" M a.md\n"


@pytest.mark.req("P08")
def test_pictures_of_other_folders_spaces_and_uppercase_are_found(build: BuildFactory) -> None:
    built = build(
        {
            "a/page.md": "# P\n\n![[My Pic.PNG]] ![x](../img/My%20Pic.PNG) "
            "![y](<../img/My Pic.PNG>) ![z](../img/ünï.png) ![[pic.svg|80]]\n",
            "img/My Pic.PNG": PNG,
            "img/ünï.png": PNG,
            "img/pic.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        }
    )
    assert {link["status"] for link in built.inspected["links"]} == {"asset"}
    assert len(built.article("a/page.md").find_all("img")) == 5
    check_sound(built)
