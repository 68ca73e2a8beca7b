"""The one Markdown parser: markdown-it-py with the rules of this room. Called by `indexer.parse.page`; knows no page and no path."""

import re
from collections.abc import Mapping, Set
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import table
from markdown_it.rules_inline import autolink, html_inline, image, link
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from indexer.parse import addresses, block_rules, inline_rules, math_rules, table_rules
from indexer.parse.admonitions import admonition
from indexer.parse.destinations import is_template
from indexer.parse.dispatch import QuickBlock, QuickInline, name_rules
from indexer.parse.html_headings import html_headings

# Only characters that a rule here reacts to may stop the text rule: each stop costs a call of every rule.
_STOPS = "\n!#$%&*<=[\\]^_`{~"
_AUTOLINK_STOPS = _STOPS + ":@w"
_BARE_ADDRESS = re.compile(r"://|www\.|@|mailto:")
_MAX_NESTING = 60


def parse_tokens(text: str) -> tuple[list[Token], Mapping[str, Set[int]]]:
    """Return the block tokens of a page, inline children included; line maps are those of `text`.

    With them, for each text of an inline token, the places where a comment opens that does not end in that text.
    """
    parser = _make_parser(autolinks=_BARE_ADDRESS.search(text) is not None)
    env: dict[str, Any] = {}
    return parser.parse(text, env), env.get("open_marks", {})


@cache
def _make_parser(*, autolinks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING})
    active = parser.get_active_rules()
    parser.block, parser.inline = QuickBlock(), QuickInline()
    parser.block.ruler.enableOnly(active["block"])
    parser.inline.ruler.enableOnly(active["inline"])
    parser.inline.ruler2.enableOnly(active["inline2"])
    parser.enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    # Links are resolved and judged later, with the words of the author: nothing is encoded or refused here.
    parser.normalizeLink = _keep  # type: ignore[method-assign, assignment]
    parser.normalizeLinkText = _keep  # type: ignore[method-assign]
    parser.validateLink = _accept  # type: ignore[method-assign]
    ruler = parser.inline.ruler
    ruler.at("link", inline_rules.may_close(inline_rules.keep_place(link, "markdown")))
    ruler.at("image", inline_rules.may_close(inline_rules.keep_place(image, "image")))
    ruler.at("autolink", inline_rules.keep_place(autolink, "autolink"))
    ruler.at("html_inline", inline_rules.keep_place(inline_rules.take_whole(html_inline), "html"))
    ruler.before("link", "wikilink", inline_rules.wikilink)
    ruler.before("wikilink", "template", inline_rules.template)
    ruler.after("emphasis", "highlight", inline_rules.highlight)
    ruler.after("highlight", "tag", inline_rules.tag)
    ruler.after("tag", "comment", inline_rules.comment)
    parser.block.ruler.before(
        "paragraph", "block_comment", block_rules.block_comment, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.block.ruler.before("hr", "admonition", admonition, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    tables = table_rules.note_lost_cells(table_rules.end_at_block_id(table_rules.keep_links(table)))
    parser.block.ruler.at("table", tables, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.after("block", "callouts", block_rules.callouts)
    parser.core.ruler.after("callouts", "task_boxes", block_rules.task_boxes)
    parser.core.ruler.after("task_boxes", "block_ids", block_rules.block_ids)
    parser.core.ruler.after("block_ids", "custom_ids", block_rules.custom_ids)
    parser.core.ruler.at("text_join", block_rules.join_escapes)
    parser.core.ruler.after("text_join", "html_headings", html_headings)
    if autolinks:
        parser.use(gfm_autolink_plugin)
    for name, rule in name_rules(ruler):
        if name.startswith("gfm_autolink_"):
            ruler.at(name, inline_rules.keep_place(addresses.take_anywhere(rule, name), "bare"))
        elif name.startswith("math_"):
            ruler.at(name, math_rules.keep_apart(rule))
        elif name.startswith("footnote_"):
            ruler.at(name, inline_rules.near_bracket(inline_rules.keep_place(rule, "footnote")))
    ruler.before("link", "simple_link", inline_rules.make_simple_link(_AUTOLINK_STOPS if autolinks else _STOPS))
    ruler.before("simple_link", "named_link", inline_rules.named_link)
    parser.inline.stops = _AUTOLINK_STOPS if autolinks else _STOPS
    parser.inline.terminator_re = re.compile("[" + re.escape(parser.inline.stops) + "]")
    return parser


def _keep(link: str) -> str:
    return link


def _accept(url: str) -> bool:
    """`indexer.analysis.link_findings` judges; what another program will fill in is no address yet."""
    return not is_template(url)
