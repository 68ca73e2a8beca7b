"""Reads finished HTML as a tree of elements, with the standard library only, so that a browser's mercy hides nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
UNSEEN = frozenset(["script", "style", "template", "head"])


@dataclass(slots=True, eq=False)
class Element:
    """One element; text children are plain strings."""

    tag: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute, or `default`."""
        return self.attributes.get(name, default)

    def walk(self) -> Iterator["Element"]:
        """Yield this element and all below it, in document order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def find_all(self, tag: str, **attributes: str) -> list["Element"]:
        """Return the elements below with this tag and these attribute values (`class_` is one of the classes)."""
        return [e for e in self.walk() if e is not self and (e.tag == tag or tag == "*") and e.has(**attributes)]

    def has(self, **attributes: str) -> bool:
        """Tell whether the attributes have these values; `class_` asks for one class of several."""
        for name, value in attributes.items():
            wanted = name.rstrip("_").replace("_", "-")
            if value not in (self.get("class").split() if wanted == "class" else [self.attributes.get(wanted)]):
                return False
        return True

    @property
    def text(self) -> str:
        """All text below as it stands in the file, scripts and styles left out."""
        parts = [child if isinstance(child, str) else "" if child.tag in UNSEEN else child.text for child in self.children]
        return "".join(parts)

    @property
    def words(self) -> str:
        """The text with white space folded."""
        return " ".join(self.text.split())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.stack = [self.root]
        self.unclosed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {})
        for name, value in attrs:
            element.attributes.setdefault(name, value or "")
        self.stack[-1].children.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        depth = next((i for i in range(len(self.stack) - 1, 0, -1) if self.stack[i].tag == tag), 0)
        if depth:
            del self.stack[depth:]

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def parse_html(text: str) -> Element:
    """Return the document as a tree; its root has an empty tag."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    return builder.root


def read_html(path: Path) -> Element:
    """Read and parse one file."""
    return parse_html(path.read_text("utf-8"))


def find_article(document: Element) -> Element:
    """Return the part of a page that shows someone's Markdown."""
    articles = document.find_all("article")
    if not articles:
        raise AssertionError("the page has no <article>")
    return articles[0]
