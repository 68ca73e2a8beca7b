"""Which file holds which term: a binary tree over the bits of the tokens' UTF-8. Pure; shared by builder, updater and reader.

The leaf of a token is the one whose name is a prefix of the token's bits. A node is a leaf while its entries are within the limit, so
the tree follows from the entries alone. In the index the tree is a list in preorder: a number from 0 is a leaf with so many bytes of
entries (0 has no file), a negative one stands for so many nodes with two children (bit 0, then bit 1), each the first child of the one
before.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

DEEPEST = 200
"""Bits; a leaf this deep is not split further (file names have an end)."""


def spell_bits(token: str) -> str:
    """Return the bits of a token's UTF-8 as text, as many as a leaf's name can have."""
    return "".join(f"{byte:08b}" for byte in _utf8(token)[: DEEPEST // 8])


def find_leaf(leaves: Mapping[str, int], token: str) -> str:
    """Return the name of the leaf that holds this token, if any does. Past its end a token has zero bits."""
    bits = spell_bits(token).ljust(DEEPEST, "0")
    return next(bits[:depth] for depth in range(DEEPEST + 1) if bits[:depth] in leaves)


def find_leaves(leaves: Mapping[str, int], prefix: str) -> list[str]:
    """Return the names of the leaves that can hold tokens beginning with this prefix, in order: one when they all lie in one leaf."""
    bits = spell_bits(prefix)
    return sorted(name for name in leaves if name.startswith(bits) or bits.startswith(name))


def write_tree(leaves: Mapping[str, int]) -> list[int]:
    """Return the tree as the index keeps it."""
    tree: list[int] = []
    before = ""
    for name in sorted(leaves):
        # The nodes that open at this leaf are those it shares with no leaf before: from its last bit 1 on, all bits are 0.
        opened = len(name) - len(name.rstrip("0")) if before else len(name)
        if opened:
            tree.append(-opened)
        tree.append(leaves[name])
        before = name
    return tree


def read_tree(tree: Sequence[int]) -> dict[str, int]:
    """Return leaf name → bytes of entries, of all leaves."""
    leaves: dict[str, int] = {}
    open_names = [""]
    for number in tree:
        for _ in range(-number):
            name = open_names.pop()
            open_names += (name + "1", name + "0")
        if number >= 0:
            leaves[open_names.pop()] = number
    return leaves


def grow_leaves(sizes: Mapping[str, int], limit: int, name: str = "") -> dict[str, list[str]]:
    """Return leaf name → its tokens in order, for all tokens below a node, splitting whatever is over the limit."""
    grown: dict[str, list[str]] = {}
    ordered = sorted(sizes, key=_utf8)
    before = [0, *accumulate(sizes[token] for token in ordered)]
    waiting = [(name, 0, len(ordered))]
    while waiting:
        name, first, end = waiting.pop()
        if len(name) >= DEEPEST or before[end] - before[first] <= limit:
            grown[name] = ordered[first:end]
        else:
            depth = len(name)
            middle = bisect_left(ordered, 1, first, end, key=lambda token: _bit(_utf8(token), depth))
            waiting += ((name + "0", first, middle), (name + "1", middle, end))
    return grown


def _utf8(token: str) -> bytes:
    return token.encode("utf-8", "replace")


def _bit(data: bytes, depth: int) -> int:
    return data[depth >> 3] >> (7 - (depth & 7)) & 1 if depth >> 3 < len(data) else 0
