"""A new brain gets a git repository with its first pages; trying again reuses it (SPEC T26)."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import open_source
from indexer.sources.new_repo import Seed, make_repository, name_repository
from tests.tools.commands import Ran, run_brain

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)
TENANT = "id: acme\ntitle: Acme\naccounts: [{id: ana, name: Ana}, {id: bo, name: Bo}]\nmemberships: [{account: ana}, {account: bo}]\n"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace and its registry."""
    (tmp_path / "brains" / "acme").mkdir(parents=True)
    (tmp_path / "brains" / "acme" / "tenant.yml").write_text(TENANT)
    assert brain(tmp_path, "registry", "apply", "brains").code == 0
    return tmp_path


def brain(root: Path, *arguments: str) -> Ran:
    return run_brain(*arguments, cwd=root, env={"BRAIN_REGISTRY": str(root / "registry.sqlite")})


@pytest.mark.req("T26")
def test_a_new_repository_holds_the_first_pages_in_one_commit_and_is_sound(tmp_path: Path) -> None:
    place = tmp_path / f"{name_repository('acme', 'plans')}.git"
    assert make_repository(place, Seed("Plans", "ana"), NOW)
    assert place.name == "brain-acme-plans.git"
    assert git(place, "fsck", "--strict", "--no-dangling") == ""
    assert (
        git(place, "log", "--format=%an <%ae> %cI %s")
        == "Brainpress <brainpress@noreply.invalid> 2026-11-30T08:00:00+00:00 Begin the brain\n"
    )
    git(tmp_path, "clone", "-q", str(place), "copy")
    assert sorted(path.name for path in (tmp_path / "copy").glob("*.md")) == ["BRAIN.md", "index.md", "log.md"]
    assert "- 2026-11-30 · `index.md` · brain begun · for ana\n" in (tmp_path / "copy" / "log.md").read_text()
    index = (tmp_path / "copy" / "index.md").read_text()
    assert "<!-- brain:index -->\n<!-- /brain:index -->\n" in index
    with open_source(place) as source:
        assert {entry.path for entry in source.snapshot.entries} == {"BRAIN.md", "index.md", "log.md"}
    (tmp_path / "copy" / "new.md").write_text("# New\n")
    git(tmp_path / "copy", "add", ".")
    git(tmp_path / "copy", "commit", "-qm", "more")
    git(tmp_path / "copy", "push", "-q")
    git(tmp_path / "copy", "commit", "-q", "--amend", "-m", "other")
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path / "copy", "push", "-q", "--force")


@pytest.mark.req("T26")
def test_trying_again_reuses_it_and_the_same_words_make_the_same_commit(tmp_path: Path) -> None:
    heads = []
    for name in ("a.git", "b.git"):
        make_repository(tmp_path / name, Seed("Plans", "ana"), NOW)
        heads.append(git(tmp_path / name, "rev-parse", "main"))
    assert heads[0] == heads[1]
    assert not make_repository(tmp_path / "a.git", Seed("Other", "bo"), NOW)
    assert git(tmp_path / "a.git", "rev-parse", "main") == heads[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.git", "b.git"], "nothing half made is left"


@pytest.mark.req("T26")
@pytest.mark.threat(2)
def test_what_is_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "file.git").write_text("x")
    (tmp_path / "folder.git").mkdir()
    (tmp_path / "link.git").symlink_to("/nonexistent")
    for name in ("file.git", "folder.git", "link.git"):
        with pytest.raises(SourceError):
            make_repository(tmp_path / name, Seed("P", "ana"), NOW)
    with pytest.raises(SourceError):
        make_repository(tmp_path / "missing" / "x.git", Seed("P", "ana"), NOW)
    assert (tmp_path / "file.git").read_text() == "x"


