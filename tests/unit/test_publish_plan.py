"""From index results to page jobs: embeds, sections, tags, listings, twins, and that hidden and missing look the same."""

import random
import re

import pytest

from indexer.model.job import PageJob
from indexer.model.result import IndexResult
from indexer.publish.fill import fill_content
from indexer.publish.sections import WINDOW, Sections
from indexer.publish.tags import TagPages
from indexer.publish.write_pages import render_twin
from tests.tools.results import load_bodies, make_jobs, make_plan, make_result, parse_text
from tests.tools.vaults import Files

HIDDEN = "---\nprivate: true\n---\n# Secret\n"


def show(files: Files, page: str = "a.md") -> str:
    """The finished content of one page."""
    result = make_result(files)
    return fill(make_jobs(result)[result.addresses[page].file], files)


def fill(job: PageJob, files: Files) -> str:
    bodies = load_bodies(files)
    return fill_content(bodies[job.blob].html, job.links, job.tags, job.embeds, bodies, "../")


def cut(files: Files) -> list[tuple[str, str, int]]:
    return sorted((finding.code, finding.path, finding.line) for finding in make_plan(make_result(files)).findings)


@pytest.mark.req("P04")
@pytest.mark.parametrize(
    ("embed", "shown", "left_out"),
    [
        ("![[b]]", ["intro", "first", "second", "deeper"], []),
        ("![[b#First]]", ["first", "deeper"], ["intro", "second"]),
        ("![[b#Deeper]]", ["deeper"], ["intro", "first text", "second"]),
        ("![[b#Second]]", ["second"], ["intro", "first", "deeper"]),
        ("![[b#^k]]", ["first text"], ["intro", "deeper", "second"]),
    ],
)
def test_an_embed_shows_the_part_that_it_names(embed: str, shown: list[str], left_out: list[str]) -> None:
    html = show({"a.md": embed, "b.md": "intro\n\n# First\n\nfirst text ^k\n\n## Deeper\n\ndeeper text\n\n# Second\n\nsecond text\n"})
    inner = re.sub(r'<p class="brain-embed-title">.*?</p>', "", html).lower()
    assert 'class="brain-embed"' in inner
    assert [word for word in shown if word not in inner] == []
    assert [word for word in left_out if word in inner] == []


@pytest.mark.req("P04")
def test_a_section_may_be_shown_on_its_own_page() -> None:
    files = {"a.md": "# A\n\n![[#B]]\n\n![[#^k]]\n\n# B\n\nonce more\n\nblock ^k\n"}
    assert cut(files) == []
    html = show(files)
    assert html.count("once more") == 2
    assert len(re.findall(r'id="', html)) == len(set(re.findall(r'id="[^"]*"', html)))


@pytest.mark.req("P04", "P13")
@pytest.mark.threat(15)
def test_embeds_in_a_circle_end_with_a_finding_on_each_page_of_the_circle() -> None:
    assert cut({"a.md": "![[a]]"}) == [("MDN002", "a.md", 1)]
    files = {"a.md": "\n![[b]]", "b.md": "![[c]]", "c.md": "![[a]]", "d.md": "![[a]]"}
    assert cut(files) == [("MDN002", "a.md", 2), ("MDN002", "b.md", 1), ("MDN002", "c.md", 1)]
    assert show(files).count("brain-embed-title") == 2


@pytest.mark.req("P04", "P13")
@pytest.mark.threat(15)
def test_embeds_that_multiply_are_cut() -> None:
    deep = {f"p{number}.md": f"![[p{number + 1}]]" for number in range(8)} | {"p8.md": "end"}
    assert ("MDN003", "p0.md", 1) in cut(deep)
    assert show(deep, "p0.md").count('class="brain-embed"') == 5
    wide = {f"p{number}.md": f"![[p{number + 1}]] x\n\n" * 9 for number in range(4)} | {"p4.md": "end"}
    assert "MDN003" in {code for code, _, _ in cut(wide)}
    assert show(wide, "p0.md").count('class="brain-embed"') <= 60


