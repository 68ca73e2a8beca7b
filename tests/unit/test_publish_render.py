"""A page value and a frame become one HTML file: what is in it, what can never be, and how large it is at most."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from msgspec.structs import fields, replace

from indexer.errors import PublishError
from indexer.model.site import DocumentView, LocalGraph, Neighbour, PageView, Ref, SiteView, TocItem
from indexer.publish.frames import SLOTS, FrameSet, drop_noncharacters, slot, split_frame
from indexer.publish.render import render_page, root_of, spell_date

pytestmark = pytest.mark.req("P08")

FRAME = "<html><head>" + slot("head") + "<title>" + slot("title") + "</title></head><body>"
FRAME += "".join(f"<{name}-slot>{slot(name)}</{name}-slot>" for name in SLOTS if name not in ("head", "title")) + "</body></html>"
FRAMES = FrameSet("v", {depth: split_frame(FRAME) for depth in range(4)}, ())
SITE = SiteView("Notes", "", (Ref("Guide", "guide/", folder=True), Ref("People", "people/", folder=True)), contents_url="_/contents/")
PAGE = PageView("page", "guide/moor/", "Mooring", "<h1 id='m'>Mooring</h1><p>Text</p>", True)
BAD = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&"


class Reader(HTMLParser):
    """Collects elements with their attributes, and the text of each slot."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def hrefs(self) -> list[str]:
        return [attributes["href"] or "" for _, attributes in self.elements if "href" in attributes]


def show(page: PageView, site: SiteView = SITE) -> str:
    return render_page(FRAMES, site, page).decode()


def part(html: str, name: str) -> str:
    return html.partition(f"<{name}-slot>")[2].partition(f"</{name}-slot>")[0]


def refs(count: int, base: str = "a/") -> tuple[Ref, ...]:
    return tuple(Ref(f"Page {n}", f"{base}p{n}/") for n in range(count))


def full_page(text: str = "words", url: str = "x/") -> PageView:
    ref = Ref(text, url, note=text)
    near = Neighbour(text, url)
    return PageView(
        "page", "guide/moor/", text, "<p>Text</p>", False, summary=text, toc=(TocItem(text, text, 2),
        TocItem(text, text, 3)), breadcrumbs=(ref,), section=(replace(ref, state="checked"), replace(ref, folder=True)),
        section_more=ref, section_title=text, top=(ref,), previous=ref, next=ref, backlinks=(ref,) * 20,
        backlinks_count=50, backlinks_more=ref,
        around=LocalGraph((near,), (near,), ((0, 1),), 1, 1, 1), tags=(ref,), changed=text, changed_revision=text,
        created=text, path=text, edit_url=text, source_url=text, twin_url=text, lang=text, direction=text,
        words=500, document=DocumentView("outOfDate", ref, text, text, text, text, text, text, text, text), front="<p>Front</p>",
    )  # fmt: skip


def test_every_slot_of_the_frame_is_filled_in_order() -> None:
    html = show(full_page())
    assert "\ufdd0" not in html
    positions = [html.index(f"<{name}-slot>") for name in SLOTS if name not in ("head", "title")]
    assert positions == sorted(positions)
    assert all(part(html, name).strip() for name in SLOTS if name not in ("head", "title"))


@pytest.mark.threat(17)
@pytest.mark.threat(21)
def test_no_value_of_a_page_can_become_an_element_or_an_attribute() -> None:
    hostile = show(full_page(BAD, BAD), replace(SITE, title=BAD))
    harmless = show(full_page(), replace(SITE, title="words"))
    # The same elements with the same attributes, whatever the values say.
    assert [(tag, sorted(attributes)) for tag, attributes in Reader(hostile).elements] == [
        (tag, sorted(attributes)) for tag, attributes in Reader(harmless).elements
    ]
    assert "<script" not in hostile
    assert "{{" not in show(full_page("words")), "a template was not rendered"
    assert "{{ site.title }}" in show(full_page("{{ site.title }}")), "text of a page was taken for a template"


def test_full_page_gives_every_field_a_value() -> None:
    """The test above is only as good as this."""
    page = full_page()
    empty = [field.name for field in fields(page) if not getattr(page, field.name) and field.name not in ("has_h1", "features")]
    assert empty == []


