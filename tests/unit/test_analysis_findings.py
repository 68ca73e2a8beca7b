"""Findings about links, with their hints; the owner's report, the inspection and the index rows of the same result."""

import pytest

from indexer.analysis.inspection import make_inspection
from indexer.analysis.relations import MOST
from indexer.analysis.report import make_report
from indexer.analysis.rows import make_rows
from indexer.model.finding import Finding
from tests.tools.results import find_relations, make_result
from tests.tools.vaults import Files

HIDDEN = "---\nprivate: true\n---\n"


def findings(files: Files, page: str = "a.md") -> list[Finding]:
    return [finding for finding in make_result(files).findings if finding.path == page]


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("[[Marketing plam]]", "LNK001", "Did you mean marketing plan.md?"),
        ("[x](../out.md)", "LNK007", "Link to the address on the web instead."),
        ("[[notes]]", "LNK003", "Write the path, so that one page is meant."),
        ("![x](gone.png)", "LNK004", ""),
        ("[[marketing plan#First prt]]", "LNK002", "Did you mean #first-part?"),
        ("[[marketing plan#^blok]]", "LNK002", "Did you mean #^block?"),
        ("[x](d/)", "LNK005", ""),
        ("[[s]]", "LNK006", ""),
        ("[x](Marketing%20Plan.md)", "LNK008", "Write it as marketing plan.md."),
        ("[x](foo:bar)", "LNK009", ""),
    ],
)
def test_each_kind_of_link_problem_has_its_code_and_hint(text: str, code: str, hint: str) -> None:
    files: Files = {
        "a.md": f"\n{text}\n",
        "marketing plan.md": "# First part\n\nx ^block\n",
        "d/notes.md": "",
        "e/notes.md": "",
        "s.md": HIDDEN,
    }
    (finding,) = findings(files)
    assert (finding.code, finding.line, finding.hint) == (code, 2, hint)


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[x][d]\n\n[d]: gone.md", "[x][d] (to `gone.md`) leads to no page: nothing has this path."),
        ("[d][]\n\n[d]: /gone/", "[d][] (to `/gone/`) leads to no page: nothing has this path."),
        ("[d]\n\n[d]: b.md#nowhere", "[d] (to `b.md`): b.md has no heading `nowhere`."),
        ("![d]\n\n[d]: gone.png", "![d]: the file `gone.png` does not exist."),
        ("[gone.md]\n\n[gone.md]: gone.md", "[gone.md] leads to no page: nothing has this path."),
        ("[x](gone.md)", "[x](gone.md) leads to no page: nothing has this path."),
    ],
)
def test_what_a_reference_link_leads_to_is_said_for_it_stands_elsewhere(text: str, message: str) -> None:
    (finding,) = findings({"a.md": text, "b.md": "# h"})
    assert finding.message == message


