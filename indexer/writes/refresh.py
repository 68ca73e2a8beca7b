"""Refreshes the maps of one repo: read at the head, draw, commit the maps alone, push, bring a checked-out branch up (SPEC T28, T29, T37).

Called by `brain refresh` and the worker, which say how maps are drawn. Everything before the branch moves can be thrown away, and the
commit depends on what was read alone, its time included: whoever is stopped anywhere and runs again arrives at the same commit.
When there is somewhere to push to, the commit goes there first: it is the branch over there that decides a race.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.errors import SourceError
from indexer.model.maps import FOLDER, FRONT
from indexer.sources.branch import Branch, read_head, read_ref
from indexer.sources.commits import Change, LostRaceError, commit_changes, move_branch
from indexer.sources.git import run_git
from indexer.sources.network import Credential
from indexer.sources.objects import ObjectReader
from indexer.sources.pushing import PushRefusedError, push_commit
from indexer.sources.revision import Commit, resolve_commit
from indexer.sources.work_tree import bring_up, check_idle, read_shown, refuse_changed
from indexer.writes.content import TRAILER, WAITING, Content, is_refresh, name_mark, read_content
from indexer.writes.map_log import AddLog, Counts, describe_counts
from indexer.writes.map_plan import Drawn, FileStat, MapPlan, plan_maps, read_committed

ATTEMPTS = 5
"""How often a branch is read again that moved meanwhile."""

Draw = Callable[[str, Mapping[str, bytes]], Drawn]
"""(revision to read, maps and first page as they are committed) → the maps as they should be."""


class PushTarget(Struct, frozen=True):
    """Where a refresh is pushed."""

    address: str
    remote: str = ""
    """Name of the remote in a clone, whose branch here follows the push."""
    credential: Credential | None = None
    allow_local: bool = False
    """Whether a folder of this machine may be the address."""
    allow_private: bool = False
    """Whether a host of our own network may be."""


class RefreshOrder(Struct, frozen=True):
    """One repo to refresh."""

    open_branch: Callable[[], Branch]
    """Gives the branch as it is now; of a repo elsewhere, after its mirror was brought up."""
    draw: Draw
    add_log: AddLog
    push: PushTarget | None = None
    follows: bool = False
    """Whether `open_branch` brings what others have pushed: a mirror does."""
    only_stale: bool = False
    """Draw nothing when the maps were made from what is there."""
    check_rights: Callable[[], None] = lambda: None
    """Raises BrainpressError when the repo may not be written to; asked last, just before it is."""


class Refreshed(Struct, frozen=True):
    """How a refresh ended."""

    status: Literal["refreshed", "unchanged", "fresh", "planned"]
    """`unchanged`: drawn anew, and the same; `fresh`: nothing to draw; `planned`: what would be written."""
    revision: str
    """What was read."""
    head: str
    """Newest commit of the branch now."""
    counts: Counts = field(default_factory=Counts)
    files: tuple[FileStat, ...] = ()
    pushed: bool = False
    waiting: str = ""
    """Why relations are still to come."""


def refresh_maps(order: RefreshOrder) -> Refreshed:
    """Bring the maps of a repo up to date. Raises BrainpressError with the reason when that cannot be; then nothing has changed."""
    lost: LostRaceError | None = None
    for _ in range(ATTEMPTS):
        try:
            return _refresh_once(order)
        except LostRaceError as error:
            lost = error
    why = lost.message if lost else ""
    raise SourceError(f"The maps were drawn {ATTEMPTS} times, and each time the branch had moved. {why}", hint="Try again in a while.")


def plan_refresh(order: RefreshOrder) -> Refreshed:
    """Say what a refresh would write, and change nothing."""
    branch = order.open_branch()
    head = read_head(branch)
    content = read_content(branch, head.id)
    if not content.readable:
        return Refreshed("fresh", content.revision, head.id)
    drawn, plan = _draw(order, branch, head, content)
    status: Literal["planned", "unchanged"] = "planned" if plan.changes else "unchanged"
    return Refreshed(status, content.revision, head.id, plan.counts, plan.stats, waiting=drawn.waiting)


def _refresh_once(order: RefreshOrder) -> Refreshed:
    branch = order.open_branch()
    head = read_head(branch)
    if branch.checked_out:
        check_idle(branch)
        _settle(branch, head)
    content = read_content(branch, head.id)
    if not content.readable or (order.only_stale and content.refreshed):
        return Refreshed("fresh", content.revision, head.id, pushed=_push_earlier(order, branch, head))
    drawn, plan = _draw(order, branch, head, content)
    marks: dict[str, str | None] = {name_mark(branch): None if drawn.waiting else content.revision}
    done = Refreshed("unchanged", content.revision, head.id, plan.counts, plan.stats, waiting=drawn.waiting)
    if not plan.changes:
        with contextlib.suppress(SourceError):  # a mark saves work, no more
            move_branch(branch, head.id, head.id, head.committed_at, marks)
        return replace(done, pushed=_push_earlier(order, branch, head))
    commit = _commit(order, branch, head, content, plan, marks, waiting=bool(drawn.waiting))
    return replace(done, status="refreshed", head=commit, pushed=order.push is not None)


def _draw(order: RefreshOrder, branch: Branch, head: Commit, content: Content) -> tuple[Drawn, MapPlan]:
    now = read_committed(branch, head.id)
    drawn = order.draw(content.revision, now.contents)
    return drawn, plan_maps(branch, now, drawn, content.revision, _read_time(branch, content.revision), order.add_log)


def _read_time(branch: Branch, revision: str) -> int:
    with ObjectReader(branch.git_dir) as reader:
        commit = resolve_commit(branch.git_dir, reader, revision)
    return commit.committed_at if commit else 0


def _commit(
    order: RefreshOrder, branch: Branch, head: Commit, content: Content, plan: MapPlan, marks: dict[str, str | None], *, waiting: bool
) -> str:
    """Make the commit, push it where it is to go, move the branch, bring up the files; return its id."""
    if branch.checked_out:
        refuse_changed(branch, _allow(plan))
    order.check_rights()
    at = _read_time(branch, content.revision)
    commit = commit_changes(branch.git_dir, head.id, plan.changes, _write_message(content, plan, waiting=waiting), at)
    if order.push is not None:
        _push(order, order.push, branch, commit)
        marks |= _follow(order.push, branch, commit)
    try:
        move_branch(branch, commit, head.id, at, marks)
    except LostRaceError as lost:
        if order.push is None or order.follows:
            raise
        raise SourceError(
            f"The refresh is pushed, and `{branch.name}` got another commit here meanwhile.", hint="Run `git pull`."
        ) from lost
    if branch.checked_out:
        bring_up(branch, plan.changes)
    return commit


def _write_message(content: Content, plan: MapPlan, *, waiting: bool) -> str:
    said = describe_counts(plan.counts)
    trailers = [f"{TRAILER}: {content.revision}", *([WAITING] if waiting else [])]
    return f"Refresh the maps\n\n{said[0].upper()}{said[1:]}.\n\n" + "\n".join(trailers) + "\n"


def _allow(plan: MapPlan) -> dict[str, frozenset[str | None]]:
    """A file counts as nobody's when it is as committed, or as it is going to be: a stopped run may have left it so."""
    return {change.path: frozenset({plan.before[change.path], change.blob}) for change in plan.changes}


