"""Text → search words: the one tokeniser of page text and queries. Called by `indexer.parse.terms` and by the readers of the search index.

Pure and path-independent. `site_templates/src/search/tokens.ts` is its twin: both are held to `tests/golden/search_tokens.json`, so a
change here is a change there. It knows no stop words, no shortest length and no stemming.
"""

import re
import sys
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise

from msgspec import Struct

LONGEST = 64
"""Code points of a token; a longer one is cut there, and a longer compound counts by its parts only."""
_KNOWN_AT_MOST = 1 << 16

# Scripts written without spaces between words, whose runs are searched by single characters and adjacent pairs: Han, kana, Bopomofo,
# Hangul (also as conjoining letters, the way macOS writes names), Thai, Lao, Khmer, Myanmar, cuneiform and what follows it up to the
# historic kana. Digits and punctuation of the living ones are left out.
_RUN_CHARACTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ec4\u0ec8-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1100-\u11ff\u1780-\u17d3"
    "\u17dc\u17dd\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\uac00-\ud7a3"
    "\ud7b0-\ud7fb\uf900-\ufaff\uff66-\uff9f\uffa0-\uffdc\U00012000-\U0001cfff\U00020000-\U000323af"
)
# Emoji and other pictures; with skin tones, selectors and joiners several are one to the eye, and each of its pictures is found. Two of the
# letters that flags are made of are one picture.
_PICTURES = (
    "\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u2600-\u2767\u2794-\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
)
_PICTURE = f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[{_PICTURES}])[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*+"
# Soft hyphen, zero-width joiners: written inside words, never part of them.
_INVISIBLE = "\u00ad\u200c\u200d\u2060"
# Accents; points and signs that Hebrew, Arabic and Syriac writing may leave out, with the stroke that only stretches a word; the selectors
# and skin tones of emoji.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8"
    f"\u06ea-\u06ed\u0711\u0730-\u074a\ufe0e\ufe0f\U0001f3fb-\U0001f3ff{_INVISIBLE}]"
)
# Letters that people type without their stroke or as two, of which Unicode knows no plain form, and those that Arabic script writes for one
# another. The digits of other scripts begin with these zeros.
_LETTERS = (
    "\u00f0d \u0111d \u0127h \u0131i \u0142l \u00f8o \u0167t \u0253b \u0257d \u0199k \u00e6ae \u0153oe \u00feth "
    "\u0629\u0647 \u06c1\u0647 \u0649\u064a \u06cc\u064a \u06a9\u0643"
)
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u1040\u17e0"
_PLAIN_FORMS = {ord(pair[0]): pair[1:] for pair in _LETTERS.split()} | {
    ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)
}
# `[c]reate`, `E[x]tract`: a letter set in brackets inside a word, as manuals show which letter an option stands for.
_LETTER = r"\[[A-Za-z]{1,2}\](?=[A-Za-z])"
_SUFFIX = r"(?:\+\+(?![A-Za-z0-9_+])|#(?![A-Za-z0-9_#]))?"
_CAMEL = re.compile(r"([a-z][0-9]*|[A-Z][0-9]+)(?=[A-Z])|([A-Z])(?=[A-Z][a-z]{2})")
# Marks that are no part of words: of scripts without spaces, of symbols, and the selectors of emoji.
_NO_MARK = f"[{_RUN_CHARACTERS}\u20d0-\u20ff\ufe00-\ufe0f\U0001d000-\U0001d3ff]"
_SPACED = re.compile("[^ ]+")
_VERSION = re.compile(r"v[0-9]+\.[0-9]")
_JOINTS = re.compile(r"[^A-Za-z0-9]+")
_TWO_WORDS = re.compile(r"([^._+#\-]+)[.\-]([^._+#\-]+)")
_NUMBER = re.compile(r"[0-9]+")
# Not between two digits: `1_2` is not 12.
_SNAKE = re.compile(r"(?<=[^._+#\-])_(?=[^._+#\-])(?!(?<=[0-9]_)[0-9])")
_GROUP = re.compile(r",[0-9]{3}(?![0-9])")
"""What a number in groups of three has; a fast look whether a text may have one."""
_JOINED_AT_MOST = 20
"""Code points of a word of two that is found written as one too."""