@pytest.mark.threat(47)
@pytest.mark.parametrize("title", ['"', "a: b #c", "<script>x</script>", "[[plans]] `x` *y*", "\\", "{x}", "# Plans", "---", "'a"])
def test_a_title_is_text_in_the_first_pages(root: Path, title: str) -> None:
    assert brain(root, "repo", "create", "plans", "--title", title, "--as", "ana", "--repositories", "brains").code == 0
    pages = brain(root, "inspect", "brains/acme/brain-acme-plans.git").json
    assert [page["title"] for page in pages["pages"] if page["path"] == "index.md"] == [title]
    assert [each for each in pages["findings"] if each["line"] != 2] == [], "a link in a title of the frontmatter is one"


@pytest.mark.req("T08", "T26")
def test_creating_a_repo_makes_its_repository_in_the_workspace_and_it_is_built(root: Path) -> None:
    asked = ("repo", "create", "plans", "--title", "Plans", "--as", "ana", "--repositories", "brains")
    first = brain(root, *asked)
    assert "made now" in first.out
    head = git(root / "brains" / "acme" / "brain-acme-plans.git", "rev-parse", "main")
    again = brain(root, *asked)
    assert (again.code, "which was there" in again.out) == (0, True)
    assert git(root / "brains" / "acme" / "brain-acme-plans.git", "rev-parse", "main") == head
    assert brain(root, *asked[:-3], "bo", *asked[-2:]).code == 3, "somebody else's"
    assert brain(root, "registry", "export", "--out", "brains").code == 0
    assert brain(root, "build", "brains", "--out", "out", "--registry", "registry.sqlite").code == 0
    assert (root / "out" / "acme" / "plans" / "site" / "index.html").is_file()
    reached = brain(root, "reach", "--as", "ana", "--path", "brains", "--json").json
    assert [(repo["id"], repo["access"], repo["pushed"]) for repo in reached["repos"]] == [("plans", "write", head.strip())]
    assert brain(root, "reach", "--as", "bo", "--json").json["repos"] == []


@pytest.mark.req("T26")
def test_what_was_entered_without_a_repository_gets_one_later(root: Path) -> None:
    assert "`brain repo init` does that" in brain(root, "repo", "create", "plans", "--title", "Plans", "--as", "ana").out
    assert brain(root, "repo", "init", "plans", "--as", "ana").code == 2
    assert brain(root, "repo", "init", "plans", "--as", "bo", "--repositories", "brains").code == 3
    assert brain(root, "repo", "init", "plans", "--as", "ana", "--repositories", "out-of-the-way").code == 2
    (root / "elsewhere").mkdir()
    assert brain(root, "repo", "init", "plans", "--as", "ana", "--repositories", "elsewhere").code == 2, "no workspace"
    (root / "brains" / "acme" / "plans").mkdir()
    assert brain(root, "repo", "init", "plans", "--as", "ana", "--repositories", "brains").code == 3, "its files are there"
    (root / "brains" / "acme" / "plans").rmdir()
    made = brain(root, "repo", "init", "plans", "--as", "ana", "--repositories", "brains", "--dev", "--json").json
    assert made == {"repo": "plans", "repository": "brains/acme/brain-acme-plans-dev.git", "created": True}
    assert "folder: brain-acme-plans-dev.git" in brain(root, "registry", "export").out


@pytest.mark.req("T26")
def test_a_folder_that_a_git_server_serves_makes_an_address(root: Path) -> None:
    (root / "git").mkdir()
    asked = ("repo", "create", "plans", "--title", "Plans", "--as", "ana", "--repositories", "git")
    assert brain(root, *asked, "--reached-at", "ssh://git@host.example/srv/git/").code == 0
    exported = brain(root, "registry", "export").out
    assert "address: ssh://git@host.example/srv/git/brain-acme-plans.git" in exported
    assert "branch: main" in exported
    assert (root / "git" / "brain-acme-plans.git" / "HEAD").is_file()
    refused = brain(root, "repo", "init", "plans", "--as", "ana", "--repositories", "brains")
    assert refused.code == 3
    other = brain(
        root, "repo", "create", "b", "--title", "B", "--as", "ana", "--repositories", "git", "--reached-at", "https://u:pw@host/x"
    )
    assert other.code == 3
    assert "u:pw" not in other.said
