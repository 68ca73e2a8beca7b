"""Compares folders byte by byte and says in words what differs."""

import gzip
from pathlib import Path


def read_tree(root: Path) -> dict[str, bytes]:
    """Return relative path → bytes of every file below `root`; a symbolic link counts as its target's name."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = b"-> " + str(path.readlink()).encode("utf-8", "surrogateescape")
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def compare_trees(left: dict[str, bytes], right: dict[str, bytes]) -> list[str]:
    """Return one line per file that is on one side only or has other bytes; empty when both are the same."""
    lines = [f"only left: {name}" for name in sorted(left.keys() - right.keys())]
    lines += [f"only right: {name}" for name in sorted(right.keys() - left.keys())]
    lines += [
        f"differs: {name}{_first_difference(left[name], right[name])}"
        for name in sorted(left.keys() & right.keys())
        if left[name] != right[name]
    ]
    return lines


def _first_difference(left: bytes, right: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return f" at byte {at}: {left[max(0, at - 30) : at + 30]!r} / {right[max(0, at - 30) : at + 30]!r}"


def read_states(root: Path) -> dict[str, tuple[int, int]]:
    """Return relative path → (inode, time of last change in ns), to see which files were written anew."""
    return {p.relative_to(root).as_posix(): (p.stat().st_ino, p.stat().st_mtime_ns) for p in sorted(root.rglob("*")) if p.is_file()}


def find_bytes(root: Path, *words: str) -> list[str]:
    """Return `file: word` for each word (in any letter case) in a name or in the bytes of a file, unpacked where it is gzipped."""
    hits = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        content = name.encode("utf-8", "surrogateescape") + b"\n"
        if path.is_file():
            data = path.read_bytes()
            content += gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        low = content.lower()
        hits += [f"{name}: {word}" for word in words if word.lower().encode() in low]
    return hits
