"""Builds one repository again and again while it changes, and says in what its output differs from that of a fresh build."""

import json
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from indexer.pipeline import build_path
from indexer.publish.release import STATE_FILE
from indexer.publish.state import BuildState, load_state
from indexer.publish.website import VERSION
from indexer.sources.orders import STATE_FOLDER, BuildOptions
from tests.tools.index_rows import export_rows
from tests.tools.kill_points import run_until
from tests.tools.trees import compare_trees, read_tree
from tests.tools.vaults import Files, write_files

_TOLD_BY_BUILDS = ("build", "build_figure", "index_version")
"""Tables that tell of the builds that there were, and so differ by their number."""
ONE = BuildOptions(processes=1)


def read_built(out: Path) -> dict[str, bytes]:
    """Return all that a build leaves for others: files of sites and reports without their trend, rows of the index."""
    found = {name: content for name, content in read_tree(out).items() if not _is_own(name)}
    for name in [name for name in found if name.endswith("report.json") and "site/" not in name]:
        found[name] = json.dumps({**json.loads(found[name]), "trend": []}, indent=1).encode()
    for index in sorted(out.glob("**/index.duckdb")):
        for table, rows in export_rows(index).items():
            if table not in _TOLD_BY_BUILDS:
                found[f"{index.relative_to(out)}: {table}"] = "\n".join(rows).encode("utf-8", "surrogateescape")
    return found


def _is_own(name: str) -> bool:
    """Whether a file serves the next build alone, or is compared by its content."""
    return f"{STATE_FOLDER}/" in f"/{name}".replace("/site/", "//") or name.endswith("index.duckdb")


def read_remembered(out: Path) -> dict[str, BuildState]:
    """Return what the next build will take over, without what counts builds: a wrong memory shows only later."""
    states = {}
    for file in sorted(out.rglob(f"{STATE_FOLDER}/{STATE_FILE}")):
        state = load_state(file.parent, VERSION)
        states[str(file.relative_to(out))] = replace(state, generation=0, delta=frozenset())
    return states


def build_fresh(path: Path, like: Path, options: BuildOptions) -> dict[str, bytes]:
    """Build to a new folder and return the output; only the frames are taken over from `like`, for they are slow to draw."""
    out = like.with_name(like.name + ".fresh")
    shutil.rmtree(out, ignore_errors=True)
    for frames in like.rglob("frames-*.msgpack"):
        target = out / frames.relative_to(like)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(frames, target)
    build_path(path, out, options)
    return read_built(out)


def compare_with_fresh(path: Path, out: Path, options: BuildOptions = ONE, without: Sequence[str] = ()) -> list[str]:
    """Return in what an output differs from a fresh one, in files, rows or memory; folders `without` are built no more."""
    built = {name: content for name, content in read_built(out).items() if not name.startswith(tuple(without))}
    lines = compare_trees(built, build_fresh(path, out, options))
    ours, fresh = read_remembered(out), read_remembered(out.with_name(out.name + ".fresh"))
    for name in (name for name in ours.keys() | fresh.keys() if not name.startswith(tuple(without))):
        one, other = ours.get(name), fresh.get(name)
        differing = [part for part in BuildState.__struct_fields__ if getattr(one, part, None) != getattr(other, part, None)]
        lines += [f"{name}: {part} is remembered differently" for part in differing]
    return lines


def kill_build(path: Path, out: Path, options: BuildOptions, step: int) -> bool:
    """Build and be killed before the `step`th change to the output; True = the build came to its end before."""
    return run_until(step, partial(build_path, path, out, options), out)


def replace_files(folder: Path, files: Files) -> None:
    """Make the files of a work tree these, and no others."""
    for path in sorted(folder.rglob("*"), reverse=True):
        name = path.relative_to(folder).as_posix()
        if name == ".git" or name.startswith(".git/"):
            continue
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()
    write_files(folder, files)
