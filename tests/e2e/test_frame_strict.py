"""The frame in a real browser under a policy without any exception: what pages may not do, and what their readers can."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P08")

DIAGRAM = """```mermaid
flowchart LR
  A[Quay] --> B[Boat]
```
"""
HOSTILE = """# Hostile

```mermaid
%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}, "themeCSS": "body { display: none }"}}%%
flowchart LR
  A["<img src=x onerror='window.pwned = 1'>"] --> B["<b id=brain-main>label</b>"]
  click A "javascript:window.pwned = 2"
  click B call window.pwned("3")
```

```mermaid
sequenceDiagram
  participant A as <script>window.pwned = 4</script>
  A->>A: <img src=x onerror=window.pwned=5>
```

```mermaid
this is no diagram
```

$\\href{javascript:window.pwned=6}{click}$ and $\\htmlData{x=y}{z}$ and $\\includegraphics{https://elsewhere.example/x.png}$
and $\\def\\a{\\a\\a}\\a$

$$
\\url{javascript:window.pwned=7} \\frac{1}{2}
$$

<div class="mermaid">graph TD; A-->B</div>
"""
FILES = {
    "index.md": f"# Harbour\n\nWelcome to the harbour. [[guide]]\n\n{DIAGRAM}\n$a^2$\n\n```python\nprint('ahoy')\n```\n",
    "guide.md": "# Guide <img src=x onerror=alert(1)>\n\nAbout zeppelins and <b>knots</b>.\n\n## Knots &lt;b&gt;\n\nA zeppelin knot.\n",
    "boats/index.md": "# Boats\n\nAll boats.\n",
    "boats/one.md": "# Boat one\n\nIt floats.\n",
    "boats/two/deep.md": "# Boat two\n\nIt floats too.\n",
    "hostile.md": HOSTILE,
    "arabic.md": "---\nlang: ar\n---\n# دليل الحوادث\n\nالحادث هو أي حدث.\n",
    "wide.md": f"# {'Wide' * 60}\n\n{'word' * 200}\n\n|{' a |' * 30}\n|{' - |' * 30}\n|{' some cell |' * 30}\n\n```\n{'x' * 400}\n```\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("frame")
    built = build_vault(write_files(folder / "vault", FILES), folder / "out")
    with serve_folder(built.site) as running:
        yield running


def watch(page: Page, origin: str) -> list[str]:
    """Return a list that fills with everything a strict reader would mind."""
    problems: list[str] = []
    page.on("console", lambda m: problems.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: problems.append(f"exception: {e}"))
    page.on("dialog", lambda d: problems.append(f"dialog: {d.message}"))
    page.on("request", lambda r: problems.append(f"request: {r.url}") if not r.url.startswith((origin, "data:")) else None)
    return problems


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A desktop page in which nothing may go wrong."""
    context = browser.new_context(
        base_url=served.address, viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(8000)
    opened = context.new_page()
    problems = watch(opened, served.address)
    yield opened
    context.close()
    assert problems == []


@pytest.mark.threat(20)
@pytest.mark.threat(17)
def test_diagrams_and_formulas_cannot_run_load_or_restyle_anything(page: Page) -> None:
    page.goto("hostile/")
    expect(page.locator(".brain-diagram svg")).to_have_count(2)
    expect(page.locator(".brain-diagram__error")).to_have_count(1)
    expect(page.locator(".brain-math.is-drawn").first).to_be_visible()
    assert page.evaluate("() => window.pwned") is None
    # The visible parts of what was tried, pressed once each.
    for node in page.locator(".brain-diagram .node").all():
        node.click(force=True)
    assert page.evaluate("() => window.pwned") is None
    assert page.url.endswith("/hostile/")
    suspicious = page.locator(
        "article :is(a[href^='javascript'], a[*|href^='javascript'], svg script, svg img, svg foreignObject, [onerror], [data-x])"
    )
    assert suspicious.count() == 0
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.locator("#brain-main").count() == 1
    assert page.get_by_text("this is no diagram", exact=True).is_visible(), "the source of a broken diagram is gone"
    assert page.locator(".brain-math.is-broken").count() >= 1, "a formula that expands for ever was not stopped"


def test_a_diagram_wears_its_styles_and_follows_the_colour_scheme(page: Page) -> None:
    page.goto("")
    box = page.locator(".brain-diagram .node rect").first
    expect(box).to_be_visible()
    fill = "element => getComputedStyle(element).fill"
    light = box.evaluate(fill)
    assert light not in ("rgb(0, 0, 0)", "none"), "the diagram's style sheet was refused"
    assert page.locator(".brain-diagram text").first.evaluate("e => getComputedStyle(e).fontFamily").startswith('"Inter')
    for _ in range(2):
        page.get_by_role("button", name="Colour scheme").click()
    expect(box).not_to_have_css("fill", light)
    assert page.evaluate("() => document.adoptedStyleSheets.length") == 1, "style sheets of drawings that are gone stay behind"


def test_nothing_heavy_is_loaded_where_it_is_not_needed(page: Page, served: Served) -> None:
    before = len(served.requests)
    page.goto("guide/")
    page.wait_for_load_state("networkidle")
    loaded = served.requests[before:]
    assert not [path for path, _ in loaded if "/mermaid/" in path or "/math/" in path or "/_/search/" in path]
    assert sum(size for path, size in loaded if path.endswith(".js")) < 40_000


@pytest.mark.threat(25)
@pytest.mark.threat(17)
def test_search_results_are_text_and_are_not_remembered(page: Page) -> None:
    page.goto("")
    page.keyboard.press("/")
    page.keyboard.type("zeppelin")
    option = page.get_by_role("option").first
    expect(option).to_be_visible()
    assert option.locator("img, b, script").count() == 0
    expect(option.locator("mark").first).to_have_text(re.compile("zeppelin", re.IGNORECASE))
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox")).to_be_hidden()
    assert page.evaluate("() => [localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_have_value("")


def test_results_that_lack_words_say_so(page: Page) -> None:
    page.goto("")
    page.keyboard.press("/")
    page.keyboard.type("zeppelin floats xylophone")
    expect(page.get_by_role("status").filter(has_text="No page has all of these words")).to_be_visible()
    expect(page.get_by_role("option").first).to_contain_text("without:")


def test_a_search_that_cannot_be_loaded_says_so_and_recovers(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address)
    page = context.new_page()
    page.route("**/_/search/**", lambda route: route.abort())
    page.goto("")
    page.keyboard.press("/")
    page.keyboard.type("zeppelin")
    expect(page.get_by_role("status").filter(has_text="could not be loaded")).to_be_visible()
    page.unroute("**/_/search/**")
    page.keyboard.type("s")
    expect(page.get_by_role("option").first).to_be_visible()
    context.close()


def test_a_folder_opens_in_the_navigation_without_leaving_the_page(page: Page) -> None:
    page.goto("")
    toggle = page.get_by_role("button", name="Pages in Boats")
    toggle.focus()
    page.keyboard.press("Enter")
    inside = page.locator("#brain-side").get_by_role("link", name="Boat one")
    expect(inside).to_be_visible()
    expect(toggle).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(inside).to_be_hidden()
    page.keyboard.press("Enter")
    inside.click()
    page.wait_for_url("**/boats/one/")


def test_code_is_copied_as_it_is_written_and_the_reader_is_told(page: Page) -> None:
    page.goto("")
    page.locator(".highlight").hover()
    page.get_by_role("button", name="Copy code").click()
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text === \"print('ahoy')\")")
    expect(page.get_by_role("status").filter(has_text="Copied the code")).to_have_count(1)


def test_shortcuts_are_listed_and_keys_typed_into_fields_stay_text(page: Page) -> None:
    page.goto("")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("a/b?c")
    expect(page.get_by_role("combobox")).to_have_value("a/b?c")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


def test_the_drawer_keeps_the_focus_until_it_is_closed(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto("boats/one/")
    button = page.get_by_role("button", name="Navigation")
    assert page.locator("#brain-side").get_by_role("link").count() == 0, "the closed drawer is reached by keyboard"
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#brain-side a[aria-current='page']")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement === document.body || document.activeElement.closest('#brain-side') !== null")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    context.close()


def test_without_scripts_the_drawer_opens_and_all_pages_are_linked(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.goto("boats/one/")
    page.locator("label.brain-drawer-label").click()
    expect(page.locator("#brain-side").get_by_role("link", name="Boat one")).to_be_in_viewport()
    assert page.get_by_role("button", name="Search").count() == 0
    expect(page.get_by_role("link", name="All pages").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 1728])
def test_no_page_scrolls_sideways_at_any_width(browser: Browser, served: Served, width: int) -> None:
    context = browser.new_context(base_url=served.address, viewport={"width": width, "height": 800})
    page = context.new_page()
    for url in ("", "wide/", "hostile/", "arabic/", "boats/", "_/contents/"):
        page.goto(url)
        page.wait_for_load_state("networkidle")
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{url} is {wide} pixels too wide at {width}"
    context.close()


def test_a_page_in_arabic_runs_from_right_to_left(page: Page) -> None:
    page.goto("arabic/")
    article = page.get_by_role("article")
    expect(article).to_have_attribute("lang", "ar")
    assert article.locator("p").first.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert page.locator("header").first.evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_text_stays_readable_when_motion_is_unwelcome_and_letters_are_large(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, viewport={"width": 640, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.goto("wide/")
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate("() => getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    context.close()


def test_the_built_look_has_no_place_for_inline_styles() -> None:
    source = Path(__file__).parents[2] / "site_templates"
    templates = [path.read_text("utf-8") for path in (source / "overrides").rglob("*.html")]
    assert templates
    assert not [text for text in templates if re.search(r"<style|\sstyle=|\son[a-z]+=", text)]
    scripts = [path.read_text("utf-8") for path in (source / "src").rglob("*.ts")]
    assert not [text for text in scripts if re.search(r"\.(innerHTML|outerHTML)\s*=|insertAdjacentHTML|document\.write|\beval\(", text)]
