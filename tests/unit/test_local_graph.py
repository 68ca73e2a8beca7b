"""What is drawn around a page: who, on which side, how much of it; that an edit changes the pages nearby and no others."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.model.result import IndexResult
from indexer.model.site import LocalGraph, Neighbour, PageView
from indexer.publish.local_graph import LONGEST, MOST, MOST_BESIDE, ROOM, ROW, Surroundings, draw_links
from tests.tools.results import copy_known, make_jobs, make_result
from tests.unit.test_publish_render import PAGE, SITE, Reader, part, show

pytestmark = pytest.mark.req("P08")


def link(*targets: str) -> str:
    return " ".join(f"[[{target}]]" for target in targets)


def draw(files: dict[str, str], path: str) -> LocalGraph:
    graph = Surroundings(make_result(files)).choose(path)
    assert graph is not None
    return graph


def titles(side: tuple[Neighbour, ...]) -> list[str]:
    return [page.title for page in side]


def around(files: dict[str, str]) -> dict[str, LocalGraph | None]:
    return {file: job.view.around for file, job in make_jobs(make_result(files)).items() if job.twin}


def section(view: PageView) -> str:
    return part(show(view), "after").partition('<section class="brain-around"')[2].partition("</section>")[0]


def test_pages_that_link_to_a_page_stand_left_and_others_that_it_links_to_right() -> None:
    files = {"a.md": link("b", "c"), "b.md": link("c"), "c.md": link("a"), "d.md": link("a", "b"), "e.md": "alone"}
    graph = draw(files, "a.md")
    assert titles(graph.sources) == ["c", "d"]
    assert titles(graph.targets) == ["b"]
    assert [page.mutual for page in graph.sources] == [True, False]
    assert (graph.incoming, graph.outgoing, graph.more) == (2, 2, 0)
    assert graph.between == ((0, 2), (1, 2)), "b links to c, d links to b"


def test_a_page_that_nothing_is_linked_with_has_no_drawing() -> None:
    files = {"a.md": "Nobody. [[gone]]", "b.md": "Nothing."}
    assert set(around(files).values()) == {None}
    assert "brain-around" not in show(PAGE)


def test_the_best_connected_come_first_and_the_rest_is_counted() -> None:
    files = {f"n{i:02d}.md": "" for i in range(30)} | {"hub.md": "", "a.md": link("hub", *(f"n{i:02d}" for i in range(30)))}
    files |= {f"other{i}.md": link("hub", "n29") for i in range(8)}
    graph = draw(files, "a.md")
    assert titles(graph.targets)[:3] == ["hub", "n29", "n00"]
    assert len(graph.targets) == MOST_BESIDE
    assert graph.more == 31 - MOST_BESIDE


def test_both_sides_have_their_share() -> None:
    files = {f"in{i:02d}.md": link("a") for i in range(20)} | {f"out{i:02d}.md": "" for i in range(20)}
    graph = draw(files | {"a.md": link(*(f"out{i:02d}" for i in range(20)))}, "a.md")
    assert len(graph.sources) == len(graph.targets) == MOST // 2


def test_long_titles_and_addresses_cost_neighbours_and_never_the_page() -> None:
    wide = "水" * 90
    files = {f"{wide}{i}.md": "" for i in range(9)}
    graph = draw(files | {"a.md": link(*(f"{wide}{i}" for i in range(9)))}, "a.md")
    assert graph.more + len(graph.targets) == 9
    assert sum(len(page.url) for page in graph.targets) < ROOM
    assert all(len(page.title) <= LONGEST for page in graph.targets)
    assert len(section(replace(PAGE, around=graph)).encode()) < 2_500


def test_a_full_drawing_stays_small_and_its_lines_inside_it() -> None:
    names = [f"some-page-of-ordinary-length-{i:02d}" for i in range(14)]
    files = {f"{name}.md": link(*names) for name in names}
    graph = draw(files, "some-page-of-ordinary-length-00.md")
    html = section(replace(PAGE, around=graph))
    assert len(html.encode()) < 2_700
    height, own, between = draw_links(graph)
    assert height == ROW * max(len(graph.sources), len(graph.targets))
    numbers = re.findall(r"(-?\d+) (-?\d+)", re.sub(r"l-?\d+ -?\d+", "", own + between))
    assert numbers
    assert all(0 <= int(x) <= 100 and 0 <= int(y) <= height for x, y in numbers)


def test_the_drawing_says_in_words_what_it_shows_and_adds_no_tab_stop() -> None:
    pages = tuple(Neighbour(f'<b>"{i}"', f"p/{i}/", i == 0) for i in range(3))
    html = section(replace(PAGE, around=LocalGraph(pages[:1], pages[1:], ((0, 1),), incoming=1, outgoing=5, more=3)))
    words = re.sub(r"<[^>]+>", "", html.rpartition("<p>")[2])
    assert words.split(". ") == [
        "This page links to 5 pages and is linked from 1 page",
        "The drawing shows 3 of these 6 pages",
        "Dotted lines are links between them.",
    ]
    shown = html.partition('aria-hidden="true"')[2].partition("</div>\n<p>")[0]
    assert shown.count("<a ") == shown.count('tabindex="-1"') == 3
    assert Reader(html).hrefs() == ["../../p/0/", "../../p/1/", "../../p/2/"]
    assert "&lt;b&gt;&quot;0&quot;" in html
    assert "style=" not in html


def test_the_drawing_leads_on_to_the_graph_of_the_site_where_there_is_one() -> None:
    view = replace(PAGE, around=LocalGraph((), (Neighbour("B", "b/"),), (), 0, 1))
    assert "in the graph" not in show(view)
    assert 'href="../../_/graph/?page=guide/moor/"' in show(view, replace(SITE, graph_url="_/graph/"))


@pytest.mark.req("X01", "P19")
def test_a_hidden_page_changes_nothing_in_any_drawing() -> None:
    shown = {"a.md": link("b", "c"), "b.md": link("c"), "c.md": "", "d.md": link("a")}
    hidden = {f"h{i}.md": f"---\nprivate: true\n---\n{link('a', 'b', 'c', 'd')}" for i in range(9)}
    secret = {"a.md": shown["a.md"] + " [[h1]] [[h2]]"}
    assert around(shown | hidden | secret).items() >= around(shown).items()


def test_another_title_changes_the_drawings_that_show_it() -> None:
    files = {"a.md": link("b"), "b.md": "", "c.md": ""}
    before, after = around(files), around(files | {"b.md": "# Better"})
    assert [file for file in before if before[file] != after[file]] == ["a/index.html"]
    assert after["a/index.html"] == LocalGraph((), (Neighbour("Better", "b/"),), (), 0, 1)


PAGES = [f"p{i}" for i in range(9)]
LINKS = st.lists(st.sets(st.sampled_from(PAGES), max_size=5), min_size=9, max_size=9)


def write(links: list[set[str]]) -> dict[str, str]:
    return {f"{page}.md": link(*sorted(targets)) for page, targets in zip(PAGES, links, strict=True)}


@pytest.mark.req("P02", "P14")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(LINKS, st.lists(st.tuples(st.integers(0, 8), st.sets(st.sampled_from(PAGES), max_size=5)), min_size=1, max_size=3))
def test_after_an_edit_every_drawing_is_that_of_a_fresh_build(links: list[set[str]], edits: list[tuple[int, set[str]]]) -> None:
    last = make_result(write(links))
    for number, targets in edits:
        links[number] = targets
    now = make_result(write(links), last=copy_known(last.known), before=last.history)
    assert now.touched is not None
    before, planned, fresh = make_jobs(last), make_jobs(now, touched=now.touched), make_jobs(now)
    for file, job in fresh.items():
        assert planned.get(file, before.get(file)) == job, file


def test_a_new_link_to_a_hub_plans_what_is_near_and_not_all_that_link_to_the_hub() -> None:
    files = {f"n{i:03d}.md": link("hub") for i in range(200)} | {"hub.md": "", "a.md": "", "b.md": link("a")}
    last = make_result(files)
    now: IndexResult = make_result(files | {"a.md": link("hub")}, last=copy_known(last.known), before=last.history)
    assert now.touched == frozenset({"a.md", "hub.md"})
    assert {file for file, job in make_jobs(now, touched=now.touched).items() if job.twin} <= {f"{p}/index.html" for p in ("a", "b", "hub")}
