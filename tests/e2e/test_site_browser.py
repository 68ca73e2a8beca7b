"""The website in a real browser, under the strict headers it is meant to be served with: what a reader does, by pointer and by keyboard."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.tools.browser import Watch, find_violations
from tests.tools.built import Built, build_vault
from tests.tools.pages import find_article
from tests.tools.repos import GitRepo
from tests.tools.vaults import PNG
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

LONG = "".join(f"Paragraph {i} of a long section about bicycles and rivers.\n\n" for i in range(40))
FILES: dict[str, str | bytes] = {
    "index.md": "# Harbour notes\n\nWelcome. See [[guide]] and [[people/ada]].\n\n"
    "| What | Days |\n| --- | ---: |\n| Paint | 3 |\n\n#harbour\n",
    "guide.md": (
        "---\ntags: [howto/boats, harbour]\nsummary: How boats are kept.\n---\n# Guide\n\nIntro.\n\n"
        f"## First things\n\n{LONG}## Mooring lines\n\nTie the zeppelin knot twice. Cafè.\n\n{LONG}"
        "> [!warning] Mind the tide\n> It comes twice a day.\n\n> [!tip]- Folded\n> Hidden at first.\n\n"
        "```python\ndef moor(boat: str) -> None:\n    print(boat)\n```\n\nInline $a^2 + b^2$ and\n\n$$\nE = mc^2\n$$\n\n"
        "```mermaid\ngraph TD; A[Quay] --> B[Boat]\n```\n\n"
        "- [ ] rope\n- [x] knife\n\nFootnote.[^1] [[Not written yet]]\n\n[^1]: Said the harbour master.\n"
    ),
    "people/ada.md": "# Ada\n\nKeeper of the [[guide]]. ![A pixel](../pic.png) ==bright==\n",
    "people/ben.md": "# Ben\n\nAsks about [[guide#Mooring lines]]. #people\n",
    "log/2026/note.md": "# A note\n\n日本語の本文。 [[guide]]\n",
    "pic.png": PNG,
    **{f"many/page {i:02d}.md": f"# Many {i}\n\nSee [[guide]].\n" for i in range(30)},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A small brain with every kind of page, from a git repository."""
    folder = tmp_path_factory.mktemp("browser")
    repo = GitRepo.create(folder / "harbour")
    repo.commit(FILES)
    return build_vault(repo.path, folder / "out")


@pytest.fixture(scope="module")
def served(built: Built) -> Iterator[Served]:
    """The site on loopback."""
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A desktop page; nothing may go wrong in it."""
    yield from open_page(browser, served, 1280, 800)


@pytest.fixture
def phone(browser: Browser, served: Served) -> Iterator[Page]:
    """A phone's page; nothing may go wrong in it."""
    yield from open_page(browser, served, 390, 844)


def open_page(browser: Browser, served: Served, width: int, height: int) -> Iterator[Page]:
    """Yield a page in a context of its own, and check afterwards that its watch saw nothing."""
    watch = Watch(served.address)
    context = browser.new_context(
        viewport={"width": width, "height": height}, base_url=served.address, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(8000)
    watch.attach(context)
    yield context.new_page()
    context.close()
    assert watch.problems == []


def type_query(page: Page, query: str) -> None:
    """Open the search by its key and type."""
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Search this site")).to_be_focused()
    page.keyboard.type(query)


def find_kinds(built: Built) -> dict[str, str]:
    """Address of one page of each kind that the site has, and of the front page."""
    found = {"front": "", "long page": "guide/"}
    for name, document in built.crawl.pages.items():
        kinds = [c.removeprefix("brain-kind-") for c in find_article(document).get("class").split() if c.startswith("brain-kind-")]
        for kind in kinds:
            found.setdefault(kind, quote(name.removesuffix("index.html")))
    return found


def test_search_by_keyboard_leads_to_the_section(page: Page) -> None:
    page.goto("")
    type_query(page, "zeppelin kn")
    option = page.get_by_role("option").first
    expect(option).to_contain_text("Mooring lines")
    expect(option.locator("mark").first).to_have_text(re.compile("zeppelin", re.IGNORECASE))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"guide/#.*mooring-lines$"))
    expect(page.get_by_role("heading", name="Mooring lines")).to_be_in_viewport()
    covered = page.evaluate(
        """() => {
            const heading = document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect();
            return document.elementFromPoint(heading.left + 5, heading.top + heading.height / 2)?.closest('header') !== null;
        }"""
    )
    assert not covered, "the header covers the section that was searched for"


