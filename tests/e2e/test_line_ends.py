"""Ends of lines are shown where the files are an Obsidian vault, unless it has switched them off."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from indexer.publish.line_ends import shows_line_ends
from indexer.sources import open_source
from tests.tools.built import build_vault
from tests.tools.vaults import write_files
from tests.tools.webserver import serve_folder

pytestmark = pytest.mark.req("P04", "P08")

SETTINGS = ".obsidian/app.json"
PAGE = "# Poem\n\none\ntwo\nthree\n\nhard  \nbreak\n\n- entry\n  goes on\n- other\n  - inner\n    goes on\n\n> [!note]\n> a\n> b\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write_files(folder, {"index.md": PAGE})
    return folder


def count_lines(browser: Browser, site: Path) -> list[int]:
    """Return the height in lines of each paragraph and entry without further blocks in it."""
    with serve_folder(site) as served:
        page = browser.new_page()
        page.goto(served.address)
        counts: list[int] = page.evaluate(
            "[...document.querySelectorAll('.brain-article :is(p:not([class]), li:not(:has(ul)))')]"
            ".filter((e) => !e.closest('nav, footer'))"
            ".map((e) => Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)))"
        )
        page.close()
        return counts


def test_a_vault_shows_its_lines_and_other_folders_run_them_together(browser: Browser, vault: Path, tmp_path: Path) -> None:
    assert count_lines(browser, build_vault(vault, tmp_path / "out").site) == [1, 2, 1, 1, 1]
    write_files(vault, {SETTINGS: "{}"})
    assert count_lines(browser, build_vault(vault, tmp_path / "out").site) == [3, 2, 2, 2, 2]
    write_files(vault, {SETTINGS: '{"strictLineBreaks": true}'})
    assert count_lines(browser, build_vault(vault, tmp_path / "out").site) == [1, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ("{}", True),
        ('{"strictLineBreaks": false}', True),
        ('{"strictLineBreaks": true}', False),
        ("[]", False),
        ("not JSON", False),
        (None, False),
    ],
)
def test_settings_that_say_nothing_readable_make_no_vault(vault: Path, settings: str | None, shown: bool) -> None:
    if settings is not None:
        write_files(vault, {SETTINGS: settings})
    with open_source(vault) as source:
        assert shows_line_ends(source) is shown
