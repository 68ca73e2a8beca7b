"""`browser`: one Chromium for all tests of a module, or a skip that says what to install."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.tools.browser import MISSING, find_chromium, open_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For a module and not for the session: while it is open, nothing else in this process can run an event loop."""
    program = find_chromium()
    if program is None:
        pytest.skip(MISSING)
    with open_browser(program) as opened:
        yield opened
