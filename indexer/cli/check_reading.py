"""Reads two commits of one repository for `brain check --base`. Each page is parsed once, however many of the two hold it.

The base is the commit at which the two parted, so that what others did meanwhile is not blamed on the head. Blueprints that lie in the same
git repository are read at the same two commits.
"""

import tempfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.changes import compare_results
from indexer.analysis.index import build_index, judge_brains, show_day
from indexer.cli.reading import open_cache_folder, refuse_workspace
from indexer.errors import ConfigError
from indexer.model.changes import Changes
from indexer.model.result import IndexResult
from indexer.model.snapshot import History, Limits, Origin, Snapshot
from indexer.pipeline import load_order
from indexer.registry.blueprint_set import FOLDER, BlueprintSet
from indexer.sources.difference import Span, read_difference, resolve_span
from indexer.sources.git_source import find_root, open_commit
from indexer.sources.location import Location
from indexer.sources.objects import ObjectReader
from indexer.sources.opening import locate_repository
from indexer.sources.orders import BuildOptions, RepoOrder, plan_build
from indexer.sources.revision import Commit
from indexer.sources.workspace import find_declared


class Comparison(Struct, frozen=True):
    """What was compared, and what came out."""

    changes: Changes
    named: tuple[str, str]
    """Base and head as the person called them."""
    tip: str
    """Commit that the base named, 40 hex digits; another one than `changes.base.revision` where others went on there."""


def load_comparison(path: Path, base: str, head: str | None, options: BuildOptions) -> Comparison:
    """Return what the step from `base` to `head` (None: HEAD) does. Raises BrainpressError where the two cannot be compared."""
    refuse_workspace(path)
    location = locate_repository(path)
    span = resolve_span(location, base, head)
    # One day for both: otherwise every document that grew old meanwhile would be news of this change.
    options = replace(options, date=options.date or show_day(span.head.committed_at))
    with open_cache_folder(path) as folder:
        order, plans = _plan(path, location, span, options, folder)
        before = _load(order, plans[0], options, location, span.base, folder)
        after = before
        if span.head.id != span.base.id:
            after = _load(order, plans[1], options, location, span.head, folder, before)
    changes = compare_results(before, after, read_difference(location, span.base, span.head), location.folder)
    return Comparison(changes, (base, head or "HEAD"), span.tip.id)


def _load(
    order: RepoOrder,
    plans: BlueprintSet,
    options: BuildOptions,
    location: Location,
    commit: Commit,
    folder: Path,
    last: IndexResult | None = None,
) -> IndexResult:
    """Return the repo at one commit; before its folder was made, it was empty."""
    with ObjectReader(location.git_dir) as reader:
        exists = find_root(location, reader, commit) is not None
    if not exists and last is None:
        empty = Snapshot(commit.id, commit.committed_at, ())
        return judge_brains(build_index(order.repo, order.title, empty, Origin(), History(), {}), plans, options.date)
    result, cache = load_order(order, plans, replace(options, at=commit.id), folder, last if last and last.known.names else None)
    with cache:
        return result


def _plan(path: Path, location: Location, span: Span, options: BuildOptions, folder: Path) -> tuple[RepoOrder, list[BlueprintSet]]:
    """Return how the repo is read, and its blueprints at base and head.

    Blueprints outside the git repository, and those that come with the program, are the same for both.
    """
    (tenant,) = plan_build(path, folder, options)
    inside = _place_blueprints(path, location, options)
    if not inside:
        return tenant.repos[0], [tenant.blueprints, tenant.blueprints]
    after = _read_blueprints(location, inside, span.head)
    try:
        before = _read_blueprints(location, inside, span.base)
    except ConfigError:
        before = after  # broken then, and perhaps mended now
    return tenant.repos[0], [before, after]


def _place_blueprints(path: Path, location: Location, options: BuildOptions) -> str:
    """Return the folder of the repo's own blueprints inside the git repository; empty when there is none there."""
    declared = find_declared(path)
    own = options.blueprints or (declared[0].folder / FOLDER if declared else None)
    if own is None or location.top is None or not own.resolve().is_relative_to(location.top):
        return ""
    inside = own.resolve().relative_to(location.top).as_posix()
    return "" if inside == "." else inside


def _read_blueprints(location: Location, folder: str, commit: Commit) -> BlueprintSet:
    """Return the blueprints of a folder as they were committed; raises ConfigError, which names the files as they are called there."""
    place = replace(location, folder=folder)
    with ObjectReader(location.git_dir) as reader:
        root = find_root(place, reader, commit)
        if root is None:
            return BlueprintSet(None)
        with tempfile.TemporaryDirectory(prefix="brainpress-") as scratch:
            source = open_commit(place, reader, commit, root, at=commit.id, limits=Limits())
            for entry, content in source.read([entry for entry in source.snapshot.entries if "/" not in entry.path]):
                (Path(scratch) / entry.path).write_bytes(content)
            try:
                return BlueprintSet(Path(scratch))
            except ConfigError as error:
                problems = [problem.replace(scratch, folder) for problem in error.problems]
                raise ConfigError(problems, hint=error.hint) from error
