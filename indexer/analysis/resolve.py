"""Links as written → where they lead (SPEC P05). Called by the pipeline once all pages are parsed; pure functions on values.

Two kinds of links, two rules. Markdown links are paths: relative to the page, from the root with a leading `/`, never searched by name.
Wikilinks are names: path from the root, path from the page, the same with letter case forgiven, then name, then alias, then title.
Each result carries the name of the rule that decided, so that `brain explain` can say it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import unquote

from msgspec.structs import replace

from indexer.analysis.anchors import find_fragment
from indexer.analysis.names import Names, fold, folder_of, is_page, join, nfc
from indexer.model.graph import LEAVES, PASSED_OVER, Target
from indexer.model.page import PAGE_SUFFIXES, Link, PageFacts
from indexer.parse.destinations import is_media

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
SAFE_SCHEMES = frozenset(
    {"http", "https", "mailto", "tel", "sms", "geo", "xmpp", "irc", "ircs", "ftp", "sftp", "obsidian", "zotero", "matrix"}
)
_BRACKETS = re.compile(r"!?\[\[([^\]|\\]+)")
Pages = Mapping[str, PageFacts]
_Found = tuple[list[str], str]
"""What fits a link, best first, and the rule that found it."""


def resolve_page(path: str, page: PageFacts, pages: Pages, names: Names) -> tuple[Target, ...]:
    """Return a Target for each link of `page`, in order."""
    return tuple(_count(path, page, resolve_link(path, link, pages, names)) for link in page.links)


def _count(path: str, page: PageFacts, target: Target) -> Target:
    """An edge joins two published pages; links of hidden pages and links to oneself are none."""
    counts = target.status in {"page", "ambiguous", "anchor-missing"} and target.path != path and not page.hidden
    return Target(target.status, target.path, target.fragment, target.candidates, target.rule, edge=True) if counts else target


def resolve_link(path: str, link: Link, pages: Pages, names: Names) -> Target:
    """Return where one link of the page at `path` leads."""
    if not link.target:
        if link.kind == "image":
            return Target("asset-missing", rule="it names no file")
        return _with_anchor(path, path, link, pages, rule="same page") if link.anchor or link.raw else Target("missing")
    named = link.kind in {"wikilink", "embed"} or (link.kind == "frontmatter" and link.raw.startswith("[["))
    if _is_external(link, path, names, named=named):
        return Target("external", rule="address")
    if not named:
        return _lead(path, link, _find_path(path, _decode(link.target), names), pages, names)
    whole = _name_whole(link)
    if whole and (split := _find_split(whole, names, link)):
        return _lead(path, split[0], split[1], pages, names)
    target = _lead(path, link, _find_name(path, link.target, names), pages, names)
    if whole and target.status in {"missing", "anchor-missing"} and (found := _search_alias(fold(whole), names)):
        return _lead(path, replace(link, anchor=""), found, pages, names)
    return target


def _lead(path: str, link: Link, named: _Found, pages: Pages, names: Names) -> Target:
    """Choose among the files that a link names, and find its anchor there."""
    found, rule = _order(path, _prefer_published(named[0], pages), named[1])
    if not found:
        rule = PASSED_OVER if rule != LEAVES and _is_passed_over(link) else rule
        return Target("asset-missing" if _names_asset(link) else "missing", rule=rule)
    first = found[0]
    candidates = tuple(found) if len(found) > 1 else ()
    if first not in pages:
        return _resolve_file(first, candidates, names, rule)
    if pages[first].hidden:
        return Target("private", first, rule=rule)
    target = _with_anchor(path, first, link, pages, rule=rule)
    return Target("ambiguous", first, target.fragment, candidates, rule) if candidates else target


def _order(path: str, found: list[str], rule: str) -> _Found:
    """Of several files of one name, those below the page's own folder come first, as in Obsidian."""
    below = folder_of(path) + "/"
    if rule != "shortest path" or below == "/" or found[0].startswith(below):
        return found, rule
    ordered = sorted(found, key=lambda each: not each.startswith(below))
    return ordered, rule if ordered[0] == found[0] else "nearest"


def _is_external(link: Link, path: str, names: Names, *, named: bool) -> bool:
    if link.target.startswith("//"):
        return True
    match = _SCHEME.match(link.target)
    if not match:
        return False
    if named:
        return match[1].lower() in {"http", "https"} and link.target[match.end() :].startswith("//")
    return not (match[1].lower() not in SAFE_SCHEMES and _find_path(path, _decode(link.target), names)[0])


def _decode(target: str) -> str:
    """The parser leaves addresses with a scheme as they are; `Re:%20plan.md` only looks like one."""
    return unquote(target) if _SCHEME.match(target) else target