class Word(Struct, frozen=True):
    """One word of a text as the search sees it."""

    whole: str
    """The folded word, `userid` for `user_id` as for `userId`, `1000` for `1,000`; empty when only its parts count."""
    parts: tuple[str, ...] = ()
    """Smallest parts of an identifier, in order: `camel` and `case` of `camelCase`. Empty for a plain word."""
    middle: tuple[str, ...] = ()
    """Parts that have parts themselves: `camelcase` of `my.camelCase`, `2.10` of `v2.10`."""
    run: bool = False
    """True for characters of a script without spaces: `whole` is the run, `parts` are empty."""


def find_words(text: str) -> re.Pattern[str]:
    """Return the pattern that finds the words of this text; the one for ASCII finds the same there and starts faster."""
    return (_ascii_patterns() if text.isascii() else _unicode_patterns())[0]


@cache
def _ascii_patterns() -> "_Patterns":
    return _compile("A-Za-z0-9_", "A-Za-z0-9_", "")


@cache
def _unicode_patterns() -> "_Patterns":
    letters, marks = _letter_ranges()
    return _compile(letters, letters + marks + _INVISIBLE, rf"|[{_RUN_CHARACTERS}]+|{_PICTURE}(?:\u200d{_PICTURE})*+")


@cache
def _run_at_start() -> re.Pattern[str]:
    return re.compile(f"[{_RUN_CHARACTERS}]")


_Patterns = tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]


def _compile(first: str, inner: str, otherwise: str) -> _Patterns:
    """Return three patterns: words; chunks: whatever belongs to one word or to neighbours joined by `.`, `-`, brackets or a suffix; and
    numbers written in groups of three, which are words with commas in them."""
    grouped = rf"(?<![{inner}.,])(?<![{inner}]-)[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?(?![{inner}]|,[0-9]|\.[{first}])"
    atom = f"[{first}][{inner}]*+"
    joined = rf"{atom}(?:{_LETTER}{atom}|[.\-]{atom})*+"
    word = rf"(?:(?<![A-Za-z0-9_.])\.)?(?:{_LETTER})?{joined}{_SUFFIX}{otherwise}"
    return re.compile(f"{grouped}|{word}"), re.compile(rf"[{inner}.\-+#\[\]]+{otherwise}"), re.compile(grouped)


def _letter_ranges() -> tuple[str, str]:
    """Return letters and digits, and combining marks, outside scripts without spaces, as ranges of a character class.

    Vowel signs of many scripts are marks and parts of words, which `\\w` leaves out. Emoji selectors and symbols' marks are not.
    """
    letter = re.compile(rf"[^\W{_RUN_CHARACTERS}]+")
    no_mark = re.compile(_NO_MARK)
    letters, marks = [], []
    for first, end in ((0x80, 0x3400), (0xA000, 0xAC00), (0xFB00, 0x12000), (0x1D000, 0x1F200)):
        block = "".join(map(chr, range(first, end)))
        letters += [f"{found[0][0]}-{found[0][-1]}" for found in letter.finditer(block)]
        others = letter.sub(lambda found: " " * len(found[0]), block)
        kept = "".join(char if unicodedata.category(char)[0] == "M" and not no_mark.match(char) else " " for char in others)
        marks += [f"{found[0][0]}-{found[0][-1]}" for found in _SPACED.finditer(kept)]
    return "A-Za-z0-9_" + "".join(letters), "".join(marks)


