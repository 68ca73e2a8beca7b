"""A site with brains, built by the program and read in a real browser: every new kind of page, and what a later commit changes."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import RepoFactory
from tests.tools.browser import Watch, find_overflow, find_violations
from tests.tools.built import Built, build_vault
from tests.tools.repos import DAY, FIRST_COMMIT, GitRepo, run_git
from tests.tools.trees import compare_trees, find_bytes, read_states, read_tree
from tests.tools.vaults import write_files
from tests.tools.webserver import Served, serve_folder

pytestmark = pytest.mark.req("P11", "P08")

FILES: dict[str, str | bytes] = {
    "index.md": "# Home\n\n[[shop/brain]] [[nowhere]] [[shop/home]]\n",
    "firm/brain.md": "---\ntitle: The firm\nblueprint: business@1\n---\n\nAbout the firm.\n",
    "firm/pricing.md": "---\nowner: Ada\nchecked: 2025-12-20\ncheckedBy: Bo\ndiscount: 5%\n---\n# Pricing\n\nPrices.\n",
    "shop/brain.md": '---\ntitle: "The shop <b>&"\nblueprint: site@1\nparent: shop-repo/firm\n'
    "drop: [{id: legal, reason: None here.}, {id: no}]\n---\n\nAbout.\n",
    "shop/home.md": "---\nowner: Ada\nchecked: 2025-07-06\ncheckedBy: Bo\n---\n# Home page\n\nText of the home page.\n",
    "shop/visitors.md": "---\nowner: \"=cmd|'/c calc'!A1\"\n---\n# Visitors\n\nWho comes.\n",
    "shop/offer.md": "---\ndeclined: We sell nothing.\n---\n",
    "shop/about.md": "---\nowner: Ada\n---\n",
    "shop/contact.md": "---\nlang: ar\nowner: سارا\nchecked: 2024-01-10\ncheckedBy: نادر\n---\n# اتصل\n\nنص.\n",
    "shop/prices.md": "---\ndiscount: 10%\n---\n# Prices\n\nPrices on the site.\n",
}
PAGES = {
    "report": "_/report/",
    "report of a brain": "_/report/shop/",
    "missing": "_/report/shop/results/",
    "front": "shop/brain/",
    "checked": "shop/home/",
    "filled": "shop/visitors/",
    "declined": "shop/offer/",
    "file without text": "shop/about/",
    "out of date, right to left": "shop/contact/",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """A repository with a forge."""
    made = GitRepo.create(tmp_path_factory.mktemp("brains") / "shop-repo")
    made.commit(FILES)
    run_git(made.path, "remote", "add", "origin", "https://github.com/example/shop.git")
    return made


@pytest.fixture(scope="module")
def built(repo: GitRepo) -> Built:
    """The site of 1 January 2026."""
    return build_vault(repo.path, repo.path.parent / "out")


@pytest.fixture(scope="module")
def served(built: Built) -> Iterator[Served]:
    """The site on loopback."""
    with serve_folder(built.site) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A desktop page; nothing may go wrong in it."""
    watch = Watch(served.address)
    context = browser.new_context(base_url=served.address, permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(8000)
    watch.attach(context)
    yield context.new_page()
    context.close()
    assert watch.problems == []


def test_every_link_of_a_site_with_brains_leads_somewhere(built: Built) -> None:
    assert built.crawl.problems == []
    made = {name for name in built.crawl.pages if name.startswith("_/report/")}
    assert len(made) > 20
    assert made <= built.crawl.reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(browser: Browser, served: Served, scheme: str, width: int) -> None:
    context = browser.new_context(
        base_url=served.address, color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce", bypass_csp=True  # type: ignore[arg-type]
    )  # fmt: skip
    page = context.new_page()
    found = []
    for kind, url in PAGES.items():
        page.goto(url)
        page.evaluate("() => document.querySelectorAll('article details, .brain-front details').forEach(d => d.open = true)")
        found += find_violations(page, kind) + find_overflow(page, kind)
    context.close()
    assert found == []


def test_an_owner_gets_from_the_report_to_the_editor_by_keyboard(page: Page) -> None:
    page.goto("")
    page.get_by_role("contentinfo").get_by_role("link", name="Report").click()
    expect(page.get_by_text("documents written").first).to_be_visible()
    page.get_by_role("article").get_by_role("link", name="missing in the first ring").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Write next")).to_be_in_viewport()
    page.get_by_role("link", name="Results page", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/_/report/shop/results/")
    start = page.get_by_role("link", name="Start writing on GitHub")
    assert (start.get_attribute("href") or "").startswith(
        "https://github.com/example/shop/new/main?filename=shop%2Fresults.md&value=---%0Atitle"
    )


def test_the_first_lines_of_a_missing_document_can_be_copied(page: Page) -> None:
    page.goto("_/report/shop/results/")
    page.get_by_role("button", name="Copy code").click()
    page.wait_for_function("() => navigator.clipboard.readText().then(t => t.startsWith('---\\ntitle: Results page\\n'))")


@pytest.mark.req("S06")
def test_each_state_is_told_in_words(page: Page) -> None:
    for url, words in {
        "shop/home/": "Checked Owner Ada Checked 6 July 2025 by Bo To be checked again before 3 January 2026",
        "shop/visitors/": "Written, not checked",
        "shop/offer/": "Declined The shop <b>&, Public Context",
        "shop/about/": "Not written yet",
        "shop/contact/": "Out of date since 9 July 2024",
    }.items():
        page.goto(url)
        assert words in " ".join(page.locator(".brain-document").inner_text().split()), url


def test_reports_can_be_read_without_scripts(browser: Browser, served: Served) -> None:
    context = browser.new_context(base_url=served.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("_/report/")
    page.locator("details.brain-more summary").first.click()
    expect(page.get_by_role("link", name="Legal pages")).to_have_count(0)
    expect(page.get_by_role("img", name="Flow:").first).to_be_visible()
    context.close()


@pytest.mark.threat(26)
@pytest.mark.threat(17)
def test_the_table_of_documents_runs_nothing_in_a_spreadsheet(built: Built) -> None:
    text = (built.site / "_/documents.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    owners = {row["id"]: row["owner"] for row in rows if row["brain"].endswith("/shop")}
    assert owners["visitors"] == "'=cmd|'/c calc'!A1"
    assert b"The shop <b>" not in (built.site / "_/report/index.html").read_bytes()


@pytest.mark.req("P02", "P14", "S06")
def test_a_commit_elsewhere_on_a_later_day_rewrites_the_pages_that_are_out_of_date_now(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(FILES, name="shop-repo")
    built = build_vault(repo.path, tmp_path / "out")
    before = read_states(built.site)
    repo.commit({"index.md": "# Home\n\n[[shop/brain]] [[nowhere]] [[shop/home]] More.\n"}, at=FIRST_COMMIT + 3 * DAY)
    again = build_vault(repo.path, built.out)
    fresh = build_vault(repo.path, tmp_path / "fresh")
    assert compare_trees(read_tree(again.site), read_tree(fresh.site)) == []
    after = read_states(again.site)
    written = {name for name in after if before.get(name) != after[name]}
    # The check of shop/home ends on 3 January, the firm has nothing new: its pages stay, and so do all missing documents.
    wanted = {"_/report/index.html", "_/report/shop/index.html", "shop/brain/index.html", "shop/home/index.html", "index.html"}
    pages = {name for name in written if name.endswith(".html")}
    assert wanted <= pages
    assert not [name for name in pages if name.startswith(("_/report/firm", "firm/", "_/report/shop/results"))]


@pytest.mark.req("P02", "P15")
def test_a_document_that_is_written_takes_the_place_of_its_missing_page(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(FILES, name="shop-repo")
    built = build_vault(repo.path, tmp_path / "out")
    assert (built.site / "_/report/shop/results/index.html").is_file()
    for step in ({"shop/results.md": "# Results\n\nText.\n"}, {"shop/about.md": "Now there is text."}):
        repo.commit(step)
        built = build_vault(repo.path, built.out)
    assert not (built.site / "_/report/shop/results").exists()
    assert not (built.site / "_/report/shop/about").exists()
    fresh = build_vault(repo.path, tmp_path / "fresh")
    assert compare_trees(read_tree(built.site), read_tree(fresh.site)) == []
    assert built.crawl.problems == []


@pytest.mark.req("P19", "X01")
@pytest.mark.threat(28)
@pytest.mark.threat(32)
def test_a_site_with_hidden_brains_and_documents_is_the_site_without_them(tmp_path: Path) -> None:
    hidden = {
        "secret/brain.md": "---\ntitle: QZJXK\nblueprint: business@1\nprivate: true\n---\n",
        "shop/results.md": "---\nprivate: true\ntitle: QZJXK\nowner: QZJXK\nchecked: 2025-12-30\ncheckedBy: QZJXK\n---\nQZJXK.",
    }
    shop = str(FILES["shop/brain.md"]).replace("parent: shop-repo/firm", "parent: vault/secret")
    sites = []
    for name, more in (("with", hidden), ("without", {})):
        vault = write_files(tmp_path / name / "vault", {**FILES, "shop/brain.md": shop, **more})
        sites.append(build_vault(vault, tmp_path / name / "out", "--date", "2026-01-01"))
    assert find_bytes(sites[0].site, "qzjxk") == []
    assert compare_trees(read_tree(sites[0].site), read_tree(sites[1].site)) == []