@pytest.mark.req("P04")
def test_embedded_footnotes_and_ids_are_not_there_twice() -> None:
    files = {"a.md": "own[^1]\n\n![[b]]\n\n![[b#Part]]\n\n[^1]: mine\n", "b.md": "## Part\n\ntheirs[^1] ^k\n\n[^1]: note text\n"}
    html = show(files)
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert "note text" not in html
    assert "mine" in html
    assert html.count('theirs<sup class="footnote-ref"><a href="../b/#__fn-1">1</a></sup>') == 2


@pytest.mark.req("P05", "P19")
@pytest.mark.threat(28)
@pytest.mark.parametrize(
    "link", ["[[{}]]", "[[{}|word]]", "[[{}#Secret]]", "[word]({}.md)", "![[{}]]", "[word][r]\n\n[r]: {}.md", "[[{}#^k]]"]
)
def test_a_hidden_page_and_a_missing_one_look_the_same_byte_for_byte(link: str) -> None:
    hidden = show({"a.md": link.format("secret"), "secret.md": HIDDEN})
    missing = show({"a.md": link.format("secret")})
    assert hidden == missing
    assert "brain-dead" in hidden


@pytest.mark.req("P10", "P19")
@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("see [[secret]] and ![[secret]].", "see secret and secret."),
        ("see ![[secret]] and [[secret]].", "see secret and secret."),
        ("see [[secret|the plan]].", "see the plan."),
        ("see [the plan](secret.md).", "see the plan."),
        ("see [the plan][r] x\n\n[r]: secret.md\n\nend", "see the plan x\n\n\n\nend"),
        ("see [The Plan][] x\n\n> [the  plan]: secret.md 'title'\n\nend", "see The Plan x\n\n\n\nend"),
        ("keep [[b]] %%gone [[secret]]%%<!-- gone too -->.", "keep [[b]] ."),
        ('---\nrelated: "[[secret]]"\n---\nx', '---\nrelated: "secret"\n---\nx'),
    ],
)
def test_the_twin_is_the_markdown_without_comments_and_without_links_to_hidden_pages(text: str, twin: str) -> None:
    files = {"a.md": text, "b.md": "", "secret.md": HIDDEN}
    result = make_result(files)
    job = make_jobs(result)["a/index.html"]
    shown = render_twin(parse_text(text)[1], job).decode()
    assert shown == twin
    assert "secret.md" not in shown


@pytest.mark.req("P10", "P19")
def test_links_to_hidden_pages_are_found_wherever_they_stand_among_thousands() -> None:
    chance = random.Random(5)
    names = [f"secret{number}" for number in range(300)]
    forms = ("[[{}]]", "![[{}]]", "[[{}|x]]", "[x]({}.md)", "[[b]]", "[ [[{}]] ]", "`[[{}]]`", "[![[{}]]", "[a [[{}]]](b.md)", "![[[{}]]")
    lines = [" ".join(chance.choice(forms).format(chance.choice(names)) for _ in range(chance.randint(0, 5))) for _ in range(800)]
    text = "\n".join(lines)
    job = make_jobs(make_result({"a.md": text, "b.md": "", **{f"{name}.md": HIDDEN for name in names}}))["a/index.html"]
    expected = text
    for raw, label in sorted(job.redactions, key=lambda pair: (-len(pair[0]), pair)):
        expected = expected.replace(raw, label)
    assert len(job.redactions) > 500
    assert render_twin(parse_text(text)[1], job).decode() == expected