@pytest.mark.threat(24)
def test_the_frame_never_writes_inline_styles_or_handlers() -> None:
    html = show(full_page())
    assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", html)
    assert "<style" not in html


@pytest.mark.parametrize(("url", "root"), [("", "./"), ("a/", "../"), ("a/b/c/", "../../../"), ("404.html", "./")])
def test_addresses_are_relative_to_the_page(url: str, root: str) -> None:
    assert root_of(url) == root
    html = show(replace(PAGE, url=url, section=refs(3), twin_url="guide/moor.md", edit_url="https://forge.example/edit"))
    inside = [href for href in Reader(html).hrefs() if not href.startswith(("https:", "#"))]
    assert inside
    assert all(href.startswith(root) and not href.startswith(root + "..") for href in inside)


def test_a_colon_in_the_first_segment_is_no_scheme() -> None:
    assert "./javascript:x/" in Reader(show(replace(PAGE, url="", section=(Ref("x", "javascript:x/"),)))).hrefs()


def test_the_title_is_written_as_heading_only_where_the_page_has_none() -> None:
    assert part(show(PAGE), "article").count("<h1") == 1
    without = part(show(replace(PAGE, has_h1=False, content="<p>Text</p>")), "article")
    assert "<h1>Mooring</h1><p>Text</p>" in without


def test_dates_and_tags_stand_below_the_heading() -> None:
    article = part(show(replace(PAGE, changed="2024-03-10", tags=(Ref("boats", "_/tags/boats/"),), words=660)), "article")
    heading, below = article.split("</h1>")
    assert "10 March 2024" not in heading
    assert "more</li>" not in article
    many = part(show(replace(PAGE, tags=tuple(Ref(f"t{n}", f"_/tags/t{n}/") for n in range(35)))), "article")
    assert (many.count('class="brain-tag"'), "and 5 more</li>" in many) == (30, True)
    assert re.search(r"10 March 2024.*3 min read.*_/tags/boats/.*<p>Text</p>$", below.removesuffix("</article>"), re.DOTALL)


def test_a_short_note_has_no_reading_time() -> None:
    assert "min read" not in show(replace(PAGE, words=40))


def test_dates_are_spelled_without_a_locale() -> None:
    assert spell_date("2024-03-01") == "1 March 2024"
    assert spell_date("") == ""
    assert spell_date("2024-13-01") == "2024-13-01"
    assert spell_date("someday") == "someday"


def test_few_backlinks_are_open_and_many_are_folded() -> None:
    few = part(show(replace(PAGE, backlinks=refs(15), backlinks_count=15)), "after")
    assert "<details" not in few
    many = part(
        show(replace(PAGE, backlinks=refs(40), backlinks_count=812, backlinks_more=Ref("All backlinks", "_/backlinks/x/"))), "after"
    )
    assert "<details>" in many
    assert ">812<" in many
    assert "../../_/backlinks/x/" in Reader(many).hrefs()


def test_the_page_itself_and_its_branch_are_marked() -> None:
    section = (Ref("One", "guide/one/"), Ref("Moor", "guide/moor/", current=True))
    html = show(replace(PAGE, section=section, section_title="Guide", breadcrumbs=(Ref("Notes", ""), Ref("Guide", "guide/"))))
    assert re.findall(r'<a href="([^"]*)"[^>]*aria-current="page"', part(html, "nav")) == ["../../guide/moor/"]
    assert re.findall(r'<a href="([^"]*)"[^>]*aria-current="true"', part(html, "tabs")) == ["../../guide/"]
    assert '<p class="brain-nav__title" dir="auto"><a href="../../guide/">Guide</a>' in html


def test_the_front_page_marks_no_branch() -> None:
    assert "aria-current" not in part(show(replace(PAGE, url="", breadcrumbs=(Ref("Notes", ""),))), "tabs")


def test_a_long_top_level_shows_its_folders_as_tabs() -> None:
    top = (*refs(300), Ref("Folder", "folder/", folder=True))
    assert Reader(part(show(PAGE, replace(SITE, top=top)), "tabs")).hrefs() == ["../../folder/"]


def test_actions_appear_only_where_they_lead_somewhere() -> None:
    assert part(show(PAGE), "actions").strip() == ""
    html = part(show(replace(PAGE, twin_url="guide/moor.md")), "actions")
    assert 'data-brain-copy="../../guide/moor.md"' in html
    assert "download" in html
    assert "Propose a change" not in html


