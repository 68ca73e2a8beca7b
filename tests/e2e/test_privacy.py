"""Secret words in every part of hidden pages: none may be in any byte of the site, unpacked or not, nor in what other commands say."""

from pathlib import Path

import pytest

from tests.conftest import BuildFactory, RepoFactory
from tests.tools.built import build_vault
from tests.tools.commands import run_brain
from tests.tools.trees import compare_trees, find_bytes, read_tree
from tests.tools.vaults import PNG, write_files

pytestmark = pytest.mark.req("P19", "X01")

HIDDEN = (
    "---\nprivate: true\ntitle: QZJXKTITLE\ntags: [qzjxktag, qzjxknested/qzjxkleaf]\naliases: [QZJXKALIAS]\ndescription: QZJXKSUMMARY\n"
    "author: QZJXKAUTHOR\nqzjxkkey: QZJXKVALUE\ndate: 2031-07-09\n---\n"
    "# QZJXKHEADING\n\nQZJXKBODY #qzjxkinline ==QZJXKMARK== `QZJXKCODE` ^qzjxkblock\n\n## QZJXKSECTION\n\n"
    "[QZJXKLABEL](public.md) [[public|QZJXKALT]] [[public#QZJXKFRAGMENT]] [[QZJXKSTUB]] [z](https://qzjxkhost.example/)\n"
    "![QZJXKALTTEXT](qzjxkpicture.png) [[qzjxkfile.pdf]]\n\n| QZJXKCELL |\n| --- |\n| 1 |\n\n"
    "```mermaid\ngraph TD; QZJXKNODE\n```\n\n$QZJXKMATH$ [^n]\n\n[^n]: QZJXKNOTE\n\n%% QZJXKCOMMENT %%\n"
)
CANARY = "qzjxk"
FILES: dict[str, str | bytes] = {
    "index.md": "# Home\n\n[[public]]\n",
    "public.md": "# Public\n\nSome text #open\n",
    "qzjxkfolder/qzjxkname.md": HIDDEN,
    "qzjxkfolder/qzjxkpicture.png": PNG + b"QZJXKPIXELS",
    "qzjxkfolder/qzjxkfile.pdf": b"%PDF QZJXKPDF",
    "qzjxkfolder/deeper/qzjxkdraft.md": "---\ndraft: 'yes'\n---\n# QZJXKDRAFT\n\n![[qzjxkname]]\n",
}


def test_no_byte_of_the_site_holds_anything_of_a_hidden_page(build: BuildFactory) -> None:
    built = build(FILES)
    assert find_bytes(built.site, CANARY) == []
    assert [p["path"] for p in built.inspected["pages"] if p["published"]] == ["index.md", "public.md"]


