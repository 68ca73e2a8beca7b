"""A build after any edits is that of a fresh folder, byte for byte: pages, search, reports, index, and what the next one takes over."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.errors import BrainpressError
from indexer.pipeline import build_path
from indexer.resources import find_resource
from indexer.sources.orders import BuildOptions
from tests.tools.built_in_a_row import ONE, compare_with_fresh, kill_build, replace_files
from tests.tools.repos import DAY, FIRST_COMMIT, GitRepo, run_git
from tests.tools.vaults import write_files
from tests.tools.wild_vault import WildVault


def commit_wild(repo: GitRepo, vault: WildVault, chance: random.Random) -> str:
    """Edit the vault and commit it, on top of the last commit, after going back, or in a branch that is merged; returns what was done."""
    done = []
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        turn = chance.random()
        if turn < 0.08 and repo.commits:
            back = chance.choice(repo.commits[-8:])
            run_git(repo.path, "reset", "--quiet", "--hard", back)
            done.append(f"back to {back[:8]}")
            if turn < 0.04:
                continue
        if turn > 0.93 and len(repo.commits) > 1:
            other = chance.choice(repo.commits[-6:])
            run_git(
                repo.path, "merge", "--quiet", "--strategy=ours", "--allow-unrelated-histories", "--no-edit", "-m", "Merge", other, env=_WHO
            )
            done.append(f"merge of {other[:8]}")
        done += vault.edit(chance.choice([1, 1, 2, 3, 6]))
        replace_files(repo.path, vault.files)
        repo.commit(at=FIRST_COMMIT + DAY * len(repo.commits) + chance.choice([0, 0, -90_000, 40 * DAY]))
    return "; ".join(done)


_WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "A"), ("EMAIL", "a@b.example"), ("DATE", "1767225600 +0000"))
}


def run_wild(seed: int, where: Path, steps: int) -> None:
    """Fail where a build differs from a fresh one."""
    chance, vault = random.Random(seed * 7 + 1), WildVault(seed)
    repo, out = GitRepo.create(where / "vault"), where / "out"
    told = []
    options = ONE
    for step in range(steps):
        told.append(commit_wild(repo, vault, chance))
        if chance.random() < 0.1:
            options = replace(options, site_url=chance.choice(["", "https://wiki.example/v/"]))
        if chance.random() < 0.1:
            options = replace(options, date=chance.choice([None, "2026-02-01", "2027-01-01"]))
        uncommitted = chance.random() < 0.06
        this = replace(options, uncommitted=uncommitted)
        if chance.random() < 0.12:
            told.append(f"killed {kill_build(repo.path, out, this, chance.choice([0, 1, 3, 9, 30, 80, 120, 300]))}")
            if chance.random() < 0.5:
                told.append(commit_wild(repo, vault, chance))
        try:
            build_path(repo.path, out, this)
        except BrainpressError as error:
            told.append(error.message)
            assert "no Markdown page" in told[-1]
            continue
        told.append(f"built {this.uncommitted} {this.date} {this.site_url}")
        lines = compare_with_fresh(repo.path, out, this)
        assert not lines, (lines[:8], seed, step, told[-6:])


@pytest.mark.req("P02", "P14")
@pytest.mark.parametrize("seed", range(3))
def test_a_build_after_wild_edits_is_that_of_a_fresh_folder(tmp_path: Path, seed: int) -> None:
    run_wild(seed, tmp_path, 4)


TENANT = """id: firm
title: {title}
{url}accounts:
  - id: ada
    name: Ada
memberships:
  - account: ada
    role: admin
    status: active
repos:
{repos}"""
REPO = """  - id: {id}
    title: {title}
    folder: {folder}
    owner: ada
    kind: shared
    kept_as_is: {kept}
    status: {status}
    grants: []
"""
OWN = """blueprint: own@1
title: {title}
summary: Ours.
documents:
  - id: home
    file: home.md
    title: {title}
    ring: Public Context
    deepens: [{domain}]
    outOfDateAfterDays: {days}
    asks: What is it?
