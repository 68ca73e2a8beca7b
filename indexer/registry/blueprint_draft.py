"""A blueprint file to begin with: one that explains every key, or the documents of another blueprint under a new ref.

Called by `brain blueprint new`. Returns text that `check_blueprint_file` finds no fault with; writes nothing.
"""

import re
from collections.abc import Iterable

from indexer.model.blueprint import RINGS, Blueprint, PlannedDocument
from indexer.registry.blueprint_model import ENDING, name_document
from indexer.registry.names import REF_PATTERN

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,/()’–-]*")
_NOT_PLAIN = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})

_HEAD = """\
# A plan for one kind of brain: the documents that every such brain should hold.
#
# A brain follows it when the card in its folder, brain.md, says `blueprint: {ref}`. The card can leave documents out and add
# some of its own. Brains keep the version that their card names: when the plan changes much, give it the next number in a file of its own.
# `brain blueprint check` finds what is wrong here; `brain schema blueprint` prints a JSON Schema that helps your editor.

"""

_KEYS = """\
  # Each document:
  #   file                where it lies, relative to the brain's folder
  #   id                  a name for cards to refer to; if left out, that of the file without `.md`
  #   title               for readers
  #   ring                how close to the work it is: one of the five below, from the outside in
  #   deepens             numbers of the Context Spine domains that it tells about, 1 to 20 (`brain blueprint show business` lists them);
  #                       a document of the parent brain with one of these numbers can stand in while this one is missing
  #   outOfDateAfterDays  how long somebody's check holds; without it, for ever
  #   asks                what it should answer, in one line: people read this where the document is missing
"""

_EXAMPLES: tuple[PlannedDocument, ...] = tuple(
    PlannedDocument(name_document(file), file, title, ring, deepens, days, asks)
    for (ring, _), (file, title, deepens, days, asks) in zip(
        RINGS,
        (
            ("offer.md", "Offer", (6,), 180, "What can people get here, for whom is it, and what does it not include?"),
            ("people.md", "People", (8,), 180, "Who decides what, and who stands in for them when they are away?"),
            (
                "method.md",
                "Method",
                (10,),
                365,
                "How is the work done from the first day to the last, and how do you know that it was done well?",
            ),
            ("tools.md", "Tools", (13,), 365, "What does the work run on, who can get in, and what happens when it fails?"),
            ("rhythm.md", "Rhythm", (18,), 90, "What returns each week, month and year, and who sees to it?"),
        ),
        strict=True,
    )
)


def next_ref(name: str, refs: Iterable[str]) -> str:
    """Return the ref of `name` with the version after the highest one in `refs`."""
    versions = [int(ref.partition("@")[2]) for ref in refs if ref.startswith(f"{name}@") and re.fullmatch(REF_PATTERN, ref)]
    return f"{name}@{max(versions, default=0) + 1}"


def render_draft(ref: str, source: Blueprint | None = None) -> str:
    """Return a blueprint file for `ref` with the documents of `source`, or with one example for each ring."""
    if source is None:
        title = ref.partition("@")[0].replace("-", " ").strip().capitalize()[:80] or ref
        source = Blueprint(ref, title, "What a brain of this kind is for, in one line.", _EXAMPLES)
    lines = [f"blueprint: {ref}", f"title: {_quote(source.title)}", f"summary: {_quote(source.summary)}", "", "documents:"]
    return _HEAD.format(ref=ref) + "\n".join(lines) + "\n" + _KEYS + "".join(_render_ring(source, *ring) for ring in RINGS)


def _render_ring(source: Blueprint, ring: str, stage: str) -> str:
    documents = [each for each in source.documents if each.ring == ring]
    return f"\n  # {ring} ({stage})\n" + "".join(map(_render_document, documents))


def _render_document(document: PlannedDocument) -> str:
    keys = {"file": _quote(document.file)}
    if document.id != name_document(document.file):
        keys["id"] = _quote(document.id)
    keys |= {"title": _quote(document.title), "ring": document.ring, "deepens": f"[{', '.join(map(str, document.deepens))}]"}
    if document.out_of_date_after_days is not None:
        keys["outOfDateAfterDays"] = str(document.out_of_date_after_days)
    keys["asks"] = _quote(document.asks)
    first, *rest = (f"{key}: {value}" for key, value in keys.items())
    return f"\n  - {first}\n" + "".join(f"    {line}\n" for line in rest)


def _quote(text: str) -> str:
    """Return text as YAML reads it back: as it is where that is safe, else in single quotes."""
    plain = _PLAIN.fullmatch(text.replace("?", "").replace("'", "")) and text[0].isalpha() and text.lower() not in _NOT_PLAIN
    return text if plain else "'" + text.replace("'", "''") + "'"


def name_file(ref: str) -> str:
    """Return the name of the file that holds a blueprint."""
    return ref + ENDING
