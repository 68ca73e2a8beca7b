"""Cards that preview links, and the drawing around a page, in a real browser: pointer, keyboard, touch, no scripts, strict headers."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.tools.browser import Watch, find_violations
from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

CARD = "---\nblueprint: business@1\n---\n# The yard\n\nAll of the yard.\n"
TEXT = "We sell moorings by the week, and this sentence makes it long enough to count as something that was written. " * 3
FILES = {
    "index.md": (
        "# Start\n\nSee [[guide]], [[guide#Knots]], [[people/ada|Ada]], [[people/ada#More|More]], [[brain/pricing]], [[gone]],\n"
        "[out](https://example.org/) and [[odd#Odd part|odd]].\n\n"
        "A note.[^1]\n\n[^1]: Said the **harbour master**, twice.\n"
    ),
    "guide.md": "---\nsummary: How boats are kept.\n---\n# Guide\n\nIntro.\n\n## Knots\n\nTie the *zeppelin* knot.\n\n- one\n- two\n\n"
    "### Deeper\n\nStill of the section.\n\n## Other\n\nNot shown.\n",
    "people/ada.md": "# Ada\n\nKeeper of the [[guide]].\n\n## More\n\n"
    "<b onclick='x()' id='brain-main'>Bold</b> ![Pixel](../none.png)\n\nSecond paragraph.\n",
    "odd.md": "# Odd\n\n## Odd part\n\n<script>document.title = 'taken'</script>"
    "\n\nText with [a link](javascript:alert(1)).\n\n|a|\n|-|\n|b|\n",
    "brain/brain.md": CARD,
    "brain/pricing.md": f"---\nchecked: 2026-11-01\ncheckedBy: anna\n---\n# Pricing\n\n{TEXT}",
    "brain/offer.md": f"# Offer\n\n{TEXT} See [[brain/pricing]].\n",
    "alone.md": "# Alone\n\nNobody links here.\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("previews")
    write_files(folder / "vault", FILES)
    built = build_vault(folder / "vault", folder / "out", "--date", "2026-11-30")
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    watch = Watch(served.address)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address)
    context.set_default_timeout(8000)
    watch.attach(context)
    page = context.new_page()
    page.goto("")
    yield page
    context.close()
    assert watch.problems == []


def card(page: Page) -> Locator:
    return page.get_by_role("tooltip", include_hidden=False)


def link(page: Page, name: str) -> Locator:
    return page.locator("article").get_by_role("link", name=name, exact=True).first


def asked(served: Served, path: str) -> int:
    return sum(1 for request, _ in served.requests if request == path)


def test_a_pointer_at_rest_shows_title_and_summary_of_the_page_behind_a_link(page: Page) -> None:
    link(page, "guide").hover()
    expect(card(page)).to_have_text("GuideHow boats are kept.")
    assert link(page, "guide").get_attribute("aria-describedby") == "brain-preview"
    card(page).hover()
    page.wait_for_timeout(500)
    expect(card(page)).to_be_visible()
    page.mouse.move(5, 5)
    expect(card(page)).to_be_hidden()
    assert link(page, "guide").get_attribute("aria-describedby") is None


def test_a_link_to_a_section_shows_that_section_and_no_more(page: Page) -> None:
    link(page, "guide > Knots").or_(link(page, "guide#Knots")).hover()
    expect(card(page)).to_contain_text("Tie the zeppelin knot.")
    expect(card(page)).to_contain_text("Still of the section.")
    assert card(page).locator("em").inner_text() == "zeppelin"
    assert "Not shown" not in card(page).inner_text()
    assert card(page).locator(".brain-preview__title").inner_text() == "Knots"


def test_a_document_shows_its_state_and_a_footnote_its_words(page: Page) -> None:
    link(page, "brain/pricing").or_(link(page, "pricing")).hover()
    expect(card(page).locator(".brain-state--checked")).to_have_text("Checked")
    page.mouse.move(5, 5)
    expect(card(page)).to_be_hidden()
    page.locator("sup.footnote-ref a").hover()
    expect(card(page)).to_contain_text("Said the harbour master, twice.")


def test_the_card_holds_words_only(page: Page) -> None:
    link(page, "More").hover()
    expect(card(page)).to_contain_text("Second paragraph.")
    inside = card(page).locator("*").evaluate_all("all => all.flatMap(e => [e.tagName, ...e.getAttributeNames()])")
    assert {"A", "IMG", "SCRIPT", "id", "href", "onclick", "style"}.isdisjoint(inside)
    page.mouse.move(5, 5)
    link(page, "odd").hover()
    expect(card(page)).to_contain_text("Text with")
    assert "taken" not in page.title()


def test_the_keyboard_opens_and_escape_closes_without_moving_the_focus(page: Page) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('article a')?.textContent") == "guide":
            break
    expect(card(page)).to_contain_text("How boats are kept.")
    page.keyboard.press("Escape")
    expect(card(page)).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "guide"
    page.wait_for_timeout(800)
    expect(card(page)).to_be_hidden()
    page.keyboard.press("Tab")
    expect(card(page)).to_contain_text("zeppelin")
    assert page.evaluate("document.activeElement.closest('article') !== null")


def test_passing_over_links_asks_for_nothing_and_a_page_is_asked_for_once(page: Page, served: Served) -> None:
    page.clock.install()
    page.reload()
    link(page, "brain/pricing").or_(link(page, "pricing")).hover()
    expect(card(page)).to_be_visible()  # the code of the card is there
    page.mouse.move(5, 5)
    expect(card(page)).to_be_hidden()
    served.requests.clear()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))  # however slow this machine is, the pointer does not rest
    for name in ("guide", "Ada", "odd"):
        link(page, name).hover()
    page.mouse.move(5, 5)
    page.clock.run_for(2000)
    page.clock.resume()
    assert [path for path, _ in served.requests if path.endswith("/")] == []
    for _ in range(2):
        link(page, "guide").hover()
        expect(card(page)).to_be_visible()
        page.mouse.move(5, 5)
        expect(card(page)).to_be_hidden()
    assert asked(served, "/guide/") == 1


@pytest.mark.parametrize("answer", ["404", "redirect", "offline", "other type"])
def test_what_is_not_a_page_for_this_reader_gets_no_card(browser: Browser, served: Served, answer: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("")
    answers = {
        "404": lambda route: route.fulfill(status=404, content_type="text/html", body="<article class=brain-article><h1>No</h1></article>"),
        "redirect": lambda route: route.fulfill(status=302, headers={"Location": "/people/ada/"}),
        "offline": lambda route: route.abort(),
        "other type": lambda route: route.fulfill(content_type="text/plain", body="<article class=brain-article><h1>No</h1></article>"),
    }
    page.route("**/guide/", answers[answer])
    link(page, "guide").hover()
    page.wait_for_timeout(900)
    expect(card(page)).to_have_count(0)
    page.unroute("**/guide/")
    page.mouse.move(5, 5)
    link(page, "guide").hover()
    expect(card(page)).to_be_visible()  # a failure is not kept
    context.close()
    assert errors == []


def test_a_finger_opens_the_link_and_a_link_can_ask_for_no_card(browser: Browser, served: Served, page: Page) -> None:
    page.evaluate("document.querySelector('article').dataset.brainPreview = 'off'")
    link(page, "guide").hover()
    page.wait_for_timeout(700)
    expect(card(page)).to_have_count(0)
    context = browser.new_context(base_url=served.address, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    phone = context.new_page()
    phone.goto("")
    link(phone, "guide").tap()
    phone.wait_for_url("**/guide/")
    expect(card(phone)).to_have_count(0)
    context.close()


def test_cards_stay_inside_the_window_and_follow_no_motion_that_is_not_wanted(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 700, "height": 420}, base_url=served.address, reduced_motion="reduce")
    page = context.new_page()
    page.goto("")
    for name in ("guide", "Ada", "odd"):
        link(page, name).hover()
        expect(card(page)).to_be_visible()
        box = card(page).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 700
        assert card(page).evaluate("e => getComputedStyle(e).animationName") == "none"
        page.mouse.move(5, 5)
        expect(card(page)).to_be_hidden()
    context.close()


def test_the_drawing_around_a_page_leads_to_its_neighbours_without_scripts(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("guide/")
    drawing = page.locator(".brain-around")
    expect(drawing).to_contain_text("is linked from 2 pages")
    drawing.get_by_text("Ada", exact=True).click()
    page.wait_for_url("**/people/ada/")
    page.goto("alone/")
    expect(page.locator(".brain-around")).to_have_count(0)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_about_drawing_marks_and_card(browser: Browser, served: Served, scheme: str) -> None:
    context = browser.new_context(
        base_url=served.address, color_scheme=scheme, viewport={"width": 1280, "height": 900}, reduced_motion="reduce", bypass_csp=True  # type: ignore[arg-type]
    )  # fmt: skip
    page = context.new_page()
    page.goto("")
    link(page, "guide").hover()
    expect(card(page)).to_be_visible()
    found = find_violations(page, "card")
    page.goto("brain/pricing/")
    found += find_violations(page, "document")
    assert page.locator(".brain-nav .brain-mark").count() >= 2
    context.close()
    assert found == []


def test_folders_that_are_opened_in_place_show_the_states_too(page: Page) -> None:
    page.locator(".brain-nav__toggle:visible").first.click()
    expect(page.locator(".brain-nav__inside .brain-mark.checked")).to_have_count(1)
    name = page.locator(".brain-nav__inside a").filter(has_text="Pricing").inner_text()
    assert name.split() == ["Pricing", "Checked"]
