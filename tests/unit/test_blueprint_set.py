"""The blueprints of a tenant are read when a card asks for them, and told to programs in one file that changes only with them."""

import subprocess
import sys
from pathlib import Path

import pytest

from indexer.errors import ConfigError
from indexer.registry.blueprint_file import load_shipped
from indexer.registry.blueprint_set import BlueprintSet, load_sets, parse_set, render_set

OWN = """\
blueprint: firm@1
title: Firm
summary: A firm.
documents:
  - file: offer.md
    title: Offer
    ring: Flow
    deepens: [1]
    asks: What is it?
"""


def write_plans(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}@1.yml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.req("S02")
def test_the_shipped_blueprints_come_first_and_those_of_a_folder_join_them(tmp_path: Path) -> None:
    assert dict(BlueprintSet(None)) == load_shipped()
    own = BlueprintSet(write_plans(tmp_path / "plans", firm=OWN))
    assert set(own) == {*load_shipped(), "firm@1"}


@pytest.mark.req("S02", "P13")
def test_problems_of_all_folders_are_told_at_once(tmp_path: Path) -> None:
    folders = [write_plans(tmp_path / name / "blueprints", firm="title: [").parent for name in ("blue", "green")]
    with pytest.raises(ConfigError) as raised:
        load_sets(folders)
    assert {Path(problem.partition(":")[0]).parts[-3] for problem in raised.value.problems} == {"blue", "green"}


@pytest.mark.req("S10", "P14")
def test_the_file_for_programs_is_written_anew_only_when_a_blueprint_changed(tmp_path: Path) -> None:
    folder = write_plans(tmp_path / "plans", firm=OWN)
    first = render_set(BlueprintSet(folder), b"")
    assert parse_set(first) == dict(BlueprintSet(folder))
    assert render_set(BlueprintSet(folder), first) is first
    (folder / "firm@1.yml").write_text(OWN.replace("Offer", "Offers"), encoding="utf-8")
    again = render_set(BlueprintSet(folder), first)
    assert parse_set(again)["firm@1"].documents[0].title == "Offers"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"blueprints": 1}', b'{"blueprints": [1]}'])
def test_a_file_that_is_no_list_of_blueprints_is_refused(content: bytes) -> None:
    with pytest.raises((ValueError, ConfigError)):
        parse_set(content)


@pytest.mark.req("P17")
def test_the_pipeline_does_not_load_the_models_that_only_cards_need() -> None:
    code = "import sys, indexer.pipeline; print('pydantic' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "False"
