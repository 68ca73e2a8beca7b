"""`brain blueprint`: the plans for brains that there are, what one holds, what is wrong with one, and a new one. Wiring only."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from indexer.cli.blueprint_text import print_blueprint, print_list
from indexer.cli.options import json_option
from indexer.cli.paths import TypedPath
from indexer.cli.terminal import count, escape_text, render_json
from indexer.errors import SourceError, UsageError
from indexer.model.blueprint import RINGS, Blueprint
from indexer.registry.blueprint_draft import name_file, next_ref, render_draft
from indexer.registry.blueprint_file import (
    FOLDER,
    check_blueprint_file,
    list_blueprint_files,
    load_blueprints,
    load_shipped,
    show_blueprint,
    split_ref,
)
from indexer.registry.blueprint_model import ENDING
from indexer.registry.names import NAME_PATTERN, REF_PATTERN, suggest
from indexer.resources import find_resource

folder_option = click.option(
    "--blueprints", "folder", metavar="DIR", type=TypedPath(), help="Also those of this folder, such as a tenant's."
)


@click.group("blueprint")
def command() -> None:
    """Show, check and begin blueprints: plans of what a brain should hold."""


@command.command("list")
@folder_option
@json_option
def list_command(folder: Path | None, as_json: bool) -> None:
    """List the blueprints that cards can name."""
    blueprints = _load(folder)
    if as_json:
        click.echo(render_json({"blueprints": [_summarise(each) for each in blueprints.values()]}))
    else:
        print_list(blueprints)


@command.command("show")
@click.argument("ref")
@folder_option
@json_option
def show_command(ref: str, folder: Path | None, as_json: bool) -> None:
    """Show what a brain of one kind should hold.

    REF is a blueprint such as site@1; without a version, the newest one is shown. Its documents are listed by ring, with what each
    should contain.
    """
    blueprint = _find(ref, _load(folder))
    if as_json:
        click.echo(render_json(show_blueprint(blueprint)))
    else:
        print_blueprint(blueprint)


@command.command("check")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=TypedPath())
@json_option
@click.pass_context
def check_command(ctx: click.Context, paths: Sequence[Path], as_json: bool) -> None:
    """Check blueprint files and show all problems. FILE may be a folder that holds some.

    Exits 1 when there are problems.
    """
    files = list(dict.fromkeys(file for path in paths for file in _list_files(path)))
    shipped = find_resource(FOLDER).resolve()
    problems: list[str] = []
    faulty = 0
    for file in files:
        own = file.parent.resolve() == shipped
        found = check_blueprint_file(file, () if own else load_shipped())[1]
        problems += found
        faulty += bool(found)
    if as_json:
        click.echo(render_json({"files": len(files), "problems": problems}))
    else:
        for problem in problems:
            click.echo(escape_text(problem))
        click.echo(f"{count(len(problems), 'problem')} in {faulty} of {count(len(files), 'file')}." if problems else _praise(len(files)))
    ctx.exit(int(bool(problems)))


@command.command("new")
@click.argument("name")
@click.option("--from", "source", metavar="REF", help="Begin with the documents of this blueprint.")
@click.option("--out", metavar="DIR", type=TypedPath(), default=Path(), help="Write it into this folder instead of here.")
@folder_option
def new_command(name: str, source: str | None, out: Path, folder: Path | None) -> None:
    """Write a blueprint file to begin with.

    NAME is its name in lower case; the next free version is added, unless NAME has one (press@3). The file explains every key. No file
    is ever overwritten.
    """
    blueprints = _load(folder)
    ref = _decide_ref(name, [*blueprints, *_list_refs(out)])
    if ref in load_shipped():
        raise UsageError(f"{ref} ships with the program and cannot be replaced.", hint="Choose another name or version.")
    text = render_draft(ref, _find(source, blueprints) if source is not None else None)
    file = out / name_file(ref)
    _write_new(file, text)
    click.echo(f"{escape_text(str(file))} is ready to be edited; then check it with: brain blueprint check {escape_text(str(file))}")


def _load(folder: Path | None) -> dict[str, Blueprint]:
    # Who names a folder here may mean one behind a link; a tenant's own must not be one.
    return load_blueprints(folder.resolve() if folder is not None and folder.is_symlink() else folder)


def _find(ref: str, blueprints: Mapping[str, Blueprint]) -> Blueprint:
    if ref in blueprints:
        return blueprints[ref]
    versions = sorted((each for each in blueprints if split_ref(each)[0] == ref), key=split_ref)
    if versions:
        return blueprints[versions[-1]]
    near = suggest(ref, [*blueprints, *(split_ref(each)[0] for each in blueprints)])
    raise UsageError(
        f"There is no blueprint called {ref}{near or '.'}",
        hint=f"Choose one of: {', '.join(blueprints)}. --blueprints DIR adds those of a folder.",
    )


def _list_files(path: Path) -> list[Path]:
    """Return the blueprint files that an argument names."""
    try:
        files = list_blueprint_files(path) if path.is_dir() else [path]
        path.lstat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file has such a name"
        raise SourceError(f"{path} cannot be read: {reason}.", hint="Check the spelling, and the right to read it.") from error
    if not files:
        raise SourceError(f"{path} holds no blueprint file.", hint=f"Blueprint files are called like site@1{ENDING}.")
    return files


def _list_refs(folder: Path) -> list[str]:
    """Return the refs that the names of a folder's files stand for, whatever is in them; a folder that is not there has none."""
    try:
        return [file.stem for file in list_blueprint_files(folder)]
    except OSError:
        return []


def _decide_ref(name: str, refs: Collection[str]) -> str:
    if re.fullmatch(REF_PATTERN, name):
        return name
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(
            f"{name} cannot be the name of a blueprint.", hint="It has lower-case letters, digits and dashes, and may end like @1."
        )
    return next_ref(name, refs)


def _write_new(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{file.parent} cannot be made: {error.strerror}.", hint="Choose another folder with --out.") from error
    try:
        with file.open("x", encoding="utf-8", newline="\n") as opened, _removed_unless_whole(file):
            opened.write(text)
            opened.flush()
    except FileExistsError as error:
        raise SourceError(f"{file} exists and is not overwritten.", hint="Choose another name or version, or remove it first.") from error
    except OSError as error:
        raise SourceError(f"{file} cannot be written: {error.strerror}.", hint="Choose another folder with --out.") from error


@contextmanager
def _removed_unless_whole(file: Path) -> Iterator[None]:
    """Take away what a full disk left of a file: it would be in the way of the next try."""
    try:
        yield
    except OSError:
        file.unlink(missing_ok=True)
        raise


def _summarise(blueprint: Blueprint) -> dict[str, Any]:
    counts = Counter(each.ring for each in blueprint.documents)
    rings = [{"ring": ring, "stage": stage, "documents": counts[ring]} for ring, stage in RINGS if counts[ring]]
    return {
        "type": blueprint.ref,
        "title": blueprint.title,
        "summary": blueprint.summary,
        "documents": len(blueprint.documents),
        "rings": rings,
    }


def _praise(files: int) -> str:
    return f"{count(files, 'file')}, no problems."
