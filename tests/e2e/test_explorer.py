"""The graph explorer in a real browser: by pointer, by keyboard, by its address, as a table, without WebGL and without scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.conftest import BuildFactory
from tests.tools.browser import Watch, find_overflow, find_violations
from tests.tools.built import Built, build_vault
from tests.tools.trees import compare_trees, read_tree
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P12", "T34")

FILES: dict[str, str | bytes] = {
    "index.md": "# Harbour notes\n\n[[guide]] [[boats/index|boats]]\n",
    "guide.md": "---\ntags: [howto]\n---\n# Guide\n\n[[people/ada]] [[Tide tables]]\n",
    "people/ada.md": "---\ntags: [people]\n---\n# Ada\n\nKeeps the [[guide]]. [[Tide tables]]\n",
    "people/ben.md": "---\ntags: [people]\n---\n# Ben\n\nSails the [[boats/zephyr]].\n",
    "people/lone.md": "# Lone page\n\nNothing here.\n",
    "boats/index.md": "# Boats\n\n[[boats/zephyr]] [[boats/gale]]\n",
    "boats/zephyr.md": "# Zephyr\n\n[[boats/gale]]\n",
    "boats/gale.md": "# Gale\n\n[[boats/index|all]]\n",
    "boats/rtl.md": "---\ntitle: مركب صغير\n---\n[[boats/gale]]\n",
    "boats/symbols.md": "---\ntitle: '<b>&amp;</b> ★'\n---\n[[boats/gale]]\n",
    **{f"log/{day:03}.md": f"# Day {day}\n\n[[boats/gale]] [[log/{(day + 1) % 120:03}]]\n" for day in range(120)},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A brain with two communities, a long log, a stub and an orphan."""
    folder = tmp_path_factory.mktemp("explorer")
    return build_vault(write_files(folder / "harbour", FILES), folder / "out")


