"""Which page a link to none may have meant: found quickly, and the one that comparing with every name would find."""

import difflib
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.analysis.index import name_all
from indexer.analysis.suggestions import Suggestions
from tests.tools.results import make_result
from tests.tools.vaults import Files

HIDDEN = "---\nprivate: true\n---\n"
WORDS = st.text(alphabet="abcdeßé中文1 -", min_size=1, max_size=9)
NO_SPACES = str.maketrans("", "", " -")


def suggest(files: Files, target: str) -> str:
    result = make_result(files)
    return Suggestions(name_all(list(files), result.pages), result.pages).find(target)


@pytest.mark.req("P05")
@given(st.sets(WORDS, max_size=12), WORDS)
def test_it_is_the_page_that_comparing_with_every_name_finds(names: set[str], wanted: str) -> None:
    shown = {f"p{name}".casefold(): f"p{name}.md" for name in sorted(names) if name.strip(". ") == name}
    missing = f"p{wanted}".casefold()
    assume(all(name.translate(NO_SPACES) != missing.translate(NO_SPACES) for name in shown))
    near = [name for name in shown if abs(len(name) - len(missing)) <= 3 and name != missing]
    close = difflib.get_close_matches(missing, near, n=1, cutoff=0.85) if len(missing) > 3 else []
    found = suggest(dict.fromkeys((shown[name] for name in near), ""), f"p{wanted}")
    ratio = difflib.SequenceMatcher(None, found.removesuffix(".md").casefold(), missing).ratio() if found else 0.0
    best = difflib.SequenceMatcher(None, close[0], missing).ratio() if close else 0.0
    assert ratio == pytest.approx(best, abs=0.06)  # two names may be alike in one order of comparing more than in the other
    assert bool(found) == bool(close)


@pytest.mark.req("P05", "P19")
def test_a_hidden_page_changes_nothing_about_what_is_suggested() -> None:
    files: Files = {"gardening.md": "", "gardeninx.md": HIDDEN}
    assert suggest(files, "gardenind") == suggest({"gardening.md": ""}, "gardenind") == "gardening.md"
    assert suggest({"gardening.md": HIDDEN}, "gardenind") == ""
    assert suggest({"gardening.md": HIDDEN, "z/gardening.md": ""}, "gardenind") == "z/gardening.md"


@pytest.mark.req("P05")
def test_a_name_of_marks_alone_is_like_none() -> None:
    assert suggest({"a.md": "", "!.md": "---\ntitle: '?'\n---\n"}, "...") == ""
    assert suggest({"a.md": "", "!.md": ""}, "") == ""


@pytest.mark.req("P05")
def test_of_numbered_names_none_is_suggested() -> None:
    files: Files = {f"meeting-2025-{number:04}.md": "" for number in range(300)}
    assert suggest(files, "meeting-2025-9999") == ""
    assert suggest({**files, "holidays.md": ""}, "holidayz") == "holidays.md"


@pytest.mark.req("P05")
@pytest.mark.threat(48)
def test_thousands_of_links_to_pages_that_nobody_has_written_take_a_moment() -> None:
    links = "".join(f"[[{chr(97 + number % 26)}topic {number * 7919 % 100_003:x}]]\n\n" for number in range(8_000))
    files: Files = {"a.md": links, **{f"{chr(97 + n % 26)}theme {n * 104_729 % 1_000_003:x}.md": "" for n in range(4_500)}}
    began = time.process_time()
    result = make_result(files)
    assert len(result.findings) == 8_000
    assert time.process_time() - began < 5  # 1 s here; comparing each with each took 10


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../x/setup", "x/setup.md"),
        ("q/X/setup.md", "x/setup.md"),
        ("q/setup", "d/setup.md"),
        ("../x/index.md", "x/README.md"),
        ("x/index", "d/x/readme.md"),
        ("../y/index.md", "y.md"),
        ("/index.md", "_index.md"),
        ("../../../index.md", ""),
    ],
)
def test_of_pages_with_one_name_it_is_the_one_whose_folders_are_named_and_the_index_page_of_a_folder(target: str, expected: str) -> None:
    paths = ("a/setup.md", "x/setup.md", "d/setup.md", "x/README.md", "d/x/readme.md", "y.md", "y/b.md", "_index.md")
    result = make_result(dict.fromkeys(paths, ""))
    assert Suggestions(name_all(paths, result.pages), result.pages).find(target, "d") == expected


@pytest.mark.req("P05", "P19")
def test_a_hidden_index_page_is_not_suggested_and_changes_nothing() -> None:
    files: Files = {"d/README.md": "", "d/_index.md": HIDDEN, "e/README.md": HIDDEN}
    assert suggest(files, "d/index.md") == suggest({"d/README.md": ""}, "d/index.md") == "d/README.md"
    assert suggest(files, "e/index.md") == ""
