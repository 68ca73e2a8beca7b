"""How large the pictures are that pages show, so that browsers keep room for them and text does not jump. Called by the pipeline.

Only the first bytes are looked at, never the picture itself. What is not understood has no size, and the page is as it was without.
"""

import re
from io import BytesIO
from xml.parsers import expat

from msgspec.structs import replace

from indexer.model.known import Known, Picture
from indexer.model.result import IndexResult
from indexer.sources import Source

_READ = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
_LARGEST = 50_000
"""Pixels; more is a mistake, or no picture that a page shows."""
_HEAD = 1 << 20
"""Bytes that are looked at: profiles and previews stand in front of the size, and hostile files are nothing but such."""
_PIXELS = re.compile(r"\s*([0-9]{1,5}(?:\.[0-9]{1,9})?)(?:px)?\s*\Z")
Size = tuple[int, int]
_NONE = (0, 0)


def measure_pictures(result: IndexResult, source: Source, last: Known) -> IndexResult:
    """Return the result with the sizes of the pictures that published pages use; a picture that the last run has seen is not read."""
    paths = [path for path in result.known.assets if path in result.addresses and path.lower().endswith(_READ)]
    seen = {picture.blob: picture for picture in last.pictures.values()}
    unseen = {result.entries[path].blob: result.entries[path] for path in paths if result.entries[path].blob not in seen}
    for entry, content in source.read(list(unseen.values())):
        seen[entry.blob] = Picture(entry.blob, *read_size(content, svg=entry.path.lower().endswith(".svg")))
    pictures = {path: seen[result.entries[path].blob] for path in paths}
    touched = result.touched
    if touched is not None:
        resized = {path for path, it in pictures.items() if (was := last.pictures.get(path)) is None or was.size != it.size}
        touched |= (
            {path for path, targets in result.targets.items() if any(it.path in resized for it in targets)} if resized else frozenset()
        )
    return replace(result, known=replace(result.known, pictures=pictures), touched=touched)


def read_size(data: bytes, *, svg: bool = False) -> Size:
    """Return width and height in pixels as browsers show the picture; zeros where they cannot be told."""
    import imagesize  # noqa: PLC0415 (takes a while, and only new pictures need it)

    width, height = _read_svg(data[:_HEAD]) if svg else imagesize.get(BytesIO(data[:_HEAD]))
    return (width, height) if 0 < width <= _LARGEST and 0 < height <= _LARGEST else _NONE


def _read_svg(head: bytes) -> Size:
    """A drawing without sides in pixels takes the room that there is."""
    parser = expat.ParserCreate()
    opened: list[dict[str, str]] = []

    def start(_: str, attributes: dict[str, str]) -> None:
        opened.append(attributes)
        parser.StartElementHandler = None

    parser.StartElementHandler = start
    try:
        parser.Parse(head, False)
    except expat.ExpatError:
        return _NONE
    sides = [_PIXELS.match(opened[0].get(side, "")) if opened else None for side in ("width", "height")]
    return (round(float(sides[0][1])), round(float(sides[1][1]))) if sides[0] and sides[1] else _NONE
