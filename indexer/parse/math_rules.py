"""Mathematics as vaults and GitHub write it, around the library's rules for dollars. Registered by `indexer.parse.markdown`."""

from collections.abc import Callable
from typing import Any

from markdown_it.rules_inline import StateInline

Rule = Callable[[StateInline, bool], bool]


def keep_apart(rule: Any) -> Rule:
    """Wrap the rule for `$…$`: it must end in the text that is read, and neither begin nor end in the middle of code.

    Of GitHub's form, which sets the formula in backticks as well, these are taken off.
    """

    def wrapped(state: StateInline, silent: bool) -> bool:
        start = state.pos
        end = _find_end(rule, state)
        if end < 0:
            return False
        if not silent:
            opening = 2 if state.src.startswith("$$", start) else 1
            content = state.src[start + opening : end - opening]
            token = state.push("math_inline_double" if opening == 2 else "math_inline", "math", 0)
            token.content = content[1:-1] if content.startswith("`") and content.endswith("`") and content.count("`") == 2 else content
            token.markup = "$" * opening
        state.pos = end
        return True

    return wrapped


def _find_end(rule: Any, state: StateInline) -> int:
    """Return where the formula that begins here ends; -1 = none does. The state stays as it is."""
    source, start = state.src, state.pos
    if start == 0:  # the rule looks at what stands before it, and would see the end of the text there
        state.src, state.pos = " " + source, 1
    matched = bool(rule(state, True))
    end = state.pos - (state.pos > 0 and state.src is not source)
    state.src, state.pos = source, start
    return end if matched and end <= state.posMax and source.count("`", start, end) % 2 == 0 else -1
