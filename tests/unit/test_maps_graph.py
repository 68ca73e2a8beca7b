"""graph.json of a repo: what is recorded, what is read back of it, and that whatever somebody wrote in its place is harmless."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from indexer.cli.schema import find_schemas
from indexer.model.maps import GRAPH
from indexer.model.relations import Copies, Mention, Relations
from indexer.publish.maps import make_maps
from indexer.publish.maps_graph import HEAD, TAIL, read_recorded
from tests.tools.results import make_result

FILES = {"a.md": "# A\n\n[B](b.md) [B](b.md)\n", "b.md": "# B\n", "c.md": "# C\n", "d.md": "# D\n"}
PATHS = frozenset(FILES)
RELATIONS = Relations(
    related={"a.md": (("c.md", 0.51), ("d.md", 0.3)), "c.md": (("a.md", 0.51),)},
    mentions=(Mention("b.md", 3, "the C", "c.md", 2),),
    copies=(Copies("c.md", (("d.md", 0.97),)),),
)


def record(relations: Relations, kept: dict[str, bytes] | None = None) -> bytes:
    """Return the graph of the pages above."""
    return make_maps(make_result(FILES), relations, kept or {})[GRAPH]


@pytest.mark.req("T29", "T30")
def test_the_graph_has_one_entry_a_line_and_the_published_shape() -> None:
    data = record(Relations(RELATIONS.related, RELATIONS.mentions, RELATIONS.copies, "The server does not answer."))
    Draft202012Validator(json.loads(find_schemas()["brain-graph"].read_text("utf-8"))).validate(json.loads(data))
    lines = data.decode().splitlines()
    assert lines[0] == '[{"graph":1}'
    assert lines[-1] == "]"
    assert all(line.startswith(",{") for line in lines[1:-1])
    assert ',{"page":"a.md","title":"A","links":[["b.md",2]],"related":[["c.md",0.51],["d.md",0.3]],"orphan":true}' in lines


@pytest.mark.req("T30")
def test_what_was_recorded_is_read_back() -> None:
    assert read_recorded(record(RELATIONS), PATHS) == RELATIONS
    assert read_recorded(record(RELATIONS), sorted(PATHS)) == RELATIONS


@pytest.mark.req("T30", "P19")
def test_only_pages_that_are_published_now_are_read() -> None:
    assert read_recorded(record(RELATIONS), {"a.md", "b.md", "d.md"}) == Relations(related={"a.md": (("d.md", 0.3),)})
    assert read_recorded(record(RELATIONS), ()) == Relations()


@pytest.mark.req("T30")
def test_a_likeness_that_hardly_moves_changes_no_line() -> None:
    moved = Relations({"a.md": (("c.md", 0.54), ("d.md", 0.27)), "c.md": (("a.md", 0.54),)}, RELATIONS.mentions, RELATIONS.copies)
    assert record(moved, {GRAPH: record(RELATIONS)}) == record(RELATIONS)
    far = Relations({"a.md": (("c.md", 0.9), ("d.md", 0.3))})
    assert read_recorded(record(far, {GRAPH: record(RELATIONS)}), PATHS) == Relations({"a.md": (("c.md", 0.9), ("d.md", 0.3))})


@pytest.mark.req("T32")
def test_relations_that_wait_leave_the_recorded_ones() -> None:
    data = record(Relations(waiting="The server does not answer."), {GRAPH: record(RELATIONS)})
    again = read_recorded(data, PATHS)
    assert again == Relations(RELATIONS.related, RELATIONS.mentions, RELATIONS.copies, "The server does not answer.")


def line(value: Any) -> bytes:
    """Return a graph with one entry more."""
    return HEAD + b"," + json.dumps(value).encode() + b"\n" + TAIL


SHAPES: list[Any] = [
    None,
    1,
    [],
    "page",
    {"page": 1},
    {"page": ["a.md"]},
    {"page": {"a.md": 1}},
    {"page": "a.md", "related": 3},
    {"page": "a.md", "related": None},
    {"page": "a.md", "related": {"b.md": 1}},
    {"page": "a.md", "related": ["b.md"]},
    {"page": "a.md", "related": [["b.md"]]},
    {"page": "a.md", "related": [["b.md", "0.5"]]},
    {"page": "a.md", "related": [["b.md", True]]},
    {"page": "a.md", "related": [["b.md", 7]]},
    {"page": "a.md", "related": [["b.md", -0.1]]},
    {"page": "a.md", "related": [["b.md", float("nan")]]},
    {"page": "a.md", "related": [[["b.md"], 0.5]]},
    {"page": "a.md", "mentions": [[1, "x", "b.md"]]},
    {"page": "a.md", "mentions": [["1", "x", "b.md", 1]]},
    {"page": "a.md", "mentions": [[1, None, "b.md", 1]]},
    {"page": "a.md", "mentions": [[-1, "x", "b.md", 1]]},
    {"page": "a.md", "mentions": [[1, "x", {}, 1]]},
    {"copies": [], "others": []},
    {"copies": "a.md", "others": [["b.md", 2]]},
    {"waiting": 1},
]


@pytest.mark.req("T30")
@pytest.mark.parametrize("value", SHAPES, ids=repr)
def test_an_entry_of_another_shape_makes_the_file_worthless(value: Any) -> None:
    assert read_recorded(line(value), PATHS) is None


@pytest.mark.req("T30")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        HEAD,
        HEAD + b",",
        HEAD + b",{}",
        HEAD + b"," + b"[" * 200_000,
        HEAD + b"," + b'{"a":' * 200_000,
        HEAD + b',{"page":"\xff"}\n]',
        HEAD + b"," + b"9" * 10_000 + b"\n]",
        b"version https://git-lfs.github.com/spec/v1\n",
    ],
    ids=lambda data: repr(data[:30]),
)
def test_what_is_no_graph_is_none_and_no_error(data: bytes) -> None:
    assert read_recorded(data, PATHS) is None


@pytest.mark.req("T30")
def test_lists_that_somebody_made_longer_are_cut() -> None:
    many = {f"p{number}.md" for number in range(50)}
    relations = read_recorded(line({"page": "a.md", "related": [[path, 0.5] for path in sorted(many)]}), many | {"a.md"})
    assert relations is not None
    assert len(relations.related["a.md"]) == 10
    assert read_recorded(line({"page": "a.md", "related": [["a.md", 0.5]]}), PATHS) == Relations()
    waiting = read_recorded(line({"waiting": "x" * 10_000}), PATHS)
    assert waiting is not None
    assert len(waiting.waiting) == 300


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a.md", "b.md", "x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["page", "related", "mentions", "copies", "others", "waiting"]), inner)
    ),
    max_leaves=12,
)


@pytest.mark.req("T30")
@given(entries=st.lists(_JSON, max_size=4), cut=st.integers(0, 200))
@settings(deadline=None, max_examples=300)
def test_reading_never_raises(entries: list[Any], cut: int) -> None:
    data = HEAD + b"".join(b"," + json.dumps(entry).encode() + b"\n" for entry in entries) + TAIL
    for each in (data, data[:cut], data[cut:]):
        relations = read_recorded(each, PATHS)
        assert relations is None or {path for pairs in relations.related.values() for path, _ in pairs} <= PATHS