def _prefer_published(found: list[str], pages: Pages) -> list[str]:
    """A hidden page never wins over a published one, and is no candidate beside it."""
    shown = [path for path in found if path not in pages or not pages[path].hidden]
    return shown or found[:1]


def _names_asset(link: Link) -> bool:
    name = link.target.rsplit("/", 1)[-1]
    if link.kind == "wikilink":
        return is_media(name)
    return link.kind == "image" or (not is_page(name) and re.search(r"\.[A-Za-z0-9]{1,5}$", name) is not None)


def _is_passed_over(link: Link) -> bool:
    """Whether the path holds a name that begins with a dot; a wikilink without folders, as `[[.NET]]`, is no path."""
    parts = [part for part in link.target.split("/") if part not in {"", ".", ".."}]
    return any(part.startswith(".") for part in (parts[:-1] if link.raw.startswith(("[[", "![[")) else parts))


def _resolve_file(path: str, candidates: tuple[str, ...], names: Names, rule: str) -> Target:
    folder = fold(path)
    if path == "" or (folder in names.folders and nfc(path) not in names.exact):
        return Target("folder", path, rule=rule)
    return Target("asset", path, candidates=candidates, rule=rule)


def _with_anchor(source: str, found: str, link: Link, pages: Pages, *, rule: str) -> Target:
    page = pages[found]
    status = "self" if source == found else "page"
    if not link.anchor:
        return Target(status, found, rule=rule)  # type: ignore[arg-type]
    by_text = link.raw.startswith(("[[", "![["))
    fragment = find_fragment(link.anchor, page, by_text=by_text)
    if fragment is None:
        return Target("anchor-missing", found, rule=rule)
    return Target(status, found, fragment, rule=rule)  # type: ignore[arg-type]


# --- Markdown links: paths -------------------------------------------------------------------------------------------


def _find_path(path: str, target: str, names: Names) -> _Found:
    joined = join(folder_of(path), target)
    if joined is None:
        return [], LEAVES
    wants_folder = target.endswith("/") or _ends_in_dots(target)
    found = _find_at(nfc(joined), names, wants_folder=wants_folder)
    if not found[0] and (real := names.follow(nfc(joined))) != nfc(joined):
        return _find_at(real, names, wants_folder=wants_folder)[0], "symbolic link"
    return found


def _ends_in_dots(target: str) -> bool:
    """Whether a target ends in `.` or `..`, which are folders, whatever page may have the folder's name."""
    return target.rstrip("/").rpartition("/")[2] in {"", ".", ".."}


def _find_at(path: str, names: Names, *, wants_folder: bool = False) -> _Found:
    """What lies at one path: the file, the page without its suffix, the folder's index, the folder; then letter case forgiven."""
    if not wants_folder:
        for candidate in _spellings(path):
            if candidate in names.exact:
                return _find_exact(candidate, names, "exact")
        for candidate in _spellings(fold(path)):
            if candidate in names.folded:
                return list(names.folded[candidate]), "letter case"
    folders = names.folders.get(fold(path))
    if folders:
        folder = _take_exact(path, folders)
        return [names.page_of.get(folder, folder)], "folder" if nfc(folder) == path else "letter case"
    return [], "nothing has this path"


def _take_exact(path: str, stored: Sequence[str]) -> str:
    """Of names that differ in letter case take the one that is written so, else the first."""
    return next((each for each in stored if nfc(each) == nfc(path)), stored[0])


def _find_exact(path: str, names: Names, rule: str) -> _Found:
    found = names.exact[path]
    return [found], rule if nfc(found) == path else "symbolic link"


def _as_written(path: str) -> Iterable[str]:
    return (path,)


def _spellings(path: str) -> Iterable[str]:
    yield path
    if path and not path.endswith(PAGE_SUFFIXES):
        for suffix in PAGE_SUFFIXES:
            yield path + suffix


# --- Wikilinks: names ------------------------------------------------------------------------------------------------


def _name_whole(link: Link) -> str:
    """Return the name that holds what looked like an anchor: `[[C# notes]]` may name a page `C# notes`; empty where none can."""
    written = _BRACKETS.match(link.raw)
    return nfc(written[1].strip()) if written and "#" in written[1] and not link.anchor.startswith("^") else ""


def _find_split(whole: str, names: Names, link: Link) -> tuple[Link, _Found] | None:
    """Find a file whose name holds a `#`: all that is written, else what stands before a later `#`, which is the heading's then."""
    name, anchor = whole, ""
    while "#" in name:
        if found := _find_whole(name, names, alias=not link.anchor):
            return replace(link, target=name, anchor=anchor), found
        name, _, last = name.rpartition("#")
        anchor = f"{last}#{anchor}" if anchor else last
    return None