@pytest.mark.req("P10", "P19")
@pytest.mark.parametrize(
    "text",
    [
        "%% gone\n\ngone %%\n\nline 5",
        "line 1 %%gone\ngone%% line 2\n\n<!-- gone\n\n\ngone -->\nline 8",
        "> line 1 %%gone\n> gone%% line 2\n\nline 4",
        "---\ntitle: T\n---\n<!--\ngone\n-->\n\nline 8",
        "line 1 [the\nplan](secret.md) line 2\n\nline 4",
        "> line 1 [the\n> plan](secret.md) line 2\n\nline 4",
        "line 1 [the %%gone\ngone%% plan](secret.md) line 2\n\nline 4",
        "line 1 [the plan][r]\n\n[r]: secret.md\nline 4",
        "line 1 [the plan][r]\n\n[r]:\n  secret.md\n\nline 6",
        "line 1 [the\nplan][r] line 2\n\n[r]: secret.md 'x'\n\nline 6 [[secret]]",
    ],
)
def test_every_line_of_the_twin_has_the_number_that_it_has_in_the_file(text: str) -> None:
    job = make_jobs(make_result({"a.md": text, "secret.md": HIDDEN}))["a/index.html"]
    shown = render_twin(parse_text(text)[1], job).decode()
    assert "gone" not in shown
    assert "secret.md" not in shown
    numbers = re.compile(r"line (\d+)")
    kept = [(int(number), row) for row, line in enumerate(shown.split("\n"), 1) for number in numbers.findall(line)]
    assert [number for number, _ in kept] == [int(number) for number in numbers.findall(text)]
    assert all(number == row for number, row in kept)
    assert shown.count("\n") == text.count("\n")


def refs(result: IndexResult, path: str) -> list[str]:
    return [ref.title for ref in Sections(result).locate_page(path).section]


@pytest.mark.req("P08")
def test_a_section_is_a_window_of_sixty_around_the_page() -> None:
    result = make_result({f"d/p{number}.md": "" for number in range(200)})
    place = Sections(result).locate_page("d/p100.md")
    assert len(place.section) == WINDOW == 60
    assert [ref.title for ref in place.section if ref.current] == ["p100"]
    assert (place.previous.title, place.next.title) == ("p99", "p101")  # type: ignore[union-attr]
    assert place.section_more is not None
    assert place.section_more.url == "d/"
    assert refs(result, "d/p0.md")[0] == "p0"
    assert refs(result, "d/p199.md")[-1] == "p199"
    assert Sections(result).locate_page("d/p0.md").previous is None
    assert Sections(result).locate_page("d/p199.md").next is None


@pytest.mark.req("P08")
def test_a_page_that_is_alone_in_its_folder_stands_among_the_folders_beside_it() -> None:
    """As in a repository with a README.md in each folder: its own list would be empty."""
    files = {"d/README.md": "# D", "d/1-a/README.md": "# A", "d/2-b/README.md": "# B", "d/3-c/index.md": "# C", "d/3-c/more.md": "# More"}
    sections = Sections(make_result(files))
    place = sections.locate_page("d/2-b/README.md")
    assert [(ref.title, ref.current, ref.folder) for ref in place.section] == [("C", False, True), ("A", False, False), ("B", True, False)]
    assert (place.section_title, [crumb.title for crumb in place.breadcrumbs]) == ("D", ["Brain", "D"])
    assert (place.previous and place.previous.title, place.next) == ("A", None)
    assert [ref.title for ref in sections.locate_page("d/3-c/index.md").section] == ["More"]
    assert sections.spread(["d/1-a/README.md"]) == {"d/README.md", "d/1-a/README.md", "d/2-b/README.md"}


@pytest.mark.req("P08")
def test_breadcrumbs_lead_from_the_front_page_to_the_parent() -> None:
    result = make_result({"index.md": "", "d/index.md": "# Deep", "d/e/x.md": "", "d/e/f/index.md": ""})
    sections = Sections(result)
    assert [(ref.title, ref.url) for ref in sections.locate_page("d/e/x.md").breadcrumbs] == [("Brain", ""), ("Deep", "d/"), ("e", "d/e/")]
    assert [ref.title for ref in sections.locate_page("d/index.md").breadcrumbs] == ["Brain"]
    assert [ref.title for ref in sections.locate_page("d/e/f/index.md").breadcrumbs] == ["Brain", "Deep", "e"]


