"""A query as typed → words, phrases and the tokens to look up for them. Pure; `site_templates/src/search/query.ts` is its twin."""

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from indexer.parse.terms import count_units
from indexer.parse.tokens import Word, find_words, pair_run, split_word, write_as_one

LONGEST_QUERY, MOST_WORDS = 400, 16
"""Code points and words of a query that are read; what is beyond is left out."""
EXACT, NEAR, COMPLETED, IN_PARTS = 16, 12, 12, 8
"""Sixteenths of a weight that count for: the word itself; another form of it; the word completed (less, the more is added); its parts."""
_INFLECTED = re.compile(r"[a-z]{5,}")
_ENDS_IN_Y = re.compile(r"[a-z]+[bcdfghjklmnpqrstvwxz]y")
_DOUBLED = re.compile(r"[a-z]+[aeiou]([bdgmnprt])\1")
_SHORTEST_COMPLETED = 4
"""Letters of a word that is completed although it is not the one being typed."""
_SPREAD = re.compile("[\uac00-\ud7a3]{3,}|.{4,}")
"""Runs that are given up for their pairs when they are not found: four characters, or three in Korean, where the last may be a particle."""
_ARABIC = re.compile("[\u0621-\u064a]{3,}")
_ARTICLE = "\u0627\u0644"
_QUOTES = re.compile("[“”„]")
_PHRASE = re.compile('(?<![0-9])"([^"]*)"')
"""Right behind a digit, `"` stands for inches; between Hebrew letters, for an abbreviation."""
_ABBREVIATED = re.compile('(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])')
_POSSESSIVE = re.compile("(?<=[^\\W\\d_])['’‘][sS](?![^\\W_])")
_CONTRACTED = re.compile("(?<![\\w.'’‘-])([A-Za-z]+['’‘](?:[TtDdMm]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll]))(?!\\w)")
_RUN_TOGETHER = re.compile("((?:are|ca|could|did|do|does|had|has|have|is|must|need|should|was|were|wo|would)n)(t)|(they|you)(d|ll|re|ve)")
"""Contractions without their apostrophe that are hardly ever another word; pages have the two parts that the apostrophe makes."""
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)*")


class QueryWord(Struct, frozen=True):
    """One word of a query."""

    typed: str
    whole: str
    """Folded; empty when only its parts can be looked up."""
    parts: tuple[str, ...] = ()
    """Parts of an identifier; pairs of a run."""
    run: bool = False
    """Characters of a script without spaces: the pairs have to stand in one section, and the run itself in its text."""
    last: bool = False
    """True for the word that may still be being typed."""
    quoted: bool = False
    """True inside quotation marks: no other form of the word counts."""
    contracted: bool = False
    """True for `don't` and `dont`, which are the same; `parts` are those that pages have."""

    @property
    def completed(self) -> bool:
        """True when longer words that begin with it count too."""
        if not self.whole or self.run or self.quoted:
            return False
        return self.last or (len(self.whole) >= _SHORTEST_COMPLETED and not self.contracted)

    @property
    def is_version(self) -> bool:
        """True for numbers with dots or commas, whose parts say nothing apart: `2.10` is not 2 somewhere and 10 elsewhere."""
        return _VERSION.fullmatch(self.whole) is not None


class Query(Struct, frozen=True):
    """A query, read."""

    words: tuple[QueryWord, ...]
    """Each once, in order."""
    phrases: tuple[str, ...]
    """As `spell_phrase` spells them."""


def parse_query(text: str) -> Query:
    """Return the words of a query; what stands in quotation marks is a phrase as well."""
    text = _ABBREVIATED.sub("\u05f4", _QUOTES.sub('"', text[:LONGEST_QUERY]))
    stretches = _PHRASE.split(text)
    words: dict[str, QueryWord] = {}
    phrases = []
    for number, stretch in enumerate(stretches):
        quoted = number % 2 == 1
        found = _read_words(stretch, quoted)
        if quoted and found:
            phrases.append(spell_phrase(stretch))
        if found and number == len(stretches) - 1 and not stretch[-1].isspace() and not _CONTRACTED.fullmatch(found[-1].typed):
            found[-1] = replace(found[-1], last=True)
        for word in found:
            words.setdefault(word.whole or " ".join(word.parts), word)
    return Query(tuple(words.values())[:MOST_WORDS], tuple(phrases))


