"""Follows every reference of a built website over its files, without a server: what a visitor could click or a browser would load.

Returns problems in words. The same rules hold for every site, so there is no list of exceptions here.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.tools.pages import Element, read_html

CLICKED = {"a": ("href",), "area": ("href",), "form": ("action",)}
LOADED = {
    "img": ("src", "srcset"),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
LOADING_RELATIONS = frozenset(
    ["stylesheet", "icon", "shortcut", "apple-touch-icon", "preload", "modulepreload", "prefetch", "manifest", "preconnect", "dns-prefetch"]
)
SAFE_SCHEMES = frozenset(["http", "https", "ftp", "mailto", "tel", "obsidian"])


@dataclass(slots=True)
class Crawl:
    """What a crawl of one site found."""

    pages: dict[str, Element] = field(default_factory=dict)
    """File below the site → its document."""
    problems: list[str] = field(default_factory=list)
    followed: int = 0
    """Internal references that were checked."""
    reached: set[str] = field(default_factory=set)
    """Files that some reference names."""


def crawl_site(site: Path) -> Crawl:
    """Read every HTML file below `site` and follow each of its references."""
    crawl = Crawl({p.relative_to(site).as_posix(): read_html(p) for p in sorted(site.rglob("*.html"))})
    files = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    ids = {name: _collect_ids(name, document, crawl) for name, document in crawl.pages.items()}
    for name, document in crawl.pages.items():
        for element, value, loads in _collect_references(document):
            problem = _follow(name, value, loads, files, ids, crawl)
            if problem:
                crawl.problems.append(f"{name}: <{element.tag}> {value!r}: {problem}")
    return crawl


def _collect_ids(name: str, document: Element, crawl: Crawl) -> set[str]:
    counted = Counter(e.attributes["id"] for e in document.walk() if "id" in e.attributes)
    crawl.problems += [f"{name}: id {one!r} occurs {times} times" for one, times in counted.items() if times > 1]
    return set(counted)


def _collect_references(document: Element) -> list[tuple[Element, str, bool]]:
    found = []
    for element in document.walk():
        found += [(element, element.get(a), False) for a in CLICKED.get(element.tag, ()) if a in element.attributes]
        for attribute in LOADED.get(element.tag, ()):
            if attribute in element.attributes:
                found += [(element, value, True) for value in _split(attribute, element.get(attribute))]
        if element.tag == "link" and "href" in element.attributes:
            found.append((element, element.get("href"), bool(LOADING_RELATIONS & set(element.get("rel").lower().split()))))
    return found


def _split(attribute: str, value: str) -> list[str]:
    """A `srcset` holds several addresses, each followed by a size."""
    return [part.split()[0] for part in value.split(",") if part.strip()] if attribute == "srcset" else [value]


def _follow(name: str, value: str, loads: bool, files: set[str], ids: dict[str, set[str]], crawl: Crawl) -> str:
    """Return what is wrong with one reference, empty when nothing is."""
    address = urlsplit(value.strip())
    if address.scheme or address.netloc:
        if loads:
            return "is loaded from outside the site"
        return "" if address.scheme.lower() in SAFE_SCHEMES else "has a scheme that is not safe"
    crawl.followed += 1
    target = resolve_path(name, address.path)
    if target is None:
        return "climbs above the site"
    if target not in files:
        inside = f"{target.rstrip('/')}/index.html".lstrip("/")
        if inside not in files:
            return f"leads nowhere ({target or 'front page'})"
        if target and not target.endswith("/") and not loads:
            return "needs a slash at its end"
        target = inside
    crawl.reached.add(target)
    fragment = unquote(address.fragment)
    if not fragment or target not in ids or fragment.startswith(":~:"):
        return ""
    return "" if fragment in ids[target] else f"{target} has no id {fragment!r}"


def resolve_reference(name: str, reference: str) -> tuple[str, str]:
    """Return the file below the site and the decoded fragment that a reference on page `name` means; a folder means its `index.html`."""
    address = urlsplit(reference)
    target = resolve_path(name, address.path)
    if address.scheme or address.netloc or target is None:
        raise AssertionError(f"{reference!r} on {name} leaves the site")
    return (f"{target}index.html" if target == "" or target.endswith("/") else target), unquote(address.fragment)


def resolve_path(name: str, path: str) -> str | None:
    """Return the file or folder below the site that a relative path means on page `name`; None above the site."""
    if not path:
        return name
    if path.startswith("/"):
        parts: list[str] = []
    else:
        parts = name.split("/")[:-1]
    pieces = unquote(path, errors="surrogateescape").split("/")
    for piece in pieces:
        if piece == "..":
            if not parts:
                return None
            parts.pop()
        elif piece not in ("", "."):
            parts.append(piece)
    folder = pieces[-1] in ("", ".", "..")
    return "/".join(parts) + ("/" if folder and parts else "")
