"""Pages that are hard to show, in a real browser: deep lists, wide diagrams and tables, endless titles, forced colours."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.tools.browser import find_overflow, find_violations
from tests.tools.built import build_vault
from tests.tools.vaults import PNG, write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk" * 5
STATIONS = "".join(f"N{i}[Station {i}]-->N{i + 1}[Station {i + 1}]\n" for i in range(25))
ENDLESS = "A title that goes on and on " * 60
CELL = "<td>" + "wide" * 8 + "</td>"
DEEP = [f"Level {i} of a folder with a long name" for i in range(10)]
FILES: dict[str, str | bytes] = {
    "index.md": "# Start\n\n[[lists]]\n",
    "aligned.md": '# Aligned\n\n<div align="center">\n\nIn the middle\n\n</div>\n\nAt the side\n\n![](not-there.png)\n\n![](pic.png)\n',
    "diagram.md": "# Diagram\n\n```mermaid\ngraph LR\n" + STATIONS + "```\n",
    "endless.md": f"# {ENDLESS}\n\nShort.\n",
    "headings.md": "# Headings\n\n" + "".join(f"## Heading {i} of a page with many\n\nText.\n\n" for i in range(120)),
    "html-table.md": f"# Table of HTML\n\n<table><tr>{CELL * 9}</tr></table>\n\nAfter it.\n",
    "lists.md": "# Lists\n\n"
    + "".join("  " * i + f"- [ ] level {i} with words enough to wrap\n" for i in range(12))
    + "\nBetween.\n\n"
    + "".join("  " * i + f"* level {i} with words enough to wrap\n" for i in range(14)),
    "long-words.md": f"# {WORD}\n\n[[{WORD}]] [{WORD}](gone.md)\n",
    "neighbour.md": "# Neighbour\n\n> [!tip]- Folded\n> Inside.\n\n## Part\n\n- [x] done\n\n[out](https://example.org/)\n",
    "/".join(DEEP) + "/page.md": "# Deepest\n\nzeppelin\n",
    "folder/inside.md": "# Inside\n",
    "pic.png": PNG,
}  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("awkward")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address)
    opened.set_default_timeout(8000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def test_deep_lists_long_words_and_tables_of_html_stay_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    found = []
    for url in ("lists/", "long-words/", "html-table/", "endless/", "_/report/"):
        page.goto(url)
        found += find_overflow(page, url)
    assert found == []
    page.goto("lists/")
    for word in ("level 11", "level 13"):
        assert page.get_by_text(word).last.evaluate("e => e.clientWidth") > 90, "a word has no room"


def test_a_table_of_html_scrolls_itself_and_is_reached_by_keyboard(page: Page) -> None:
    page.goto("html-table/")
    table = page.get_by_role("table")
    assert table.evaluate(
        "e => e.scrollWidth > e.clientWidth && e.getBoundingClientRect().right <= e.parentElement.getBoundingClientRect().right + 1"
    )
    expect(table).to_have_attribute("tabindex", "0")


def test_a_wide_diagram_stays_legible_and_scrolls_in_its_own_box(page: Page) -> None:
    page.goto("diagram/")
    drawing = page.locator(".brain-diagram svg")
    expect(drawing).to_be_visible()
    letters = drawing.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width * 16")
    assert letters >= 9.5
    expect(page.get_by_role("region", name="Diagram 1")).to_have_attribute("tabindex", "0")
    assert find_overflow(page, "diagram") == []
    page.emulate_media(media="print")
    assert drawing.evaluate("e => e.getBoundingClientRect().width <= document.documentElement.clientWidth")


def test_what_a_page_puts_in_the_middle_stands_there(page: Page) -> None:
    page.goto("aligned/")
    aligned = [page.get_by_text(words).evaluate("e => getComputedStyle(e).textAlign") for words in ("In the middle", "At the side")]
    assert aligned == ["center", "start"]


def test_a_picture_that_is_missing_and_has_no_words_can_be_seen_to_be_missing(page: Page) -> None:
    page.goto("aligned/")
    expect(page.locator("article .brain-dead")).to_have_text("not-there.png")
    expect(page.locator("article img")).to_have_count(1)


def test_a_neighbour_with_an_endless_title_takes_three_lines(page: Page) -> None:
    page.goto("headings/")
    box = page.get_by_role("link", name="Previous A title that goes on").bounding_box()
    assert box
    assert box["height"] < 130


def test_the_table_of_contents_of_a_very_long_page_says_what_it_leaves_out_and_is_completed(browser: Browser, served: Served) -> None:
    plain = browser.new_context(base_url=served.address, java_script_enabled=False)
    page = plain.new_page()
    page.goto("headings/")
    written = page.locator(".brain-toc li a").count()
    assert 20 < written < 120
    expect(page.locator(".brain-toc .is-more")).to_have_text(f"and {120 - written} more")
    plain.close()
    scripted = browser.new_context(base_url=served.address, viewport={"width": 1400, "height": 800}, reduced_motion="reduce")
    page = scripted.new_page()
    page.goto("headings/")
    entries = page.locator(".brain-toc li a")
    expect(entries).to_have_count(120)
    expect(page.locator(".brain-toc .is-more")).to_have_count(0)
    expect(entries.last).to_have_text("Heading 119 of a page with many")
    entries.nth(110).click()
    expect(page.get_by_role("heading", name="Heading 110 of")).to_be_in_viewport()
    scripted.close()


def test_the_menu_of_a_phone_names_each_page_of_the_top_level_once(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    for url in ("", "neighbour/", "folder/inside/"):
        page.goto(url)
        page.get_by_role("button", name="Navigation").click()
        links = page.locator("#brain-side li > a:visible")
        expect(links.filter(has_text="All pages")).to_have_count(1)
        addresses = links.evaluate_all("all => all.map(link => link.href)")
        assert len(addresses) == len(set(addresses)), url
        assert any(("/folder/inside/" if "/" in url[:-1] else "/neighbour/") in address for address in addresses)


def test_the_path_of_a_deep_page_ends_with_the_folder_it_is_in(page: Page) -> None:
    page.goto("/".join(DEEP).replace(" ", "%20") + "/page/")
    crumbs = page.locator(".brain-path li")
    assert crumbs.last.inner_text() == DEEP[9]
    page.set_viewport_size({"width": 360, "height": 780})
    shown = [crumb for crumb in crumbs.all() if crumb.is_visible()]
    assert [shown[0].inner_text(), shown[-1].inner_text()] == ["vault", DEEP[9]]
    assert len(shown) == 4
    assert find_overflow(page, "deep page") == []
    page.goto("_/search-page/?q=zeppelin")
    expect(page.get_by_role("option").first).to_contain_text(f"{DEEP[0]} › … › {DEEP[8]} › {DEEP[9]}")


def test_copied_headings_hold_no_sign_of_their_link(page: Page) -> None:
    page.goto("neighbour/")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('article'))")
    copied = page.evaluate("getSelection().toString()")
    assert "Part" in copied
    assert "¶" not in copied


def test_the_way_back_from_a_result_leads_to_the_results(page: Page) -> None:
    page.goto("_/search-page/")
    field = page.get_by_role("combobox", name="Search this site")
    field.fill("neighbour & more")
    page.get_by_role("option", name="Neighbour").first.click()
    page.wait_for_url("**/neighbour/")
    page.go_back()
    expect(field).to_have_value("neighbour & more")
    expect(page.get_by_role("option", name="Neighbour").first).to_be_visible()


@pytest.mark.req("P12")
def test_nothing_jumps_while_the_graph_is_loaded(page: Page) -> None:
    page.goto("_/graph/")
    expect(page.get_by_role("combobox", name="Find a page").or_(page.get_by_placeholder("Find a page")).first).to_be_visible()
    shift = page.evaluate(
        """() => new Promise(done => {
            let sum = 0;
            const add = list => { for (const one of list.getEntries()) sum += one.value; };
            new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true});
            setTimeout(() => done(sum), 200);
        })"""
    )
    assert shift < 0.02


def test_icons_are_seen_in_the_colours_of_the_readers_system(browser: Browser, served: Served) -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, base_url=served.address, forced_colors="active", color_scheme="dark", bypass_csp=True
    )
    page = context.new_page()
    page.goto("neighbour/")
    # Every mask must be filled with something else than the ground: a mask over a forced ground is an empty place.
    empty = page.evaluate(
        """() => {
            const ground = getComputedStyle(document.body).backgroundColor, found = [];
            for (const element of document.querySelectorAll('body *')) {
                for (const part of ['', '::before', '::after']) {
                    const style = getComputedStyle(element, part || null);
                    if (!style.maskImage.includes('url') || (part && style.content === 'none') || style.display === 'none') continue;
                    const under = part && element.matches('input') ? getComputedStyle(element).backgroundColor : ground;
                    const filled = style.forcedColorAdjust === 'none' && ![under, 'rgba(0, 0, 0, 0)'].includes(style.backgroundColor);
                    if (!filled) found.push(`${element.tagName}.${element.className}${part}`);
                }
            }
            return found;
        }"""
    )
    found = find_violations(page, "forced colours")
    context.close()
    assert empty == []
    assert found == []