@pytest.fixture(scope="module")
def served(built: Built) -> Iterator[Served]:
    """The site on loopback, with strict headers."""
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A desktop page in which nothing may go wrong, least of all a script or style that the policy forbids."""
    watch = Watch(served.address)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=served.address, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    watch.attach(context)
    yield context.new_page()
    context.close()
    assert [problem for problem in watch.problems if "GPU stall" not in problem] == []


def open_graph(page: Page, query: str = "") -> None:
    """Open the explorer and wait for it."""
    page.goto(f"_/graph/{query}")
    page.locator("[data-ready]").wait_for()


def panel(page: Page) -> Locator:
    """What is chosen, in words."""
    return page.get_by_role("complementary", name="What is chosen")


def choose(page: Page, field: str, words: str) -> None:
    """Type into a field and take the first page that it offers."""
    page.get_by_role("combobox", name=field).fill(words)
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")


def count_painted(page: Page) -> int:
    """How many points of the picture have a colour, dots and lines together."""
    return int(
        page.evaluate(
            """() => new Promise((done) => requestAnimationFrame(() => {
                let painted = 0;
                for (const canvas of document.querySelectorAll('.brain-graph__canvas canvas')) {
                    const copy = document.createElement('canvas');
                    [copy.width, copy.height] = [canvas.width, canvas.height];
                    const context = copy.getContext('2d');
                    context.drawImage(canvas, 0, 0);
                    const data = context.getImageData(0, 0, copy.width, copy.height).data;
                    for (let at = 3; at < data.length; at += 4) painted += data[at] > 20;
                }
                done(painted);
            }))"""
        )
    )


def test_every_page_leads_to_the_graph_and_the_picture_opens(page: Page) -> None:
    page.goto("guide/")
    page.get_by_role("banner").get_by_role("link", name="Graph").click()
    page.locator("[data-ready]").wait_for()
    expect(page.get_by_role("heading", level=1, name="Graph")).to_be_attached()
    expect(page.get_by_role("status").filter(has_text="130 pages")).to_be_visible()
    expect(panel(page).get_by_role("button", name="Gale")).to_be_visible()
    assert count_painted(page) > 2_000
    for address, name in (("_/contents/", "See them as a graph"), ("_/report/", "the graph")):
        page.goto(address)
        expect(page.get_by_role("article").get_by_role("link", name=name, exact=True)).to_have_attribute(
            "href", re.compile(r"_/graph/$|\.\./graph/$")
        )


def test_no_other_page_loads_the_graph(page: Page, served: Served) -> None:
    served.requests.clear()
    page.goto("guide/")
    page.wait_for_load_state("networkidle")
    assert not [path for path, _ in served.requests if "explorer" in path or "sigma" in path or "_/graph/" in path]


def test_a_page_is_found_shows_its_neighbours_and_can_be_opened(page: Page) -> None:
    open_graph(page)
    choose(page, "Find a page", "guid")
    expect(panel(page).get_by_role("heading", name="Guide", exact=True)).to_be_visible()
    text = panel(page).inner_text()
    assert re.search(r"Links to\s*1\s*Ada", text)
    assert re.search(r"Linked from\s*2", text)
    assert "Tide tables" in text
    assert page.url.endswith("?page=guide/")
    panel(page).get_by_role("button", name="Ada", exact=True).first.click()
    expect(panel(page).get_by_role("heading", name="Ada", exact=True)).to_be_visible()
    panel(page).get_by_role("link", name="Open the page").click()
    page.wait_for_url("**/people/ada/")


def test_the_address_keeps_the_state_and_the_back_button_leads_back(page: Page) -> None:
    open_graph(page, "?by=folders&page=boats/gale/&show=stubs&tag=people")
    expect(page.get_by_role("button", name="Hierarchy")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name=re.compile("Stubs"))).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Tag")).to_have_value("people")
    expect(page.get_by_role("combobox", name="Find a page")).to_have_value("Gale")
    page.get_by_role("button", name="Links", exact=True).click()
    choose(page, "Find a page", "zeph")
    assert "page=boats/zephyr/" in page.url
    assert "by=" not in page.url
    page.go_back()
    expect(panel(page).get_by_role("heading", name="Gale")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="Hierarchy")).to_have_attribute("aria-pressed", "true")


def test_an_address_that_means_nothing_here_shows_the_start(page: Page) -> None:
    open_graph(page, "?page=gone/&by=__proto__&group=constructor&tag=none&row=-5&sort=toString&as=x")
    expect(panel(page).get_by_role("heading", name="Communities")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="0 of 130 pages")).to_be_visible()


def test_the_shortest_way_is_told_step_by_step(page: Page) -> None:
    open_graph(page, "?page=people/ben/")
    choose(page, "Way to another page", "ada")
    way = panel(page).locator("ol")
    assert re.findall(r"Ben|Zephyr|Boats|Harbour notes|Guide|Ada", way.inner_text()) == [
        "Ben",
        "Zephyr",
        "Boats",
        "Harbour notes",
        "Guide",
        "Ada",
    ]
    expect(panel(page).get_by_role("heading", name="The shortest way: 5 steps")).to_be_visible()
    open_graph(page, "?page=people/ben/&to=people/lone/")
    expect(panel(page)).to_contain_text("No links lead from one to the other.")
    open_graph(page, "?by=folders&page=people/ben/&to=boats/gale/")
    expect(panel(page).locator("ol")).to_contain_text(re.compile("Ben.*people.*Harbour notes.*Boats.*Gale", re.DOTALL))


def test_orphans_and_stubs_are_shown(page: Page) -> None:
    open_graph(page, "?as=table")
    page.get_by_role("button", name=re.compile("Orphans")).click()
    expect(page.get_by_role("rowheader", name="Lone page")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Gale")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Stubs 1")).click()
    page.get_by_role("button", name="Tide tables").click()
    expect(panel(page)).to_contain_text("nobody has written it")
    expect(panel(page).get_by_role("button", name="Guide")).to_be_visible()
    page.get_by_role("button", name="Picture", exact=True).click()
    expect(panel(page).get_by_role("heading", name="Tide tables")).to_be_visible()
    assert count_painted(page) > 500


def test_filters_by_tag_and_folder_hold_for_picture_and_table(page: Page) -> None:
    open_graph(page)
    page.get_by_label("Tag").select_option("people")
    expect(page.get_by_role("status").filter(has_text="2 of 130 pages")).to_be_visible()
    page.get_by_role("button", name="Table").click()
    assert page.get_by_role("rowheader").all_inner_texts() == ["Ada", "Ben"]
    page.get_by_label("Tag").select_option("")
    page.get_by_label("Folder").select_option("boats")
    expect(page.get_by_role("rowheader")).to_have_count(5)
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_role("status").filter(has_text="130 pages")).to_be_visible()


def test_the_table_sorts_pages_on_and_shows_what_is_around_a_page(page: Page) -> None:
    open_graph(page, "?as=table")
    page.get_by_role("button", name="Linked from").click()
    expect(page.get_by_role("rowheader").first).to_have_text("Gale")
    expect(page.get_by_role("columnheader", name="Linked from")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="Linked from").click()
    expect(page.get_by_role("rowheader").first).not_to_have_text("Gale")
    expect(page.get_by_role("rowheader")).to_have_count(100)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("rowheader")).to_have_count(30)
    expect(page.locator("caption")).to_contain_text("101–130 of 130")
    open_graph(page, "?as=table")
    page.get_by_role("button", name="Show what is around Zephyr").click()
    assert sorted(page.get_by_role("rowheader").all_inner_texts()) == ["Ben", "Boats", "Gale", "Zephyr"]


def test_titles_are_text_whatever_they_hold(page: Page) -> None:
    open_graph(page, "?page=boats/symbols/")
    expect(panel(page).get_by_role("heading", level=2)).to_have_text("<b>&amp;</b> ★")
    open_graph(page, "?page=boats/rtl/")
    expect(panel(page).get_by_role("heading", level=2)).to_have_text("مركب صغير")


def test_related_pages_are_shown_where_the_build_has_found_them(page: Page) -> None:
    open_graph(page, "?by=related&page=log/003/")
    expect(panel(page).get_by_role("heading", name=re.compile("Related, not linked"))).to_be_visible()
    assert not page.get_by_text("not been found yet").is_visible()


def test_the_page_says_plainly_that_nobody_has_found_related_pages_yet(page: Page) -> None:
    def forget(route: Route) -> None:
        overview = route.fetch().json()
        route.fulfill(json={**overview, "relations": {"state": "unknown"}})

    page.route("**/overview.json", forget)
    open_graph(page)
    page.get_by_role("button", name="Related").click()
    expect(page.get_by_role("status").filter(has_text="Related pages have not been found yet")).to_be_visible()
    expect(panel(page)).to_contain_text("brain refresh")


def test_the_picture_moves_by_keyboard_and_pointer(page: Page) -> None:
    open_graph(page)
    canvas = page.get_by_role("application")
    before = canvas.screenshot()
    canvas.focus()
    for key in ("+", "ArrowRight"):
        page.keyboard.press(key)
        page.wait_for_timeout(250)
        after = canvas.screenshot()
        assert after != before, key
        before = after
    page.get_by_role("button", name="Show all").click()
    box = canvas.bounding_box()
    assert box
    open_graph(page, "?page=boats/gale/")
    page.wait_for_timeout(300)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(panel(page).get_by_role("heading", level=2)).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(panel(page).get_by_role("heading", name="Communities")).to_be_visible()


def test_a_community_opens_from_the_list_and_closes_again(page: Page) -> None:
    open_graph(page)
    panel(page).get_by_role("button", name="Gale").click()
    expect(panel(page).get_by_role("heading", name=re.compile("Pages"))).to_be_visible()
    assert "group=boats/gale/" in page.url
    panel(page).get_by_role("button", name="Close").click()
    expect(panel(page).get_by_role("heading", name="Communities")).to_be_visible()


def test_without_webgl_the_table_takes_its_place(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address)
    context.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...rest) "
        "{ return String(kind).startsWith('webgl') ? null : get.call(this, kind, ...rest); };"
    )
    page = context.new_page()
    open_graph(page)
    expect(page.get_by_role("table")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="WebGL")).to_be_visible()
    expect(page.get_by_role("button", name="Picture", exact=True)).to_be_hidden()
    context.close()


def test_without_scripts_the_page_points_to_the_list_of_all_pages(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("_/graph/")
    assert "The graph needs JavaScript" in page.locator("article").inner_text()
    page.locator("article a", has_text="The list of all pages").click()
    expect(page.get_by_role("link", name="Guide", exact=True).first).to_be_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_and_nothing_is_too_wide(browser: Browser, served: Served, scheme: str, width: int) -> None:
    context = browser.new_context(
        base_url=served.address, color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce", bypass_csp=True  # type: ignore[arg-type]
    )  # fmt: skip
    page = context.new_page()
    found = []
    for query in (
        "",
        "?page=guide/&show=stubs",
        "?as=table&show=stubs,orphans",
        "?as=table&page=people/ben/&to=people/ada/",
        "?by=folders",
    ):
        open_graph(page, query)
        found += find_violations(page, query) + find_overflow(page, query)
    page.get_by_role("combobox", name="Find a page").fill("a")
    found += find_violations(page, "choosing a page")
    context.close()
    assert found == []


@pytest.mark.req("P14")
def test_building_again_after_an_edit_gives_the_graph_of_a_fresh_build(build: BuildFactory) -> None:
    files = {name: text for name, text in FILES.items() if not name.startswith("log/")}
    again = build(files)
    (again.source / "guide.md").write_text("# Guide\n\n[[people/ben]]\n", encoding="utf-8")
    (again.source / "new.md").write_text("# New\n\n[[guide]]\n", encoding="utf-8")
    build_vault(again.source, again.out)
    fresh = build(again.source)
    assert compare_trees(read_tree(again.site), read_tree(fresh.site)) == []