@pytest.mark.req("P05")
@pytest.mark.parametrize("text", ["[x]((https://example.org/a))", "[x][d]\n\n[d]: (https://example.org/a)", "[x]([https://example.org/a])"])
def test_an_address_in_brackets_of_its_own_is_explained(text: str) -> None:
    (finding,) = findings({"a.md": text})
    assert (finding.code, finding.hint) == ("LNK001", "Take the address out of its own brackets: https://example.org/a")


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("[[my-note]]", "n/My Note.md"),
        ("[[my_note]]", "n/My Note.md"),
        ("[[My%20Note]]", "n/My Note.md"),
        ("[[My  Note]]", "n/My Note.md"),
        ("[x](My+Note.md)", "n/My Note.md"),
        ("[x](n\\My%20Note.md)", "n/My Note.md"),
        ("[x](n/My%20Note/)", "n/My Note.md"),
        ("[x](/n/my-note/#part)", "n/My Note.md"),
        ("[x](my-note.html)", "n/My Note.md"),
        ("[x](../my-note/index.html#x)", "n/My Note.md"),
        ("[[a_b]]", "a-b.md"),
        ("[[Plan, part 2]]", "three.md"),
        ("[[gate  way]]", "three.md"),
        ("[[it's]]", "it’s.md"),
        ("[[Full]]", "Ｆｕｌｌ.md"),
        ("[[202401011200]]", "n/202401011200 Tides.md"),
        ("[[food/Pizza]]", "Food___Pizza.md"),
        ("[[Re:/plan]]", "Re%3A%2Fplan.md"),
        ("[x](/guides/start/)", "one.md"),
        ("[[begin-here]]", "two.md"),
        ("[x](ops/index.md)", "ops/ops.md"),
        ("[[ops/README]]", "ops/ops.md"),
        ("![](pic.png)", "img/pic.png"),
        ("[x](PIC.png)", "img/pic.png"),
    ],
)
def test_a_dead_link_names_the_page_or_file_that_it_means(link: str, meant: str) -> None:
    files: Files = {
        "b/a.md": link,
        **dict.fromkeys(("n/202401011200 Tides.md", "Food___Pizza.md", "Re%3A%2Fplan.md"), ""),
        **dict.fromkeys(("n/My Note.md", "a-b.md", "it’s.md", "Ｆｕｌｌ.md", "ops/ops.md"), ""),
        "one.md": "---\npermalink: /guides/start/\n---\n",
        "two.md": "---\nslug: begin-here\n---\n![[pic.png]]\n",
        "three.md": '---\ntitle: "Plan: part 2"\naliases: [Gateway]\n---\n',
        "img/pic.png": "1",
    }
    assert [finding.hint for finding in findings(files, "b/a.md")] == [f"Did you mean {meant}?"]


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "hint"),
    [
        ("[[the tides|Moon]]", "Did you mean [[Moon|the tides]]? The name stands before the bar."),
        ("[[the tides|Mooon]]", ""),
        ("[[Sun|Moon]]", ""),
    ],
)
def test_a_wikilink_with_its_words_in_front_is_explained(link: str, hint: str) -> None:
    files: Files = {"a.md": link, "moon.md": "", "Sun.md": ""}
    assert [finding.hint for finding in findings(files)] == ([hint] if link != "[[Sun|Moon]]" else [])


@pytest.mark.req("P05")
@pytest.mark.parametrize("address", ["www.example.org", "www.example.org/a.html", "example.com", "docs.example.io/a/b"])
def test_an_address_without_a_scheme_is_explained(address: str) -> None:
    for link in (f"[x]({address})", f"![x]({address})"):
        (finding,) = findings({"a.md": link})
        assert finding.hint == f"Write an address on the web with its scheme: https://{address}"


@pytest.mark.req("P05")
def test_of_pages_of_one_name_the_one_in_the_folder_of_the_link_is_meant() -> None:
    files: Files = {"ar/a.md": "[x](../legal/) [[ar/legl]]", "legal.md": "", "ar/legal.md": "", "be/legal.md": ""}
    assert [finding.hint for finding in findings(files, "ar/a.md")] == ["Did you mean ar/legal.md?"] * 2


@pytest.mark.req("P05")
@pytest.mark.parametrize("link", ["[x](q?.md)", "[x](q?.md#part)", "[x](<q?.md>)"])
def test_a_name_with_a_question_mark_is_said_how_to_write(link: str) -> None:
    (finding,) = findings({"a.md": link, "q?.md": ""})
    assert finding.hint == "Did you mean q?.md? Write `?` as `%3F` and `#` as `%23` in paths."


@pytest.mark.req("P05")
def test_a_name_with_a_hash_is_said_how_to_write() -> None:
    (finding,) = findings({"a.md": "[x](d/c%23.md) [y](d/hash#tag.md)", "d/hash#tag.md": "", "d/c#.md": ""})
    assert finding.hint == "Did you mean d/hash#tag.md? Write `?` as `%3F` and `#` as `%23` in paths."
    (finding,) = findings({"a.md": "[x](c#.md)", "c#.md": "", "d/other.md": "# c"})
    assert finding.hint == "Did you mean c#.md? Write `?` as `%3F` and `#` as `%23` in paths."


@pytest.mark.req("P05")
def test_an_address_of_e_mail_without_a_scheme_is_explained() -> None:
    (finding,) = findings({"a.md": "[write to us](help@example.org)"})
    assert (finding.code, finding.hint) == ("LNK004", "Write an address of e-mail with its scheme: mailto:help@example.org")


