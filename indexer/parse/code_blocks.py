"""Blocks of code → HTML. Called by `indexer.parse.renderer`; `indexer.parse.outline` asks for the title, whose words are found too."""

import html
import re
from functools import lru_cache

from pygments import highlight as highlight_code
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import TextLexer, find_lexer_class_for_filename, get_lexer_by_name
from pygments.util import ClassNotFound

_LANGUAGE = re.compile(r"[\s{.]*([^\s{}:,]*)")
_TITLE = re.compile(r"(?:^|[\s{,])(?:title|filename)=(?:\"([^\"]+)\"|'([^']+)'|([^\s\"'{},]+))")
_FILE = re.compile(r"[^\s{}:,]+:([^\s{}:,=\"']+\.\w+)(?=[\s{},]|$)")
DRAWN = frozenset(("math", "mermaid"))
"""Languages whose blocks become pictures."""
_MAX_HIGHLIGHTED = 50_000
_FORMATTER = HtmlFormatter(nowrap=True)


def read_language(info: str) -> str:
    """Return the language of a block of code; what stands behind it, as in `js{1,3}` or `rust,no_run`, is for other programs."""
    match = _LANGUAGE.match(info)
    return match[1].lower() if match else ""


def read_title(info: str) -> str:
    """Return the title of a block of code: `js title="main.js"`, `js:main.js`; empty for most."""
    match = _TITLE.search(info) if "=" in info else _FILE.match(info)
    if match and read_language(info) in DRAWN:
        return ""
    return " ".join(next(filter(None, match.groups())).split()) if match else ""


def render_code(code: str, language: str, title: str = "") -> str:
    """Return the HTML of a block of code, coloured where its language is known, below its title."""
    lexer = _find_lexer(language) if language and len(code) <= _MAX_HIGHLIGHTED else None
    inner = _highlight(code, language) if lexer else html.escape(code, quote=False)
    name = f' class="language-{html.escape(language)}"' if re.fullmatch(r"[a-z0-9+#.-]{1,30}", language) else ""
    heading = f'<span class="filename">{html.escape(title, quote=False)}</span>' if title else ""
    return f'<div class="highlight">{heading}<pre tabindex="0"><code{name}>{inner}</code></pre></div>\n'


@lru_cache(maxsize=4096)
def _highlight(code: str, language: str) -> str:
    shown = str(highlight_code(code, _find_lexer(language) or TextLexer(), _FORMATTER))
    # Lexers may end the text with one newline of their own; code is shown as written.
    return shown if code.endswith("\n") or not shown.endswith("\n") else shown[:-1]


@lru_cache(maxsize=256)
def _find_lexer(language: str) -> Lexer | None:
    """Return what colours a language, by its name or by the ending of its files: `mjs`, `kt` and `hpp` are no names."""
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        found = find_lexer_class_for_filename(f"x.{language}") if language.isalnum() else None
        return found(stripnl=False, ensurenl=False) if found else None
