"""How a missing document begins: its first lines, and the forge's editor opened with them."""

from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from indexer.model.blueprint import PlannedDocument
from indexer.model.snapshot import Origin
from indexer.parse.page import parse_page
from indexer.publish.forges import start_url
from indexer.publish.starts import list_headings, write_start

pytestmark = pytest.mark.req("P11")

GITHUB = Origin("https://github.com/o/r", "main", "", "github")
TITLES = (
    "Offer",
    "yes",
    "1.5",
    'Prices: "net" & gross',
    "# no heading",
    "a\nb: c",
    "\u202eevil",
    "--- x",
    "{{ x }}",
    "日本 語",
    "null",
    "<script>alert(1)</script>",
)


def make_plan(title: str = "Offer", asks: str = "What is sold? To whom.") -> PlannedDocument:
    return PlannedDocument("offer", "offer.md", title, "Public Context", (6,), 90, asks)


def test_a_start_asks_for_summary_and_owner_and_has_a_heading_for_each_question() -> None:
    assert write_start(make_plan()) == "---\ntitle: Offer\nsummary:\nowner:\n---\n\n# Offer\n\n## What is sold?\n\n## To whom\n"


@pytest.mark.threat(12)
@pytest.mark.threat(9)
@pytest.mark.parametrize("title", TITLES)
def test_whatever_the_title_is_the_start_is_frontmatter_with_that_title(title: str) -> None:
    text = write_start(make_plan(title))
    seen = " ".join(title.replace("\u202e", " ").split())
    assert yaml.safe_load(text.split("---\n")[1]) == {"title": seen, "summary": None, "owner": None}
    page = parse_page(text.encode())
    assert (page.title, page.hidden) == (seen, False)
    assert {finding.code for finding in page.findings} <= {"MDN004"}, "raw HTML in a heading is all that may be found"


@pytest.mark.parametrize(
    ("asks", "headings"),
    [
        ("One thing, and another", ["One thing, and another"]),
        ("Who? What, e.g. this? Why.", ["Who?", "What, e.g. this?", "Why"]),
        ("", []),
        ("x" * 200, []),
        ("A? B? C? D? E? F? G?", []),
        ("One\n# two? three", ["One # two? three"]),
    ],
)
def test_what_is_asked_becomes_headings_where_these_stay_short(asks: str, headings: list[str]) -> None:
    assert list_headings(asks) == headings


@pytest.mark.parametrize(
    ("kind", "folder", "base", "query"),
    [
        ("github", "", "https://f.example/o/r/new/a/b", {"filename": ["brains/x y/offer.md"], "value": ["text & more"]}),
        ("github", "docs", "https://f.example/o/r/new/a/b", {"filename": ["docs/brains/x y/offer.md"], "value": ["text & more"]}),
        ("gitea", "docs", "https://f.example/o/r/_new/a/b/docs/brains/x%20y", {"filename": ["offer.md"], "value": ["text & more"]}),
        ("gitlab", "", "https://f.example/o/r/-/new/a/b", {"file_name": ["brains/x y/offer.md"]}),
    ],
)
def test_the_editor_of_each_forge_opens_with_name_and_text(kind: str, folder: str, base: str, query: dict[str, list[str]]) -> None:
    url = start_url(Origin("https://f.example/o/r", "a/b", folder, kind), "brains/x y/offer.md", "text & more")
    address = urlsplit(url)
    assert f"{address.scheme}://{address.netloc}{address.path}" == base
    assert parse_qs(address.query) == query


def test_a_file_without_text_is_edited_and_an_unknown_forge_gets_no_link() -> None:
    assert start_url(GITHUB, "b/offer.md", "x", exists=True) == "https://github.com/o/r/edit/main/b/offer.md"
    for origin in (Origin(), Origin("https://x.example/r", "main", "", ""), Origin("https://github.com/o/r", "", "", "github"),
                   Origin("https://pagure.io/r", "main", "", "pagure")):  # fmt: skip
        assert start_url(origin, "b/offer.md", "x") == ""


def test_an_address_that_is_too_long_leaves_the_text_out() -> None:
    assert start_url(GITHUB, "b/offer.md", "é" * 3000) == "https://github.com/o/r/new/main?filename=b%2Foffer.md"
