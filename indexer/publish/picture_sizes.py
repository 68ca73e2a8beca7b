"""How large the pictures are that pages show, so that browsers keep room for them and text does not jump. Called by the pipeline.

Only the first bytes are looked at, never the picture itself. What is not understood has no size, and the page is as it was without.
"""

import re
from typing import Literal
from xml.parsers import expat

from msgspec.structs import replace

from indexer.model.known import Known, Picture
from indexer.model.result import IndexResult
from indexer.sources import Source

_READ = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
_LARGEST = 50_000
"""Pixels; more is a mistake, or no picture that a page shows."""
_HEAD = 65_536
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_TURNED = frozenset({5, 6, 7, 8})
_PIXELS = re.compile(r"\s*([0-9]{1,5}(?:\.[0-9]{1,9})?)(?:px)?\s*\Z")
Size = tuple[int, int]
_NONE = (0, 0)


def measure_pictures(result: IndexResult, source: Source, last: Known) -> IndexResult:
    """Return the result with the sizes of the pictures that published pages use; a picture that the last run has seen is not read."""
    paths = [path for path in result.known.assets if path in result.addresses and path.lower().endswith(_READ)]
    seen = {picture.blob: picture for picture in last.pictures.values()}
    unseen = {result.entries[path].blob: result.entries[path] for path in paths if result.entries[path].blob not in seen}
    for entry, content in source.read(list(unseen.values())):
        seen[entry.blob] = Picture(entry.blob, *read_size(content))
    pictures = {path: seen[result.entries[path].blob] for path in paths}
    touched = result.touched
    if touched is not None:
        resized = {path for path, it in pictures.items() if (was := last.pictures.get(path)) is None or was.size != it.size}
        touched |= (
            {path for path, targets in result.targets.items() if any(it.path in resized for it in targets)} if resized else frozenset()
        )
    return replace(result, known=replace(result.known, pictures=pictures), touched=touched)


def read_size(data: bytes) -> Size:
    """Return width and height in pixels as browsers show the picture; zeros where they cannot be told."""
    try:
        width, height = _read_any(data)
    except (IndexError, ValueError):
        return _NONE
    return (width, height) if 0 < width <= _LARGEST and 0 < height <= _LARGEST else _NONE


def _read_any(data: bytes) -> Size:
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        return _number(data, 16, 4), _number(data, 20, 4)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data.startswith(b"\xff\xd8"):
        return _read_jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _read_webp(data)
    if data[4:8] == b"ftyp" and data[8:12] in {b"avif", b"avis"}:
        return _read_avif(data)
    return _read_svg(data[:_HEAD])


def _number(data: bytes, start: int, length: int) -> int:
    part = data[start : start + length]
    if len(part) < length:
        raise ValueError("the picture is cut off")
    return int.from_bytes(part)


def _read_jpeg(data: bytes) -> Size:
    position, turned = 2, False
    while data[position] == 0xFF:
        kind = data[position + 1]
        if kind == 0xFF:  # padding
            position += 1
            continue
        length = _number(data, position + 2, 2)
        if kind == 0xE1 and data[position + 4 : position + 10] == b"Exif\0\0":
            turned = _read_orientation(data[position + 10 : position + 2 + length]) in _TURNED
        if kind in _FRAMES:
            height, width = _number(data, position + 5, 2), _number(data, position + 7, 2)
            return (height, width) if turned else (width, height)
        if length < 2 or kind == 0xDA:
            return _NONE
        position += 2 + length
    return _NONE


def _read_orientation(exif: bytes) -> int:
    """Return how a camera was held; 1 = upright."""
    order: Literal["little", "big"] = "little" if exif[:2] == b"II" else "big"
    start = int.from_bytes(exif[4:8], order)
    for entry in range(start + 2, start + 2 + 12 * int.from_bytes(exif[start : start + 2], order), 12):
        if int.from_bytes(exif[entry : entry + 2], order) == 0x0112:
            return int.from_bytes(exif[entry + 8 : entry + 10], order)
        if entry >= len(exif):
            break
    return 1


def _read_webp(data: bytes) -> Size:
    match data[12:16]:
        case b"VP8X":
            if data[20] & 0x08:  # with Exif, at the end, which may turn it
                return _NONE
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    return _NONE


def _read_avif(data: bytes) -> Size:
    """The largest of its parts is the picture; one that is turned or cut has other sides than its parts."""
    head = data[:_HEAD]
    if any(box in head for box in (b"irot", b"clap")):
        return _NONE
    sizes = [(_number(data, found.end() + 4, 4), _number(data, found.end() + 8, 4)) for found in re.finditer(b"ispe", head)]
    return max(sizes, key=lambda size: size[0] * size[1], default=_NONE)


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