@pytest.mark.req("P05", "P06")
@pytest.mark.parametrize(
    ("link", "code", "message"),
    [
        ("[x](.github/CONTRIBUTING.md)", "LNK007", "leads to no content: names that begin with a dot are not read."),
        ("[x](../.gitignore)", "LNK007", "leaves the repository."),
        ("[x](/.github/workflows/ci.yml)", "LNK007", "leads to no content: names that begin with a dot are not read."),
        ("[[.obsidian/plan]]", "LNK007", "leads to no content: names that begin with a dot are not read."),
        ("[x](../out.pdf)", "LNK007", "leaves the repository."),
        ("![x](.github/logo.png)", "LNK004", ": the file `.github/logo.png` is not shown: names that begin with a dot are not read."),
        ("![]()", "LNK004", "names no file."),
    ],
)
def test_what_no_repository_publishes_is_not_said_to_be_missing(link: str, code: str, message: str) -> None:
    result = make_result({"a.md": link})
    (finding,) = result.findings
    assert (finding.code, finding.message.removeprefix(link).strip()) == (code, message)
    assert result.graph.stubs == ()


@pytest.mark.req("P05", "P06")
def test_a_name_with_a_dot_before_it_may_still_be_written() -> None:
    result = make_result({"a.md": "[[.NET]]"})
    assert (result.findings[0].code, result.graph.stubs) == ("LNK001", ((".NET", 1),))


@pytest.mark.req("P05", "P19")
def test_a_file_that_no_page_shows_is_not_named() -> None:
    files: Files = {"a.md": "![](pic.png)", "secret plans/s.md": HIDDEN + "![[pic.png]]", "secret plans/pic.png": "1"}
    assert [finding.hint for finding in findings(files)] == [""]
    (finding,) = findings({**files, "new plans/pic.png": "2"})
    assert finding.hint == "A file of this name lies in another folder."


@pytest.mark.req("P05", "P19")
def test_of_several_files_that_fit_those_that_pages_show_are_named() -> None:
    files: Files = {"a.md": "![[pic.png]]", "b.md": "![](long/er/pic.png)", "z/pic.png": "1", "long/er/pic.png": "2", "b/pic.png": "3"}
    (finding,) = findings(files)
    assert (finding.code, finding.hint) == ("LNK003", "Write the path, so that one file is meant.")
    assert finding.message == "![[pic.png]] could be b/pic.png, long/er/pic.png and 1 more; it leads to b/pic.png (shortest path)."


@pytest.mark.req("P05")
def test_copies_of_one_file_are_no_question() -> None:
    assert findings({"a.md": "![[pic.png]]", "z/pic.png": "1", "b/pic.png": "1"}) == []


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "file"),
    [
        ("[[a\u00a0b]]", "a b.md"),
        ("[[a b]]", "a\u202fb.md"),
        ("[[\u200fשלום\u200e]]", "שלום.md"),
        ("[[זה זה]]", "\u2067זה זה\u2069.md"),
        ("[x](zero%E2%80%8Bwidth.md)", "zerowidth.md"),
        ("[[soft\u00adhyphen]]", "softhyphen.md"),
    ],
)
def test_what_cannot_be_seen_is_no_letter_case(link: str, file: str) -> None:
    (finding,) = findings({"a.md": link, file: ""})
    assert (finding.code, finding.message) == ("LNK008", f"{link} was found only by ignoring kinds of spaces and invisible characters.")


@pytest.mark.req("P05")
def test_a_good_link_is_no_finding() -> None:
    assert findings({"a.md": "[[b]] [x](b.md) [[#h]] <https://example.org>\n# h", "b.md": ""}) == []


@pytest.mark.req("P05")
def test_index_pages_are_never_suggested() -> None:
    for name in ("README.md", "index.md", "d/_index.md"):
        (finding,) = findings({"a.md": f"[[{name.rsplit('/')[-1][:-3]}s]]", name: ""})
        assert (finding.code, finding.hint) == ("LNK001", "")


@pytest.mark.req("P05", "P19")
def test_hidden_pages_are_not_suggested_to_readers_of_the_site() -> None:
    """Findings are the owner's, and name hidden pages only there."""
    result = make_result({"a.md": "[[Salaris]]", "salaries.md": HIDDEN})
    assert [(finding.code, finding.path) for finding in result.findings] == [("LNK001", "a.md"), ("PRV003", "salaries.md")]


