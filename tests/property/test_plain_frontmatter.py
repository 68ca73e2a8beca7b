"""The short way through plain frontmatter gives what YAML gives."""

import random

from indexer.parse import yaml_tree

_PIECES = (
    "title·a_b·x-1·tags·: ·:·, ·,·[·]·[a]·[a, b c]·\n·\n\n·words here·Word·1.5·2026-01-31·null·~·yes·-·- ·---·...· ·  ·\t·é·#· #·'·\"·\\·/"
    "·(·)·+·{·}·&a·*a·!t·|·>·?·? ·%·@·`·=·<<·0x1F·1_000·.5·-1·v2.3·a:b·http://x·\r·\x85·\u2028·\ufeff·key: value\n·tags: [a/b, c d]\n"
    "·k: v, w (x)\n"
).split("·")


def _write_text(seed: int) -> str:
    chance = random.Random(seed)
    few = ["key: value\n", "title: ", "\n", *chance.sample(_PIECES, chance.choice((2, 4, 8)))]
    return "".join(chance.choices(few, k=chance.choice((2, 5, 12))))


def test_plain_frontmatter_is_read_as_yaml_reads_it() -> None:
    plain = 0
    for text in map(_write_text, range(40_000)):
        found = yaml_tree._read_plain(text)
        if found is not None:
            plain += 1
            assert (found, []) == yaml_tree._parse_events(text), text
    assert plain > 500, "hardly any text was plain"


def test_everyday_frontmatter_is_plain() -> None:
    text = "title: Kickoff with Northwind\ntags: [project/alpha, notes]\ndate: 2026-02-23\nsummary: What was said.\ndraft: false\n"
    assert yaml_tree._read_plain(text) == yaml_tree._parse_events(text)[0]
    assert yaml_tree._read_plain(text) is not None
