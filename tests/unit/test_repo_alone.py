"""A repository that no tenant.yml names: its id is the name of its folder, and its maps know nothing of that name."""

from pathlib import Path

import pytest

from indexer.sources.orders import name_repo
from tests.conftest import RepoFactory
from tests.tools.commands import run_brain
from tests.tools.repos import run_git

CARD = "---\nblueprint: site@1\nparent: {parent}\n---\n"
FILES = {
    "index.md": "# Northwind\n\n<!-- brain:index -->\n<!-- /brain:index -->\n",
    "brains/business/brain.md": "---\nblueprint: business@1\n---\n",
    "brains/business/offer.md": "We offer advice.\n",
    "brains/website/brain.md": CARD.format(parent="northwind-advisory/brains/business"),
}


@pytest.mark.req("S01", "S08")
def test_a_parent_is_found_by_the_name_of_the_folder(git_repo: RepoFactory) -> None:
    repo = git_repo(FILES, name="Northwind Advisory")
    brains = run_brain("report", repo.path, "--json").json["brains"]
    assert [(brain["id"], brain["parent"]) for brain in brains] == [
        ("northwind-advisory/brains/business", None),
        ("northwind-advisory/brains/website", "northwind-advisory/brains/business"),
    ]
    offer = next(each for each in brains[1]["documents"] if each["id"] == "offer")
    assert [cover["path"] for cover in offer["parentCovers"]] == ["brains/business/offer.md"]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("notes", "notes"), ("My Notes_2", "my-notes-2"), ("Büro", "buro"), ("日本", "brain"), ("--", "brain"), ("a" * 80, "a" * 63)],
)
def test_an_id_is_made_of_any_name(folder: str, expected: str) -> None:
    assert name_repo(folder) == expected


@pytest.mark.req("T28", "P14")
def test_clones_with_other_names_make_the_same_maps(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo(FILES, name="northwind-advisory")
    heads = []
    for name in ("one", "two"):
        run_git(tmp_path, "clone", "--quiet", str(repo.path), name)
        assert run_brain("refresh", tmp_path / name).code == 0
        heads.append(run_git(tmp_path / name, "rev-parse", "HEAD"))
    assert heads[0] == heads[1] != repo.commits[0]
    assert (tmp_path / "one" / ".brain/index.md").read_text("utf-8").startswith("# Northwind\n")
