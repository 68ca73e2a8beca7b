"""The shape of a blueprint file: one strict model for the file and one for each document in it.

Used by `blueprint_file`, which reads such files and checks what their documents say of each other. Nothing here reads or decides.
"""

import posixpath
import re
import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from indexer.model.blueprint import RINGS
from indexer.registry.declared_shape import Declared, check_line
from indexer.registry.names import DEVICES, DOMAINS, MOST_DAYS, NAME_PATTERN, REF_PATTERN, show_word, suggest

ENDING = ".yml"
"""Of a blueprint file: its ref stands before it."""
MOST_DOCUMENTS = 500
RING_NAMES = tuple(ring for ring, _ in RINGS)

_STAGES = {stage.casefold(): ring for ring, stage in RINGS}
_NUMBER = re.compile(r"[0-9]{1,9}")
_PAGE = ".md"
LONGEST_FILE = 300
_LONGEST_PART = 200
_FORBIDDEN = '<>:"|?*\\#^[]~'
"""Signs that some system cannot store in a name, or that a link to it would lose."""
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_UNWRITABLE = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What would turn a text around, or no file can hold."""
_NOT_CONTENT = frozenset({"node_modules", "__pycache__"})
_CARD = "brain.md"


def name_document(file: str) -> str:
    """Return the id that a document has when none is written: the file's name without folder and ending."""
    return posixpath.basename(file).removesuffix(_PAGE)


def fold_file(file: str) -> str:
    """Return what two files must not share: file systems ignore letter case, and store one letter in several ways."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


def _check_text(text: str) -> str:
    if _UNWRITABLE.search(text):
        raise ValueError("holds invisible signs that turn text around or cannot be stored")
    return check_line(text.strip())


def _check_file(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    if text.startswith(("/", "~")) or re.match(r"[A-Za-z]:", text):
        raise ValueError("a file is written relative to the brain's folder, such as `offer.md`")
    if not text.endswith(_PAGE):
        raise ValueError("must end with `.md`")
    for part in text.split("/"):
        _check_part(part)
    return text


def _check_part(part: str) -> None:
    """Refuse one name on the way to a file, or the file's own."""
    if part in {"", ".", ".."}:
        raise ValueError("must not lead upwards (`..`) or have empty parts")
    if part.startswith("."):
        raise ValueError(f"`{show_word(part)}` begins with a dot, so it would be hidden")
    if _INVISIBLE.search(part) or any(sign in _FORBIDDEN for sign in part):
        raise ValueError(f"must not hold invisible signs or any of {_FORBIDDEN}")
    if part != part.strip() or part.endswith("."):
        raise ValueError(f"`{show_word(part)}` begins or ends with a space, or ends with a dot")
    stem = part.partition(".")[0].rstrip().casefold()
    if part.casefold() == _CARD:
        raise ValueError("`brain.md` is the card of a brain, so no document can be called so")
    if not stem or stem in DEVICES or part.casefold() in _NOT_CONTENT:
        raise ValueError(f"`{show_word(part)}` is a reserved name")
    if len(part.encode()) > _LONGEST_PART:
        raise ValueError(f"`{show_word(part)}` has more than {_LONGEST_PART} bytes")


def _check_ring(text: str) -> str:
    if text in RING_NAMES:
        return text
    by_fold = {ring.casefold(): ring for ring in RING_NAMES}
    word = " ".join(text.casefold().split())
    nearest = by_fold.get(word) or _STAGES.get(word)
    hint = f"; did you mean `{nearest}`?" if nearest else suggest(text, RING_NAMES)
    listed = ", ".join(f"`{ring}`" for ring in RING_NAMES)
    raise ValueError(f"`{show_word(text)}` is no ring{hint or f'; the rings are {listed}'}")


def _parse_whole(value: Any, largest: int, more: str = "") -> int:
    """Return a number that a file holds as text, and `read_shown` as a number."""
    text = value if isinstance(value, str) else str(value) if type(value) is int else ""
    number = int(text) if _NUMBER.fullmatch(text) else 0
    if not 1 <= number <= largest:
        said = f", not `{show_word(text)}`" if text else ""
        raise ValueError(f"must be a whole number from 1 to {largest}{said}{more}")
    return number


def _parse_domain(value: Any) -> int:
    return _parse_whole(value, DOMAINS)


def _parse_days(value: Any) -> int:
    return _parse_whole(value, MOST_DAYS, "; leave the key out when the document never falls out of date")


def _check_domains(domains: tuple[int, ...]) -> tuple[int, ...]:
    twice = sorted({domain for domain in domains if domains.count(domain) > 1})
    if twice:
        raise ValueError(f"names domain {twice[0]} twice")
    return tuple(sorted(domains))


def _limit_documents(value: Any) -> Any:
    return _limit(value, MOST_DOCUMENTS)


def _limit_domains(value: Any) -> Any:
    return _limit(value, DOMAINS)


def _limit(value: Any, most: int) -> Any:
    """Refuse a list that is too long before its elements cost any time."""
    if isinstance(value, list) and len(value) > most:
        raise ValueError(f"must have at most {most} elements, not {len(value):,}")
    return value


Title = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_check_text)]
Sentence = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_check_text)]
File = Annotated[
    str, Field(min_length=1, max_length=LONGEST_FILE, json_schema_extra={"pattern": r"^[^/~.].*\.md$"}), AfterValidator(_check_file)
]
Ring = Annotated[str, Field(json_schema_extra={"enum": list(RING_NAMES)}), AfterValidator(_check_ring)]
Domain = Annotated[int, Field(ge=1, le=DOMAINS), BeforeValidator(_parse_domain)]
Domains = Annotated[
    tuple[Domain, ...],
    Field(min_length=1, max_length=DOMAINS, json_schema_extra={"uniqueItems": True}),
    BeforeValidator(_limit_domains),
    AfterValidator(_check_domains),
]
Days = Annotated[int, Field(ge=1, le=MOST_DAYS), BeforeValidator(_parse_days)]


class DeclaredDocument(Declared):
    """One document that a brain of this kind should have."""

    model_config = ConfigDict(validate_by_name=False, validate_by_alias=True)

    id: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    """Lower-case letters, digits, dashes; unique in the file; a card drops the document by it. By default the file's name without `.md`."""
    file: File
    """Where the document lies, relative to the brain's folder, such as `offer.md`."""
    title: Title
    """Shown to readers, and the first heading of a new document."""
    ring: Ring
    """One of the five rings, from the outside in: how close to the work the document is."""
    deepens: Domains
    """Numbers of the Context Spine domains, 1 to 20, that the document tells about."""
    out_of_date_after_days: Annotated[Days | None, Field(alias="outOfDateAfterDays", title="Out of date after days")] = None
    """Days after which a checked document must be checked again; never if left out."""
    asks: Sentence
    """One line on what the document should contain; people see it where the document is missing."""


class BlueprintFile(Declared):
    """The plan for one kind of brain: which documents it should have."""

    blueprint: Annotated[str, Field(pattern=REF_PATTERN)]
    """Name and version, such as `site@1`; the file is called `site@1.yml`. A plan that changes gets the next version."""
    title: Title
    """Shown to readers."""
    summary: Sentence
    """One line: what a brain of this kind is for."""
    documents: Annotated[tuple[DeclaredDocument, ...], Field(min_length=1, max_length=MOST_DOCUMENTS), BeforeValidator(_limit_documents)]
    """What such a brain should hold. Shown by ring, in this order."""


MODELS: dict[tuple[str, ...], type[BaseModel]] = {(): BlueprintFile, ("documents",): DeclaredDocument}
"""Keys on the way (positions left out) → what lies there."""