@pytest.mark.req("P05")
def test_an_ambiguous_link_lists_its_candidates_and_cuts_long_lists() -> None:
    (finding,) = findings({"a.md": "[[n]]", **{f"d{number}/n.md": "" for number in range(8)}})
    assert "d0/n.md, d1/n.md, d2/n.md, d3/n.md, d4/n.md and 3 more; it leads to d0/n.md (shortest path)" in finding.message


@pytest.mark.req("P11", "P19")
def test_the_report_counts_what_there_is_and_lists_hidden_pages() -> None:
    report = make_report(make_result({"a.md": "[[b]] [[gone]] [[gone]]", "b.md": "", "s.md": HIDDEN}))
    assert (report["pages"], report["hidden"], report["edges"]) == (2, ["s.md"], 1)
    assert report["links"] == {"missing": 2, "page": 1}
    assert report["stubs"] == [{"name": "gone", "links": 2}]
    assert report["severities"]["error"] == sum(finding["severity"] == "error" for finding in report["findings"]) == 2


@pytest.mark.req("P05", "P06")
def test_the_inspection_shows_pages_links_and_graph_as_documented() -> None:
    files = {"index.md": "[[b#Part|x]] [d](d/)", "b.md": "# Part ^no\n\ntext ^b1", "d/x.md": "", "s.md": HIDDEN}
    shown = make_inspection(make_result(files), {"b.md": [("d/x.md", 0.5)]})
    assert {page["path"]: (page["url"], page["file"], page["published"]) for page in shown["pages"]} == {
        "b.md": ("b/", "b/index.html", True),
        "d/x.md": ("d/x/", "d/x/index.html", True),
        "index.md": ("", "index.html", True),
        "s.md": ("", None, False),
    }
    assert [(link["raw"], link["status"], link["to"], link["edge"]) for link in shown["links"]] == [
        ("[[b#Part|x]]", "page", "b.md#part", True),
        ("[d](d/)", "folder", "d/", False),
    ]
    assert shown["graph"]["related"] == {"b.md": [["d/x.md", 0.5]]}


@pytest.mark.req("P06")
def test_related_pages_share_rare_words_and_are_not_linked() -> None:
    common = "the quick report of the week about the market"
    files = {f"p{number}.md": f"{common} number{number}" for number in range(12)}
    files["violin.md"] = f"{common} violin maker varnish spruce"
    files["luthier.md"] = f"{common} luthier varnish spruce"
    files["linked.md"] = "[[violin]] varnish spruce violin"
    related = find_relations(files).related
    assert related["violin.md"][0][0] == "luthier.md"
    assert "linked.md" not in [path for path, _ in related["violin.md"]]
    assert all(path not in [other for other, _ in pairs] for path, pairs in related.items())
    assert all(0 < score <= 1.0001 for pairs in related.values() for _, score in pairs)


@pytest.mark.req("P06", "P19")
def test_related_lists_are_short_sorted_and_without_hidden_pages() -> None:
    files = {f"p{number:02}.md": f"spruce varnish w{number}" for number in range(15)} | {f"o{n}.md": f"other{n}" for n in range(60)}
    files["s.md"] = HIDDEN + "spruce varnish"
    related = find_relations(files).related
    pairs = related["p00.md"]
    assert len(pairs) == MOST
    assert [score for _, score in pairs] == sorted((score for _, score in pairs), reverse=True)
    assert "s.md" not in related
    assert all(path != "s.md" for each in related.values() for path, _ in each)
    assert find_relations({"a.md": "x"}).related == {}


@pytest.mark.req("P07", "P15")
def test_rows_name_redirects_that_exist_and_no_others() -> None:
    files: Files = {"new.md": "", "taken.md": "", "pic.png": b"", "s.md": HIDDEN}
    renames = {"old.md": "new.md", "d/README.md": "new.md", "taken.markdown": "new.md", "old.png": "pic.png", "was.md": "s.md"}
    result = make_result(files, renames=renames)
    assert result.redirects == {"d/index.html": "new/", "old/index.html": "new/"}
    assert [(row.from_path, row.from_url) for row in make_rows(result).redirects] == [("d/README.md", "d/"), ("old.md", "old/")]
