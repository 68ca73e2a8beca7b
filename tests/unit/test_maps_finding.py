"""A reader that follows the maps of the sample brains by the words of a title finds the page; the same one as `make bench` uses."""

from pathlib import Path

import pytest

from indexer.model.relations import Relations
from tests.bench.finding import MOST_READS, MOST_TOKENS, Reader, measure_finding, read_choices
from tests.bench.relations_cost import BRAINS, read_texts
from tests.tools.results import make_result


@pytest.mark.req("T07", "T17")
def test_pages_of_the_sample_brains_are_found_by_their_titles() -> None:
    brains = ("brainpress/handbook", "northwind/engineering", "northwind/northwind-advisory", "northwind/mara-home")
    rows = [measure_finding(brain, make_result(read_texts(BRAINS / brain)), Relations()) for brain in brains]
    assert sum(row.found for row in rows) >= 0.95 * sum(row.asked for row in rows), [row.missed for row in rows]
    assert max(row.most_tokens for row in rows) <= MOST_TOKENS


@pytest.mark.req("T07")
def test_a_page_among_5000_costs_4_reads_and_20000_tokens() -> None:
    words = ("lantern", "harbour", "meadow", "copper", "window", "river", "saddle")
    files = {f"notes/{number:04d}.md": f"# {words[number % 5]} {number * 7919 % 9973}\n" for number in range(4_800)}
    files |= {f"{word}/{number}.md": f"# Rules of {word}, {number}\n" for word in words for number in range(30)}
    found = measure_finding("many", make_result(files), Relations())
    assert found.found >= 95, found.missed
    assert found.most_tokens <= MOST_TOKENS
    assert found.reads <= MOST_READS


@pytest.mark.req("T07")
def test_the_reader_sees_nothing_but_the_maps_it_has_opened() -> None:
    maps = {".brain/index.md": b"- [Kites](hubs/kites.md) ~100: kite\n- [Boats](hubs/boats.md) ~100: ship, \xe2\x80\xa6\n"}
    maps[".brain/hubs/kites.md"] = b"- [Red kite](../../kites/boats.md) ~200: It flies.\n"
    maps[".brain/hubs/boats.md"] = b"- [Big ship](../../boats/kites.md) ~200: It swims.\n"
    reader = Reader(maps, {"kites/boats.md": 400, "boats/kites.md": 400})
    assert reader.look_for("Red kite").opened == "kites/boats.md"
    assert reader.look_for("Big ship").opened == "boats/kites.md"
    assert [choice.label for choice in read_choices("x.md", r"- [a \[b\]](c%20d.md) ~100")] == ["a [b]"]
    assert Path(next(read_choices(".brain/hubs/x.md", "- [a](../../c%20d.md) ~100")).target) == Path("c d.md")
