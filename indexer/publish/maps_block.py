"""The block of a seeded `index.md` that the program writes, between the markers (SPEC T29). Used by `maps` and the refresh; pure.

It names what there is at the top and leads to `.brain/index.md`; it holds no sizes and no words of single pages, for `index.md` is a page
that people edit, and two branches that each add a page must not meet in it. Every byte outside the markers stays.
"""

from indexer.parse.generated import find_block


def replace_block(data: bytes, lines: list[str]) -> bytes | None:
    """Return the page with these lines between its markers; None when it has no such markers, or none that are clear."""
    text = data.decode("utf-8", "surrogateescape")
    span = find_block(text)
    if span is None:
        return None
    end_of_line = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
    block = "".join(line + end_of_line for line in lines)
    return (text[: span[0]] + block + text[span[1] :]).encode("utf-8", "surrogateescape")