def test_search_opens_with_control_k_and_closes_with_escape(page: Page) -> None:
    page.goto("guide/")
    page.keyboard.press("Control+k")
    field_ = page.get_by_role("combobox", name="Search this site")
    expect(field_).to_be_focused()
    page.keyboard.type("日本")
    expect(page.get_by_role("option").first).to_contain_text("A note")
    page.keyboard.press("Escape")
    expect(field_).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(field_).to_have_value("")


def test_search_moves_with_arrows_and_says_when_nothing_matches(page: Page) -> None:
    page.goto("")
    type_query(page, "many")
    expect(page.get_by_role("option").nth(1)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.get_by_role("combobox").fill("xyzzyplugh")
    expect(page.get_by_role("status").filter(has_text="Nothing matches")).to_be_visible()


def test_search_ignores_accents_and_case(page: Page) -> None:
    page.goto("")
    type_query(page, "CAFE")
    expect(page.get_by_role("option").first).to_contain_text("Guide")


def test_search_page_answers_the_query_of_its_address(page: Page, built: Built) -> None:
    page.goto(find_kinds(built)["search"] + "?q=zeppelin")
    expect(page.get_by_role("option").first).to_contain_text("Guide")


def test_backlinks_and_tags_can_be_followed(page: Page) -> None:
    page.goto("guide/")
    page.locator(".brain-backlinks").get_by_role("link", name="Ada").or_(page.locator(".brain-backlinks summary")).first.click()
    if page.url.endswith("guide/"):
        page.locator(".brain-backlinks").get_by_role("link", name="Ada").click()
    page.wait_for_url("**/people/ada/")
    page.get_by_role("article").get_by_role("link", name="guide").click()
    page.wait_for_url("**/guide/")
    page.locator(".brain-tags").get_by_role("link", name="harbour").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("harbour")
    expect(page.get_by_role("main").or_(page.locator("article")).first.get_by_role("link", name="Harbour notes")).to_be_visible()


def test_the_page_itself_is_in_sight_in_the_navigation(page: Page) -> None:
    page.goto("many/page%2028/")
    current = page.locator('#brain-side a[aria-current="page"]')
    expect(current).to_have_text("Many 28")
    expect(current).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


def test_dark_mode_changes_the_page_and_is_remembered(page: Page) -> None:
    page.goto("guide/")

    def brightness() -> int:
        return int(
            page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)")
        )

    button = page.get_by_role("button", name=re.compile("Colour scheme"))
    light = brightness()
    for _ in range(3):
        button.click()
        if brightness() != light:
            break
    dark = brightness()
    assert dark < 200 < light
    page.reload()
    assert brightness() == dark
    page.goto("")
    assert brightness() == dark


def test_the_system_preference_for_dark_is_followed(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, color_scheme="dark")
    page = context.new_page()
    page.goto("guide/")
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)")
    context.close()
    assert colour < 200


def test_the_menu_of_a_phone_opens_leads_on_and_closes(phone: Page) -> None:
    phone.goto("people/ada/")
    button = phone.get_by_role("button", name="Navigation")
    button.click()
    link = phone.locator("#brain-side").get_by_role("link", name="Ben")
    expect(link).to_be_in_viewport()
    phone.keyboard.press("Escape")
    expect(link).not_to_be_in_viewport()
    expect(button).to_be_focused()
    button.click()
    link.click()
    phone.wait_for_url("**/people/ben/")


