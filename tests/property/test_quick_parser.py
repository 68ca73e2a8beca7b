"""The parser's own loops give the tokens that the library's loops give."""

import random
from functools import cache

import pytest
from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import text_join

from indexer.parse import block_rules, inline_rules, markdown

_PIECES = (
    "word two·é· ·    ·\t·\n·\n\n·\n- ·\n1. ·\n> ·\n# ·\n---\n·\n===\n·\n: ·\n\n~ ·|·\n|--|\n·\n-|-\n·\n```\n"
    "·`·*·**·_·~~·==·[·]·(b.md)"
    '·[a](b.md)·[x](y "t")·[x](<y z>)·[x](y(z))·[x](a\\)b)·[x](a&amp;b)·\n[r]: u.md\n·[r]·[[w|l]]·![[e]]·![i](j.png)'
    "·#tag·%%·\n%%\n·$x$·^id·[^1]·\n[^1]: note·^[in]·<b>·<!--·-->·\n<div>\n·&amp;·&·\\*·!·http://x.y·a@b.co·\n- [ ] t"
).split("·")


class _PlainInline(ParserInline):
    stops = ""


@cache
def _make_plain(*, autolinks: bool) -> MarkdownIt:
    """Return the product's parser with the library's loops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexer.parse.markdown.QuickBlock", ParserBlock)
        patch.setattr("indexer.parse.markdown.QuickInline", _PlainInline)
        patch.setattr(block_rules, "join_escapes", text_join)
        patch.setattr(inline_rules, "make_simple_link", lambda _stops: lambda _state, _silent: False)
        return markdown._make_parser.__wrapped__(autolinks=autolinks)


def _write_text(seed: int) -> str:
    """A few pieces at a time, or the ones that act on each other would hardly ever meet."""
    chance = random.Random(seed)
    few = ["a", "\n", *chance.sample(_PIECES, chance.choice((2, 4, 8)))]
    return "".join(chance.choices(few, k=chance.choice((4, 10, 30))))


@pytest.mark.req("P04")
@pytest.mark.parametrize("autolinks", [True, False])
def test_quick_loops_give_the_tokens_of_the_library(autolinks: bool) -> None:
    plain, quick = _make_plain(autolinks=autolinks), markdown._make_parser(autolinks=autolinks)
    for text in map(_write_text, range(4000)):
        assert [token.as_dict() for token in quick.parse(text, {})] == [token.as_dict() for token in plain.parse(text, {})], text
