"""The gateway's own pages in a real browser, over the sample workspace: sign in, open, search, let somebody in, take it back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from indexer.registry.engine import open_registry
from indexer.serve.listening import Listen, make_server, open_socket
from indexer.serve.login_dev import make_link
from indexer.serve.settings import Settings
from tests.tools.browser import Watch, find_overflow, find_violations
from tests.tools.commands import run_brain
from tests.tools.desks import Workspace

pytestmark = pytest.mark.req("T33")
WORD = "quinces"
"""Stands in Mara's notes alone."""


@dataclass
class Running:
    """A gateway that runs."""

    url: str
    registry: str

    def link(self, account: str) -> str:
        """A link that signs in once."""
        registry = open_registry(self.registry)
        with registry.writing() as connection:
            link = make_link(connection, self.url, account, datetime.now(UTC))
        registry.close()
        return link


@pytest.fixture
def gateway(northwind: Workspace, tmp_path: Path) -> Iterator[Running]:
    """The sample workspace behind a gateway, with a registry of this test's own."""
    registry = str(tmp_path / "registry.sqlite")
    ran = run_brain("registry", "apply", northwind.path, "--registry", registry)
    assert ran.code == 0, ran.said
    opened = open_socket(Listen("127.0.0.1", 0))
    url = f"http://127.0.0.1:{opened.getsockname()[1]}"
    server = make_server(Settings(out=northwind.out, registry=registry, url=url, dev_login=True))
    thread = Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    yield Running(url, registry)
    server.should_exit = True
    thread.join(20)
    opened.close()


@contextmanager
def signed_in(browser: Browser, gateway: Running, account: str, *, meant: str = "", **options: Any) -> Iterator[Page]:
    """A browser of its own in which somebody has signed in; nothing may go wrong in it but answers of the status that is `meant`."""
    watch = Watch(gateway.url)
    context = browser.new_context(base_url=gateway.url, **options)
    context.set_default_timeout(10_000)
    watch.attach(context)
    page = context.new_page()
    page.goto(gateway.link(account))
    yield page
    context.close()
    assert [problem for problem in watch.problems if not meant or f"status {meant}" not in problem.replace("a status of", "status")] == []


@pytest.mark.req("T04", "T09")
@pytest.mark.threat(33)
def test_an_owner_lets_somebody_in_and_takes_it_back(browser: Browser, gateway: Running) -> None:
    with signed_in(browser, gateway, "northwind/mara") as owner, signed_in(browser, gateway, "northwind/samir", meant="404") as reader:
        expect(reader.get_by_role("heading", name="What you can read")).to_be_visible()
        expect(reader.get_by_role("link", name="Engineering", exact=True)).to_be_visible()
        expect(reader.get_by_text("Not created yet")).to_be_visible()
        expect(reader.get_by_text("Mara's notes")).to_have_count(0)
        reader.get_by_role("searchbox").fill(WORD)
        reader.keyboard.press("Enter")
        expect(reader.get_by_role("status")).to_contain_text("No page that you can read has")

        card = owner.locator(".gate-card", has=owner.get_by_role("link", name="Mara's notes", exact=True))
        card.get_by_role("link", name="Who can read it").click()
        expect(owner.get_by_role("row")).to_have_count(2)
        owner.get_by_label("Person or agent").fill("samir@northwind.example")
        owner.get_by_role("button", name="Grant", exact=True).click()
        expect(owner.get_by_role("status")).to_have_text("samir can read this repo now.")
        row = owner.get_by_role("row", name="Samir Haddad")
        expect(row).to_contain_text("Reads, because you granted it.")

        reader.get_by_role("button", name="Search").click()
        expect(reader.locator(".gate-results li").first).to_contain_text(WORD)
        reader.locator(".gate-results a").first.click()
        expect(reader.get_by_role("article")).to_contain_text(WORD)
        reader.wait_for_function("() => [...(CSS.highlights.get('brain-found') ?? [])].length > 0")
        address = reader.url

        row.get_by_role("button", name="Revoke").click()
        expect(owner.get_by_role("status")).to_contain_text("is taken back")
        expect(owner.get_by_role("row", name="Samir Haddad")).to_have_count(0)
        answer = reader.goto(address)
        assert answer is not None
        assert answer.status == 404
        reader.goto("/")
        expect(reader.get_by_text("Mara's notes")).to_have_count(0)


def test_what_is_on_the_card_is_what_the_site_says(browser: Browser, gateway: Running) -> None:
    with signed_in(browser, gateway, "northwind/tom") as page:
        card = page.locator(".gate-card", has=page.get_by_role("link", name="Northwind Advisory", exact=True))
        expect(card).to_contain_text("Read and write")
        expect(card).to_contain_text("Owner Mara Lindqvist")
        expect(card).to_contain_text("Up to date")
        label = card.get_by_role("img").first.get_attribute("aria-label") or ""
        assert label.startswith("Public Context: ")
        expect(card.get_by_role("link", name="Who can read it")).to_have_count(0)
        card.get_by_role("link", name="Northwind Advisory", exact=True).click()
        expect(page).to_have_url(f"{gateway.url}/northwind/northwind-advisory/")
        page.goto("/northwind/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Northwind Advisory")


def test_everything_can_be_done_from_the_keyboard(browser: Browser, gateway: Running) -> None:
    with signed_in(browser, gateway, "northwind/mara") as page:
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("pricing")
        page.keyboard.press("Enter")
        expect(page.locator(".gate-results li").first).to_be_visible()
        page.goto("/-/repos/northwind/mara-home/")
        page.get_by_label("Person or agent").focus()
        page.keyboard.type("ines")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text("ines can read this repo now.")
        page.get_by_text("Archive this repo").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Archive")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("This repo is archived")
        page.get_by_role("button", name="Bring it back").press("Enter")
        expect(page.get_by_role("status")).to_contain_text("This repo is back")


@pytest.mark.req("T08")
def test_without_scripts_everything_works(browser: Browser, gateway: Running) -> None:
    with signed_in(browser, gateway, "northwind/aiko", meant="422", java_script_enabled=False) as page:
        page.get_by_role("link", name="New repo").click()
        page.get_by_label("Title").fill("Field notes")
        page.get_by_label("Id", exact=True).fill("field-notes")
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_role("status")).to_have_text("Field notes is created and yours. Nobody else reaches it.")
        page.get_by_label("Person or agent").fill("nobody-here")
        page.get_by_role("button", name="Grant", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("no active member and no agent")
        expect(page.get_by_label("Person or agent")).to_have_value("nobody-here")
        page.goto("/")
        expect(page.locator(".gate-card", has_text="Field notes")).to_contain_text("Not published yet")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_text("open the link that it printed")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(browser: Browser, gateway: Running, scheme: str, width: int) -> None:
    options: dict[str, Any] = {
        "color_scheme": scheme,
        "viewport": {"width": width, "height": 900},
        "reduced_motion": "reduce",
        "bypass_csp": True,
    }
    found = []
    with signed_in(browser, gateway, "northwind/mara", **options) as page:
        kinds = ["/", "/northwind/", "/-/search", "/-/search?q=pricing", "/-/search?q=xylophonist", "/-/repos/northwind/"]
        kinds += ["/-/repos/northwind/new", "/-/repos/northwind/northwind-advisory/", "/-/repos/northwind/mara-home/", "signed out"]
        for kind in kinds:
            if kind == "signed out":
                page.context.clear_cookies()
            page.goto("/" if kind == "signed out" else kind)
            page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
            found += find_violations(page, kind) + find_overflow(page, kind)
    assert found == []
