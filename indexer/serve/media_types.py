"""What a file of a release is sent as, by a fixed table: nothing is guessed from its content (THREATS 19). Called by `sites`. Pure."""

import re

from msgspec import Struct

from indexer.serve.answers import SANDBOX_POLICY, SITE_POLICY

_OURS = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "json": b"application/json",
    "md": b"text/markdown; charset=utf-8",
    "txt": b"text/plain; charset=utf-8",
    "csv": b"text/csv; charset=utf-8",
    "xml": b"application/xml",
    "svg": b"image/svg+xml",
    "woff2": b"font/woff2",
    "woff": b"font/woff",
    "ttf": b"font/ttf",
    "png": b"image/png",
}
"""Types of files that the program wrote."""
_SHOWN = {
    "png": b"image/png",
    "apng": b"image/apng",
    "jpg": b"image/jpeg",
    "jpeg": b"image/jpeg",
    "gif": b"image/gif",
    "webp": b"image/webp",
    "avif": b"image/avif",
    "bmp": b"image/bmp",
    "ico": b"image/x-icon",
    "svg": b"image/svg+xml",
    "txt": b"text/plain; charset=utf-8",
}
_PLAYED = {
    "mp3": b"audio/mpeg",
    "m4a": b"audio/mp4",
    "ogg": b"audio/ogg",
    "oga": b"audio/ogg",
    "opus": b"audio/ogg",
    "wav": b"audio/wav",
    "flac": b"audio/flac",
    "3gp": b"video/3gpp",
    "mp4": b"video/mp4",
    "m4v": b"video/mp4",
    "mov": b"video/quicktime",
    "ogv": b"video/ogg",
    "webm": b"video/webm",
    "mkv": b"video/x-matroska",
}
_SAVED = {"pdf": b"application/pdf", "csv": b"text/csv; charset=utf-8", "json": b"application/json", "zip": b"application/zip"}
_HASHED = re.compile(r"_/assets/(?:.+/)?[^/]+-(?:[0-9A-Z]{8}|[0-9a-f]{8})\.[a-z0-9]{2,5}")
_UNKNOWN = b"application/octet-stream"


class Sending(Struct, frozen=True):
    """How a file is sent."""

    kind: bytes
    """Media type."""
    policy: bytes
    """Content-Security-Policy."""
    saved: bool = False
    """True = the browser saves it instead of showing it."""
    played: bool = False
    """True = a part may be asked for, as players do."""
    lasting: bool = False
    """True = its name changes with its content, and it is the same in every site: browsers may keep it."""


def choose_sending(file: str, *, attachment: bool) -> Sending:
    """Return how to send a file; `attachment` = its bytes are somebody's, not ours."""
    ending = file.rpartition("/")[2].rpartition(".")[2].lower()
    if not attachment:
        kind = _OURS.get(ending, _UNKNOWN)
        policy = SITE_POLICY if ending == "html" else SANDBOX_POLICY
        return Sending(kind, policy, saved=kind == _UNKNOWN or ending == "csv", lasting=_HASHED.fullmatch(file) is not None)
    if ending in _SHOWN:
        return Sending(_SHOWN[ending], SANDBOX_POLICY)
    if ending in _PLAYED:
        return Sending(_PLAYED[ending], SANDBOX_POLICY, played=True)
    return Sending(_SAVED.get(ending, _UNKNOWN), SANDBOX_POLICY, saved=True)
