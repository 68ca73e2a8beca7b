"""The registry of finding codes: complete, used, documented."""

import re
from pathlib import Path

import pytest

from indexer.model.codes import CODES, make_finding, render_codes_page
from indexer.model.finding import Finding

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "brains" / "brainpress" / "handbook" / "reference" / "findings.md"
QUOTED_CODE = re.compile(r'"([A-Z]{3}\d{3})"')
PREFIXES = {"SRC", "FMT", "MDN", "LNK", "NAM", "PRV", "REL", "BPR", "IDX"}


def codes_in_program() -> dict[str, set[str]]:
    """Code → modules that name it, without the declarations themselves."""
    found: dict[str, set[str]] = {}
    for module in sorted((ROOT / "indexer").rglob("*.py")):
        if module.name.startswith("declared"):
            continue
        for code in QUOTED_CODE.findall(module.read_text(encoding="utf-8")):
            if code[:3] in PREFIXES:
                found.setdefault(code, set()).add(module.name)
    return found


def test_every_code_the_program_names_is_declared() -> None:
    undeclared = {code: modules for code, modules in codes_in_program().items() if code not in CODES}
    assert undeclared == {}


def test_every_declared_code_is_used_somewhere() -> None:
    assert sorted(set(CODES) - set(codes_in_program())) == []


def test_the_findings_page_of_the_handbook_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_codes_page(), "run: python -m indexer.model.codes " + str(PAGE.relative_to(ROOT))


def test_every_code_has_its_own_section() -> None:
    headings = re.findall(r"^### (\w+)$", render_codes_page(), flags=re.MULTILINE)
    assert sorted(headings) == sorted(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_declaration_says_everything(code: str) -> None:
    declared = CODES[code]
    assert re.fullmatch(r"[A-Z]{3}\d{3}", declared.code)
    assert declared.code[:3] in PREFIXES
    assert not declared.title.endswith(".")
    assert declared.why.endswith(".")
    assert declared.fix.endswith(".")
    assert declared.example.strip()


def test_a_finding_takes_its_severity_from_its_code() -> None:
    assert make_finding("LNK001", "a.md", 3, "No page.", "Write it.") == Finding("LNK001", "a.md", 3, "No page.", "Write it.", "error")
    assert make_finding("SRC002", "a", 0, "Submodule.").severity == "info"


def test_an_undeclared_code_is_refused() -> None:
    with pytest.raises(KeyError):
        make_finding("LNK999", "a.md", 1, "?")
