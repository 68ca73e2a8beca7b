"""What was searched for is marked on the page that a result leads to, in a real browser under strict headers."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.tools.browser import Watch
from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

FILLING = "".join(f"Paragraph {i} of the long way to it.\n\n" for i in range(60))
FILES = {
    "index.md": "# Start\n\nSee [[knots]] and [[far]].\n",
    "knots.md": (
        "# Knots\n\nOne zeppelin knot, two **zeppe**lins, zeppelin<br>knot, a Zéppelin.\n\n"
        "| zeppelin | other |\n| --- | --- |\n| x | zeppelin |\n\n"
        "## Tying\n\nHow to tie a zeppelin knot. [Another zeppelin](far.md) `zeppelin()` and $zeppelin$.\n\n"
        "```python\nzeppelin = 1\n```\n\n" + "A line that is about to be tied to a post, or to a ring.\n\n" * 8
    ),
    "far.md": f"# Far\n\nAn introduction.\n\n## The section\n\n{FILLING}Here the quokka sits.\n\n## Another\n\n{FILLING}",
    "wide.md": "# Wide\n\n日本語の本文と日本。\n\n> [!note]- Folded\n> A wombat in the fold.\n",
}
READ = """() => [...(CSS.highlights.get('brain-found') ?? [])].map(range => range.toString())"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("found")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    watch = Watch(served.address)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address)
    context.set_default_timeout(8000)
    watch.attach(context)
    yield context
    context.close()
    assert watch.problems == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("")
    return page


def search(page: Page, query: str, title: str) -> None:
    """Search from the page that is open and follow the result with this title by the keyboard."""
    page.keyboard.press("/")
    page.keyboard.type(query)
    option = page.get_by_role("option").first
    expect(option).to_contain_text(title)
    page.keyboard.press("Enter")


def wait_for_marks(page: Page) -> list[str]:
    page.wait_for_function("() => CSS.highlights.has('brain-found')")
    marks: list[str] = page.evaluate(READ)
    return marks


def test_the_words_are_marked_where_the_result_leads_and_not_in_its_address(page: Page) -> None:
    search(page, "zeppelin", "Knots")
    page.wait_for_url(re.compile("/knots/"))
    marks = wait_for_marks(page)
    assert marks == [
        "zeppelin",
        "zeppelins",
        "zeppelin",
        "Zéppelin",
        "zeppelin",
        "zeppelin",
        "zeppelin",
        "zeppelin",
        "zeppelin",
        "zeppelin",
    ]
    assert "zeppelin" not in page.url
    assert page.evaluate("() => sessionStorage.length") == 0
    assert page.locator("article mark").count() == 0  # nothing is written into the page


def test_marks_change_nothing_but_colours(page: Page) -> None:
    page.goto("knots/", wait_until="networkidle")
    measure = (
        "() => [...document.querySelectorAll('article *')].map(e => { const b = e.getBoundingClientRect(); return [b.width, b.height] })"
    )
    before, html = page.evaluate(measure), page.locator("article").inner_html()
    search(page, "zeppelin", "Knots")
    wait_for_marks(page)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(measure) == before
    assert page.locator("article").inner_html() == html
    rules = page.evaluate(
        "() => [...document.styleSheets].flatMap(s => [...s.cssRules]).filter(r => /brain-found/.test(r.cssText)).map(r => r.conditionText)"
    )
    assert rules == ["screen", "(forced-colors: active)"], "paper is printed without marks"


@pytest.mark.parametrize("leave", ["Escape", "reload", "link", "back"])
def test_marks_go_with_escape_and_with_the_next_page(page: Page, leave: str) -> None:
    search(page, "zeppelin", "Knots")
    page.wait_for_url(re.compile("/knots/"))
    wait_for_marks(page)
    if leave == "Escape":
        page.keyboard.press("Escape")
    elif leave == "reload":
        page.reload()
    elif leave == "link":
        page.get_by_role("article").get_by_role("link", name="Another zeppelin").click()
        page.wait_for_url(re.compile("/far/"))
        page.go_back()
    else:
        page.go_back()
        page.go_forward()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Knots"))
    assert page.evaluate(READ) == []


def test_escape_closes_what_is_open_before_it_takes_the_marks_away(page: Page) -> None:
    search(page, "zeppelin", "Knots")
    page.wait_for_url(re.compile("/knots/"))
    wait_for_marks(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.evaluate(READ)
    page.keyboard.press("Escape")
    assert page.evaluate(READ) == []


def test_small_words_of_a_question_are_not_marked_all_over_the_page(page: Page) -> None:
    search(page, "how to tie a zeppelin", "Knots")
    page.wait_for_url(re.compile("/knots/"))
    marks = [mark.lower() for mark in wait_for_marks(page)]
    assert "zeppelin" in marks
    assert "tie" in marks
    assert {"to", "a"}.isdisjoint(marks)


def test_the_first_mark_of_a_long_section_is_brought_into_sight(page: Page) -> None:
    search(page, "quokka", "The section")
    page.wait_for_url(re.compile("/far/#"))
    assert wait_for_marks(page) == ["quokka"]
    expect(page.get_by_text("Here the quokka sits.")).to_be_in_viewport()


def test_a_section_whose_first_words_match_is_shown_from_its_heading(page: Page) -> None:
    search(page, "tie zeppelin", "Tying")
    page.wait_for_url(re.compile("/knots/#"))
    wait_for_marks(page)
    expect(page.get_by_role("heading", name="Tying")).to_be_in_viewport()


def test_a_result_on_the_page_that_is_open_is_marked_without_loading_it(page: Page, served: Served) -> None:
    page.goto("far/")
    page.wait_for_load_state("networkidle")
    served.requests.clear()
    search(page, "quokka", "The section")
    assert wait_for_marks(page) == ["quokka"]
    expect(page.get_by_text("Here the quokka sits.")).to_be_in_viewport()
    assert [path for path, _ in served.requests if path.endswith("/")] == []


def test_words_of_scripts_without_spaces_are_marked_inside_longer_runs(page: Page) -> None:
    search(page, "日本", "Wide")
    page.wait_for_url(re.compile("/wide/"))
    assert wait_for_marks(page) == ["日本", "日本"]


def test_a_result_opened_in_another_tab_leaves_nothing_behind(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("zeppelin")
    option = page.get_by_role("option").first
    expect(option).to_contain_text("Knots")
    with page.context.expect_page() as opened:
        option.click(modifiers=["Control"])
    opened.value.close()
    assert page.evaluate("() => sessionStorage.length") == 0


def test_the_search_page_hands_its_words_over_too(page: Page) -> None:
    page.goto("_/search-page/?q=zeppelin")
    page.get_by_role("option").first.click()
    page.wait_for_url(re.compile("/knots/"))
    assert "zeppelin" in wait_for_marks(page)


@pytest.mark.parametrize("lack", ["highlights", "storage"])
def test_without_what_it_needs_in_the_browser_the_page_is_shown_as_ever(context: BrowserContext, lack: str) -> None:
    page = context.new_page()
    page.add_init_script(
        "delete CSS.highlights;"
        if lack == "highlights"
        else "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no', 'SecurityError'); }});"
    )
    page.goto("")
    search(page, "zeppelin", "Knots")
    page.wait_for_url(re.compile("/knots/"))
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Knots"))
    assert page.evaluate("() => 'highlights' in CSS && CSS.highlights.size > 0") is False
    assert page.evaluate("() => 'highlights' in CSS") is (lack == "storage")