def test_language_and_direction_belong_to_the_article() -> None:
    article = part(show(replace(PAGE, lang="ar", direction="rtl")), "article")
    assert re.match(r'<article class="[^"]*" lang="ar" dir="rtl">', article)
    assert re.match(r'<article class="[^"]*" dir="auto">', part(show(PAGE), "article"))


def test_content_is_inserted_as_it_is() -> None:
    content = "<p>a &amp; b</p>\n<pre>\n  {{ x }}  {% y %}\n</pre>"
    assert content in show(replace(PAGE, has_h1=False, content=content))


def test_the_frame_around_a_page_does_not_grow_with_the_site() -> None:
    title = "A title of quite an ordinary length"
    many = tuple(Ref(f"{title} {n}", f"some/folder/with/page-{n}/", note=title, current=n == 39_000) for n in range(40_000))
    near = tuple(Neighbour(f"{title} {n}, and longer", f"some/folder/with/page-{n}/", mutual=True) for n in range(10))
    around = LocalGraph(near[:5], near[5:], tuple((n, n + 1) for n in range(9)), 40_000, 40_000, 79_990)
    page = replace(
        PAGE, around=around, section=many, backlinks=many, backlinks_count=40_000, tags=many[:500], toc=tuple(TocItem(title,
        f"h-{n}", 2) for n in range(5_000)), previous=many[0], next=many[1], changed="2024-03-10",
        changed_revision="a" * 40, twin_url="x.md", edit_url="https://forge.example/e",
    )  # fmt: skip
    html = show(page, replace(SITE, top=many))
    # The frame that MkDocs draws adds less than 5 kB; tests/e2e/test_frame_build.py holds it to that.
    assert len(html.encode()) - len(page.content) < 25_000 - 5_000
    assert "page-39000/" in part(html, "nav"), "the page itself was folded away"
    usual = replace(page, section=many[:25], backlinks=many[:8], backlinks_count=8, tags=many[:4], toc=page.toc[:15])
    assert len(show(usual).encode()) < 15_000 - 5_000


def test_a_long_table_of_contents_drops_deep_headings_first() -> None:
    toc = tuple(TocItem(f"H{n}", f"h{n}", 2 if n % 10 == 0 else 3) for n in range(200))
    shown = part(show(replace(PAGE, toc=toc)), "toc")
    assert shown.count("<li") == 20
    assert 'class="l3"' not in shown


def test_a_single_heading_makes_no_table_of_contents() -> None:
    assert part(show(replace(PAGE, toc=(TocItem("Mooring", "m", 1), TocItem("Only", "o", 2)))), "toc") == ""


def test_a_depth_without_frame_is_a_bug_that_says_so() -> None:
    with pytest.raises(PublishError, match="no frame for pages as deep as"):
        show(replace(PAGE, url="a/b/c/d/e/"))


def test_text_that_cannot_be_encoded_costs_a_character_and_not_the_page() -> None:
    assert "Caf?" in show(replace(PAGE, has_h1=False, title="Caf\udce9"))


@pytest.mark.req("P14")
def test_the_same_values_give_the_same_bytes_in_any_environment() -> None:
    code = (
        "from tests.unit.test_publish_render import *\n"
        "import sys; sys.stdout.buffer.write(render_page(FRAMES, SITE, replace(full_page(), changed='2024-03-10')))"
    )
    outputs = set()
    for seed, zone, locale in (("1", "Asia/Tokyo", "C"), ("2", "America/Lima", "C.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        outputs.add(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment).stdout)
    assert outputs == {render_page(FRAMES, SITE, replace(full_page(), changed="2024-03-10"))}


def test_a_frame_that_lacks_a_place_is_refused_by_name() -> None:
    with pytest.raises(PublishError, match="no place for: toc"):
        split_frame(FRAME.replace(slot("toc"), ""))
    with pytest.raises(PublishError, match="unknown places: other"):
        split_frame(FRAME + slot("other"))


def test_a_title_cannot_forge_a_place_in_the_frame() -> None:
    assert slot("nav") not in drop_noncharacters(f"Notes {slot('nav')}")
