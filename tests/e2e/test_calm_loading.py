"""Pages stay where they are while they load: nothing that comes late pushes down what is being read."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

ENGLISH = "Some plain running text that is long enough to fill a number of lines, so that wider letters would break them elsewhere. " * 4
RUSSIAN = "Обычный связный текст, достаточно длинный для того, чтобы занять несколько строк и переноситься в разных местах страницы. " * 4
FILES = {
    "index.md": "# Start\n\nSee [[long]].\n",
    "long.md": "# Long\n\n" + "".join(f"## Part {i}\n\n{ENGLISH}\n\n**{RUSSIAN}**\n\n{RUSSIAN} [[index]]\n\n" for i in range(6)),
}
NOTE_SHIFTS = """
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) window.shifted = (window.shifted ?? 0) + entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""


MEASURE = """text => {
  const line = document.createElement('span');
  line.style.cssText = 'position: absolute; white-space: nowrap';
  line.textContent = text;
  document.querySelector('.brain-article').append(line);
  const { width } = line.getBoundingClientRect();
  line.remove();
  return width;
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("calm")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def phone(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, base_url=served.address)
    context.set_default_timeout(8000)
    yield context.new_page()
    context.close()


def test_fonts_that_come_late_do_not_move_the_lines(phone: Page) -> None:
    held: list[Route] = []
    phone.route("**/*.woff2", lambda route: held.append(route))  # noqa: PLW0108 (the library marks what it is given)
    phone.add_init_script(NOTE_SHIFTS)
    phone.goto("long/", wait_until="domcontentloaded")
    phone.wait_for_timeout(400)  # time to be painted without the fonts
    assert held
    before = [phone.evaluate(MEASURE, text) for text in (ENGLISH, RUSSIAN)]
    for route in held:
        route.continue_()
    phone.unroute("**/*.woff2")
    phone.wait_for_function("() => document.fonts.check('16px \"Inter Variable\"', 'aЯ')")
    phone.wait_for_timeout(200)
    shifted = phone.evaluate("() => window.shifted ?? 0")
    assert shifted < 0.02, f"the page has moved by {shifted}"
    after = [phone.evaluate(MEASURE, text) for text in (ENGLISH, RUSSIAN)]
    assert before != after, "the fonts were there all the time"
    assert before == pytest.approx(after, rel=0.03), "what the lines are set in until then is of another width"


def test_what_stands_above_the_page_comes_before_it(phone: Page) -> None:
    phone.goto("long/")
    order = phone.evaluate(
        "() => ['.brain-toc > summary', 'article h1'].map(name => document.querySelector(name)).map(e => e.getBoundingClientRect().top)"
    )
    assert order[0] < order[1]
    first, link = phone.locator(".brain-toc > summary"), phone.get_by_role("article").get_by_role("link").first
    seen = []
    for _ in range(30):
        phone.keyboard.press("Tab")
        if first.evaluate("e => e === document.activeElement"):
            seen.append("contents")
        if link.evaluate("e => e === document.activeElement"):
            seen.append("page")
            break
    assert seen == ["contents", "page"]
    expect(link).to_be_focused()
