"""Whether a reader with a token budget finds a page by its title (SPEC T07): `python -m tests.bench.finding FOLDER…`.

The reader begins with `.brain/index.md`, sees nothing but the text of the maps that it has opened, and knows nothing but the title it looks
for. It opens one link at a time and stops at the first page; no path tells it anything. It is right when that page has the title that it
looks for, letter case and hyphens aside: where pages share a title (tldr has each command in several languages) the title does not say
which of them is meant.

How it chooses, as somebody would who does not know the subject:

- A line that names the title itself is best, then one that gives all its words, then one whose range from A to Z includes it, then one
  that gives some of its words; rare words on the map count more than frequent ones.
- Of lines that are as good, the one that leads to most, and then the first.
- Where a map of pages does not name the title, and there are reads left, it goes back and tries the next best line.
"""

import argparse
import math
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from indexer.analysis.relate import pair_pages
from indexer.model.maps import INDEX
from indexer.model.relations import Relations
from indexer.model.result import IndexResult
from indexer.pipeline import load_result
from indexer.publish.maps import make_maps
from indexer.publish.maps_text import count_bytes, count_page_tokens, list_words
from indexer.sources.orders import BuildOptions
from tests.bench.report import Target, render_targets

MOST_TOKENS, MOST_READS, PAGES, SEED = 20_000, 4, 100, 20261130
LEAST_FOUND = 0.95
CORPORA = ("tldr", "virgil-notes", "ms-playbook-docs", "opensource-guide")
_LINE = re.compile(r"- \[(?P<label>(?:[^\\\]]|\\.)*)\]\((?P<target>[^)\s]*)\)(?P<rest>.*)")
_SIZE, _PAGES = re.compile(r"~([\d,]+)"), re.compile(r"~([\d,]+) pages")
_NAMED, _WORDS, _RANGE, _ALL = 3.0, 2.0, 1.5, 0.999
_RELATED_UP_TO = 5_000
"""Pages of a brain of which what belongs together is found as well: it takes room on the maps. tldr would take half an hour."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a map."""

    label: str
    target: str
    """As the file is called."""
    words: frozenset[str]
    leads_to: int
    """How much is below it: its size, or for an index the pages it leads to, which are more than any map holds."""
    may_hold_more: bool
    """False where the line names the words of all titles."""


@dataclass(frozen=True, slots=True)
class Search:
    """How looking for one title ended."""

    opened: str
    """The page that the reader settled for; empty when it gave up."""
    reads: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Finding:
    """How it went on one corpus."""

    corpus: str
    pages: int
    asked: int
    found: int
    shared: int
    """Of those found, pages of another path with the same title."""
    reads: float
    tokens: float
    most_tokens: int
    largest_map: int
    missed: tuple[str, ...]
    """Page, its title, and what was opened in its place."""


class Reader:
    """Follows the maps of one brain by the words of a title."""

    def __init__(self, maps: Mapping[str, bytes], sizes: Mapping[str, int]) -> None:
        self._maps, self._sizes = maps, sizes
        self._read: dict[str, tuple[list[Choice], Counter[str]]] = {}

    def look_for(self, title: str) -> Search:
        """Open one map after the other, then one page."""
        waiting = [(0.0, 0, 0, INDEX)]
        reads = tokens = 0
        while waiting and reads < MOST_READS - 1:
            *_, name = waiting.pop()
            reads, tokens = reads + 1, tokens + count_bytes(self._maps[name])
            choices, counts = self._open(name)
            ranked = sorted(self._judge(title, choices, counts))
            pages = [choice for choice in ranked if choice[-1] not in self._maps]
            best = pages[-1] if pages else None
            if best and (best[0] >= _NAMED or not waiting or reads == MOST_READS - 1):
                return Search(best[-1], reads + 1, tokens + count_page_tokens(self._sizes[best[-1]]))
            waiting += [choice for choice in ranked if choice[-1] in self._maps]
        return Search("", reads, tokens)

    def _open(self, name: str) -> tuple[list[Choice], Counter[str]]:
        if name not in self._read:
            choices = list(read_choices(name, self._maps[name].decode()))
            self._read[name] = choices, Counter(word for choice in choices for word in choice.words)
        return self._read[name]

    def _judge(self, title: str, choices: Sequence[Choice], counts: Counter[str]) -> Iterator[tuple[float, int, int, str]]:
        wanted = list_words(title)
        key = " ".join(wanted)
        weight = {word: math.log(1 + len(choices) / counts[word]) if counts[word] else math.log(1 + len(choices)) for word in set(wanted)}
        whole = sum(weight.values()) or 1.0
        for number, choice in enumerate(choices):
            label = list_words(choice.label)
            given = sum(weight[word] for word in weight if word in choice.words) / whole
            first, between, last = choice.label.partition(" … ")
            if choice.label == title or (wanted and label == wanted):
                score = _NAMED
            elif given > _ALL:
                score = _WORDS
            elif between and self._includes(key, first, last) and choice.may_hold_more:
                score = _RANGE
            else:
                score = given
            yield score, choice.leads_to, -number, choice.target

    def _includes(self, key: str, first: str, last: str) -> bool:
        low, high = (" ".join(list_words(part.rsplit(": ", 1)[-1])) for part in (first, last))
        return low <= key <= high or bool(high and key.startswith(high))


