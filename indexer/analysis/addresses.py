"""Paths → addresses on the site (SPEC P15): stable, readable, never two for one, safe on file systems that ignore letter case.

Called by the pipeline. A page `a/b.md` lies at `a/b/`, a folder's index page at the folder; what would clash gets `-2`, with a finding.
Generated pages and assets of the site lie below `_/`, which no page of a brain can take.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from urllib.parse import quote

from indexer.analysis.names import Names, fold, folder_of, is_index_name, is_page, nfc, stem
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import Address

_RESERVED_ROOT = frozenset({"_", "sitemap.xml", "feed.xml", "llms.txt", "llms-full.txt", "graph.json", "report.json", "404.html"})
_RESERVED_ANYWHERE = frozenset({"index.html", "index.md"})
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u1780-\u18af"
_PICTURES = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    f"|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"
    f"|(?<![{_JOINED}{_PICTURES}])\u200d|\u200d(?![{_JOINED}{_PICTURES}])"
)
"""Joiners belong to the words of many alphabets and to pictures of several parts: there they can be seen."""
_WORD = re.compile(r"\w+")
_MOST_BYTES = 240
_LONGEST_SUFFIX = 8
_AS_FOLDER = "\0folder"
_ACTIVE = (".html", ".htm", ".xhtml", ".xht", ".js", ".mjs", ".xml", ".xsl", ".svgz", ".swf", ".wasm", ".shtml", ".php", ".css")


def encode_url(path: str) -> str:
    """Percent-encode a path of the site for use in an address."""
    return quote(path, safe="/-._~!$&'()*+,;=@", errors="surrogateescape")


def assign_addresses(pages: Sequence[str], assets: Iterable[str], names: Names) -> tuple[dict[str, Address], list[Finding]]:
    """Return an address for each page and asset, and what had to be renamed. Depends on the set of names only, not on their order.

    Folders that hold pages are in the result too, as `folder/` (the root is `/`).
    """
    taken: dict[str, str] = {}
    addresses: dict[str, Address] = {}
    findings: list[Finding] = []
    index_pages = set(names.index_of.values())
    for path in sorted(pages, key=lambda each: (each not in index_pages, each)):
        wanted = _wanted_folder(path, is_index=path in index_pages and names.index_of.get(folder_of(path)) == path)
        file = _claim(path, wanted, "index.html", taken, findings)
        folder = posixpath.dirname(file)
        addresses[path] = Address(encode_url(folder + "/") if folder else "", file)
    for folder in sorted(_folders_of(pages)):
        addresses[f"{folder}/"] = _share_folder(folder, taken, addresses, findings)
    for path in sorted(assets):
        wanted = _wanted_file(path)
        file = _claim(path, wanted, "", taken, findings)
        addresses[path] = Address(encode_url(file), file)
    return addresses, findings


def former_file(path: str) -> str:
    """Return the file of the site at which a page of this name lies when nothing clashes, whether or not the page exists now."""
    folder = _wanted_folder(path, is_index=is_index_name(path))
    return f"{folder}/index.html" if folder else "index.html"


def list_taken(addresses: Mapping[str, Address]) -> set[str]:
    """Return what `is_free` compares with: every file and folder of the site, letter case and Unicode form ignored."""
    taken: set[str] = set()
    for address in addresses.values():
        taken.add(_key(address.file))
        taken.update(key + _AS_FOLDER for key in _folders(address.file))
    return taken


def is_free(file: str, taken: Set[str]) -> bool:
    """Whether a file can be added: nothing has its name, a folder of that name, or a file where it needs a folder."""
    return taken.isdisjoint((_key(file), *_parents(file)))


def _folders_of(pages: Iterable[str]) -> set[str]:
    folders = {""}
    for path in pages:
        folder = folder_of(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder_of(folder)
    return folders


def _share_folder(folder: str, taken: dict[str, str], addresses: dict[str, Address], findings: list[Finding]) -> Address:
    """A folder opens its index page, or the page that lies at its address already; else it gets a list of its own there."""
    wanted = "/".join(_safe_segment(part, position) for position, part in enumerate(nfc(folder).split("/"))) if folder else ""
    owner = taken.get(_key(f"{wanted}/index.html" if wanted else "index.html"))
    if owner in addresses and not owner.endswith("/"):  # `Notes/` and `notes/` each have a list of their own
        return addresses[owner]
    file = _claim(f"{folder}/", wanted, "index.html", taken, findings)
    return Address(encode_url(file.removesuffix("index.html")), file)


def _wanted_folder(path: str, *, is_index: bool) -> str:
    folder = nfc(folder_of(path))
    parts = folder.split("/") if folder else []
    if not is_index:
        parts.append(nfc(stem(path)))
    return "/".join(_safe_segment(part, position) for position, part in enumerate(parts))


def _wanted_file(path: str) -> str:
    """Where an asset goes: a name that is too long keeps its suffix, and what a browser would run becomes text."""
    *folders, name = nfc(path).split("/")
    suffix = posixpath.splitext(name)[1]
    suffix = suffix if len(suffix) <= _LONGEST_SUFFIX and suffix.isascii() else ""
    parts = [_safe_segment(part, position) for position, part in enumerate(folders)]
    parts.append(_safe_segment(name, len(folders), suffix))
    return "/".join(parts) + (".txt" if name.lower().rstrip(". ").endswith(_ACTIVE) else "")


def _safe_segment(part: str, position: int, suffix: str = "") -> str:
    """A name that any web server and file system can hold, as close to the author's as can be; cutting it leaves `suffix`."""
    safe = _avoid_reserved(_clean(part), position)
    encoded = safe.encode("utf-8", "surrogateescape")
    if len(encoded) <= _MOST_BYTES:
        return safe
    return encoded[: _MOST_BYTES - len(suffix)].decode("utf-8", "ignore").rstrip(". ") + suffix


