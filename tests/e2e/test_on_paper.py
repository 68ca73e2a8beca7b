"""What is printed: tables with their words whole where they fit, inside the margins where not; and how tables go on beyond a screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

WORDS = [
    "Environment",
    "Development",
    "Responsibility",
    "Modules, interfaces",
    "All sub-systems, network dependencies, services and databases",
]


def write_table(cells: list[str], rows: int) -> str:
    return "\n".join(["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells), *["| " + " | ".join(cells) + " |"] * rows]) + "\n\n"


FILES = {
    "words.md": "# Words\n\n" + write_table(WORDS, 3),
    "names.md": "# Names\n\n" + write_table([*WORDS, "`a_rather_long_name_of_a_function_that_returns_nothing(and_takes_a_lot)`"], 3),
    "many.md": "# Many\n\n" + write_table([f"Responsibility{number}" for number in range(14)], 3),
    "first.md": "# First\n\n" + write_table(["`" + "a_long_name_" * 14 + "`", *WORDS], 2),
    "small.md": "# Small\n\n" + write_table(["a", "b"], 2),
}
CUT = """() => {
    const cut = [], walker = document.createTreeWalker(document.querySelector('article table'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const word of node.data.matchAll(/[a-z]+/gi)) {
            const range = new Range();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) cut.push(word[0]);
        }
    }
    return cut;
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("paper")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 658 + 15, "height": 930}, base_url=served.address)
    context.set_default_timeout(8000)
    yield context.new_page()
    context.close()


def put_on_paper(page: Page, url: str) -> None:
    """Print the page, then show it as it is printed between the margins of A4."""
    page.goto(url, wait_until="networkidle")
    page.pdf(format="A4", prefer_css_page_size=True)
    page.emulate_media(media="print")


def find_excess(page: Page) -> int:
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_words_of_a_table_that_fits_are_whole(page: Page) -> None:
    put_on_paper(page, "words/")
    assert page.evaluate(CUT) == []
    assert find_excess(page) <= 0


def test_long_names_are_cut_before_words_are(page: Page) -> None:
    put_on_paper(page, "names/")
    assert {"Environment", "Development", "Responsibility", "dependencies"}.isdisjoint(page.evaluate(CUT))
    assert find_excess(page) <= 0


@pytest.mark.parametrize("url", ["many/", "first/"])
def test_a_table_that_does_not_fit_stays_within_the_margins(page: Page, url: str) -> None:
    put_on_paper(page, url)
    assert find_excess(page) <= 0


def test_printing_leaves_the_table_on_the_screen_as_it_was(page: Page) -> None:
    page.goto("words/", wait_until="networkidle")
    measure = (
        "() => [...document.querySelectorAll('article table *')].map(e => e.getBoundingClientRect()).map(box => [box.width, box.height])"
    )
    before = page.evaluate(measure)
    page.pdf()
    assert page.evaluate(measure) == before


def test_a_table_fades_where_it_goes_on_and_only_there(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, base_url=served.address)
    phone = context.new_page()
    phone.goto("words/")
    box = phone.locator(".brain-table")
    mask = "e => getComputedStyle(e).maskImage"
    assert "gradient" in box.evaluate(mask)
    box.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    expect(box).to_have_css("mask-image", "linear-gradient(to right, rgb(0, 0, 0) 100%, rgb(0, 0, 0))")
    phone.goto("small/")
    assert phone.locator(".brain-table").evaluate(mask) == "none"
    context.close()
