"""Whether a page may be published (SPEC P19). Fails closed: what cannot be read hides the page and says so.

Called by `indexer.parse.frontmatter`.
"""

import re
from collections.abc import Iterable

from indexer.parse.yaml_tree import Node, Scalar, is_null

# key → what a true value means for being published
_FLAGS = {
    "draft": False,
    "drafts": False,
    "private": False,
    "hidden": False,
    "unpublished": False,
    "publish": True,
    "published": True,
    "public": True,
    "dg-publish": True,
}
_VISIBLE = {"public", "published", "visible", "everyone", "open"}
_CONCEALED = {"private", "hidden", "draft", "unlisted", "secret", "none", "internal", "restricted", "unpublished"}
_TRUE = {"true", "yes", "on", "y", "1", "t"}
_FALSE = {"false", "no", "off", "n", "0", "f"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?$")
_MENTION = re.compile(
    r"""^[ \t>{,-]*["']?(drafts?|private|hidden|unpublished|publish(?:ed)?|public|dg-publish|visibility)["']?[ \t]*[:=]""",
    re.IGNORECASE | re.MULTILINE,
)


def read_flags(pairs: Iterable[tuple[str, Node]]) -> tuple[bool, list[tuple[str, str, int]]]:
    """Return (hidden, unreadable values as (key, text, line)) for the top-level pairs of a frontmatter, duplicates included."""
    hidden = False
    unreadable: list[tuple[str, str, int]] = []
    for key, node in pairs:
        name = key.strip().lower().replace("_", "-")
        if name not in _FLAGS and name != "visibility":
            continue
        verdict = _read_visibility(node) if name == "visibility" else _read_flag(name, node)
        if verdict is None:
            unreadable.append((key, node.text if isinstance(node, Scalar) else "a list or mapping", node.line))
        hidden = hidden or verdict is not True
    return hidden, unreadable


def _read_flag(name: str, node: Node) -> bool | None:
    """True = may be published, False = hidden, None = unreadable."""
    if is_null(node):
        return True
    if not isinstance(node, Scalar):
        return None
    text = node.text.strip().lower()
    if text == "":
        return True
    if text in _TRUE:
        return _FLAGS[name]
    if text in _FALSE:
        return not _FLAGS[name]
    # `published: 2024-05-01` is the usual way to say when, not whether
    return True if name in {"publish", "published"} and _DATE.match(text) else None


def _read_visibility(node: Node) -> bool | None:
    if is_null(node):
        return True
    text = node.text.strip().lower() if isinstance(node, Scalar) else "?"
    if text in _VISIBLE or text == "":
        return True
    return False if text in _CONCEALED else None


def mentions_privacy(text: str) -> bool:
    """Whether frontmatter that cannot be parsed holds a key that decides about publishing."""
    return _MENTION.search(text) is not None