@pytest.mark.req("P08")
def test_pages_stand_in_natural_order_folders_first_and_numbered_ones_before_all() -> None:
    files = {
        "part 10.md": "",
        "part 2.md": "",
        "Alpha.md": "",
        "z/x.md": "",
        "y/index.md": "---\norder: 1.5\n---\n",
        "last.md": "---\norder: 2\n---\n",
        "first.md": "---\norder: -1\n---\n",
        "odd.md": "---\norder: soon\n---\n",
        "nan.md": "---\norder: .nan\n---\n",
    }
    assert refs(make_result(files), "Alpha.md") == ["first", "y", "last", "z", "Alpha", "nan", "odd", "part 2", "part 10"]


@pytest.mark.req("P08")
def test_an_order_in_quotes_is_a_number_and_accents_do_not_send_a_page_to_the_end() -> None:
    files = dict.fromkeys(("Ähre.md", "zebra.md", "Apfel.md", "Šíp 10.md", "Sip 2.md", "tea.md"), "")
    assert refs(make_result({**files, "one.md": '---\norder: "1"\n---\n'}), "tea.md") == [
        "one",
        "Ähre",
        "Apfel",
        "Sip 2",
        "Šíp 10",
        "tea",
        "zebra",
    ]


@pytest.mark.req("P08")
def test_the_title_and_order_of_a_folder_are_those_of_the_page_at_its_address() -> None:
    for index in ("g/README.md", "g/readme.markdown", "g/g.md", "g/_index.md", "g.md"):
        files = {index: "---\ntitle: Guide\norder: 1\n---\n", "g/x.md": "", "a.md": ""}
        assert refs(make_result(files), "a.md") == ["Guide", "a"], index


@pytest.mark.req("P08")
def test_a_listed_folder_says_what_it_is_about_or_how_much_is_in_it() -> None:
    files = {"a/README.md": "---\nsummary: All about a.\n---\n", "b/README.md": "", "c/x.md": "", "d/x.md": "", "d/y.md": ""}
    (content,) = [job.view.content for job in make_plan(make_result(files)).jobs if job.file == "index.html"]
    assert "All about a." in content
    assert "1 entry" in content
    assert "2 entries" in content
    assert "0 entries" not in content


@pytest.mark.req("P08", "P02")
def test_another_summary_of_a_folder_changes_the_list_that_shows_it() -> None:
    before = make_result({"a/README.md": "---\nsummary: Old.\n---\n", "b.md": ""})
    after = make_result({"a/README.md": "---\nsummary: New.\n---\n", "b.md": ""}, last=before.known)
    assert after.touched == frozenset({"a/README.md"})
    (content,) = [job.view.content for job in make_plan(after, touched=after.touched).jobs if job.file == "index.html"]
    assert "New." in content


@pytest.mark.req("P08", "P15")
def test_folders_that_differ_in_letter_case_have_lists_of_their_own() -> None:
    plan = make_plan(make_result({"Notes/a.md": "", "notes/b.md": ""}))
    lists = {job.file: job.view.content for job in plan.jobs if job.view.kind == "folder"}
    assert sorted(lists) == ["Notes/index.html", "index.html", "notes-2/index.html"]
    assert "Notes/a/" in lists["Notes/index.html"]
    assert "notes/b/" in lists["notes-2/index.html"]


@pytest.mark.req("P08")
def test_tags_ignore_letter_case_and_include_their_parents() -> None:
    tags = TagPages(make_result({"a.md": "#Big/Plan", "b.md": "#big/plan #other", "c.md": "#Big/Plan", "s.md": HIDDEN + "#hidden"}))
    assert tags.names == {"big": "Big", "big/plan": "Big/Plan", "other": "other"}
    assert tags.pages["big"] == ["a.md", "b.md", "c.md"]
    assert tags.url("BIG/plan") == "_/tags/t/big/plan/"


