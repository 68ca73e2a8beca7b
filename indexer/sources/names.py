"""Which names of files and folders are content, which are passed over in silence, and which are refused with a finding.

Called by both walks (git trees and plain folders) and by the history. Works on bytes, as names are stored; never touches a file.
"""

import re
import unicodedata
from collections.abc import Callable

LONGEST_PATH = 4096
"""Bytes; no system can hold a longer path."""

_PLAIN = re.compile(rb"[0-9A-Za-z_ ()+,\-][0-9A-Za-z_ .()+,\-]*")
"""Names of which nothing has to be asked; most are of this kind."""
_NOT_CONTENT = frozenset({b"node_modules", b"__pycache__", b"thumbs.db"})
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_NONCHARACTER = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_GIT_SHORT = re.compile(r"git~[0-9]+")
_CODE_POINT = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufffe\uffff]")


def _passes_for_git(text: str) -> bool:
    """`git~1` is the short name of `.git` on Windows; macOS ignores invisible characters in names."""
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf").casefold()
    return visible == ".git" or _GIT_SHORT.fullmatch(visible) is not None


_REFUSED: tuple[tuple[Callable[[str], object], str], ...] = (
    (lambda text: text in {"", ".", ".."}, "The name is empty or made of dots, which stands for a folder"),
    (re.compile(r"[/\\]").search, "The name holds a slash or backslash, which parts folders"),
    (_FORBIDDEN.search, "The name holds a control character"),
    (_NONCHARACTER.search, "The name holds a code point that is no character"),
    (_passes_for_git, "Some systems take the name for .git, the folder that git itself uses"),
)


def is_passed_over(name: bytes) -> bool:
    """Return whether a file or folder is no content at all: hidden, or a store of some program."""
    return name.startswith(b".") or name.lower() in _NOT_CONTENT


def refuse_name(name: bytes) -> tuple[str, str] | None:
    """Return the code and the reason why one component of a path is refused, or None for a name that is kept."""
    if _PLAIN.fullmatch(name):
        return None
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        return "SRC007", "The name is not UTF-8"
    reason = next((reason for refuses, reason in _REFUSED if refuses(text)), None)
    return ("SRC006", reason) if reason else None


def is_hostile_hidden(name: bytes) -> bool:
    """Return whether a name that begins with a dot is one that git never stores: only a forged tree holds it."""
    return name in {b".", b".."} or name.lower() == b".git" or b"/" in name


def is_content_path(path: str) -> bool:
    """Return whether every component of a path, relative to the content root, is a name that a snapshot keeps."""
    try:
        names = path.encode("utf-8").split(b"/")
    except UnicodeEncodeError:
        return False
    return not any(is_passed_over(name) or refuse_name(name) for name in names)


def show_name(name: bytes) -> str:
    """Return a name or path in a form that is safe in a message and a terminal; what cannot be shown is written as an escape."""
    text = name.decode("utf-8", "backslashreplace")
    return _CODE_POINT.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)