def _clean(part: str) -> str:
    return _INVISIBLE.sub("", _UNSAFE.sub("-", part)).rstrip(". ") or "-"


def _avoid_reserved(safe: str, position: int) -> str:
    first, dot, rest = safe.partition(".")
    if _DEVICES.fullmatch(first.rstrip()):
        # Windows means the device whatever follows the dot, so the mark must stand before it.
        return f"{first.rstrip()}-{dot}{rest}"
    if fold(safe) in _RESERVED_ANYWHERE or (position == 0 and fold(safe) in _RESERVED_ROOT):
        return safe + "-"
    return safe


def _claim(path: str, wanted: str, leaf: str, taken: dict[str, str], findings: list[Finding]) -> str:
    """Take the wanted file for `path`, or the next free one beside it."""
    asked, wanted = wanted, _step_aside(wanted, taken)
    count = 1
    candidate = wanted
    while not is_free(file := "/".join(part for part in (candidate, leaf) if part), taken.keys()):
        count += 1
        root, extension = posixpath.splitext(wanted) if not leaf else (wanted, "")
        candidate = f"{root or '-'}-{count}{extension}"
    if count > 1 or wanted != asked:
        wished = "/".join(part for part in (asked, leaf) if part)
        other = next((taken[key] for key in (_key(wished), *_folders(wished)) if key in taken), "")
        _note_clash(path, other, candidate, findings)
    _note_rename(path, candidate, count, findings)
    taken[_key(file)] = path
    for key in _folders(file):
        taken.setdefault(key + _AS_FOLDER, path)
    return file


def _step_aside(wanted: str, taken: Mapping[str, str]) -> str:
    """Rename the folders of `wanted` at whose place a file lies already: no file can be a folder too."""
    parts = wanted.split("/")
    for length in range(1, len(parts)):
        name, count = parts[length - 1], 1
        while _key("/".join(parts[:length])) in taken:
            count += 1
            parts[length - 1] = f"{name}-{count}"
    return "/".join(parts)


def _key(file: str) -> str:
    return unicodedata.normalize("NFKC", file).casefold()


def _parents(file: str) -> list[str]:
    """Keys under which another file would stand where this one needs a folder, or a folder where this is a file."""
    return [*_folders(file), _key(file) + _AS_FOLDER]


def _folders(file: str) -> list[str]:
    parts = _key(file).split("/")[:-1]
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _note_clash(path: str, other: str, candidate: str, findings: list[Finding]) -> None:
    twins = other and _key(other) == _key(path)
    code = "NAM003" if twins else "NAM001"
    reason = "differs only in letter case or Unicode form from" if twins else "wants the same address as"
    message = f"This file {reason} {other or 'a folder of the same name'}; it is published as {candidate}."
    findings.append(make_finding(code, path, 0, message, "Rename one of the two."))


def _find_alphabets(word: str) -> set[str]:
    """Return which of the alphabets whose letters look alike a word is written in."""
    if word.isascii():
        return set()
    names = {unicodedata.name(char, "").partition(" ")[0] for char in word if char.isalpha()}
    return {name.capitalize() for name in names & {"LATIN", "CYRILLIC", "GREEK"}}


def _note_rename(path: str, candidate: str, count: int, findings: list[Finding]) -> None:
    if _INVISIBLE.search(path):
        points = ", ".join(f"U+{ord(char):04X}" for char in _INVISIBLE.findall(path))
        findings.append(make_finding("NAM004", path, 0, f"The name holds invisible characters ({points}); the address leaves them out."))
    mixed = next((word for word in _WORD.findall(nfc(path)) if len(_find_alphabets(word)) > 1), "")
    if mixed:
        alphabets = " and ".join(sorted(_find_alphabets(mixed)))
        findings.append(make_finding("NAM004", path, 0, f"`{mixed}` mixes {alphabets} letters, so it can pass for another name."))
    for position, part in enumerate(nfc(path).rstrip("/").split("/")):
        name = stem(part) if is_page(part) else part
        if len(_UNSAFE.sub("-", name).encode("utf-8", "surrogateescape")) > _MOST_BYTES:
            findings.append(make_finding("NAM005", path, 0, f"The name is longer than {_MOST_BYTES} bytes; the address is shortened."))
        elif _avoid_reserved(_clean(name), position) != _clean(name) and count == 1:
            findings.append(make_finding("NAM002", path, 0, f"`{name}` is a reserved name; the page is published as {candidate}."))
