"""A page is found by its address in other letter case, as after a rename that changes nothing else, and by readers of the site alone."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.tools.gateways import Site, open_site, publish, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway for all tests here, which change nothing of it."""
    with running(open_site(tmp_path_factory.mktemp("site"))) as running_site:
        yield running_site


@pytest.mark.req("P15")
@pytest.mark.parametrize(
    ("asked", "location"),
    [
        ("Guides/", "/acme/plans/guides/"),
        ("GUIDES/Start", "/acme/plans/guides/start/"),
        (quote("Ünï/"), "/acme/plans/" + quote("ünï/")),
        (quote("U\u0308NI\u0308/"), "/acme/plans/" + quote("ünï/")),
    ],
)
def test_an_address_in_other_letter_case_leads_to_the_page(site: Site, asked: str, location: str) -> None:
    reader = site.cookie("ed@acme.example")
    for _ in range(2):  # each way of answering: first after the release is read, then at once
        reply = site.ask("GET", f"/acme/plans/{asked}", reader)
        assert (reply.status, reply.get("location"), reply.body) == (303, location, b"")
    assert site.ask("GET", location, reader).status == 200


@pytest.mark.req("P15", "T09")
@pytest.mark.threat(28)
def test_who_may_not_read_the_site_learns_nothing_from_letter_case(site: Site) -> None:
    missing = site.ask("GET", "/acme/plans/nothing/")
    assert missing.status == 404
    assert site.ask("GET", "/acme/plans/GUIDES/").bare == missing.bare
    assert site.ask("GET", "/acme/di-home/GUIDES/", site.cookie("ed@acme.example")).bare == missing.bare


@pytest.mark.req("P15")
def test_what_is_no_page_is_found_by_its_own_spelling_alone(site: Site) -> None:
    reader = site.cookie("ed@acme.example")
    for path in ("LLMS.txt", "images/PIC.png", "_/ASSETS/style-OY3EKPKS.css", "guides/starts/", "Guides/none/"):
        assert site.ask("GET", f"/acme/plans/{path}", reader).status == 404, path


@pytest.mark.req("P15")
def test_a_page_that_is_renamed_in_letter_case_only_is_found_by_its_former_address(tmp_path: Path) -> None:
    with running(open_site(tmp_path)) as site:
        reader = site.cookie("ed@acme.example")
        publish(site.out / "acme" / "plans", {"index.html": b"home", "Foo/index.html": b"page"})
        assert site.ask("GET", "/acme/plans/foo/", reader).get("location") == "/acme/plans/Foo/"
        publish(site.out / "acme" / "plans", {"index.html": b"home", "foo/index.html": b"page"})
        assert site.ask("GET", "/acme/plans/Foo/", reader).get("location") == "/acme/plans/foo/"
        assert site.ask("GET", "/acme/plans/foo/", reader).body == b"page"