def fold_text(text: str) -> str:
    """Return text as it is compared: compatibility forms and case folded, accents, points and invisible joiners taken off, letters and
    digits in their plain forms, NFC."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", bare).casefold().translate(_PLAIN_FORMS))


def split_word(raw: str) -> Word | None:
    """Return the word that `find_words` matched, folded and split; None when nothing searchable is in it (`___`)."""
    return _split_plain(raw) if raw.isascii() else _split_other(raw)


@lru_cache(maxsize=1 << 15)
def _split_plain(raw: str) -> Word | None:
    bare = raw.replace("[", "").replace("]", "").replace(",", "").lower()
    pieces = [piece for piece in _JOINTS.split(raw) if piece]
    if not pieces:
        return None
    whole = _SNAKE.sub("", bare)
    parts, middle = [], []
    for piece in pieces:
        humps = _CAMEL.sub(r"\1\2 ", piece).lower().split(" ")
        parts += humps
        if len(humps) > 1 and len(pieces) > 1:
            middle.append(piece.lower())
    if _VERSION.match(whole):
        middle.append(whole[1:])
    middle += write_as_one(bare)
    if len(parts) == 1 and parts[0] == whole:
        return Word(whole[:LONGEST])
    return Word("" if len(whole) > LONGEST else whole, _cut(parts), _cut(middle))


def write_as_one(whole: str) -> tuple[str, ...]:
    """Return `email` for `e-mail`, `nodejs` for `node.js`: two words that are also written as one; nothing for other words."""
    two = _TWO_WORDS.fullmatch(whole) if len(whole) <= _JOINED_AT_MOST else None
    joined = two[1] + two[2] if two else ""
    return (joined,) if joined and not _NUMBER.fullmatch(joined) else ()


def _cut(tokens: list[str]) -> tuple[str, ...]:
    return tuple(token[:LONGEST] for token in tokens)


@lru_cache(maxsize=1 << 15)
def _split_other(raw: str) -> Word | None:
    folded = fold_text(raw)
    if _run_at_start().match(raw):
        return Word(folded, run=True)
    if folded.isascii():
        return _split_plain(folded)
    found = find_words(folded).findall(folded)
    if found == [folded]:
        pieces = [piece for piece in re.split(r"[._+#\-]+", folded) if piece]
        if len(pieces) < 2 and pieces == [folded]:
            return Word(folded[:LONGEST])
        whole = "" if len(folded) > LONGEST else _SNAKE.sub("", folded)
        return Word(whole, _cut(pieces), write_as_one(folded)) if pieces else None
    # Folding has opened the word up (`½` is `1⁄2`), or has made a run of it.
    words = [word for word in map(split_word, found) if word]
    return Word("", tuple(token for word in words for token in (pair_run(word.whole) if word.run else (word.whole, *word.parts)) if token))


def pair_run(run: str) -> tuple[str, ...]:
    """Return the adjacent pairs of a folded run, the single character of a run of one."""
    return tuple(map("".join, pairwise(run))) if len(run) > 1 else (run,)


def count_tokens(text: str) -> dict[str, int]:
    """Return token → how often it stands in the text, in halves: 2 for a whole word, a character or a pair, 1 for a part of a word."""
    _, chunks, grouped = _ascii_patterns() if text.isascii() else _unicode_patterns()
    numbers: list[str] = []
    if _GROUP.search(text):
        numbers = grouped.findall(text)
        text = grouped.sub(" ", text)
    if len(_known_chunks) > _KNOWN_AT_MOST:
        _known_chunks.clear()
    # Words of one token, which are nearly all, are counted without a step of this program's own.
    found = Counter(map(_known_chunks.__getitem__, chunks.findall(text)))
    counts: dict[str, int] = {}
    compounds: list[tuple[tuple[tuple[str, int], ...], int]] = []
    for tokens, times in found.items():
        if isinstance(tokens, str):
            counts[tokens] = 2 * times
        else:
            compounds.append((tokens, times))
    compounds += ((_weigh_word(number), 1) for number in numbers)
    for pairs, times in compounds:
        for token, halves in pairs:
            counts[token] = counts.get(token, 0) + halves * times
    return counts


class _Chunks(dict[str, "str | tuple[tuple[str, int], ...]"]):
    """Memory of what chunks come to: text repeats few of them very often."""

    def __missing__(self, chunk: str) -> "str | tuple[tuple[str, int], ...]":
        bare = chunk.rstrip(".-")
        if bare.isascii() and bare.isalpha() and len(bare) <= LONGEST and bare[1:].islower():
            self[chunk] = token = sys.intern(bare.lower())
            return token
        if not chunk.isascii() and _run_at_start().match(chunk):
            return _weigh_run(chunk)
        weights = [pair for raw in find_words(chunk).findall(chunk) for pair in _weigh_word(raw)]
        self[chunk] = found = weights[0][0] if len(weights) == 1 and weights[0][1] == 2 else tuple(weights)
        return found


_known_chunks = _Chunks()


def _weigh_word(raw: str) -> tuple[tuple[str, int], ...]:
    """Return the tokens of one word with their weights in halves."""
    word = split_word(raw)
    if word is None:
        return ()
    if word.run:
        return _weigh_run(raw)
    whole = ((word.whole, 2),) if word.whole else ()
    return (*whole, *((part, 1) for part in (*word.parts, *word.middle)))


def _weigh_run(raw: str) -> tuple[tuple[str, int], ...]:
    run = fold_text(raw)
    return tuple((token, 2) for token in (*run, *(pair_run(run) if len(run) > 1 else ())))