@pytest.mark.req("P08", "P15")
def test_odd_and_long_tags_have_safe_addresses_of_their_own() -> None:
    tags = TagPages(make_result({"a.md": ""}))
    odd = ["..", ".", "index.html", "a:b", "a?b", "a\\b", "a-b", "t" * 80 + "a", "t" * 80 + "b", "ü/x y", "con"]
    files = [tags.file(tag) for tag in odd]
    assert len(set(files)) == len(odd)
    for file in files:
        parts = file.removeprefix("_/tags/t/").removesuffix("/index.html").split("/")
        assert not set(parts) & {"", ".", "..", "index.html"}
        assert all(len(part) <= 80 and not re.search(r'[\\:?*"<>|\x00-\x1f]', part) for part in parts)
    assert tags.file("big/plan") == "_/tags/t/big/plan/index.html"


@pytest.mark.req("P08", "P19")
def test_generated_pages_list_what_is_published_and_nothing_hidden() -> None:
    files = {"d/a.md": "#tag [[d/b]]", "d/b.md": "#tag", "d/secret.md": HIDDEN + "#tag #secrettag", "only/secret.md": HIDDEN}
    plan = make_plan(make_result(files, changes={"d/a.md": 5, "d/b.md": 9, "d/secret.md": 11}))
    kinds = {job.view.kind for job in plan.jobs}
    assert {"page", "folder", "tag", "tags", "contents", "recent", "search"} <= kinds
    assert not any("secret" in f"{job.file} {job.view} {job.links}".lower() for job in plan.jobs)
    recent = next(job.view.content for job in plan.jobs if job.view.kind == "recent")
    assert recent.index("d/b/") < recent.index("d/a/")


@pytest.mark.req("P08")
def test_long_lists_of_backlinks_have_a_page_of_their_own() -> None:
    files = {"hub.md": ""} | {f"p{number:03}.md": "[[hub]]" for number in range(60)}
    jobs = make_jobs(make_result(files))
    view = jobs["hub/index.html"].view
    assert (len(view.backlinks), view.backlinks_count) == (40, 60)
    assert view.backlinks_more is not None
    listing = jobs[f"{view.backlinks_more.url}index.html"].view.content
    assert all(f"p{number:03}/" in listing for number in range(60))


@pytest.mark.req("P08")
def test_backlinks_that_share_a_title_say_where_they_are() -> None:
    files = {
        "a/pricing.md": "# Pricing",
        "b/pricing.md": "# Pricing\n\n[[a/pricing]]",
        "b/other.md": "# Other\n\n[[a/pricing]]",
        "x/notes/index.md": "# Notes\n\n[[a/pricing]]",
        "notes.md": "# Notes\n\n[[a/pricing]]",
        "y/one.md": "# Same\n\n[[a/pricing]]",
        "y/two.md": "# Same\n\n[[a/pricing]]",
    }
    view = make_jobs(make_result(files))["a/pricing/index.html"].view
    assert [(ref.title, ref.note) for ref in view.backlinks] == [
        ("Notes", "notes.md"),
        ("Notes", "x/notes"),
        ("Other", ""),
        ("Pricing", "b"),
        ("Same", "y/one.md"),
        ("Same", "y/two.md"),
    ]


@pytest.mark.req("P11", "P19")
def test_the_report_names_missing_files_and_headings_and_no_path_of_a_page() -> None:
    """A link to a hidden page and one to none look the same, so nothing may be said of where either leads."""
    files = {
        "a.md": "# A\n\n![Plan](gone/plan.png) [[b#Nowhere]] [[b#^k]] [One](x/secret.md) [Two](x/none.md)\n",
        "b.md": "# B",
        "x/secret.md": HIDDEN,
    }
    page = make_jobs(make_result(files))["_/report/index.html"].view.content
    for said in (
        "There is no file <code>gone/plan.png</code>.",
        "“B” has no heading <code>Nowhere</code>.",
        "“B” has no block <code>^k</code>.",
    ):
        assert said in page
    assert page.count("There is no such page.") == 2
    assert "secret" not in page
    assert "none.md" not in page
