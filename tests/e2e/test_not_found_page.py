"""`404.html` on a static host: at an address of any depth it has its styles, and every link on it leads somewhere."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.tools.browser import find_violations
from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import serve_static_host

pytestmark = pytest.mark.req("P08")
FILES = {"index.md": "# Front\n\n[[guide/moor]]\n", "guide/moor.md": "# Moor\n", "secret.md": "---\nprivate: true\n---\n# CANARY\n"}


def note_answers(page: Page) -> list[Response]:
    """Return a list that grows with every answer a page gets."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 (Playwright takes no method of a list)
    return answers


@pytest.mark.parametrize("prefix", ["", "docs/notes/"])
def test_it_works_at_any_depth(browser: Browser, tmp_path: Path, prefix: str) -> None:
    write_files(tmp_path / "vault", FILES)
    options = ("--site-url", f"https://forge.example/{prefix}") if prefix else ()
    built = build_vault(tmp_path / "vault", tmp_path / "out", *options)
    with serve_static_host(built.site, prefix) as address:
        for path in ("gone/", "a/b/c/d", "guide/moor/x.html?y"):
            context = browser.new_context(base_url=address, bypass_csp=True)
            page = context.new_page()
            answers = note_answers(page)
            page.goto(prefix + path)
            expect(page.get_by_role("heading", name="Not found")).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert [answer.url for answer in answers if answer.status != 200] == [page.url]
            assert find_violations(page, "not found") == []
            hrefs = page.locator("a[href]:not([href^='#'])").evaluate_all("all => all.map(a => a.href)")
            assert {page.request.get(href).status for href in hrefs} == {200}
            page.keyboard.press("/")
            expect(page.get_by_role("dialog")).to_be_visible()
            context.close()


@pytest.mark.req("X01", "P19")
@pytest.mark.threat(28)
def test_it_is_the_same_with_and_without_hidden_pages(tmp_path: Path) -> None:
    shown = {path: text for path, text in FILES.items() if path != "secret.md"}
    pages = []
    for name, files in (("with", FILES), ("without", shown)):
        write_files(tmp_path / name / "vault", files)
        pages.append((build_vault(tmp_path / name / "vault", tmp_path / name / "out").site / "404.html").read_bytes())
    assert pages[0] == pages[1]
    assert not re.search(rb'(?:href|src)="(?!/|https?:|#)', pages[0]), "an address depends on where the page is shown"
