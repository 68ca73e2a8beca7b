"""Slots in a page's HTML: places that are filled after all pages were parsed, when it is known where links go.

A slot is text between two noncharacters (U+FDD0, U+FDD1), which `indexer.parse.decode` replaces wherever a file contains them, so no
page can forge one. The letter says what goes there, the number which one:

    o12 / c12   opening and closing tag of link 12          i12   image or file of link 12
    e12         embedded page of link 12 (between blocks)    s3    section of heading 3 begins here
    b4 / d4     block 4 (of `block_ids`) begins and ends     t5    tag 5 (of `inline_tags`)
    f0          footnotes begin here                     p6    finished part 6, only while a page is parsed
"""

import re

OPEN, CLOSE = "\ufdd0", "\ufdd1"
OWN = "\ufdd2"
"""Before an id or the address of a fragment: made by this room. The sanitiser takes it off and drops what lacks it."""
SLOT = re.compile(f"{OPEN}([a-z])([0-9]+){CLOSE}")
NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")


def slot(letter: str, number: int) -> str:
    """Return the text of one slot."""
    return f"{OPEN}{letter}{number}{CLOSE}"