def test_no_page_scrolls_sideways_on_a_phone(phone: Page, built: Built) -> None:
    for kind, url in find_kinds(built).items():
        phone.goto(url)
        wide = phone.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{kind} is {wide} pixels too wide"


def test_everything_is_reached_by_keyboard_and_the_focus_is_seen(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # else the page is still on its way to where the focus is
    page.goto("people/ada/")
    page.keyboard.press("Tab")
    skip = page.evaluate("() => [document.activeElement.tagName, document.activeElement.getAttribute('href') ?? '']")
    assert skip[0] == "A"
    assert skip[1].startswith("#")
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        label, seen = page.evaluate(
            """() => {
                const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
                const drawn = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
                const seen = drawn && box.width > 0 && box.top < innerHeight && box.bottom > 0;
                const label = element.textContent.trim() || element.getAttribute('aria-label') || '';
                return [label.slice(0, 40), seen || element === document.body];
            }"""
        )
        assert seen, f"the focus on {label!r} cannot be seen"
        reached.add(label)
    assert "guide" in reached
    assert any("Ben" in label for label in reached)


def test_formulas_diagrams_and_code_are_drawn_by_the_site_itself(page: Page) -> None:
    page.goto("guide/")
    page.locator(".mermaid, .brain-diagram, [data-brain-diagram]").first.scroll_into_view_if_needed()
    expect(
        page.locator("article svg").filter(has_text="Quay").or_(page.locator("article :has(> svg)").filter(has_text="Quay")).first
    ).to_be_visible()
    expect(page.locator("article .katex").first).to_be_visible()
    assert page.locator("article pre span").count() > 3


def test_markdown_can_be_copied_viewed_and_downloaded(page: Page, built: Built) -> None:
    page.goto("guide/")
    source = page.locator("link[type='text/markdown']").get_attribute("href")
    assert source
    page.get_by_role("button", name="Copy as Markdown").click()
    page.wait_for_function("() => navigator.clipboard.readText().then(t => t.includes('zeppelin'))")
    answer = page.request.get(page.evaluate("a => new URL(a, location.href).href", source))
    assert answer.ok
    assert "Tie the zeppelin knot twice" in answer.text()


def test_pages_can_be_read_without_scripts(browser: Browser, served: Served, built: Built) -> None:
    context = browser.new_context(base_url=served.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("guide/")
    expect(page.get_by_role("heading", name="Mooring lines")).to_be_visible()
    expect(page.locator(".brain-backlinks")).to_be_visible()
    expect(page.get_by_text("E = mc^2")).to_be_visible()
    page.goto(find_kinds(built)["search"])
    assert "Search needs JavaScript" in page.locator("body").inner_text()
    context.close()


def test_printing_leaves_the_text_and_drops_the_frame(page: Page) -> None:
    page.goto("guide/")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="Mooring lines")).to_be_visible()
    expect(page.locator(".brain-header")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_on_any_kind_of_page(browser: Browser, served: Served, built: Built, scheme: str, width: int) -> None:
    context = browser.new_context(
        base_url=served.address, color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce", bypass_csp=True  # type: ignore[arg-type]
    )  # fmt: skip
    page = context.new_page()
    kinds = find_kinds(built)
    assert {"page", "folder", "tag", "tags", "contents", "recent", "search"} <= kinds.keys()
    found = []
    for kind, url in kinds.items():
        page.goto(url)
        page.wait_for_load_state("networkidle")
        found += find_violations(page, kind)
    page.goto("guide/")
    type_query(page, "zeppelin")
    expect(page.get_by_role("option").first).to_be_visible()
    found += find_violations(page, "search dialog", best_practice=False)
    context.close()
    assert found == []