def test_the_same_holds_in_a_git_repository_with_renames_and_messages(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(
        {**FILES, "qzjxkformer.md": HIDDEN.replace("private", "draft"), "was-public.md": "# QZJXKPUBLIC once\n\n" + "QZJXKLONG words " * 30}
    )
    repo.commit(rename=(("qzjxkformer.md", "qzjxkmoved.md"),), message="QZJXKMESSAGE")
    repo.commit({"was-public.md": "---\npublish: false\n---\n# QZJXKPUBLIC once\n\n" + "QZJXKLONG words " * 30})
    repo.commit(rename=(("was-public.md", "qzjxknow.md"),))
    built = build_vault(repo.path, tmp_path / "out")
    assert find_bytes(built.site, CANARY, "was-public") == []


def test_the_working_title_of_a_draft_is_told_by_no_redirect(git_repo: RepoFactory, tmp_path: Path) -> None:
    text = "Words of a launch that take some room. " * 20
    files = {
        "index.md": "# Home\n",
        "qzjxkcodename.md": f"---\ndraft: true\n---\n# Launch\n\n{text}",
        "former.md": f"# Open\n\n{text[::-1]}",
    }
    repo = git_repo(files)
    repo.commit(rename=(("qzjxkcodename.md", "launch.md"), ("former.md", "open.md")))
    first = build_vault(repo.path, tmp_path / "out")
    assert find_bytes(first.site, CANARY, "codename") == []
    repo.commit({"launch.md": f"# Launch\n\n{text}"})
    for built in (build_vault(repo.path, tmp_path / "out"), build_vault(repo.path, tmp_path / "fresh")):
        assert (built.site / "launch" / "index.html").is_file()
        assert (built.site / "former" / "index.html").is_file(), "what was public keeps its redirect"
        assert find_bytes(built.site, CANARY) == []


def test_a_page_that_becomes_hidden_leaves_nothing_behind(build: BuildFactory, tmp_path: Path) -> None:
    files = {**FILES, "qzjxklater.md": HIDDEN.replace("private: true\n", ""), "qzjxkpicture.png": PNG + b"QZJXKPIXELS"}
    built = build(files)
    assert find_bytes(built.site, "QZJXKBODY", "QZJXKPIXELS")
    (built.source / "qzjxklater.md").write_text(HIDDEN, encoding="utf-8")
    again = build_vault(built.source, built.out)
    assert find_bytes(again.site, CANARY) == []
    fresh = build_vault(built.source, tmp_path / "fresh")
    assert read_tree(again.site) == read_tree(fresh.site)


def test_links_to_hidden_pages_look_like_links_to_missing_ones(tmp_path: Path) -> None:
    line = (
        "[[TARGET]] [t](TARGET.md) [[TARGET|words]] ![[TARGET]] ![[TARGET#Part]] [[TARGET#Part]] [r][TARGET] <span>end</span> "
        "[[Secret name]] [f](folder/) [[folder/index]] [[folder/elsewhere]] [up](../TARGET.md) [[Otherr]]\n\n"
        "[TARGET]: TARGET.md\n"
    )
    shown, sites = {}, {}
    for kind, body in (("hidden", "---\ndraft: true\n---\n# X\n\n## Part\n"), ("missing", None)):
        files = {
            "index.md": f"---\nup: '[[other]]'\n---\n# Home\n\n{line.replace('TARGET', 'other')}",
            "folder/else.md": "# Else\n\n[[index]] [i](index.md) [o](../other.md)\n",
        }
        if body:
            files |= {
                "other.md": body.replace("true", "true\naliases: [Secret name]"),
                "folder/index.md": body,
                "folder/Elsewhere.md": body,
            }
        built = build_vault(write_files(tmp_path / kind / "vault", files), tmp_path / kind / "out")
        shown[kind] = (built.site / "index.html").read_bytes()
        sites[kind] = read_tree(built.site)
        assert b'href="other' not in shown[kind]
    assert shown["hidden"] == shown["missing"]
    assert compare_trees(sites["hidden"], sites["missing"]) == []


def test_hidden_pages_give_no_backlinks_edges_orphans_or_search_results(build: BuildFactory) -> None:
    built = build(FILES)
    assert built.backlinks("public.md") == ["index.md"]
    graph = built.inspected["graph"]
    assert graph["edge_list"] == [["index.md", "public.md"]]
    assert CANARY not in str(graph).lower()
    for query in ("QZJXKBODY", "qzjxktag", "QZJXKTITLE", "qzjxkname", "qzjxk"):
        ran = run_brain("search", built.source, query, "--json")
        assert (ran.code, ran.json["results"]) == (0, []), query


def test_the_report_counts_hidden_pages_for_the_owner(build: BuildFactory) -> None:
    built = build(FILES)
    hidden = {f["path"] for f in built.inspected["findings"] if f["code"] == "PRV003"}
    assert hidden == {"qzjxkfolder/qzjxkname.md", "qzjxkfolder/deeper/qzjxkdraft.md"}
    assert "2 hidden" in built.ran.said


def test_a_file_that_a_public_page_uses_too_is_published(build: BuildFactory) -> None:
    built = build(
        {**FILES, "public.md": "# Public\n\n![p](shared.png)\n", "shared.png": PNG, "h.md": "---\ndraft: 1\n---\n![p](shared.png)\n"}
    )
    assert PNG in read_tree(built.site).values()
    assert find_bytes(built.site, CANARY) == []


def test_a_hidden_page_takes_no_address_from_a_visible_one(tmp_path: Path) -> None:
    visible = {"README.md": "# Front\n", "Plan.md": "# Plan\n", "a/index.md": "# A\n", "tags/x.md": "# X\n"}
    hidden = dict.fromkeys(("index.md", "plan.md", "a.md", "tags.md"), "---\ndraft: true\n---\n# H\n\n#x\n")
    sites = []
    for kind, files in (("with", {**visible, **hidden}), ("without", visible)):
        built = build_vault(write_files(tmp_path / kind / "vault", files), tmp_path / kind / "out")
        sites.append(read_tree(built.site))
    assert compare_trees(*sites) == []
