"""What stands between the markers of index.md: written by the program, content of nobody."""

import pytest

from indexer.model.maps import FRONT
from indexer.model.relations import Relations
from indexer.parse.generated import cut_block, find_block, without_block
from indexer.parse.page import parse_page, parse_plain
from indexer.publish.maps import make_maps
from indexer.publish.maps_block import replace_block
from tests.tools.results import make_result

OPEN, CLOSE = "<!-- brain:index -->", "<!-- /brain:index -->"


@pytest.mark.req("T29")
@pytest.mark.parametrize(
    "data",
    [
        f"# Start\n\nOurs.\n\n{OPEN}\nold\n{CLOSE}\n\nAfter.\n".encode(),
        f"{OPEN}\n{CLOSE}".encode(),
        f"# Start\r\n\r\n{OPEN}\r\nold\r\n{CLOSE}\r\nAfter.  \t\r\n\r\n".encode(),
        f"\ufeff# Start\n{OPEN}  \n{CLOSE}\t\n".encode(),
        b"# \xff\xfe broken\n" + f"{OPEN}\n{CLOSE}\n".encode() + b"\xc3\n",
        f"---\ntitle: x\n---\n```\n{OPEN}\n```\n{OPEN}\n{CLOSE}\n~~~\n{CLOSE}\n~~~\n".encode(),
    ],
)
def test_only_what_is_between_the_markers_changes(data: bytes) -> None:
    changed = replace_block(data, ["- one", "- two"])
    assert changed is not None
    end = b"\r\n" if b"\r\n" in data else b"\n"
    assert b"- one" + end + b"- two" + end + CLOSE.encode() in changed
    assert without_block(changed) == without_block(data)
    assert replace_block(changed, []) == without_block(data)
    start = data.rindex(OPEN.encode(), 0, data.rindex(CLOSE.encode()) if b"~~~" not in data else data.index(CLOSE.encode()))
    assert changed[: start + len(OPEN)] == data[: start + len(OPEN)]
    assert changed.endswith(data[data.index(CLOSE.encode(), start) :])


@pytest.mark.req("T29")
@pytest.mark.parametrize(
    "text",
    [
        "# No markers\n",
        f"{OPEN}\n",
        f"{CLOSE}\n{OPEN}\n",
        f"{OPEN}\n{CLOSE}\n{OPEN}\n{CLOSE}\n",
        f"{OPEN}\n{OPEN}\n{CLOSE}\n",
        f"Text {OPEN}\n{CLOSE}\n",
        f"    {OPEN}\n    {CLOSE}\n",
        f"> {OPEN}\n> {CLOSE}\n",
        f"```\n{OPEN}\n{CLOSE}\n```\n",
        f"````\n```\n{OPEN}\n{CLOSE}\n```\n````\n",
    ],
)
def test_markers_that_are_not_clear_are_left_alone(text: str) -> None:
    assert find_block(text) is None
    assert replace_block(text.encode(), ["- one"]) is None
    assert cut_block(text) == text


@pytest.mark.req("T29", "P06")
def test_links_of_the_block_count_nowhere() -> None:
    block = f"{OPEN}\n- [A](a.md)\n- [Map](.brain/index.md)\n- [[b]]\n{CLOSE}\n"
    result = make_result({"index.md": f"# Start\n\n{block}\n[B](b.md)\n", "a.md": "# A\n", "b.md": "# B\n"})
    assert result.graph.edges == (("index.md", "b.md", 1),)
    assert result.graph.orphans == ("a.md",)
    assert not result.findings


@pytest.mark.req("T29", "P19")
def test_the_block_is_neither_shown_nor_searched_and_lines_keep_their_numbers() -> None:
    text = f"---\ntitle: Start\n---\n{OPEN}\n- [Canary](a.md) #canary\n\n## Canary\n{CLOSE}\n\nOurs [gone](gone.md).\n"
    page = parse_page(text.encode())
    assert "anary" not in repr(page)
    assert page.links[0].line == 10
    assert page.summary == "Ours gone."
    assert "anary" not in repr(parse_plain(text.encode(), "for a test"))


@pytest.mark.req("T29", "T17")
def test_the_block_leads_to_the_index_and_to_what_is_at_the_top() -> None:
    front = f"# Start\n\n{OPEN}\n{CLOSE}\n"
    files = {f"{folder}/p{number}.md": f"# P {number} of {folder}\n" for folder in ("guides", "notes") for number in range(40)}
    maps = make_maps(make_result(files | {"index.md": front}), Relations(), {FRONT: front.encode()})
    lines = maps[FRONT].decode().splitlines()
    assert "- [Index of all pages](.brain/index.md), with what is on each map" in lines
    assert "- [guides](.brain/hubs/guides.md)" in lines
    assert all(name.split(")")[0] in maps for line in lines if line.startswith("- [") for name in [line.split("](")[1]])


@pytest.mark.req("T29")
def test_an_index_page_without_markers_stays_as_it_is() -> None:
    files = {"index.md": "# Start\n"}
    assert FRONT not in make_maps(make_result(files), Relations(), {FRONT: b"# Start\n"})
    assert FRONT not in make_maps(make_result({"a.md": "# A\n"}), Relations(), {})
