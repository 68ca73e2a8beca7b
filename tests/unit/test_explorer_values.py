"""What the explorer reads: addresses, links and names without a page, and no trace of hidden pages or of repos kept as they are."""

import json
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.publish.explorer import render_explorer
from indexer.publish.explorer_picture import Picture
from indexer.publish.explorer_values import shorten_numbers
from indexer.publish.sections import Sections
from indexer.publish.website import render_feeds
from tests.tools.results import make_jobs, make_result
from tests.tools.vaults import Files

pytestmark = pytest.mark.req("P12")

FILES: Files = {
    "index.md": "# Home\n\n[[guide]] [[Not written]] [[Not written]] [the plan](plan.md)\n",
    "guide.md": "---\ntags: [how/to]\n---\n# Guide\n\n[[people/ada]] [[not written]]\n",
    "people/ada.md": "# Ada\n\n[[guide]] #People\n",
    "people/ben.md": "# Ben\n",
}


def render(result: IndexResult) -> dict[str, Any]:
    """File → what it says."""
    return {name: json.loads(data) for name, data in render_explorer(result, Sections(result), Picture())[1].items()}


def spell(short: list[int]) -> list[int]:
    """As the browser reads it (src/explorer/model.ts)."""
    numbers, last = [], -1
    for step in short:
        for _ in range(-step if step < 0 else 1):
            last += 1 if step < 0 else step
            numbers.append(last)
    return numbers


def test_pages_links_tags_and_stubs_can_be_read_back() -> None:
    files = render(make_result(FILES))
    pages = files["_/graph/pages.json"]
    assert pages["titles"] == ["Guide", "Home", "Ada", "Ben"]
    urls, last = [], ""
    for shared, rest in zip(pages["shared"], pages["urls"], strict=True):
        last = last[:shared] + rest
        urls.append(last)
    assert urls == ["guide/", "", "people/ada/", "people/ben/"]
    assert [spell(short) for short in pages["links"]] == [[2], [0], [0], []]
    assert dict(zip(pages["tags"], map(spell, pages["tagged"]), strict=True)) == {"how": [0], "how/to": [0], "People": [2]}
    assert spell(pages["orphans"]) == [3]
    assert pages["stubs"] == {"all": 2, "names": ["Not written", "the plan"], "links": [3, 1], "from": [shorten_numbers([0, 1]), [2]]}
    overview = files["_/graph/overview.json"]
    assert (overview["pages"], overview["links"]) == (4, 3)
    assert dict(zip(overview["groups"]["name"], overview["groups"]["pages"], strict=True)) == {"Guide": 3, "people/": 1}


@pytest.mark.parametrize("numbers", [[], [0], [0, 1, 2, 3, 9, 10, 11, 20], [5, 6, 7, 8], list(range(3000))])
def test_numbers_are_short_and_can_be_read_back(numbers: list[int]) -> None:
    short = shorten_numbers(numbers)
    assert spell(short) == numbers
    assert all(step != 0 for step in short)
    if len(numbers) > 2 and all(other - one == 1 for one, other in pairwise(numbers)):
        assert len(short) <= 2


@pytest.mark.req("X01")
@pytest.mark.threat(32)
def test_with_hidden_pages_the_graph_is_the_same_as_without_them() -> None:
    hidden = {
        "secret/qzjxk.md": "---\nprivate: true\ntags: [qzjxktag]\n---\n# QZJXK\n\n[[guide]] [[qzjxkstub]]\n",
        "people/not written.md": "---\ndraft: true\n---\n# Not written\n\n[[index]]\n",
        "plan.md": "---\npublish: false\n---\n# QZJXK plan\n",
    }
    with_hidden, without = make_result({**FILES, **hidden}), make_result(FILES)
    ours = render_explorer(with_hidden, Sections(with_hidden), Picture())[1]
    assert ours == render_explorer(without, Sections(without), Picture())[1]
    assert b"qzjxk" not in b"".join(ours.values()).lower()


@pytest.mark.req("T06")
def test_a_repo_that_is_kept_as_it_is_publishes_no_graph() -> None:
    result = make_result(FILES)
    kept = replace(result, kept_as_is=True)
    assert render_explorer(kept, Sections(kept), Picture()) == (Picture(), {})
    assert "graph.json" in render_feeds(result, "")
    assert "graph.json" not in render_feeds(kept, "")
    graphs = {file for file in make_jobs(result) if file.startswith("_/graph/")}
    assert graphs == {"_/graph/index.html"}
    assert not any("graph" in file for file in make_jobs(kept))
    assert not any("_/graph" in job.view.content for job in make_jobs(kept).values())
    assert [job.view.around for job in make_jobs(kept).values() if job.view.around] == []
    assert [job.view.around for job in make_jobs(result).values() if job.view.around]


def test_the_picture_is_drawn_again_only_when_pages_or_links_change() -> None:
    first = make_result(FILES)
    picture, _ = render_explorer(first, Sections(first), Picture())
    edited = make_result({**FILES, "people/ben.md": "# Benjamin\n\nMore text.\n"})
    assert render_explorer(edited, Sections(edited), picture)[0] is picture
    linked = make_result({**FILES, "people/ben.md": "# Ben\n\n[[guide]]\n"})
    again, files = render_explorer(linked, Sections(linked), picture)
    assert again is not picture
    assert files == render_explorer(linked, Sections(linked), Picture())[1]


@pytest.mark.req("T32")
def test_relations_are_told_when_they_are_found_when_they_wait_and_when_nobody_has_looked() -> None:
    result = make_result(FILES)
    assert render(result)["_/graph/overview.json"]["relations"] == {"state": "unknown"}
    waiting = render(replace(result, relations=Relations(waiting="The server does not answer.")))
    assert waiting["_/graph/overview.json"]["relations"] == {"state": "waiting", "why": "The server does not answer."}
    assert "_/graph/related.json" not in waiting
    found = render(replace(result, relations=Relations({"people/ben.md": (("people/ada.md", 0.42), ("gone.md", 0.4))})))
    assert found["_/graph/related.json"]["related"] == [[], [], [], [2, 42]]


def test_titles_of_symbols_and_of_any_language_are_text() -> None:
    titles = ["</script>&", "مرحبا", "日本語", "__proto__", "★☆", "Ünïcödé"]
    result = make_result({f"{number}.md": f"---\ntitle: '{title}'\n---\nText.\n" for number, title in enumerate(titles)})
    data = render_explorer(result, Sections(result), Picture())[1]["_/graph/pages.json"]
    assert b"<" not in data
    assert json.loads(data)["titles"] == titles
