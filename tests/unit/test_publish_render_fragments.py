"""The pages that a site makes itself: complete, linked, escaped, and never longer than a browser likes."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from indexer.model.site import Ref
from indexer.publish.contents import DEFAULT_LIMIT, build_contents
from indexer.publish.fragments import (
    ContentsFolder,
    PageChange,
    TagCount,
    render_backlinks,
    render_folder,
    render_recent,
    render_search_page,
    render_tag,
    render_tags,
)

pytestmark = pytest.mark.req("P08")

BAD = "\"'><script>alert(1)</script>&{{ x }}"
FRAGMENTS: dict[str, Callable[[str], str]] = {
    "folder": lambda text: render_folder(text, [Ref(text, text, note=text, folder=True)], at="a/b/"),
    "tags": lambda text: render_tags([TagCount(text, text, 3)], at="a/b/"),
    "tag": lambda text: render_tag(text, [Ref(text, text, note=text)], at="a/b/"),
    "backlinks": lambda text: render_backlinks(text, [Ref(text, text, note=text)], at="a/b/", url=text),
    "recent": lambda text: render_recent([PageChange(text, text, "2024-03-10", text)], at="a/b/"),
    "contents": lambda text: "".join(
        part.content
        for part in build_contents(
            ContentsFolder(text, text, (Ref(text, text),), (ContentsFolder(text, text, (Ref(text, text),)),)), at="a/b/", title=text
        )
    ),
    "search": lambda text: render_search_page(at="a/b/", contents_url=text),
}


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, list[str]]] = []
        self.hrefs: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, [name for name, _ in attrs]))
        self.hrefs += [value or "" for name, value in attrs if name == "href"]


@pytest.mark.threat(17)
@pytest.mark.threat(21)
@pytest.mark.parametrize("kind", FRAGMENTS)
def test_what_people_write_stays_text(kind: str) -> None:
    hostile = FRAGMENTS[kind](BAD)
    assert Reader(hostile).elements == Reader(FRAGMENTS[kind]("words")).elements
    assert "<script" not in hostile


@pytest.mark.parametrize("kind", FRAGMENTS)
def test_links_lead_from_the_page_they_are_on(kind: str) -> None:
    hrefs = [href for href in Reader(FRAGMENTS[kind]("x/")).hrefs if not href.startswith("https:")]
    assert hrefs
    assert set(hrefs) == {"../../x/"}


def test_the_renderer_writes_the_heading_of_every_kind() -> None:
    assert all("<h1" not in make("words") for make in FRAGMENTS.values())


def test_empty_pages_say_so_in_a_sentence() -> None:
    assert "empty" in render_folder("x", [], at="x/")
    assert "No page has a tag" in render_tags([], at="t/")
    assert "no history" in render_recent([], at="r/")


def test_changes_are_grouped_by_month_and_gone_pages_are_no_links() -> None:
    changes = [PageChange("A", "a/", "2024-03-10"), PageChange("B", "b/", "2024-03-01"), PageChange("Gone", "", "2023-12-31")]
    html = render_recent(changes, at="r/")
    assert re.findall(r"<h2>(.*?)</h2>", html) == ["March 2024", "December 2023"]
    assert Reader(html).hrefs == ["../a/", "../b/"]


def test_a_search_page_without_scripts_points_to_all_pages() -> None:
    html = render_search_page(at="_/search-page/", contents_url="_/contents/")
    assert re.search(r'<noscript>.*href="../../_/contents/".*</noscript>', html, re.DOTALL)


def make_tree(pages: int, folders: int, depth: int, name: str = "f") -> ContentsFolder:
    inside = tuple(make_tree(pages, folders, depth - 1, f"{name}/{n}") for n in range(folders)) if depth else ()
    return ContentsFolder(name, f"{name}/", tuple(Ref(f"P{n}", f"{name}/p{n}/") for n in range(pages)), inside)


TREES = {
    "small": make_tree(3, 2, 2),
    "deep": make_tree(60, 4, 4),
    "one flat folder of 40,000": ContentsFolder("x", "", tuple(Ref(f"P{n}", f"x/p{n}/") for n in range(40_000))),
    "many small folders": ContentsFolder("x", "", (), tuple(make_tree(3, 0, 0, f"f{n}") for n in range(2_000))),
    "empty": ContentsFolder("x", ""),
}


@pytest.mark.parametrize("name", TREES)
def test_every_page_is_on_exactly_one_contents_page_and_each_is_reached(name: str) -> None:
    tree = TREES[name]
    parts = {part.url: part for part in build_contents(tree, at="_/contents/")}
    reached, waiting, listed = {"_/contents/"}, ["_/contents/"], []
    while waiting:
        at = waiting.pop()
        for href in Reader(parts[at].content).hrefs:
            url = href.replace("../" * at.count("/"), "")
            if url.startswith("_/contents/"):
                waiting += [url] if url not in reached else []
                reached.add(url)
            elif re.search(r"/p\d+/$", url):
                listed.append(url)
    assert reached == parts.keys()
    assert len(listed) == len(set(listed)) == tree.count()
    assert max(part.content.count("<li") for part in parts.values()) <= DEFAULT_LIMIT + len(parts)


def test_a_small_site_has_one_contents_page() -> None:
    assert len(list(build_contents(TREES["small"], at="_/contents/"))) == 1


@pytest.mark.req("P14")
def test_contents_are_the_same_each_time() -> None:
    assert list(build_contents(TREES["deep"], at="_/contents/")) == list(build_contents(TREES["deep"], at="_/contents/"))