def _find_whole(whole: str, names: Names, *, alias: bool) -> _Found | None:
    """Find a file of this name; of an `alias`, too, where no heading is named that could be meant: `[[C#]]`."""
    for candidate in _spellings(whole):
        if candidate in names.exact:
            return _find_exact(candidate, names, "exact")
    found = names.by_stem.get(fold(whole))
    if found:
        return list(found), "name" if len(found) == 1 else "shortest path"
    return _search_alias(fold(whole), names) if alias else None


def _find_name(path: str, target: str, names: Names) -> _Found:
    from_root = None if target.partition("/")[0] in {".", ".."} else join("", target)
    from_page = join(folder_of(path), target)
    if _ends_in_dots(target):
        return _find_folder(from_root, from_page, names) or ([], "nothing has this path")
    found: _Found | None = None
    if target.endswith("/"):
        found = _find_folder(from_root, from_page, names) or _search_folder(target, names)
    elif is_media(target):  # a file of exactly this name comes before notes on it: `photo.jpg`, `photo.jpg.md`
        found = _find_spelt(from_root, from_page, names, _as_written) or _search_file(fold(target), names)
    found = found or _find_spelt(from_root, from_page, names, _spellings) or _search_name(target, names)
    found = found or _find_folder(from_root, from_page, names) or _search_folder(target, names)
    return found or _follow_name(from_root, from_page, names) or ([], "no page has this name, alias or title")


def _follow_name(from_root: str | None, from_page: str | None, names: Names) -> _Found | None:
    """What a path through a symbolic link to a folder leads to."""
    if not names.linked:
        return None
    root, near = (names.follow(nfc(joined)) if joined else None for joined in (from_root, from_page))
    found = _find_spelt(root, near, names, _spellings) or _find_folder(root, near, names)
    return (found[0], "symbolic link") if found else None


def _find_spelt(from_root: str | None, from_page: str | None, names: Names, spell: Callable[[str], Iterable[str]]) -> _Found | None:
    for joined, rule in ((from_root, "path from the root"), (from_page, "path from the page")):
        for candidate in spell(nfc(joined)) if joined else ():
            if candidate in names.exact:
                return _find_exact(candidate, names, rule)
    for joined in (from_root, from_page):
        for candidate in spell(fold(joined)) if joined else ():
            if candidate in names.folded:
                return list(names.folded[candidate]), "letter case"
    return None


def _search_name(target: str, names: Names) -> _Found | None:
    wanted = fold(target.strip("/"))
    segments = wanted.removesuffix(".md").split("/")
    if ".." not in segments and "." not in segments:
        found = _ending_with(names.by_stem.get(segments[-1], ()), segments)
        if found:
            return found, "name" if len(found) == 1 else "shortest path"
    return _search_file(wanted, names) or _search_alias(wanted, names)


def _search_file(wanted: str, names: Names) -> _Found | None:
    segments = wanted.strip("/").split("/")
    dotted = ".." in segments or "." in segments
    found = [] if dotted else _ending_with(names.by_name.get(segments[-1], ()), segments)
    return (found, "name" if len(found) == 1 else "shortest path") if found else None


def _search_alias(wanted: str, names: Names) -> _Found | None:
    for table, rule in ((names.by_alias, "alias"), (names.by_title, "title")):
        if wanted in table:
            return list(table[wanted]), rule
    return None


def _ending_with(paths: Iterable[str], segments: Sequence[str]) -> list[str]:
    """Keep the paths whose last folders are those of the link, whole segments only."""
    if len(segments) == 1:
        return list(paths)
    tail = "/".join(segments[:-1])
    kept = []
    for path in paths:
        folder = fold(folder_of(path))
        if folder == tail or folder.endswith("/" + tail):
            kept.append(path)
    return kept


def _find_folder(from_root: str | None, from_page: str | None, names: Names) -> _Found | None:
    named = [joined for joined in (from_root, from_page) if joined is not None]
    found = [(joined, _take_exact(joined, folders)) for joined in named if (folders := names.folders.get(fold(joined)))]
    if not found:
        return None
    folder = next((folder for joined, folder in found if nfc(folder) == nfc(joined)), found[0][1])
    return [names.page_of.get(folder, folder)], "folder"


def _search_folder(target: str, names: Names) -> _Found | None:
    """A folder in any place that has an index page: whole last segments of its path."""
    segments = fold(target.strip("/")).split("/")
    found = _ending_with(names.by_folder.get(segments[-1], ()), [*segments, ""])
    return (found, "folder" if len(found) == 1 else "shortest path") if found else None
