"""Raw HTML in Markdown: links and images of it become slots like all others, its ids become anchors. Called by `indexer.parse.outline`.

What is left is sanitised with the rest of the page in `indexer.parse.clean`; nothing here is a security boundary.
"""

import html
import re

from msgspec import Struct, field

from indexer.model.page import Link, LinkKind
from indexer.parse.destinations import is_template, split_destination
from indexer.parse.positions import Placement
from indexer.parse.slots import OWN, SLOT, slot
from indexer.parse.slugs import IdRegister, guard_id

RAW_TEXT = "script|style|template|noscript|noembed|noframes|iframe|object|svg|math|textarea|title|select|option|xmp|plaintext"
PIECE = re.compile(
    rf"""<!--.*?(?:-->|\Z)
    | <(?P<raw>{RAW_TEXT})\b.*?(?:</(?P=raw)\s*>|\Z)
    | <\?.*?(?:\?>|\Z)
    | <!\[CDATA\[.*?(?:\]\]>|\Z)
    | <![^>]*(?:>|\Z)
    | <(?P<close>/?)(?P<name>[a-z][a-z0-9-]*)(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*)>
    | <""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([a-zA-Z_:][\w:.-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
# Characters that only slots may consist of, hidden from the decoder in an entity.
_SLOT_ENTITY = re.compile(r"&#(?:x0*fd[de][0-9a-f](?![0-9a-f])|0*(?:6497[6-9]|649[89]\d|6500[0-7])(?!\d));?", re.IGNORECASE)
_TAG = re.compile(r"</?([a-z][a-z0-9-]*)[^>]*>")
_PERCENTS = re.compile(rf"(?P<mark>%%)|\w+://\S+|\]\([^()\s]*\)|`[^`\n]+`|\\%|{PIECE.pattern}", PIECE.flags)
_BLANK = "\x00"  # a page holds none when it comes here
_SHOWS_CODE = frozenset(("pre", "code", "kbd", "samp", "tt"))
_MEDIA = frozenset(("video", "audio", "source"))
PLAYERS = "video|audio"
_PLAYER = re.compile(
    rf"<(?P<player>{PLAYERS})\b(?P<attributes>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>(?P<inside>.*?)</(?P=player)\s*>", re.DOTALL | re.IGNORECASE
)
_SOURCE = re.compile(r"<source\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_INSIDE_WORDS = frozenset(
    "a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strike strong sub sup u var wbr".split()
)


class HtmlTags(Struct):
    """State over all raw HTML of one page: `<a>` may open in one token and close in another."""

    anchors: list[str] = field(default_factory=list)
    """Ids that fragments may name."""
    removed: list[tuple[str, int]] = field(default_factory=list)
    """(element, 1-based line) of elements that are taken out with their content."""
    comments: list[tuple[int, int]] = field(default_factory=list)
    """Where comments stand in the file."""
    open_marks: list[int] = field(default_factory=list)
    """Where one begins, with `%%` or `<!--`, that does not end in its block."""
    open_links: list[int] = field(default_factory=list)
    _player: dict[str, str] = field(default_factory=dict)
    """Width and height of the last film whose files are named inside of it."""

    def rewrite(self, content: str, place: Placement, start: int, links: list[Link], ids: IdRegister) -> str:
        """Return `content`, which stands at `start` of the placed text, with slots for its links and images; adds to `links` and takes ids.

        Every tag is written anew, and a `<` that begins none is text: a quote left open cannot swallow the rest of the page.
        """

        if "%%" in content:
            content = self._blank_percents(content, place, start)
        content = _PLAYER.sub(_keep_first_source, content)

        def replace(match: "re.Match[str]") -> str:
            span = (start + match.start(), start + match.end())
            if match["name"]:
                return self._replace_tag(match, place, span, links, ids)
            if match["raw"]:
                self.removed.append((match["raw"].lower(), place.find_line(span[0])))
            elif match[0].startswith("<!--"):
                found = place.find_span(*span)
                self.comments += [found] if found else []
                if found and not match[0].endswith("-->"):
                    self.open_marks.append(found[0])
            return "&lt;" if match[0] == "<" else ""

        return _SLOT_ENTITY.sub("�", PIECE.sub(replace, content).replace(_BLANK, ""))

    def _blank_percents(self, content: str, place: Placement, start: int) -> str:
        """Write `_BLANK` over comments in `%%`, which are no comments in code, tags and addresses."""
        marks: list[int] = []
        inside_code = 0
        for piece in _PERCENTS.finditer(content):
            if piece["mark"] and not inside_code:
                marks.append(piece.start())
            elif piece["name"] and piece["name"].lower() in _SHOWS_CODE:
                inside_code = max(0, inside_code + (-1 if piece["close"] else 1))
        kept, position = list[str](), 0
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            found = place.find_span(start + first, start + last + 2)
            self.comments += [found] if found else []
            kept += [content[position:first], re.sub("[^\n]", _BLANK, content[first : last + 2])]
            position = last + 2
        if len(marks) % 2:
            found = place.find_span(start + marks[-1], start + marks[-1] + 2)
            self.open_marks += [found[0]] if found else []
        return "".join([*kept, content[position:]])

    def _replace_tag(self, match: "re.Match[str]", place: Placement, span: tuple[int, int], links: list[Link], ids: IdRegister) -> str:
        name = match["name"].lower()
        if match["close"]:
            return slot("c", self.open_links.pop()) if name == "a" and self.open_links else f"</{name}>"
        attributes = read_attributes(match["attributes"])
        wanted = attributes.pop("id", "") or attributes.pop("name", "")
        anchor = self._place_anchor(wanted, ids) if wanted else ""
        source = attributes.get("href" if name == "a" else "src", "")
        if is_template(source) or (name == "img" and not source.strip()):
            return anchor + html.escape(attributes.get("alt", ""))
        if name == "a" and source:
            self.open_links.append(len(links))
            links.append(_make_link("markdown", place, span, attributes, source))
            return anchor + slot("o", self.open_links[-1])
        if name == "input" and attributes.get("type", "").lower() == "checkbox":
            return '<span title="Done">☑</span>' if "checked" in attributes else '<span title="To do">☐</span>'
        if name in _MEDIA and not source:
            self._player = {key: attributes[key] for key in ("width", "height") if key in attributes}
        if name == "source":
            attributes = {**self._player, **attributes}
        if name == "img" or (name in _MEDIA and source):
            links.append(_make_link("image", place, span, attributes, source))
            return anchor + slot("i", len(links) - 1)
        rest = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
        return f"{anchor}<{name}{rest}>"

    def _place_anchor(self, wanted: str, ids: IdRegister) -> str:
        """Return an element that carries the id; nothing when the page has that id already."""
        wanted = guard_id(wanted)
        if any(char.isspace() for char in wanted) or not ids.is_free(wanted):
            return ""
        ids.take(wanted)
        self.anchors.append(wanted)
        return f'<span id="{OWN}{html.escape(wanted)}"></span>'

    def close_all(self) -> str:
        """Return the closing slots of links that were never closed."""
        slots = "".join(slot("c", number) for number in reversed(self.open_links))
        self.open_links.clear()
        return slots


def _keep_first_source(player: "re.Match[str]") -> str:
    """Write `_BLANK` over what a film or sound holds besides its first file: words and files for browsers that cannot play it."""
    begin = player.start("inside")
    first = None if "src" in read_attributes(player["attributes"]) else _SOURCE.search(player.string, begin, player.end("inside"))
    kept = range(first.start(), first.end()) if first else range(0)
    inside = "".join(char if char == "\n" or begin + at in kept else _BLANK for at, char in enumerate(player["inside"]))
    return player.string[player.start() : begin] + inside + player.string[player.end("inside") : player.end()]


def plain_html(content: str) -> str:
    """Return the words of HTML that `HtmlTags.rewrite` gave, white space folded. Where a tag ends a line or a cell, it ends a word."""
    bare = _TAG.sub(lambda tag: "" if tag[1] in _INSIDE_WORDS else " ", SLOT.sub("", content))
    return " ".join(html.unescape(bare).split())


def ends_word(content: str) -> bool:
    """Whether a piece of HTML in a line ends a word, as `<br>` does, and `<b>` does not."""
    return any(tag[1] not in _INSIDE_WORDS for tag in _TAG.finditer(content.lower()))


def read_attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag, names in lower case."""
    values: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match[2] or ""
        if value[:1] in {'"', "'"}:
            value = value[1:-1]
        values.setdefault(match[1].lower(), html.unescape(value))
    return values


def _make_link(kind: LinkKind, place: Placement, span: tuple[int, int], attributes: dict[str, str], dest: str) -> Link:
    target, anchor = split_destination("".join(dest.split("\n")).strip())
    size = (_to_pixels(attributes.get("width", "")), _to_pixels(attributes.get("height", "")))
    label = attributes.get("alt", "") if kind == "image" else ""
    return Link(kind, place.quote(*span), target, anchor, label, place.find_line(span[0]), size, attributes.get("title", ""))


def _to_pixels(text: str) -> int:
    """Return the pixels of `300` and `300px`; 0 of shares and all else."""
    number = text.strip().lower().removesuffix("px").rstrip()
    return int(number) if number.isdecimal() and len(number) <= 5 else 0
