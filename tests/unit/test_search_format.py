"""The files of the search index: numbers and trees come back as they went in, and every file is what its schema says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import indexer.publish.search_words as search_words
from indexer.publish.search_format import (
    decode_body,
    decode_titles,
    encode_body,
    encode_titles,
    pack,
    read_lines,
    size_entry,
    to_bytes,
    write_json,
    write_lines,
)
from indexer.publish.search_tree import DEEPEST, find_leaf, find_leaves, grow_leaves, read_tree, write_tree
from tests.tools.search_vault import build_index

SCHEMAS = Path(__file__).parents[2] / "indexer" / "publish" / "schemas"
TOKENS = st.dictionaries(st.text("ab01é漢\U00020bb7", min_size=1, max_size=12), st.integers(1, 300), max_size=60)
PLACES = st.tuples(st.integers(0, 1 << 21), st.integers(0, 300), st.integers(1, 15))


@given(st.dictionaries(st.tuples(st.integers(0, 1 << 21), st.integers(0, 300)), st.integers(1, 15)))
def test_postings_come_back_as_they_went_in(places: dict[tuple[int, int], int]) -> None:
    packed = sorted(pack(slot, section, weight) for (slot, section), weight in places.items())
    numbers = encode_body(packed)
    assert decode_body(numbers) == packed
    assert 0 not in numbers
    assert sum(number > 0 for number in numbers) == len({slot for slot, _ in places})


@given(st.dictionaries(st.integers(0, 1 << 21), st.integers(16, 1023)))
def test_names_come_back_as_they_went_in(titles: dict[int, int]) -> None:
    assert decode_titles(encode_titles(sorted(titles.items()))) == titles


@given(TOKENS, st.integers(50, 500))
def test_every_token_is_in_the_leaf_its_bits_lead_to_and_leaves_keep_the_limit(sizes: dict[str, int], limit: int) -> None:
    grown = grow_leaves(sizes, limit)
    leaves = {name: sum(sizes[token] for token in tokens) for name, tokens in grown.items()}
    assert sorted(token for tokens in grown.values() for token in tokens) == sorted(sizes)
    for name, tokens in grown.items():
        assert all(find_leaf(leaves, token) == name for token in tokens)
        assert leaves[name] <= limit or len(tokens) == 1 or len(name) == DEEPEST
    assert read_tree(write_tree(leaves)) == leaves


@given(TOKENS, st.text("ab01é漢", min_size=1, max_size=3))
def test_the_leaves_of_a_beginning_hold_all_words_that_begin_so(sizes: dict[str, int], beginning: str) -> None:
    grown = grow_leaves(sizes, 100)
    reached = {token for name in find_leaves(dict.fromkeys(grown, 0), beginning) for token in grown[name]}
    assert {token for token in sizes if token.startswith(beginning)} <= reached


@given(st.dictionaries(st.text("abc漢_.#", min_size=1), st.text(st.characters(codec="utf-8")).map(write_json)))
def test_lines_come_back_as_they_went_in(entries: dict[str, str]) -> None:
    data = write_lines(entries.items())
    assert read_lines(data) == entries
    assert json.loads(data) == {name: json.loads(entry) for name, entry in entries.items()}
    assert len(data) == sum(size_entry(name, entry.encode().decode("latin-1")) for name, entry in entries.items()) + (1 if entries else 3)


@pytest.mark.threat(25)
def test_json_can_stand_in_a_page_without_ending_a_script() -> None:
    nasty = "</script><!--&\u2028\u2029"
    written = write_json({nasty: nasty})
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {nasty: nasty}


def test_half_surrogate_pairs_do_no_harm() -> None:
    assert json.loads(to_bytes(write_json({"title": "a\ud800b"}))) == {"title": "a?b"}


@pytest.fixture(scope="module")
def validators() -> dict[str, Draft202012Validator]:
    """Folder of the index → validator of the files in it."""
    schemas: dict[str, Any] = {
        path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.glob("search-*.schema.json"))
    }
    registry: Registry[Any] = Registry().with_resources([(name, Resource.from_contents(schema)) for name, schema in schemas.items()])
    kinds = {"index.json": "index", "terms": "terms", "words": "word", "whole": "word", "pages": "pages", "parts": "part"}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {folder: Draft202012Validator(schemas[f"search-{kind}.schema.json"], registry=registry) for folder, kind in kinds.items()}


@pytest.mark.req("P09")
def test_every_file_is_what_its_published_schema_says(validators: dict[str, Draft202012Validator], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_words, "OWN_BYTES", 60)
    monkeypatch.setattr(search_words, "MOST_PAGES", 30)
    files = {
        f"notes/{number}.md": f"# Note {number}\n\n" + f"water w{number} __proto__ <b>\n\n## Tide\n\nmore\n\n" * 3 for number in range(60)
    }
    files["long.md"] = "# Long\n\n" + "".join(f"## Part {number}\n\n{'river ' * 300}\n\n" for number in range(20))
    files["named.md"] = "---\naliases: [Other name]\ntags: [x/y]\n---\n# Named\n"
    index = build_index(files)
    assert {name.partition("/")[0] for name in index} == validators.keys(), "every kind of file is looked at"
    for name, data in index.items():
        validators[name.partition("/")[0]].validate(json.loads(data))


def test_a_schema_refuses_other_files(validators: dict[str, Draft202012Validator]) -> None:
    assert not validators["terms"].is_valid({"word": [0]})
    assert not validators["terms"].is_valid({"word": {"file": "../../secret"}})
    assert not validators["pages"].is_valid({"x": {}})
    assert not validators["index.json"].is_valid({"format": "brainpress-search/0", "pages": 1, "bits": 10, "tree": [0]})


def test_file_names_are_safe_on_every_file_system() -> None:
    index = build_index({"Ünï/CON.md": "# ../etc/passwd\n\nAUX con.nul 水 Ａ ﷺ ../x C:\\y\n\n" + "\U0001f4a9 " * 10})
    assert all(re.fullmatch(r"[a-z]+(/[a-z0-9-]+)?\.json", name) for name in index)
    assert len({name.casefold() for name in index}) == len(index)
