"""Symbolic links as further names of files: what they name is read at its own place alone, and links to them lead there (SPEC P01, P05)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.model.snapshot import Entry
from indexer.pipeline import build_path
from indexer.sources.orders import BuildOptions
from indexer.sources.symlinks import follow_symlinks, name_target
from tests.tools.commands import run_brain
from tests.tools.repos import GitRepo
from tests.tools.trees import compare_trees, read_tree

VaultFactory = Callable[..., Path]
RepoFactory = Callable[..., GitRepo]
HERE = BuildOptions(processes=1)


def read_links(path: Path) -> dict[str, tuple[str, str | None]]:
    """Return link as written → status and target."""
    ran = run_brain("inspect", path, "--json")
    assert ran.code == 0, ran.said
    return {link["raw"]: (link["status"], link["to"]) for link in json.loads(ran.out)["links"]}


@pytest.mark.req("P01", "P05")
def test_links_to_a_symbolic_link_lead_to_the_file_that_it_names(vault: VaultFactory) -> None:
    text = "[[linked]] [x](linked.md) [y](sub/deep.md) [[chain]] ![[alias.png]] [[Linked]] [[gone]] [[outside]] [[up]]"
    source = vault({"index.md": text, "real.md": "# Real\n", "real.png": b"png", "sub/n.md": "# N\n"})
    for link, target in {
        "linked.md": "real.md",
        "sub/deep.md": "../real.md",
        "chain.md": "linked.md",
        "alias.png": "real.png",
        "gone.md": "nowhere.md",
        "outside.md": "/etc/hostname",
        "up.md": "../../up.md",
        "loop.md": "loop.md",
    }.items():
        (source / link).symlink_to(target)
    links = read_links(source)
    for raw in ("[[linked]]", "[x](linked.md)", "[y](sub/deep.md)", "[[chain]]", "[[Linked]]"):
        assert links[raw] == ("page", "real.md"), raw
    assert links["![[alias.png]]"] == ("asset", "real.png")
    assert {links[raw][0] for raw in ("[[gone]]", "[[outside]]", "[[up]]")} == {"missing"}


@pytest.mark.req("P01", "P05")
def test_paths_through_a_symbolic_link_to_a_folder_lead_to_what_is_there(vault: VaultFactory) -> None:
    text = "[a](docs/a.md) [b](docs/a) [[docs/a#a]] [c](docs/) ![d](img/p.png) [e](d/docs/deep/b.md) [f](docs/round/round/a.md) [[docs]]"
    source = vault({"index.md": f"{text} [g](docs/gone.md) [h](up/x.md)", "manual/a.md": "# A\n", "manual/deep/b.md": "", "d/x.md": "x"})
    (source / "manual/p.png").write_bytes(b"png")
    for link, target in {"docs": "manual", "img": "docs", "d/docs": "../manual", "manual/round": ".", "up": "..", "self": "self"}.items():
        (source / link).symlink_to(target)
    links = read_links(source)
    page = ("page", "manual/a.md")
    assert links == {
        "[a](docs/a.md)": page,
        "[b](docs/a)": page,
        "[[docs/a#a]]": ("page", "manual/a.md#a"),
        "[c](docs/)": ("folder", "manual/"),
        "![d](img/p.png)": ("asset", "manual/p.png"),
        "[e](d/docs/deep/b.md)": ("page", "manual/deep/b.md"),
        "[f](docs/round/round/a.md)": page,
        "[[docs]]": ("folder", "manual/"),
        "[g](docs/gone.md)": ("missing", None),
        "[h](up/x.md)": ("missing", None),
    }


@pytest.mark.req("P01", "P05", "P19")
def test_a_symbolic_link_to_a_hidden_page_is_no_name_of_anything_published(vault: VaultFactory, tmp_path: Path) -> None:
    source = vault({"index.md": "[[linked]]", "real.md": "---\nprivate: true\n---\n# Quaggafjord\n"})
    (source / "linked.md").symlink_to("real.md")
    assert read_links(source)["[[linked]]"] == ("private", "real.md")
    build_path(source, tmp_path / "with", HERE)
    (source / "real.md").unlink()
    build_path(source, tmp_path / "without", HERE)
    assert compare_trees(read_tree(tmp_path / "with" / "site"), read_tree(tmp_path / "without" / "site")) == []


@pytest.mark.req("P02", "P14")
def test_a_symbolic_link_that_names_another_page_moves_the_links_to_it(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo, out = git_repo({"index.md": "[[linked]]", "a.md": "# A\n", "b.md": "# B\n"}), tmp_path / "out"
    for number, target in enumerate(["a.md", "b.md"]):
        (repo.path / "linked.md").unlink(missing_ok=True)
        (repo.path / "linked.md").symlink_to(target)
        repo.commit({"note.txt": str(number)})
        build_path(repo.path, out, HERE)
        build_path(repo.path, tmp_path / f"fresh{number}", HERE)
        assert read_links(repo.path)["[[linked]]"] == ("page", target)
        assert compare_trees(read_tree(tmp_path / f"fresh{number}" / "site"), read_tree(out / "site")) == []


@pytest.mark.threat(7)
def test_what_a_symbolic_link_says_is_only_ever_a_name_inside_the_content() -> None:
    assert name_target(b"a/l.md", b"../b.md") == "b.md"
    for target in (b"/b.md", b"../../b.md", b"", b"\xff.md", b"x" * 5000, b".git/config", b"../.git/config"):
        assert name_target(b"a/l.md", target) == "", target
    entries = [Entry("b.md", "0" * 40, 1)]
    assert follow_symlinks([(b"l.md", "m.md"), (b"m.md", "b.md"), (b"x.md", "y.md"), (b"y.md", "x.md"), (b"z.md", "")], entries) == {
        "l.md": "b.md",
        "m.md": "b.md",
    }
