"""The 26 cases of other programs' bug reports, run by the program they came with (`tests/cases`, kept byte for byte)."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.commands import build_environment

CASES = Path(__file__).parent.parent / "cases"
REQUIREMENTS = {
    "links": ("P05",),
    "frontmatter": ("P03",),
    "graph": ("P06",),
    "privacy": ("P19", "X01"),
    "search": ("P09",),
    "build": ("P13", "P15"),
}
SLUGS = {
    "links": [
        "01-dup-basename",
        "03-case-and-spaces",
        "04-pipes-in-tables",
        "06-block-ids",
        "08-duplicate-heading-ids",
        "10-anchor-letter-case",
        "11-percent-and-angle-brackets",
        "13-links-in-code-and-comments",
        "14-single-brackets-are-text",
        "15-folders-index-readme",
        "17-aliases",
        "18-unicode-normalisation",
    ],
    "frontmatter": ["22-invalid-yaml-is-one-page-problem", "23-bom-crlf-encodings", "25-typed-scalars"],
    "graph": ["28-self-links-and-toc", "29-orphans-with-same-stem"],
    "privacy": ["31-private-pages-leak", "32-draft-flag-spellings"],
    "search": ["35-search-cjk", "37-search-short-and-stop-words"],
    "build": ["34-embed-cycles", "39-page-and-folder-same-name", "40-readme-and-index", "43-symlinks", "46-big-brain-scale"],
}


def list_parameters() -> list[object]:
    """One parameter per case, with the requirements of its area."""
    return [pytest.param(slug, id=slug, marks=[pytest.mark.req(*REQUIREMENTS[area])]) for area, slugs in SLUGS.items() for slug in slugs]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases, written by their own program."""
    folder = tmp_path_factory.mktemp("cases")
    subprocess.run([sys.executable, CASES / "make_cases.py", folder], check=True, capture_output=True)
    return folder


def test_every_case_is_listed_here(cases: Path) -> None:
    made = {path.name for path in cases.iterdir() if (path / "expect.json").exists()}
    assert made == {slug for slugs in SLUGS.values() for slug in slugs}


@pytest.mark.parametrize("slug", list_parameters())
def test_case_passes(cases: Path, slug: str) -> None:
    brain = f"'{sys.executable}' -m indexer"
    done = subprocess.run(
        [sys.executable, CASES / "run_cases.py", cases, "--only", slug[:2], "--jobs", "1", "--brain", brain],
        capture_output=True,
        text=True,
        env=build_environment(),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 0 failed" in done.stdout