"""


class WildWorkspace:
    """One tenant whose repositories, tenant.yml, blueprints and frame change at random."""

    def __init__(self, seed: int, where: Path) -> None:
        self.chance = random.Random(seed * 11 + 3)
        self.path, self.where = where / "brains", where
        self.vaults = {name: WildVault(seed * 5 + number, repos=("one", "two", "three")) for number, name in enumerate(("a", "b", "sub/c"))}
        self.repos = {}
        self.declared: dict[str, dict[str, str]] = {}
        for folder in self.vaults:
            self.repos[folder] = GitRepo.create(self.path / "firm" / folder)
        for number, (folder, repo) in enumerate(zip(self.vaults, ("one", "two", "three"), strict=True)):
            self.declared[repo] = {"id": repo, "title": f"T{number}", "folder": folder, "kept": "false", "status": "active"}
        self.title, self.url, self.own = "Firm", "", {"title": "Home", "domain": "3", "days": "30"}
        self.config = ""

    def edit(self) -> list[str]:
        """Change something; returns what."""
        chance, done = self.chance, []
        for folder, vault in self.vaults.items():
            if not self.repos[folder].commits or chance.random() < 0.6:
                done.append(f"{folder}: {commit_wild(self.repos[folder], vault, chance)}")
        if chance.random() < 0.5:
            one, other = chance.sample(sorted(self.declared), 2)
            match chance.randrange(7):
                case 0:
                    self.declared[one]["title"] = chance.choice(["Plan", "T <1>", "Home"])
                case 1:
                    self.declared[one]["kept"] = chance.choice(["true", "false"])
                case 2:
                    self.declared[one]["status"] = chance.choice(["active", "archived", "active"])
                case 3:
                    self.declared[one]["folder"], self.declared[other]["folder"] = (
                        self.declared[other]["folder"],
                        self.declared[one]["folder"],
                    )
                case 4:
                    self.title, self.url = chance.choice(["Firm", "Firma & Co"]), chance.choice(["", "url: https://wiki.example/firm\n"])
                case 5:
                    self.own = {
                        "title": chance.choice(["Home", "Start"]),
                        "domain": chance.choice("37"),
                        "days": chance.choice(["30", "5"]),
                    }
                case _:
                    self.config = chance.choice(["", "dark", "wide"])
            done.append(f"{self.declared} {self.title} {self.url} {self.own} {self.config}")
        repos = "".join(REPO.format(**each) for each in self.declared.values())
        write_files(
            self.path / "firm",
            {"tenant.yml": TENANT.format(title=self.title, url=self.url, repos=repos), "blueprints/own@1.yml": OWN.format(**self.own)},
        )
        return done

    def list_archived(self) -> list[str]:
        """Return the folders of the output that stay as they were."""
        return [f"firm/{each['id']}/" for each in self.declared.values() if each["status"] == "archived"]

    def options(self) -> BuildOptions:
        """Return how to build now."""
        if not self.config:
            return ONE
        shipped = find_resource("mkdocs.yml").read_text("utf-8")
        file = self.where / f"{self.config}.yml"
        changed = shipped.replace("language: en", "language: de") if self.config == "dark" else shipped + "\ncopyright: Us\n"
        file.write_text(changed.replace("custom_dir: ", f"custom_dir: {find_resource('mkdocs.yml').parent}/"), encoding="utf-8")
        return replace(ONE, config_file=file)


def run_wild_workspace(seed: int, where: Path, steps: int) -> None:
    """Fail where a build of a workspace differs from a fresh one."""
    space, out, told = WildWorkspace(seed, where), where / "out", []
    for step in range(steps):
        told.append(space.edit())
        if space.chance.random() < 0.15:
            told.append([f"killed {kill_build(space.path, out, space.options(), space.chance.choice([1, 3, 9, 30, 80, 200, 500]))}"])
            if space.chance.random() < 0.5:
                told.append(space.edit())
        outcomes = build_path(space.path, out, space.options())
        if all(outcome.status != "failed" for outcome in outcomes):
            lines = compare_with_fresh(space.path, out, space.options(), without=space.list_archived())
            assert not lines, (lines[:8], seed, step, told[-4:])


@pytest.mark.req("P02", "P14")
@pytest.mark.parametrize("seed", [0])
def test_a_build_of_a_workspace_after_wild_edits_is_that_of_a_fresh_folder(tmp_path: Path, seed: int) -> None:
    run_wild_workspace(seed, tmp_path, 3)
