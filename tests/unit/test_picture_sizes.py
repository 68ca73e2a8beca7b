"""How large pictures are, by their first bytes; what pages make of it; and that a picture is read once."""

import time

import pytest

from indexer.model.result import IndexResult
from indexer.publish.picture_sizes import measure_pictures, read_size
from tests.tools.results import copy_known, make_jobs, make_result
from tests.tools.vaults import Files
from tests.unit.test_publish_svg import MemorySource

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4) + b"\x08\6\0\0\0"
SMALL = PNG[:16] + (64).to_bytes(4) + (48).to_bytes(4) + PNG[24:]
FRAME = b"\xff\xc2\0\x11\x08" + (480).to_bytes(2) + (640).to_bytes(2) + b"\x03"
EXIF = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
SVG = '<?xml version="1.0"?><!-- <svg width="1" height="1"> --><svg xmlns="http://www.w3.org/2000/svg" width="640" height="479.6px"/>'


def make_box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return (8 + len(content)).to_bytes(4) + kind + content


def make_avif(width: int, height: int) -> bytes:
    """The boxes of a picture with one item and its size, without the pixels."""
    size = make_box(b"ispe", bytes(4), width.to_bytes(4), height.to_bytes(4))
    uses = make_box(b"ipma", bytes(4), (1).to_bytes(4), b"\0\1\1\1")
    item = make_box(b"pitm", bytes(4), b"\0\1")
    return make_box(b"ftyp", b"avif\0\0\0\0avif") + make_box(b"meta", bytes(4), item, make_box(b"iprp", make_box(b"ipco", size), uses))


@pytest.mark.req("P08")
@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (640, 480)),
        (PNG[:20], (0, 0)),
        (b"GIF89a\x80\x02\xe0\x01", (640, 480)),
        (b"\xff\xd8\xff\xe0\0\x04ab" + FRAME, (640, 480)),
        (b"\xff\xd8\xff\xff\xe1" + (2 + len(EXIF)).to_bytes(2) + EXIF + FRAME, (480, 640)),
        (b"\xff\xd8" + b"\xff\xe0\0\x00", (0, 0)),
        (b"\xff\xd8\xff\xe0", (0, 0)),
        (b"RIFF____WEBPVP8X____\x00___\x7f\x02\0\xdf\x01\0", (640, 480)),
        (b"RIFF____WEBPVP8L____\x2f" + (639 | 479 << 14).to_bytes(4, "little"), (640, 480)),
        (b"RIFF____WEBPVP8 ____\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01", (640, 480)),
        (make_avif(640, 480), (640, 480)),
        (make_avif(640, 480)[:60], (0, 0)),
        (b"not a picture", (0, 0)),
        (b"", (0, 0)),
    ],
)
def test_the_size_of_a_picture_is_told_by_its_first_bytes(data: bytes, size: tuple[int, int]) -> None:
    assert read_size(data) == size


@pytest.mark.req("P08")
@pytest.mark.parametrize(
    ("data", "size"),
    [
        (SVG.encode(), (640, 480)),
        (SVG.replace('1.0"', '1.0" encoding="utf-16"').encode("utf-16"), (640, 480)),
        (b'<svg width="100%" height="480"/>', (0, 0)),
        (b'<svg viewBox="0 0 640 480"/>', (0, 0)),
        (PNG, (0, 0)),
        (b"", (0, 0)),
    ],
)
def test_the_size_of_a_drawing_is_that_of_its_first_element(data: bytes, size: tuple[int, int]) -> None:
    assert read_size(data, svg=True) == size


@pytest.mark.threat(14)
def test_a_file_of_nothing_but_what_stands_in_front_of_a_size_is_not_read_to_its_end() -> None:
    begun = time.process_time()
    assert read_size(b"\xff\xd8" + b"\xff\xe0\0\x02" * 5_000_000) == (0, 0)
    assert time.process_time() - begun < 2


@pytest.mark.req("P08")
def test_pictures_keep_their_proportions_whatever_the_author_says_of_one_side() -> None:
    result, _ = measure({"a.md": "![x](p.png) ![[p.png|320]] ![[p.png|100x100]] ![[v.mp4|320]]", "p.png": PNG, "v.mp4": "1"})
    assert [(link.width, link.height) for link in make_jobs(result)["a/index.html"].links] == [(640, 480), (320, 240), (100, 100), (320, 0)]


@pytest.mark.req("P02", "P14")
def test_a_picture_is_measured_once_and_pages_follow_when_its_size_changes() -> None:
    files: Files = {"a.md": "![x](p.png)", "b.md": "", "p.png": PNG, "unused.png": PNG}
    first, asked = measure(files)
    assert asked == ["p.png"]
    second, asked = measure(files, first)
    assert (asked, second.touched, second.known.pictures) == ([], frozenset(), first.known.pictures)
    third, asked = measure({**files, "p.png": SMALL}, second)
    assert (asked, third.touched) == (["p.png"], frozenset({"a.md"}))
    fourth, asked = measure({**files, "p.png": SMALL + b"other colours"}, third)
    assert (asked, fourth.touched) == (["p.png"], frozenset())


def measure(files: Files, last: IndexResult | None = None) -> tuple[IndexResult, list[str]]:
    source = MemorySource(files)
    known = copy_known(last.known) if last else None
    result = make_result(files, last=known, before=last.history if last else None)
    return measure_pictures(result, source, known or result.known), source.asked
