"""Bytes of a file → text, whatever its encoding claims to be. Called by `parse_page`; never raises."""

import re

from indexer.model.codes import make_finding
from indexer.model.finding import Finding

_BOMS = ((b"\xff\xfe\x00\x00", "utf-32-le"), (b"\x00\x00\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LINE_ENDS = re.compile("\r\n?")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff]")  # what no XML, no terminal and no page can show
# The first four bytes of Latin text without a mark, NULs shown as 0.
_UNMARKED = (
    (re.compile(rb"[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
)


def decode_text(data: bytes) -> tuple[str, list[Finding]]:
    """Return the text with `\\n` line ends and without byte-order mark, and what had to be repaired."""
    findings: list[Finding] = []
    text = _decode(data, findings).lstrip("\ufeff")  # some programs write the mark twice
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    if "\n\ufeff" in text:  # a file with a mark was put behind other lines, such as frontmatter
        text = text.replace("\n\ufeff", "\n")
    bad = _UNREADABLE.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        findings.append(make_finding("FMT003", "", line, "The file holds control characters or noncharacters; they are shown as �."))
        text = replace_unreadable(text)
    return text, findings


def replace_unreadable(text: str) -> str:
    """Return the text with � for what no page can show; escapes in values can write it, though the file does not hold it."""
    return _UNREADABLE.sub("�", text)


def _decode(data: bytes, findings: list[Finding]) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    encoding, start = _find_wide(data)
    if encoding:
        name = encoding[:6].upper()
        findings.append(make_finding("FMT002", "", 1, f"The file is {name}, not UTF-8; it was converted for reading."))
        return data[start:].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"Byte {error.start} (0x{data[error.start]:02x}) is not UTF-8; unreadable characters are shown as �."
        findings.append(make_finding("FMT001", "", line, message))
        return data.decode("utf-8", "replace")


def _find_wide(data: bytes) -> tuple[str, int]:
    """Return the encoding of a file in UTF-16 or UTF-32 and where its text begins; "" for any other."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding, len(mark)
    if b"\0" in data[:4]:
        for pattern, encoding in _UNMARKED:
            if pattern.match(data):
                return encoding, 0
    return "", 0
