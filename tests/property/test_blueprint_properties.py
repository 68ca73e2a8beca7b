"""Blueprint files: whatever is in one, the answer is a blueprint or problems; what is written is read back."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.errors import ConfigError
from indexer.model.blueprint import RINGS, Blueprint, PlannedDocument
from indexer.registry.blueprint_draft import render_draft
from indexer.registry.blueprint_file import check_blueprint_file, load_blueprints, read_shown, show_blueprint
from indexer.registry.blueprint_model import BlueprintFile, DeclaredDocument, fold_file
from indexer.registry.declared_file import list_keys

MANY = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
KEYS = st.sampled_from([*list_keys(BlueprintFile), *list_keys(DeclaredDocument), "type", "stage", "more"])
WORDS = st.sampled_from(["press@1", "Flow", "Public Context", "a.md", "A.md", "b/a.md", "../a.md", "1", "20", "365", "", "~", "What?"])
LEAVES = WORDS | st.text(max_size=12) | st.integers(-2, 40_000) | st.none() | st.booleans() | st.floats(allow_nan=False)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=8), max_leaves=40)
DOCUMENTS = st.lists(
    st.dictionaries(st.sampled_from(list_keys(DeclaredDocument)), LEAVES | st.lists(LEAVES, max_size=3), max_size=7), max_size=4
)
NEARLY = st.fixed_dictionaries(
    {"blueprint": WORDS, "title": LEAVES, "summary": LEAVES, "documents": DOCUMENTS | LEAVES}, optional={"type": WORDS, "more": LEAVES}
)
RAW = st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))

LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")), min_size=1, max_size=60)
TEXTS = (LINES | st.sampled_from(["null", "No", "a: b", "- a", "'", '"', "#", "a #b", "{", "1.10", "?", "=", "%a", "@", "`"])).filter(
    str.strip
)
NAMES = st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,20}\Z").filter(lambda name: name not in {"con", "prn", "aux", "nul", "brain"})
FILES = st.lists(NAMES.map("x{}".format), min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".md")


@st.composite
def blueprints(draw: st.DrawFn) -> Blueprint:
    files = draw(st.lists(FILES, min_size=1, max_size=6, unique_by=fold_file))
    ids = draw(st.lists(NAMES, min_size=len(files), max_size=len(files), unique=True))
    documents = [
        PlannedDocument(
            id=identity,
            file=file,
            title=draw(TEXTS).strip(),
            ring=draw(st.sampled_from([ring for ring, _ in RINGS])),
            deepens=tuple(sorted(draw(st.sets(st.integers(1, 20), min_size=1)))),
            out_of_date_after_days=draw(st.none() | st.integers(1, 36_500)),
            asks=draw(TEXTS).strip(),
        )
        for identity, file in zip(ids, files, strict=True)
    ]
    order = [ring for ring, _ in RINGS]
    documents.sort(key=lambda each: order.index(each.ring))
    return Blueprint(f"{draw(NAMES)}@{draw(st.integers(1, 99))}", draw(TEXTS).strip(), draw(TEXTS).strip(), tuple(documents))


def check(content: bytes, name: str = "press@1.yml") -> tuple[Blueprint | None, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        blueprint, problems = check_blueprint_file(file)
        assert (blueprint is None) == bool(problems)
        assert all(problem.startswith(f"{file}:") and len(problem.splitlines()) == 1 for problem in problems)
        if problems:
            with pytest.raises(ConfigError):
                load_blueprints(Path(folder))
    return blueprint, problems


@pytest.mark.req("S02")
@pytest.mark.threat(13)
@MANY
@given(RAW)
def test_no_bytes_raise_anything_but_problems(content: bytes) -> None:
    check(content)


@pytest.mark.req("S02")
@MANY
@given(VALUES | NEARLY)
def test_no_yaml_raises_anything_but_problems(value: Any) -> None:
    check(yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "surrogatepass"))


@MANY
@given(VALUES | NEARLY)
def test_no_value_is_read_back_that_was_not_shown(value: Any) -> None:
    blueprint = None
    with contextlib.suppress(ConfigError):
        blueprint = read_shown(value)
    assert blueprint is None or read_shown(show_blueprint(blueprint)) == blueprint


@pytest.mark.req("S02")
@MANY
@given(blueprints())
def test_what_is_shown_or_written_is_read_back(blueprint: Blueprint) -> None:
    assert read_shown(show_blueprint(blueprint)) == blueprint
    read, problems = check(render_draft(blueprint.ref, blueprint).encode(), f"{blueprint.ref}.yml")
    assert problems == []
    assert read == blueprint
