"""What a change does, on prepared pull requests in real repositories."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.analysis.changes import compare_results
from indexer.errors import SourceError
from indexer.model.changes import Difference
from indexer.pipeline import load_result
from indexer.sources.orders import BuildOptions
from tests.conftest import RepoFactory
from tests.tools.compared import changes_of, compare, list_gone, list_links, list_new, list_pages, say_all
from tests.tools.judged import FIRM, PLAN
from tests.tools.repos import DAY, FIRST_COMMIT, GitRepo, run_git


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse results go to a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


PLAN_PAGES = {
    "index.md": "# Start\n\nSee [[plan]], [the plan](plan.md#costs) and [[plan#Costs|what it costs]].\n",
    "notes/week.md": "# Week\n\nText.\n\n[plan](../plan.md) and [/plan](/plan)\n",
    "plan.md": "# The big plan\n\n## Costs\n\nMuch.\n",
}


# --- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("P16", "P05")
def test_a_rename_breaks_links_and_each_is_told_with_what_to_write(git_repo: RepoFactory) -> None:
    repo = git_repo(PLAN_PAGES)
    repo.commit(rename=(("plan.md", "plans/marketing plan.md"),))
    changes = changes_of(repo)
    assert list_links(changes) == [
        ("broke", "index.md", "[[plan#Costs|what it costs]]", "renamed", "[[marketing plan#Costs|what it costs]]"),
        ("broke", "index.md", "[[plan]]", "renamed", "[[marketing plan]]"),
        ("broke", "index.md", "[the plan](plan.md#costs)", "renamed", "plans/marketing%20plan.md#costs"),
        ("broke", "notes/week.md", "[/plan](/plan)", "renamed", "/plans/marketing%20plan"),
        ("broke", "notes/week.md", "[plan](../plan.md)", "renamed", "../plans/marketing%20plan.md"),
    ]
    (page,) = changes.pages
    assert (page.change, page.former, page.path, page.broken, page.redirected) == ("renamed", "plan.md", "plans/marketing plan.md", 5, True)
    assert {each.finding.hint for each in changes.findings if each.new} == {f"Write {link.write} instead." for link in changes.links}
    assert changes.edited == 0


@pytest.mark.req("P16", "P05")
def test_what_it_says_to_write_mends_every_link(git_repo: RepoFactory) -> None:
    repo = git_repo(PLAN_PAGES)
    repo.commit(rename=(("plan.md", "plans/marketing plan.md"),))
    files = {name: (repo.path / name).read_text() for name in ("index.md", "notes/week.md")}
    for link in changes_of(repo).links:
        old = link.raw if link.raw.startswith("[[") else link.raw.rpartition("(")[2].rstrip(")")
        files[link.path] = files[link.path].replace(
            f"({old})" if old != link.raw else old, f"({link.write})" if old != link.raw else link.write
        )
    repo.commit(files)
    assert list_links(changes_of(repo, "HEAD~2")) == []
    assert {change for change, *_ in list_links(changes_of(repo))} == {"corrected"}


@pytest.mark.req("P16", "P15")
def test_a_rename_that_keeps_its_old_name_as_an_alias_breaks_nothing(git_repo: RepoFactory) -> None:
    repo = git_repo({"index.md": "[[plan]] [[Plan|again]]\n", "plan.md": "# The big plan\n\nWords enough to be known again.\n"})
    repo.commit(
        {"strategy.md": "---\naliases: [plan]\n---\n# The big plan\n\nWords enough to be known again.\n"},
        rename=(("plan.md", "strategy.md"),),
    )
    changes = changes_of(repo)
    assert list_links(changes) == []
    assert [each for each in changes.findings if each.new] == []
    (page,) = changes.pages
    assert (page.change, page.former, page.path, page.redirected) == ("renamed", "plan.md", "strategy.md", True)
    assert "its old address leads to the new one; no link breaks" in say_all(compare(repo))


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("page", "raw", "cause", "write"),
    [
        ("# P\n\n## One\n\n## Costs in euros\n\n## Three\n", "[[plan#Two]]", "heading", "[[plan#Costs in euros]]"),
        ("# P\n\n## One\n\n## Costs in euros\n\n## Three\n", "[x](plan.md#two)", "heading", "#costs-in-euros"),
        ("# P\n\n## One\n\n## Three\n", "[[plan#Two]]", "heading", ""),
        ("# P\n\n## One\n\n## Two\n\n## Three\n\nno block\n", "[[plan#^k1]]", "heading", ""),
    ],
)
def test_a_heading_that_was_renamed_is_known_by_its_place(git_repo: RepoFactory, page: str, raw: str, cause: str, write: str) -> None:
    repo = git_repo({"a.md": f"{raw}\n", "plan.md": "# P\n\n## One\n\n## Two\n\n## Three\n\nblock ^k1\n"})
    repo.commit({"plan.md": page})
    changes = changes_of(repo)
    assert list_links(changes) == [("broke", "a.md", raw, cause, write)]
    assert list_new(changes) == [("LNK002", "a.md", 1, False)]


@pytest.mark.req("P16")
def test_links_break_when_page_or_file_is_removed_or_the_linking_page_is_moved(git_repo: RepoFactory) -> None:
    picture = {"img/a.png": b"png of some size", "img/b.png": b"another png, not like it"}
    text = "# M\n\n" + "Long enough to be known again. " * 5
    repo = git_repo({**picture, "old.md": "x", "index.md": "[[old]] ![](img/a.png)\n", "m.md": f"{text}\n[o](index.md) ![](img/b.png)\n"})
    repo.commit(remove=("old.md", "img/a.png"), rename=(("m.md", "sub/m.md"),))
    assert list_links(changes_of(repo)) == [
        ("broke", "index.md", "![](img/a.png)", "removed", ""),
        ("broke", "index.md", "[[old]]", "removed", ""),
        ("broke", "sub/m.md", "![](img/b.png)", "moved", "../img/b.png"),
        ("broke", "sub/m.md", "[o](index.md)", "moved", "../index.md"),
    ]


@pytest.mark.req("P16")
def test_a_new_link_to_the_old_name_of_a_page_is_told_its_new_name(git_repo: RepoFactory) -> None:
    repo = git_repo({"plan.md": "# Big\n\nWords enough to be known again.\n"})
    repo.commit({"a.md": "[[plan]] [[never was]]\n"}, rename=(("plan.md", "strategy.md"),))
    changes = changes_of(repo)
    assert list_links(changes) == [
        ("dead", "a.md", "[[never was]]", "text", ""),
        ("dead", "a.md", "[[plan]]", "renamed", "[[strategy]]"),
    ]
    assert changes.stubs == (("never was", 1), ("plan", 1))


@pytest.mark.req("P16", "P06")
def test_mended_links_say_what_mended_them(git_repo: RepoFactory) -> None:
    repo = git_repo(
        {
            "a.md": "[[wanted]]\n[[secret]]\n[[b#New]]\n[[typo]]\n[[known as]]\n",
            "b.md": "# B\n",
            "secret.md": "---\nprivate: true\n---\nx\n",
            "c.md": "# C\n",
        }
    )
    repo.commit(
        {
            "a.md": "[[wanted]]\n[[secret]]\n[[b#New]]\n[[known as]]\n",
            "wanted.md": "here\n",
            "b.md": "# B\n\n## New\n",
            "secret.md": "x\n",
            "c.md": "---\naliases: [known as]\n---\n# C\n",
        }
    )
    changes = changes_of(repo)
    assert list_links(changes) == [
        ("mended", "a.md", "[[wanted]]", "written", ""),
        ("mended", "a.md", "[[secret]]", "published", ""),
        ("mended", "a.md", "[[b#New]]", "heading", ""),
        ("mended", "a.md", "[[known as]]", "name", ""),
        ("corrected", "a.md", "[[typo]]", "text", ""),
    ]
    assert changes.filled_stubs == ("known as", "typo", "wanted")
    assert changes.adopted == ("c.md",)
    assert list_pages(changes) == [("published", "secret.md"), ("added", "wanted.md")]
    assert list_new(changes) == []


# --- findings --------------------------------------------------------------------------------------------------------


@pytest.mark.req("P16")
def test_moved_lines_are_no_new_findings_and_changed_lines_are_told_apart(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "[[gone]]\n\ntext\n\n[[lost]] and [[lost]]\n\n[[b]]\n", "b.md": "# B\n\nWords of B, some of them.\n"})
    repo.commit({"a.md": "new line\n\n[[gone]]\n\ntext changed [[fresh]]\n\n[[lost]] and [[lost]]\n\n[[b]]\n"}, remove=("b.md",))
    changes = changes_of(repo)
    assert list_new(changes) == [("LNK001", "a.md", 5, True), ("LNK001", "a.md", 9, False)]
    assert list_gone(changes) == []


@pytest.mark.req("P16")
def test_findings_follow_a_page_that_was_renamed(git_repo: RepoFactory) -> None:
    text = "# A\n\n[[gone]]\n\n" + "Many words, so that it is known again.\n" * 5
    repo = git_repo({"a.md": text})
    repo.commit({"sub/b.md": "# A\n\nline\n\n[[gone]]\n\n" + text[14:]}, rename=(("a.md", "sub/b.md"),))
    changes = changes_of(repo)
    assert list_new(changes) == []
    assert list_gone(changes) == []
    assert changes.edited == 1


@pytest.mark.req("P16")
@pytest.mark.parametrize("convert", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text], ids=["CRLF", "BOM"])
def test_other_line_ends_are_an_edit_and_nothing_else(git_repo: RepoFactory, convert: Callable[[str], str]) -> None:
    files = {**PLAN_PAGES, "bad.md": "---\ntitle: [\n---\n[[gone]]\n"}
    repo = git_repo(files)
    repo.commit({name: convert(text) for name, text in files.items()})
    changes = changes_of(repo)
    assert (changes.edited, changes.links, changes.findings, changes.pages) == (4, (), (), ())


@pytest.mark.req("P16", "P05")
def test_one_more_candidate_is_no_new_finding_on_an_untouched_line(git_repo: RepoFactory) -> None:
    repo = git_repo({"a.md": "[[twin]]\n", "x/twin.md": "1\n", "y/twin.md": "2\n"})
    repo.commit({"z/twin.md": "3\n", "a.md": "intro\n\n[[twin]]\n"})
    assert list_new(changes_of(repo)) == []
    repo.commit({"a.md": "intro\n\nsee [[twin]] and [[twin]]\n"})
    assert list_new(changes_of(repo)) == [("LNK003", "a.md", 3, True)]


@pytest.mark.req("P16")
def test_attributes_of_the_repository_do_not_hide_which_lines_changed(git_repo: RepoFactory) -> None:
    repo = git_repo({".gitattributes": "*.md -diff binary\n", 'a b\t"ü.md': "x", "ü.md": "one\n\ntwo\n\nthree\n", "b.md": "# B\n"})
    repo.commit({"ü.md": "one\n\ntwo [[gone]]\n\nthree\n"})
    assert list_new(changes_of(repo)) == [("LNK001", "ü.md", 3, True)]


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("P16", "P14")
def test_an_empty_change_says_so(git_repo: RepoFactory) -> None:
    repo = git_repo(PLAN_PAGES)
    repo.commit(message="Nothing")
    assert changes_of(repo).empty
    assert "No page, link, finding or document is another one." in say_all(compare(repo))
    same = compare(repo, "HEAD", "HEAD")
    assert same.changes.empty
    assert "Nothing to compare: HEAD holds nothing that HEAD lacks." in say_all(same)
    behind = compare(repo, "main", "main~1")
    assert behind.changes.empty
    assert behind.changes.base.revision == repo.commits[0]


@pytest.mark.req("P16")
def test_what_others_did_on_the_base_meanwhile_is_not_blamed_on_the_branch(git_repo: RepoFactory) -> None:
    repo = git_repo(PLAN_PAGES)
    run_git(repo.path, "checkout", "--quiet", "-b", "topic")
    repo.commit({"mine.md": "[[gone]]\n"})
    run_git(repo.path, "checkout", "--quiet", "main")
    repo.commit({"theirs.md": "[[also gone]]\n"}, remove=("plan.md",))
    compared = compare(repo, "main", "topic")
    assert list_pages(compared.changes) == [("added", "mine.md")]
    assert list_new(compared.changes) == [("LNK001", "mine.md", 1, True)]
    assert compared.tip == repo.commits[2]
    assert compared.changes.base.revision == repo.commits[0]
    assert f"the commit at which it left main ({repo.commits[0][:9]}); what came to that branch since then is not counted" in say_all(
        compared
    )


@pytest.mark.req("P16", "P01")
def test_a_folder_of_a_repository_is_a_brain_and_may_be_new(git_repo: RepoFactory) -> None:
    repo = git_repo({"README.md": "x", "other/a.md": "[[gone]]"})
    repo.commit({"docs/a.md": "[[b]]\n\n[[gone]]\n", "docs/b.md": "# B\n", "other/b.md": "[[gone too]]"})
    changes = changes_of(repo.path / "docs")
    assert list_pages(changes) == [("added", "a.md"), ("added", "b.md")]
    assert list_new(changes) == [("LNK001", "a.md", 3, True)]
    assert "::error file=docs/a.md,title=LNK001,line=3::" in say_all(compare(repo.path / "docs"))
    repo.commit(rename=(("docs/b.md", "docs/c.md"), ("other/a.md", "docs/from-outside.md")))
    assert [(page.change, page.former, page.path) for page in changes_of(repo.path / "docs").pages] == [
        ("renamed", "b.md", "c.md"),
        ("added", "", "from-outside.md"),
    ]


@pytest.mark.req("P02", "P16")
def test_the_head_is_the_same_as_read_by_itself(git_repo: RepoFactory, tmp_path: Path) -> None:
    """The second result takes over what it can from the first; that must not show."""
    repo = git_repo({**FIRM, **PLAN_PAGES, "secret.md": "---\nprivate: true\n---\n[[x]]\n"})
    repo.commit({"index.md": "[[plan]] [[c]]\n", "c.md": "---\naliases: [x]\n---\n", "secret.md": "public"}, rename=(("plan.md", "p.md"),))
    result, cache = load_result(repo.path, BuildOptions(processes=1), tmp_path / "alone")
    cache.__exit__(None, None, None)
    changes = changes_of(repo)
    counted = {severity: sum(each.severity == severity for each in result.findings) for severity in ("error", "warning", "info")}
    assert counted == {"error": changes.head.errors, "warning": changes.head.warnings, "info": changes.head.infos}
    before = changes.base.errors + changes.base.warnings + changes.base.infos
    assert sum(counted.values()) - before == len(changes.new_findings()) - len(list_gone(changes))
    assert [page.redirected for page in changes.pages if page.change == "renamed"] == [True]


@pytest.mark.req("P16")
def test_a_folder_that_moved_is_one_line_and_brings_no_findings(git_repo: RepoFactory) -> None:
    files = {f"notes/{name}.md": f"# {name}\n\n[[gone {name}]] and words of {name}, so that it is known again\n" for name in "abcd"}
    repo = git_repo({**files, "notes/x\\y.md": "refused", "index.md": "[a](notes/a.md) [[b]]\n"})
    repo.commit(rename=tuple((name, name.replace("notes", "book/notes")) for name in (*files, "notes/x\\y.md")))
    compared = compare(repo)
    assert list_new(compared.changes) == [("LNK001", "index.md", 1, False)]
    assert list_gone(compared.changes) == []
    assert "renamed  notes/ → book/notes/  (4 pages; old addresses lead to the new ones; 1 link breaks)" in say_all(compared)


@pytest.mark.req("P16")
def test_comparing_costs_less_than_reading_however_much_has_changed(git_repo: RepoFactory, tmp_path: Path) -> None:
    """Many pages: half are moved to another folder, half are edited and bring a dead link. Both figures are of this run."""
    pages = {f"{'ab'[number % 2]}/{number}.md": f"# P{number}\n\n[[{number - 1}]] and some words of {number}\n" for number in range(1200)}
    repo = git_repo(pages)
    edited = {name: text + f"\n[[gone {name}]]\n" for name, text in pages.items() if name.startswith("b/")}
    repo.commit(edited, rename=tuple((name, "moved/" + name) for name in pages if name.startswith("a/")))
    changes = changes_of(repo)
    assert (len(changes.pages), changes.edited, len(changes.new_findings())) == (600, 600, 600)
    results = []
    started = time.process_time()
    for commit in repo.commits:
        result, cache = load_result(repo.path, BuildOptions(processes=1, at=commit), tmp_path / "warm")
        cache.__exit__(None, None, None)
        results.append(result)
    reading = time.process_time() - started
    started = time.process_time()
    compare_results(results[0], results[1], Difference())
    assert time.process_time() - started < reading


# --- hidden pages ----------------------------------------------------------------------------------------------------

CANARIES = ("Quetzal", "zebrafinch", "okapi", "narwhal", "ibex", "axolotl")
HIDING = (
    "---\ntitle: Quetzal\nprivate: true\ntags: [ibex]\naliases: [axolotl]\n---\n"
    "# Quetzal\n\n## zebrafinch\n\nokapi [[narwhal]] ![](okapi.png)\n"
)


@pytest.mark.req("P16", "P19", "X01")
@pytest.mark.threat(32)
def test_a_page_made_private_breaks_links_and_is_named_by_its_path_only(git_repo: RepoFactory) -> None:
    shown = HIDING.replace("private: true\n", "")
    repo = git_repo({"index.md": "[[pay]] [[pay#zebrafinch|part]]\n", "pay.md": shown, "other.md": "# Other\n"})
    repo.commit({"pay.md": HIDING})
    compared = compare(repo)
    changes = compared.changes
    assert list_pages(changes) == [("hidden", "pay.md")]
    assert {(link[1], link[3]) for link in list_links(changes)} == {("index.md", "hidden")}
    assert {code for code, path, *_ in list_new(changes) if path == "index.md"} == {"LNK006"}
    # The link itself stands on a page that is published, with the heading that its author wrote into it.
    said = say_all(compared).replace("[[pay#zebrafinch|part]]", "")
    assert "pay.md" in said
    assert [word for word in CANARIES if word in said] == []


@pytest.mark.req("P16", "P19", "X01")
@pytest.mark.parametrize("step", ["add", "edit", "rename", "remove"])
def test_hidden_pages_say_nothing_when_they_come_change_or_go(git_repo: RepoFactory, step: str) -> None:
    before = {"index.md": "# Start\n", **({} if step == "add" else {"pay.md": HIDING})}
    repo = git_repo(before)
    edited = HIDING.replace("[[narwhal]]", "[[narwhal]] [[ibex]]\n\n[[axolotl]]")
    match step:
        case "remove":
            repo.commit(remove=("pay.md",))
        case "rename":
            repo.commit(rename=(("pay.md", "wages.md"),))
        case _:
            repo.commit({"pay.md": edited})
    compared = compare(repo)
    assert not compared.changes.empty
    said = say_all(compared)
    assert [word for word in CANARIES if word in said] == []
    if step in {"add", "edit"}:
        assert "Link leads nowhere" in said or "LNK001" in said


@pytest.mark.req("P16", "P19", "X01")
def test_a_hidden_card_and_hidden_documents_keep_their_words(git_repo: RepoFactory) -> None:
    firm = {**FIRM, "firm/brain.md": "---\ntitle: Quetzal\nblueprint: site@1\n---\n", "firm/offer.md": "---\nprice: 80\n---\nokapi\n"}
    firm["site/home.md"] = "---\nprice: narwhal\n---\nHome.\n"
    repo = git_repo(firm)
    repo.commit(
        {
            "firm/brain.md": "---\ntitle: Quetzal\nblueprint: site@1\nprivate: true\n---\n",
            "site/home.md": "---\nprice: narwhal\nprivate: true\n---\nHome.\n",
        }
    )
    compared = compare(repo)
    assert [brain.change for brain in compared.changes.brains if brain.id.endswith("/firm")] == ["removed"]
    assert [word for word in CANARIES if word in say_all(compared)] == []


# --- documents -------------------------------------------------------------------------------------------------------


def firm(repo: RepoFactory, plans: str = PLAN) -> GitRepo:
    """A tenant in a git repository, with a blueprint of its own, whose offer is filled and whose price is missing."""
    tenant = "id: acme\ntitle: Acme\naccounts: [{id: ada, name: Ada}]\nmemberships: [{account: ada, role: admin, status: active}]\n"
    tenant += "repos: [{id: lodge, title: Lodge, folder: lodge, owner: ada, kind: shared}]\n"
    return repo(
        {
            "acme/tenant.yml": tenant,
            "acme/blueprints/firm@1.yml": plans,
            "acme/lodge/firm/brain.md": "---\ntitle: The firm\nblueprint: firm@1\n---\n",
            "acme/lodge/firm/offer.md": "Offer.",
            "acme/lodge/index.md": "[[offer]] [[price]]\n",
        }
    )


def list_states(repo: GitRepo, base: str = "HEAD~1", **options: str) -> list[tuple[str, str | None, str | None]]:
    """Return (id, before, after) of the documents of the only brain that changed."""
    (brain,) = changes_of(repo.path / "acme/lodge", base, **options).brains
    return [(each.id, each.before, each.after) for each in brain.documents]


@pytest.mark.req("P16", "S06", "S07")
def test_documents_that_are_filled_checked_and_declined(git_repo: RepoFactory) -> None:
    repo = firm(git_repo)
    repo.commit(
        {
            "acme/lodge/firm/offer.md": "---\nchecked: 2026-01-02\ncheckedBy: Ada\n---\nOffer.",
            "acme/lodge/firm/price.md": "80 an hour.",
            "acme/lodge/firm/people.md": "---\ndeclined: Everybody knows everybody.\n---\n",
        }
    )
    assert list_states(repo) == [("offer", "filled", "checked"), ("price", "missing", "filled"), ("people", "missing", "declined")]
    compared = compare(repo.path / "acme/lodge")
    (brain,) = compared.changes.brains
    assert [(ring.filled, ring.checked, ring.missing) for ring in brain.before] == [(1, 0, 1), (0, 0, 1)]
    assert [(ring.filled, ring.checked, ring.declined, ring.missing) for ring in brain.after] == [(2, 1, 0, 0), (0, 0, 1, 0)]
    said = say_all(compared)
    assert "filled → checked: 2026-01-02, by Ada" in said
    assert "Public Context: 2 of 2 filled, 1 checked (before: 1 of 2 filled, 1 missing)" in said
    assert "missing → declined: Everybody knows everybody." in said
    assert "2 of 3 documents filled (before: 1 of 3)" in said
    assert list_links(compared.changes) == [("mended", "index.md", "[[price]]", "written", "")]


@pytest.mark.req("P16", "S06")
def test_a_document_that_only_grew_old_is_nobodys_doing(git_repo: RepoFactory) -> None:
    repo = firm(git_repo)
    repo.commit({"acme/lodge/firm/offer.md": "---\nchecked: 2026-01-02\ncheckedBy: Ada\n---\nOffer."})
    repo.commit({"acme/lodge/other.md": "x"}, at=FIRST_COMMIT + 200 * DAY)
    changes = changes_of(repo.path / "acme/lodge")
    assert changes.brains == ()
    assert list_new(changes) == []
    assert [(each.id, each.before, each.after, each.due) for each in changes.aged] == [("offer", "checked", "outOfDate", "2026-04-13")]
    assert "Went out of date after 2026-01-02, whatever this change does" in say_all(compare(repo.path / "acme/lodge"))
    # Before it is due, and on one day for both, there is nothing to tell.
    assert changes_of(repo.path / "acme/lodge", date="2026-03-01").aged == ()


@pytest.mark.req("P16", "S06")
def test_a_document_that_a_change_puts_out_of_date_is_a_new_finding(git_repo: RepoFactory) -> None:
    repo = firm(git_repo)
    repo.commit({"acme/lodge/firm/offer.md": "---\nchecked: 2025-01-02\ncheckedBy: Ada\n---\nOffer."})
    assert list_states(repo) == [("offer", "filled", "outOfDate")]
    assert list_new(changes_of(repo.path / "acme/lodge")) == [("BPR010", "firm/offer.md", 2, True)]
    repo.commit({"acme/lodge/firm/offer.md": "---\nchecked: 2025-01-02\n---\nOffer."})
    assert list_new(changes_of(repo.path / "acme/lodge", base="HEAD~")) == [("BPR008", "firm/offer.md", 2, True)]


@pytest.mark.req("P16", "S01", "S02", "S05")
def test_a_card_that_came_and_a_blueprint_that_changed(git_repo: RepoFactory) -> None:
    repo = firm(git_repo)
    repo.commit({"acme/lodge/second/brain.md": "---\ntitle: Second\nblueprint: firm@1\n---\n", "acme/lodge/second/offer.md": "Yes."})
    (brain,) = changes_of(repo.path / "acme/lodge").brains
    assert (brain.change, brain.id, sum(ring.filled for ring in brain.after)) == ("added", "lodge/second", 1)
    assert "Second  firm@1: 1 of 3 documents filled" in say_all(compare(repo.path / "acme/lodge"))
    plan = PLAN.replace("people.md, title: People", "staff.md, title: Staff")
    repo.commit({"acme/blueprints/firm@1.yml": plan}, remove=("acme/lodge/second/brain.md",))
    first, second = changes_of(repo.path / "acme/lodge").brains
    assert [(each.id, each.before, each.after) for each in first.documents] == [("staff", None, "missing"), ("people", "missing", None)]
    assert (second.change, second.id) == ("removed", "lodge/second")
    dropped = "---\ntitle: The firm\nblueprint: firm@1\ndrop: [{id: price, reason: We haggle.}]\n---\n"
    repo.commit({"acme/lodge/firm/brain.md": dropped})
    assert "missing, is not expected any more: We haggle." in say_all(compare(repo.path / "acme/lodge"))


@pytest.mark.req("P16", "S02")
def test_a_broken_blueprint_stops_the_head_and_not_the_base(git_repo: RepoFactory) -> None:
    repo = firm(git_repo, "blueprint: firm@1\n")
    repo.commit({"acme/blueprints/firm@1.yml": PLAN})
    assert changes_of(repo.path / "acme/lodge").brains == ()


# --- revisions -------------------------------------------------------------------------------------------------------


@pytest.mark.req("P16", "P13")
def test_what_cannot_be_compared_is_one_clear_sentence(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PLAN_PAGES)
    with pytest.raises(SourceError, match="There is no revision `nowhere`"):
        compare(repo, "nowhere")
    run_git(repo.path, "checkout", "--quiet", "--orphan", "island")
    repo.commit({"island.md": "x"})
    with pytest.raises(SourceError, match="`main` and `island` have no common history, so there is nothing to compare"):
        compare(repo, "main", "island")
    (tmp_path / "plain").mkdir()
    with pytest.raises(SourceError, match="not part of a git repository"):
        compare(tmp_path / "plain", "main")


@pytest.mark.req("P16", "P13")
def test_a_shallow_clone_is_told_to_fetch_the_history(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(PLAN_PAGES)
    run_git(repo.path, "checkout", "--quiet", "-b", "topic")
    repo.commit({"a.md": "x"})
    run_git(repo.path, "checkout", "--quiet", "main")
    repo.commit({"b.md": "x"})
    url = repo.path.as_uri()
    run_git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=topic", url, "alone")
    run_git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", url, "both")
    for clone, sentence in (("alone", "There is no revision `main`"), ("both", "have no common history in this clone, which is shallow")):
        with pytest.raises(SourceError, match=sentence) as raised:
            compare(tmp_path / clone, "main", "topic")
        assert "`fetch-depth: 0`" in raised.value.hint
