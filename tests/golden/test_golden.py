"""What the parser makes of every kind of syntax: the files here hold a title, what somebody wrote, and what becomes of it.

Anybody can add one: three parts, each ended by a line with a single full stop. The last part may be left empty:
`pytest tests/golden --update-golden` fills it in, to be read before it is committed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.model.page import Link, ParsedPage
from indexer.parse.page import parse_page
from indexer.parse.slots import CLOSE, OPEN

HERE = Path(__file__).parent
# golden file → the lines of the specification that it proves
TOPICS = {
    "blocks": ("P04",),
    "callouts": ("P04",),
    "comments": ("P04", "P05"),
    "frontmatter": ("P03", "P19"),
    "headings": ("P04",),
    "html": ("P04",),
    "inline": ("P04",),
    "links": ("P04", "P05"),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One triple of a golden file."""

    line: int
    title: str
    written: str
    expected: str


def read_examples(path: Path) -> Iterator[Example]:
    """Yield the triples of a file; what stands before the first title is its introduction."""
    rows = path.read_text("utf-8").split("\n")
    stops = [number for number, row in enumerate(rows) if row == "."]
    assert len(stops) % 3 == 0, f"{path.name}: the number of lines with a single full stop is not a multiple of three"
    for first, second, third in zip(stops[::3], stops[1::3], stops[2::3], strict=True):
        yield Example(first, rows[first - 1], "\n".join(rows[first + 1 : second]), "\n".join(rows[second + 1 : third]))


def describe(written: str) -> str:
    """Return everything that the parser makes of a text, so that a person can read it."""
    page = parse_page(written.encode())
    shown = page.html.replace(OPEN, "⟦").replace(CLOSE, "⟧").strip("\n")
    shown = re.sub(r'<a class="brain-anchor" href="#([^"]*)" title="Link to this section">¶</a>', "¶", shown)
    parts = [shown] if shown else []
    parts += [_describe_link(number, link) for number, link in enumerate(page.links)]
    parts += _describe_page(page, written)
    parts += [f"{finding.code} in line {finding.line}: {finding.message}" for finding in page.findings]
    return "\n".join(parts)


def _describe_link(number: int, link: Link) -> str:
    to = link.target + (f"#{link.anchor}" if link.anchor else "")
    size = f" size {link.size[0]}x{link.size[1]}" if any(link.size) else ""
    label, title = (f" label “{link.label}”" if link.label else ""), (f" title “{link.title}”" if link.title else "")
    raw = link.raw.replace("\n", "⏎")
    return f"link {number}: {link.kind} in line {link.line} to “{to}”{label}{title}{size}, written {raw}"


def _describe_page(page: ParsedPage, written: str) -> list[str]:
    begins = written.startswith(("---", "+++"))
    facts = [
        ("title", page.title if begins else ""),
        ("aliases", ", ".join(page.aliases)),
        ("tags", ", ".join(page.tags)),
        ("date", page.date or ""),
        ("hidden", "yes" if page.hidden else ""),
        ("summary", page.summary if page.meta.get("summary") else ""),
        ("headings", "; ".join(f"{heading.text} (line {heading.line})" for heading in page.headings)),
        ("blocks", ", ".join(page.block_ids)),
        ("anchors", ", ".join(page.anchors)),
        ("features", ", ".join(page.features)),
        ("twin", page.text if page.text != written else ""),
    ]
    return [f"{name}: {value}" for name, value in facts if value]


def update(path: Path, title: str, found: str) -> None:
    """Write what was found as the third part of the triple with this title."""
    rows = path.read_text("utf-8").split("\n")
    stops = [number for number, row in enumerate(rows) if row == "."]
    first = next(index for index in range(0, len(stops), 3) if rows[stops[index] - 1] == title)
    rows[stops[first + 1] + 1 : stops[first + 2]] = found.split("\n") if found else []
    path.write_text("\n".join(rows), "utf-8")


def collect() -> list[object]:
    """Return a parameter per triple."""
    return [
        pytest.param(
            HERE / f"{topic}.md",
            example,
            id=f"{topic}-{example.line}-{re.sub('[^a-z0-9]+', '-', example.title.lower()).strip('-')}",
            marks=[pytest.mark.req(each) for each in requirements],
        )
        for topic, requirements in TOPICS.items()
        for example in read_examples(HERE / f"{topic}.md")
    ]


@pytest.mark.parametrize(("path", "example"), collect())
def test_page_becomes_what_the_golden_file_says(path: Path, example: Example, request: pytest.FixtureRequest) -> None:
    found = describe(example.written)
    if found != example.expected and request.config.getoption("--update-golden"):
        update(path, example.title, found)
        return
    assert found == example.expected, f"{path.name}, line {example.line + 1}: {example.title}"


def test_titles_are_unique() -> None:
    for topic in TOPICS:
        titles = [example.title for example in read_examples(HERE / f"{topic}.md")]
        assert sorted(set(titles)) == sorted(titles)


def test_every_golden_file_is_read() -> None:
    assert {path.stem for path in HERE.glob("*.md")} == set(TOPICS)


@pytest.mark.req("P04")
@pytest.mark.parametrize(("path", "example"), collect())
def test_every_block_id_has_a_place_and_both_its_ends(path: Path, example: Example) -> None:
    page = parse_page(example.written.encode())
    for number, name in enumerate(page.block_ids):
        assert f'id="^{name}"' in page.html, f"{path.name}, line {example.line + 1}: {name}"
        assert f"{OPEN}b{number}{CLOSE}" in page.html
        assert f"{OPEN}d{number}{CLOSE}" in page.html
