"""Bare addresses: they are links wherever GitHub links them, and end before punctuation of Chinese and Japanese.

Registered by `indexer.parse.markdown` around the library's rules, which read the address itself. These want a space, `*`, `_`, `~` or
`(` before it, so that nothing in `"https://…"`, `[https://…]`, `a<br>https://…` or behind a colon would be a link, and they end at the
next space.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown_it.rules_inline import StateInline

Rule = Callable[[StateInline, bool], bool]

_END = re.compile(
    '{[{%]|[\\s<>|`"\u200b\u2018\u2019\u201c\u201d\u2026\u00ab\u00bb\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1b\uff1f]'
)
_SCHEME = re.compile(r"(?<![A-Za-z])(?:https?|mailto|xmpp)\Z")
_LOCAL = re.compile(r"[A-Za-z0-9.+_-]+\Z")
_LONGEST_LOCAL = 64
_LONGEST_MAIL = 400
_LONGEST = 4096
_CASED = re.compile(r"[^\W\d_]")


def take_anywhere(rule: Any, name: str) -> Rule:
    """Wrap a rule for bare addresses, named as the library names it."""
    head = {"gfm_autolink_protocol": _SCHEME, "gfm_autolink_email": _LOCAL}.get(name)

    def wrapped(state: StateInline, silent: bool) -> bool:
        if silent or state.linkLevel > 0:
            return False  # the rules never match then
        source, position, limit = state.src, state.pos, state.posMax
        begin = position
        if head:
            found = head.search(source, max(0, position - _LONGEST_LOCAL), position)
            if not found or not state.pending.endswith(found[0]):
                return False
            begin = found.start()
            _cut_pending(state, found[0])
            if source[begin - 1 : begin] == "<" or (head is _LOCAL and not _may_begin(source, begin)):
                return False
        elif not source.startswith("www.", position):
            return False
        web = source.startswith("://", position) or not head
        last = min(limit, position + (_LONGEST if web else _LONGEST_MAIL))
        stop = _END.search(source, position, last)
        if web and (stop[0].startswith("{") if stop else last < limit):
            return False  # another program fills in the rest, or nobody wrote it
        end = stop.start() if stop else last
        if source[end - 1] == "\uff1a":
            end -= 1
        # The rule sees the address alone, with a space before it.
        state.src, state.pos, state.posMax = " " + source[begin:end], position - begin + 1, end - begin + 1
        matched = bool(rule(state, False))
        state.src, state.pos, state.posMax = source, state.pos + begin - 1, limit
        return matched

    return wrapped


def _cut_pending(state: StateInline, head: str) -> None:
    """Make a token of a long text before an address: the rule looks through all of it each time."""
    if len(state.pending) > _LONGEST:
        state.pending = state.pending[: -len(head)]
        state.pushPending()
        state.pending = head


def _may_begin(source: str, begin: int) -> bool:
    """Whether the name in an address of mail may begin here: not behind another letter, nor in a path or an address of another kind."""
    before = source[begin - 1 : begin]
    if before in {"/", "@", "\\"} or (before and _CASED.match(before) and before.lower() != before.upper()):
        return False
    word = source.rfind("://", max(0, begin - 200), begin)
    return word < 0 or _END.search(source, word, begin) is not None
