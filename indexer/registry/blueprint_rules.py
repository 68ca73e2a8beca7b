"""What the documents of a blueprint file say of each other, and its ref of its name: ids and files that are taken.

Called by `blueprint_file` with the raw values, so that these problems are told together with those of the shape. Values of a wrong shape
are passed over here. Each rule yields the place and a sentence.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from indexer.registry.blueprint_model import ENDING, LONGEST_FILE, MOST_DOCUMENTS, fold_file, name_document
from indexer.registry.declared_file import Problem
from indexer.registry.names import NAME_PATTERN, REF_PATTERN, show_word
from indexer.registry.yaml_lines import Place

_REF = re.compile(REF_PATTERN)


def check_ref(raw: Any, name: str, taken: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with the ref of a file of this name; `taken` are those that belong to others."""
    ref = raw.get("blueprint") if isinstance(raw, dict) else None
    if not isinstance(ref, str):
        return
    if ref in taken:
        yield ("blueprint",), f"`{ref}` ships with the program and cannot be replaced; choose another name"
    if name != ref + ENDING and _REF.fullmatch(ref):  # else the ref itself has to be mended first
        yield ("blueprint",), f"the file must be called `{show_word(ref)}{ENDING}`, not `{show_word(name)}`"


def check_documents(raw: Any) -> Iterator[Problem]:
    """Yield what documents say of each other: ids and files that are taken. Values of a wrong shape are passed over."""
    rows = raw.get("documents") if isinstance(raw, dict) else None
    ids: dict[str, int] = {}
    files: dict[str, int] = {}
    folders: dict[str, int] = {}
    for at, row in enumerate(rows[:MOST_DOCUMENTS] if isinstance(rows, list) else ()):
        if not isinstance(row, dict):
            continue
        file = row.get("file")
        identity = row.get("id")
        if isinstance(file, str) and file.endswith(".md") and len(file) <= LONGEST_FILE:
            yield from _check_file(("documents", at, "file"), at, fold_file(file), files, folders)
            if identity is None:
                identity = name_document(file)
                if not re.fullmatch(NAME_PATTERN, identity):
                    yield ("documents", at, "file"), f"`{show_word(identity)}` cannot be an id; give the document an `id` of its own"
                    continue
        if isinstance(identity, str):
            if identity in ids:
                place = ("documents", at, "id" if "id" in row else "file")
                yield place, f"`{show_word(identity)}` is the id of document {ids[identity] + 1} already"
            ids.setdefault(identity, at)


def _check_file(place: Place, at: int, folded: str, files: dict[str, int], folders: dict[str, int]) -> Iterator[Problem]:
    parts = folded.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts))]
    clash = next((files[folder] for folder in above if folder in files), folders.get(folded))
    if folded in files:
        yield place, f"the file of document {files[folded] + 1} is the same one; letter case makes no difference"
    elif clash is not None:
        yield place, f"this file and that of document {clash + 1} cannot both exist: one would be a folder of the other"
    files.setdefault(folded, at)
    for folder in above:
        folders.setdefault(folder, at)
