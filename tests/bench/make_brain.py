"""Writes a brain of any size with pages like those people write: frontmatter, sections, lists, tables, code, links between pages.

The same arguments give the same bytes. Only Markdown that every compared program renders is used, with relative links.
`python -m tests.bench.make_brain FOLDER [--pages 2000] [--folders 25]`
"""

import argparse
import random
from itertools import accumulate
from pathlib import Path

LINKS_PER_PAGE = 5
CONSONANTS = ("b", "br", "c", "d", "dr", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
ENDINGS = ("", "n", "r", "l", "t", "nd", "st", "ring", "ment", "ly", "ed", "s")
CONNECTIVES = (
    "and",
    "the",
    "of",
    "to",
    "in",
    "for",
    "with",
    "a",
    "on",
    "by",
    "that",
    "is",
    "when",
    "from",
    "or",
    "before",
    "after",
    "each",
)
ROLES = ("planning", "delivery", "support", "finance", "research", "operations", "design", "security", "training", "purchasing")
LANGUAGES = ("python", "bash", "yaml", "sql", "json")
CODE = {
    "python": 'def {a}_{b}(rows: list[str]) -> int:\n    """Count rows."""\n    return sum(1 for row in rows if row.startswith("{b}"))\n',
    "bash": 'set -eu\nfor name in {a}-*.md; do\n  grep -c "{b}" "$name"\ndone\n',
    "yaml": "{a}:\n  owner: {b}\n  days: {n}\n  steps: [draft, review, publish]\n",
    "sql": "SELECT {a}, count(*) AS {b}\nFROM orders\nWHERE year = {n}\nGROUP BY {a};\n",
    "json": '{{"{a}": "{b}", "days": {n}, "open": true}}\n',
}


def write_brain(root: Path, pages: int, folders: int = 25, seed: int = 7) -> int:
    """Write `pages` pages in `folders` folders, and an `index.md`, below `root`; return how many bytes of Markdown that is."""
    writer = _Writer(random.Random(seed), pages, folders)
    size = 0
    for folder in range(folders):
        (root / writer.folder_name(folder)).mkdir(parents=True, exist_ok=True)
    for number in range(pages):
        text = writer.write_page(number)
        (root / writer.path(number)).write_text(text, encoding="utf-8", newline="\n")
        size += len(text.encode())
    index = writer.write_index()
    (root / "index.md").write_text(index, encoding="utf-8", newline="\n")
    return size + len(index.encode())


class _Writer:
    """Makes text from one stream of random numbers; words follow the usual long tail, so an index sees rare and frequent ones."""

    def __init__(self, stream: random.Random, pages: int, folders: int) -> None:
        self.stream = stream
        self.pages = pages
        self.folders = folders
        words = {f"{c}{v}{d}{e}" for c in CONSONANTS for v in VOWELS for d in ("b", "l", "m", "nt", "r", "s", "t") for e in ENDINGS}
        self.words = sorted(words)
        stream.shuffle(self.words)
        self.weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))
        self.titles = [self.phrase(2, 4).capitalize() for _ in range(pages)]

    def folder_name(self, folder: int) -> str:
        """Name of one folder."""
        return f"{ROLES[folder % len(ROLES)]}-{folder:02d}"

    def path(self, number: int) -> str:
        """Path of one page below the root."""
        return f"{self.folder_name(number % self.folders)}/note-{number:05d}.md"

    def phrase(self, least: int, most: int) -> str:
        """A few words without connectives."""
        return " ".join(self.stream.choices(self.words, cum_weights=self.weights, k=self.stream.randint(least, most)))

    def sentence(self) -> str:
        """One sentence of 8 to 18 words."""
        words = self.stream.choices(self.words, cum_weights=self.weights, k=self.stream.randint(8, 18))
        for at in range(2, len(words), 3):
            words[at] = self.stream.choice(CONNECTIVES)
        return " ".join(words).capitalize() + "."

    def paragraph(self, least: int = 3, most: int = 5) -> str:
        """Several sentences; now and then a word is bold or code."""
        sentences = [self.sentence() for _ in range(self.stream.randint(least, most))]
        if self.stream.random() < 0.4:
            sentences[0] += f" **{self.phrase(1, 3).capitalize()}** matters here."
        if self.stream.random() < 0.3:
            sentences[-1] += f" See `{self.phrase(1, 1)}_{self.stream.randint(1, 99)}`."
        return " ".join(sentences)

    def link(self) -> str:
        """A relative link to some page; low numbers are linked more often, as real hubs are."""
        number = int(self.pages * self.stream.random() ** 2)
        return f"[{self.titles[number].lower()}](../{self.path(number)})"

    def write_page(self, number: int) -> str:
        """The Markdown of one page, about 2 kB, with exactly `LINKS_PER_PAGE` links."""
        s = self.stream
        tags = ", ".join(sorted({f"{s.choice(ROLES)}/{self.words[s.randrange(12)]}" for _ in range(s.randint(1, 3))}))
        date = f"202{s.randint(3, 6)}-{s.randint(1, 12):02d}-{s.randint(1, 28):02d}"
        title = self.titles[number]
        parts = [
            f"---\ntitle: {title}\ntags: [{tags}]\ndate: {date}\nsummary: {self.sentence()}\n---\n",
            f"# {title}\n",
            f"{self.paragraph()} It builds on {self.link()}.\n",
            f"## {self.phrase(1, 3).capitalize()}\n",
            f"{self.paragraph()}\n",
            self._list(),
            f"## {self.phrase(2, 3).capitalize()}\n",
            f"{self.paragraph()} Compare {self.link()}.\n",
            self._block(number),
            f"### {self.phrase(1, 2).capitalize()}\n",
            f"{self.paragraph(1, 3)}\n",
            f"## See also\n\n- {self.link()}\n- {self.link()}: {self.phrase(3, 6)}\n",
        ]
        return "\n".join(parts)

    def _list(self) -> str:
        lines = [f"{self.phrase(3, 8).capitalize()}" for _ in range(self.stream.randint(3, 6))]
        lines[-1] += f" ({self.link()})"
        kind = self.stream.random()
        marks = [f"{i}." for i in range(1, len(lines) + 1)] if kind < 0.3 else ["-"] * len(lines)
        return "\n".join(f"{mark} {line}" for mark, line in zip(marks, lines, strict=True)) + "\n"

    def _block(self, number: int) -> str:
        """A table on half of the pages, code on most of the others, a quote on the rest."""
        if number % 2 == 0:
            rows = [
                f"| {self.phrase(1, 2)} | {self.phrase(2, 5)} | {self.stream.randint(1, 999)} |" for _ in range(self.stream.randint(3, 7))
            ]
            return "| What | Detail | Days |\n| --- | --- | ---: |\n" + "\n".join(rows) + "\n"
        if number % 8 == 7:
            return f"> {self.sentence()}\n>\n> {self.sentence()}\n"
        language = LANGUAGES[number // 2 % len(LANGUAGES)]
        code = CODE[language].format(a=self.phrase(1, 1), b=self.phrase(1, 1), n=self.stream.randint(2, 99))
        return f"```{language}\n{code}```\n"

    def write_index(self) -> str:
        """The front page: one link into each folder."""
        rows = [f"- [{self.folder_name(f)}]({self.path(f)})" for f in range(min(self.folders, self.pages))]
        return f"# Generated brain\n\n{self.paragraph()}\n\n" + "\n".join(rows) + "\n"


def main() -> None:
    """Write a brain from the command line."""
    arguments = argparse.ArgumentParser(description="write a generated brain")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--pages", type=int, default=2000)
    arguments.add_argument("--folders", type=int, default=25)
    given = arguments.parse_args()
    size = write_brain(given.folder, given.pages, given.folders)
    print(f"{given.pages} pages, {size / 1000:,.0f} kB of Markdown, {given.pages * LINKS_PER_PAGE} links in {given.folder}")


if __name__ == "__main__":
    main()
