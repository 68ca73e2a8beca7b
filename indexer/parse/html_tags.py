"""Raw HTML in Markdown: links and images of it become slots like all others, its ids become anchors. Called by `indexer.parse.outline`.

What is left is sanitised with the rest of the page in `indexer.parse.clean`; nothing here is a security boundary.
"""

import html
import re
from dataclasses import dataclass, field

from indexer.model.page import Link
from indexer.parse.destinations import split_destination
from indexer.parse.slots import slot
from indexer.parse.slugs import IdRegister, guard_id

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
_ATTRIBUTE = re.compile(r"""([a-zA-Z_:][\w:.-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_RAW_TEXT = re.compile(r"<(script|style|template|noscript|iframe|object|svg|math)\b.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE)


@dataclass(slots=True)
class HtmlTags:
    """State over all raw HTML of one page: `<a>` may open in one token and close in another."""

    anchors: list[str] = field(default_factory=list)
    """Ids that fragments may name."""
    removed: list[tuple[str, int]] = field(default_factory=list)
    """(element, 1-based line) of elements that are taken out with their content."""
    open_links: list[int] = field(default_factory=list)

    def rewrite(self, content: str, line: int, links: list[Link], ids: IdRegister) -> str:
        """Return `content` with slots for its links and images; adds to `links` and takes ids."""
        content = _COMMENT.sub("", content)
        for match in _RAW_TEXT.finditer(content):
            self.removed.append((match[1].lower(), line + content.count("\n", 0, match.start())))
        content = _RAW_TEXT.sub("", content)

        def replace(match: "re.Match[str]") -> str:
            at = line + content.count("\n", 0, match.start())
            return self._replace_tag(match, at, links, ids)

        return _TAG.sub(replace, content)

    def _replace_tag(self, match: "re.Match[str]", line: int, links: list[Link], ids: IdRegister) -> str:
        name = match[2].lower()
        if match[1]:
            return slot("c", self.open_links.pop()) if name == "a" and self.open_links else match[0]
        attributes = _read_attributes(match[3])
        wanted = attributes.pop("id", "") or attributes.pop("name", "")
        anchor = self._place_anchor(wanted, ids) if wanted else ""
        if name == "a" and attributes.get("href"):
            self.open_links.append(len(links))
            links.append(_make_link("markdown", match[0], attributes, attributes["href"], line))
            return anchor + slot("o", self.open_links[-1])
        if name == "img":
            links.append(_make_link("image", match[0], attributes, attributes.get("src", ""), line))
            return anchor + slot("i", len(links) - 1)
        if wanted:
            rest = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
            return f"{anchor}<{name}{rest}>"
        return match[0]

    def _place_anchor(self, wanted: str, ids: IdRegister) -> str:
        """Return an element that carries the id; nothing when the page has that id already."""
        wanted = guard_id(wanted)
        if any(char.isspace() for char in wanted) or not ids.is_free(wanted):
            return ""
        ids.take(wanted)
        self.anchors.append(wanted)
        return f'<span id="{html.escape(wanted)}"></span>'

    def close_all(self) -> str:
        """Return the closing slots of links that were never closed."""
        slots = "".join(slot("c", number) for number in reversed(self.open_links))
        self.open_links.clear()
        return slots


def _read_attributes(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match[2] or ""
        if value[:1] in {'"', "'"}:
            value = value[1:-1]
        values.setdefault(match[1].lower(), html.unescape(value))
    return values


def _make_link(kind: str, raw: str, attributes: dict[str, str], dest: str, line: int) -> Link:
    target, anchor = split_destination("".join(dest.split("\n")).strip())
    size = (_to_pixels(attributes.get("width", "")), _to_pixels(attributes.get("height", "")))
    label = attributes.get("alt", "") if kind == "image" else ""
    return Link("image" if kind == "image" else "markdown", raw, target, anchor, label, line, size, attributes.get("title", ""))


def _to_pixels(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= 5 else 0