def read_choices(name: str, text: str) -> Iterator[Choice]:
    """Yield the links of a map to other maps and to pages, as their lines describe them."""
    for row in text.splitlines():
        line = _LINE.match(row)
        if not line or "~" not in line["rest"]:
            continue
        label = re.sub(r"\\(.)", r"\1", line["label"])
        target = resolve(name, unquote(line["target"]))
        about = line["rest"].partition(":")[2]
        words = frozenset(list_words(f"{label} {about}"))
        pages = _PAGES.search(line["rest"])
        leads_to = 1_000 * _count(pages) if pages else _count(_SIZE.search(line["rest"]))
        yield Choice(label, target, words, leads_to, may_hold_more=not about or about.endswith("…"))


def _count(found: re.Match[str] | None) -> int:
    return int(found[1].replace(",", "")) if found else 0


def resolve(name: str, target: str) -> str:
    """Return the file that a link of a map names."""
    parts: list[str] = []
    for part in (*PurePosixPath(name).parent.parts, *target.split("/")):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def measure_finding(corpus: str, result: IndexResult, relations: Relations) -> Finding:
    """Look for the titles of some pages, drawn with a fixed seed."""
    maps = make_maps(result, relations, {})
    sizes = {path: result.entries[path].size for path in result.graph.nodes}
    asked = random.Random(SEED).sample(sorted(result.graph.nodes), min(PAGES, len(result.graph.nodes)))
    reader = Reader(maps, sizes)
    searches = {path: reader.look_for(result.title_of(path)) for path in asked}
    found = [
        path
        for path, each in searches.items()
        if each.opened
        and list_words(result.title_of(each.opened)) == list_words(result.title_of(path))
        and each.tokens <= MOST_TOKENS
        and each.reads <= MOST_READS
    ]
    return Finding(
        corpus=corpus,
        pages=len(result.graph.nodes),
        asked=len(asked),
        found=len(found),
        shared=sum(searches[path].opened != path for path in found),
        reads=sum(each.reads for each in searches.values()) / len(asked),
        tokens=sum(each.tokens for each in searches.values()) / len(asked),
        most_tokens=max(each.tokens for each in searches.values()),
        largest_map=max(count_bytes(text) for path, text in maps.items() if path.endswith(".md")),
        missed=tuple(f"{path} ({result.title_of(path)}): {searches[path].opened}" for path in asked if path not in set(found)),
    )


def measure_folder(corpus: str, folder: Path, work: Path) -> Finding:
    """Read a folder of pages and look for some."""
    result, cache = load_result(folder, BuildOptions(uncommitted=True), work)
    with cache:
        if len(result.graph.nodes) > _RELATED_UP_TO:
            return measure_finding(corpus, result, Relations())
        return measure_finding(corpus, result, pair_pages(result, cache.load_page_terms))


def render_findings(rows: Sequence[Finding]) -> str:
    """The table for the handbook."""
    lines = [
        f"## Finding a page by its title, at most {MOST_TOKENS:,} tokens and {MOST_READS} reads\n",
        "| corpus | pages | asked | found | of these another of the same title | reads, mean | tokens, mean | tokens, most | largest map |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.corpus} | {row.pages:,} | {row.asked} | {row.found} | {row.shared} | {row.reads:.1f} | {row.tokens:,.0f} "
        f"| {row.most_tokens:,} | {row.largest_map:,} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def judge_findings(rows: Sequence[Finding]) -> list[Target]:
    """95 of 100, on each corpus."""
    return [
        Target(
            f"{row.corpus}: found within {MOST_TOKENS:,} tokens and {MOST_READS} reads, at least {LEAST_FOUND:.0%}",
            f"{row.found} of {row.asked}",
            row.found >= LEAST_FOUND * row.asked,
        )
        for row in rows
    ]


def main() -> int:
    """Measure and print; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.finding", description="whether a page is found by its title")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of pages, each a corpus")
    parser.add_argument("--misses", action="store_true", help="name the pages that were not found")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="brainpress-bench-") as work:
        for folder in given.folders:
            place = Path(work) / folder.name
            place.mkdir()
            rows.append(measure_folder(folder.name, folder, place))
            print(*(rows[-1].missed if given.misses else ()), sep="\n", file=sys.stderr)
    print(render_findings(rows))
    targets = judge_findings(rows)
    print(render_targets(targets))
    return 0 if all(target.met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