def _read_words(stretch: str, quoted: bool) -> list[QueryWord]:
    """Return the words of a stretch. The `s` of `Hume's` is none: alone it says nothing, and completed it would be any word with s."""
    found = []
    for number, piece in enumerate(_CONTRACTED.split(_POSSESSIVE.sub("", stretch))):
        if number % 2:
            parts = tuple(re.split("['’‘]", piece.lower()))
            found.append(QueryWord(piece, "".join(parts), parts, quoted=quoted, contracted=True))
            continue
        for raw in find_words(piece).findall(piece):
            word = split_word(raw)
            if word:
                found.append(_read_word(raw, word, quoted))
    return found


def _read_word(raw: str, word: Word, quoted: bool) -> QueryWord:
    two = _RUN_TOGETHER.fullmatch(word.whole) if not quoted and not word.parts else None
    if two:
        return QueryWord(raw, word.whole, tuple(filter(None, two.groups())), contracted=True)
    return QueryWord(raw, word.whole, pair_run(word.whole) if word.run else word.parts, word.run, quoted=quoted)


def count_query_units(words: Iterable[QueryWord]) -> int:
    """Return how many words a name would have that is the query; a contraction is two there."""
    return sum(len(word.parts) if word.contracted else count_units([len(word.whole) if word.run else 0]) for word in words)


def spell_phrase(text: str) -> str:
    """Return text as its folded words with one space between and around; at a run of a script without spaces, none around."""
    spelled = []
    for raw in find_words(text).findall(text):
        word = split_word(raw)
        if word:
            spelled.append((word.whole or " ".join(word.parts), word.run))
    if not spelled:
        return ""
    before, after = ("" if spelled[0][1] else " "), ("" if spelled[-1][1] else " ")
    return before + " ".join(word for word, _ in spelled) + after


def near_forms(word: QueryWord) -> list[str]:
    """Return other forms, to be looked up as well; those that no page has do no harm.

    Without an English ending; two words written as one; a version without its `v`; Arabic with the article or without it.
    """
    whole = word.whole
    if word.quoted or word.run or word.contracted:
        return []
    if word.parts:
        return [whole[1:]] if word.is_version and whole.startswith("v") else list(write_as_one(whole))
    if _ARABIC.fullmatch(whole):
        return [whole[2:] if whole.startswith(_ARTICLE) and len(whole) > len(_ARTICLE) + 2 else _ARTICLE + whole]
    if _ENDS_IN_Y.fullmatch(whole):
        return [whole[:-1] + "ies", whole[:-1] + "ied"]
    if not _INFLECTED.fullmatch(whole):
        return []
    if whole.endswith("ing"):
        return [*_stems(whole[:-3]), whole[:-3] + "e"]
    if whole.endswith(("ies", "ied")):
        return [whole[:-3] + "y", whole[:-1]]
    if whole.endswith("ed"):
        return [*_stems(whole[:-2]), whole[:-1]]
    if whole.endswith("es"):
        return [whole[:-1], whole[:-2]]
    return [whole[:-1]] if whole.endswith("s") else []


def _stems(stem: str) -> list[str]:
    """`runn` of `running` is `run` as well."""
    return [stem, stem[:-1]] if _DOUBLED.fullmatch(stem) else [stem]


def spread_runs(query: Query) -> Query | None:
    """Return the query with the pairs of its long runs as words of their own, for when the runs are not found; None without long runs."""
    if not any(word.run and _SPREAD.fullmatch(word.whole) for word in query.words):
        return None
    words: dict[str, QueryWord] = {}
    for word in query.words:
        if word.run and _SPREAD.fullmatch(word.whole):
            words |= {pair: QueryWord(pair, pair, (pair,), run=True) for pair in word.parts if pair not in words}
        else:
            words.setdefault(word.whole, word)
    return Query(tuple(words.values())[:MOST_WORDS], ())
