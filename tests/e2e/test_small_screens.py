"""What only narrow screens and fingers meet: arrows that wrap, buttons that lie over code."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

LINKS = "".join(f"{'a' * count} bb [somewhere else](https://example.org/{count}) and more words behind it.\n\n" for count in range(1, 36))
FILES = {
    "index.md": f"# Start\n\n{LINKS}",
    "code.md": "# Code\n\n```bash\nbrain build somewhere --out somewhere-else --jobs 2 --fail-on error --end\n```\n\n```\nshort\n```\n",
    "tables.md": "# Tables\n\n"
    f"| Name | Meaning |\n|---|---|\n| `--uncommitted` | {'a sentence that goes on and on, ' * 8} |\n\n"
    f"| Name | Kind | Meaning |\n|---|---|---|\n| `configuration_file` | text | {'a sentence that goes on and on, ' * 8} |\n",
    "five.md": "# Five\n\n|1|2|3|4|5|\n|-|-|-|-|-|\n"
    f"|{'many words ' * 9}|`task.status.name`|{'many words ' * 9}|`task.isDone`|{'many words ' * 9}|\n",
}
END = """code => {
    const range = new Range();
    range.selectNodeContents(code);
    code.parentElement.scrollLeft = code.parentElement.scrollWidth;
    return Math.max(...[...range.getClientRects()].map(box => box.right));
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("small")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def phone(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, base_url=served.address, has_touch=True, is_mobile=True)
    context.set_default_timeout(8000)
    yield context.new_page()
    context.close()


def test_the_arrow_of_a_link_stays_with_its_last_word(phone: Page) -> None:
    phone.goto("", wait_until="networkidle")
    apart = phone.evaluate(
        """() => [...document.querySelectorAll('a.brain-external')].filter(link => {
            const words = new Range();
            words.selectNodeContents(link);
            const last = [...words.getClientRects()].at(-1), all = [...link.getClientRects()].at(-1);
            return all.top > last.top + last.height / 2;
        }).map(link => link.href)"""
    )
    assert apart == []


def test_the_end_of_a_long_line_of_code_can_be_moved_out_from_under_the_button(phone: Page) -> None:
    phone.goto("code/", wait_until="networkidle")
    button = phone.locator(".brain-code-copy").first.bounding_box()
    assert button
    assert phone.locator("article pre > code").first.evaluate(END) <= button["x"]
    assert phone.locator("article pre").nth(1).evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_table_of_few_columns_is_read_without_scrolling_and_its_names_whole(phone: Page, browser: Browser, served: Served) -> None:
    wide = browser.new_page(viewport={"width": 1280, "height": 800})
    wide.goto(f"{served.address}tables/")
    phone.goto("tables/")
    for page, tables in ((phone, 1), (wide, 2)):
        for number in range(tables):
            box = page.locator(".brain-table").nth(number)
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    heights = "names => names.map(name => name.getClientRects().length)"
    assert wide.locator("td:first-child code").evaluate_all(heights) == [1, 1]
    wide.close()


def test_names_are_whole_in_a_table_that_scrolls(phone: Page) -> None:
    phone.goto("five/")
    assert phone.locator("td code").evaluate_all("names => names.map(name => name.getClientRects().length)") == [1, 1]
