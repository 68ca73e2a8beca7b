"""Comments put anywhere outside code, over any number of blocks: nothing of them is published, and all the rest is as it was."""

import re
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.model.page import ParsedPage
from indexer.parse.page import parse_page

# `@` stands for a word: a comment may begin or end before and after it.
BLOCKS = (
    "@ @ @",
    "@ @\n@ **@** @",
    "@ `x %% y` @",
    "@ [@](y.md) @",
    "@ [x](x%%20y.md) @",
    "@ $x$ @",
    "@ <b title='a %% b'>@</b> @",
    "## @ @",
    "@\n===",
    "- @\n- @ @\n  - @\n- @",
    "1. @\n\n   @ @\n\n2. @",
    "- [ ] @\n- [x] @",
    "> @ @\n> @\n>\n> - @",
    "> [!note] @\n> @\n>\n> @ @",
    "| @ | @ |\n|---|---|\n| @ @ | @ |\n| @ | @ |",
    "```text\n%% code\n```",
    "~~~\ncode\n\n%% code\n~~~",
    "$$\nx %% y\n$$",
    "@[^1] @",
    "<div>\n\n@\n\n</div>",
    "@\n: @",
    "***",
)  # fmt: skip
MARKS = (("%% ", " %%"), ("%%", "%%"), ("<!-- ", " -->"), ("%%\n", "\n%%"), ("%% #zqtag [[zqlink]]\n\n# zqhead ^zqid\n\n", "%%"))
QUICK = settings(max_examples=1500, deadline=None)


@dataclass(frozen=True, slots=True)
class Case:
    """A page with comments."""

    written: str
    shown: list[str]
    """The words outside comments."""
    hidden: list[str]
    """The words that stand in comments, without those that only the comments have."""


def write_case(blocks: list[str], cuts: list[int], marks: list[tuple[str, str]], *, end: str) -> Case:
    """Number the words, and let a comment begin at each second cut and end at the next; cuts count the places before and after words."""
    pieces = "\n\n".join(blocks).split("@")
    places = 2 * (len(pieces) - 1)
    chosen = sorted(cut % places for cut in cuts)[: len(cuts) // 2 * 2] if places else []
    parts, shown, hidden, opened = [pieces[0]], list[str](), list[str](), 0
    for number, piece in enumerate(pieces[1:]):
        for place in (2 * number, 2 * number + 1):
            for _ in range(chosen.count(place)):
                opening, closing = marks[opened // 2 % len(marks)]
                parts.append(f"{opening}zqsecret" if opened % 2 == 0 else f"zqsecret{closing}")
                opened += 1
            if place % 2 == 0:
                (hidden if opened % 2 else shown).append(f"word{number}w")
                parts.append(f"word{number}w")
        # Inside a comment the next mark ends it, unless it stands in fenced code.
        parts.append(re.sub(r"%%(?! code)", "%", piece) if opened % 2 else piece)
    return Case("".join(parts).replace("\n", end), shown, hidden)


cases = st.builds(
    write_case,
    st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=7),
    st.lists(st.integers(0, 60), max_size=6),
    st.lists(st.sampled_from(MARKS), min_size=1, max_size=2),
    end=st.sampled_from(("\n", "\n", "\r\n")),
)


def list_all(page: ParsedPage) -> str:
    """Return everything that is made of a page."""
    return "\n".join(
        map(
            str,
            (
                page.html,
                page.text,
                page.sections,
                page.headings,
                page.links,
                page.tags,
                page.summary,
                page.block_ids,
                page.title,
                page.findings,
            ),
        )
    )


@pytest.mark.req("P04", "X01")
@pytest.mark.threat(2)
@given(cases)
@QUICK
def test_nothing_of_a_comment_is_in_anything_that_is_made_of_the_page(case: Case) -> None:
    made = list_all(parse_page(case.written.encode()))
    assert "zq" not in made
    assert [word for word in case.hidden if word in made] == []


@pytest.mark.req("P04", "P10")
@given(cases)
@QUICK
def test_all_that_stands_in_no_comment_is_published_in_its_order_and_in_its_line(case: Case) -> None:
    page = parse_page(case.written.encode())
    find = re.compile(r"word\d+w").findall
    assert sorted(find(re.sub("<[^>]*>", "", page.html))) == sorted(case.shown)
    rows = case.written.replace("\r\n", "\n").split("\n")
    twin = page.text.split("\n")
    assert len(twin) == len(rows)
    assert [word for row in twin for word in find(row)] == case.shown
    assert all(word in rows[number] for number, row in enumerate(twin) for word in find(row))


@pytest.mark.req("P13")
@pytest.mark.parametrize("text", ["a\n\n%% b\n\nc", "a %% b", "a %% b\n\nc %% d\n\ne %% f", "<!-- b\n\nc", "a <!-- b"])
def test_a_comment_that_is_never_closed_says_where_and_what_to_do(text: str) -> None:
    (finding,) = parse_page(text.encode()).findings
    assert (finding.code, finding.severity) == ("MDN007", "warning")
    assert finding.line == text.count("\n", 0, min(at for mark in ("%%", "<!--") if (at := text.find(mark)) >= 0)) + 1
    assert finding.hint.startswith("Close it with")