def _push(order: RefreshOrder, target: PushTarget, branch: Branch, commit: str) -> None:
    try:
        push_commit(
            branch,
            commit,
            target.address,
            credential=target.credential,
            allow_local=target.allow_local,
            allow_private=target.allow_private,
        )
    except LostRaceError as lost:
        if order.follows:
            raise
        raise PushRefusedError(f"Nothing was pushed: {lost.message}", hint=lost.hint) from lost


def _follow(target: PushTarget, branch: Branch, commit: str) -> dict[str, str | None]:
    ref = f"refs/remotes/{target.remote}/{branch.name}"
    return {ref: commit} if target.remote and read_ref(branch.git_dir, ref) else {}


def _push_earlier(order: RefreshOrder, branch: Branch, head: Commit) -> bool:
    """Push a refresh that was committed before there was somewhere to push it to. In a mirror there is none: the push comes first there."""
    if order.push is None or order.follows or not is_refresh(branch, head.id):
        return False
    follow = _follow(order.push, branch, head.id)
    if follow and all(read_ref(branch.git_dir, ref) == head.id for ref in follow):
        return False
    order.check_rights()
    _push(order, order.push, branch, head.id)
    move_branch(branch, head.id, head.id, head.committed_at, follow)
    return True


def _settle(branch: Branch, head: Commit) -> None:
    """Bring up the files of a refresh that was stopped after its commit: they are all as before it, or as in it."""
    parent = is_refresh(branch, head.id)
    if not parent:
        return
    args = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", parent, head.id, "--", branch.find(FOLDER), branch.find(FRONT))
    fields = run_git(branch.git_dir, args).split(b"\0")[:-1]
    lines = [line.decode().removeprefix(":").split() for line in fields[::2]]
    names = [name.decode("utf-8", "surrogateescape") for name in fields[1::2]]
    ids = {name: [None if set(blob) == {"0"} else blob for blob in line[2:4]] for name, line in zip(names, lines, strict=True)}
    shown = read_shown(branch, names) if names else {}
    behind = [name for name, each in shown.items() if each.staged == ids[name][0] != ids[name][1]]
    if not behind or any(each.staged not in ids[name] or (each.file and not each.file & set(ids[name])) for name, each in shown.items()):
        return
    with ObjectReader(branch.git_dir) as reader:
        wanted = [(name, new) for name, (_, new) in ids.items() if new is not None]
        found = reader.read_all([new.encode() for _, new in wanted], b"blob")
        contents = {name: each.content for (name, _), each in zip(wanted, found, strict=True)}
    modes = {name: line[1] for name, line in zip(names, lines, strict=True)}
    bring_up(branch, tuple(Change(name, contents.get(name), modes[name] if name in contents else "100644") for name in names))
