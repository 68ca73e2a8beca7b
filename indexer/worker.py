"""Keeps the maps of all repos of a registry fresh, beside the gateway (SPEC T28): looks at their heads, refreshes what has changed, builds.

Run by `brain work`, which says how a repo is read and how a tenant is built. One repo at a time; one that fails is noted with the reason
and tried again later, and never stops the others. What is done stands in git and in the registry alone: a worker that is killed and
begins again goes on where it was, and two workers at one registry share a lock for each repository.
"""

import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.errors import BrainpressError, RefusalError, SourceError
from indexer.model.progress import Silent
from indexer.model.result import RepoOutcome
from indexer.publish.output_lock import hold_output
from indexer.registry.engine import Registry
from indexer.registry.ids import show_moment
from indexer.registry.index_state import IndexState, State, fetch_index_states, store_index_state
from indexer.registry.repos import ListedRepo, list_repos
from indexer.registry.state import list_tenants
from indexer.sources.branch import Branch, read_head
from indexer.writes.lock import BusyError, hold_lock
from indexer.writes.refresh import RefreshOrder, refresh_maps

FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)


class WorkOrder(Struct, frozen=True):
    """One repo to look after."""

    refresh: RefreshOrder
    find_lock: Callable[[], Path]
    """Gives the file whose lock says that a refresh is at work there."""
    output: Path | None = None
    """Folder of the repo's website, in whose `.brain` the refresh works as well; None = a place where nobody builds."""

    def hold_output(self) -> AbstractContextManager[None]:
        """Keep builds away while this repo is fetched and read; BusyError when one is at work there."""
        return hold_output(self.output, 0, Silent()) if self.output else nullcontext()


Plan = Callable[[str, ListedRepo], WorkOrder]
"""(tenant, repo) → where it is and how it is refreshed; raises BrainpressError."""
Build = Callable[[str], Sequence[RepoOutcome]]
"""Build the websites of a tenant."""


class DroppedError(RefusalError):
    """A repo that was to be refreshed is kept as it is, or archived, by now."""


def wait_after(tries: int) -> timedelta:
    """Return how long to wait after so many tries that failed: twice as long each time, up to an hour."""
    return min(FIRST_WAIT * (1 << min(tries - 1, 20)), LONGEST_WAIT)


class Tally(Struct):
    """What one round came to."""

    refreshed: int = 0
    failed: int = 0
    built: int = 0


class Worker(Struct):
    """See `run`. Share none of it among threads but `stop`."""

    registry: Registry
    plan: Plan
    build: Build | None
    """None = no websites."""
    tell: Callable[[str], None]
    """Gets one line for each thing that happened."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    stop: threading.Event = field(default_factory=threading.Event)
    """Set it, and the worker ends after the repo that it is at."""
    _heads: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was last built."""

    def run(self, interval: float) -> None:
        """Go round all repos until told to stop, with `interval` seconds in between.

        A round that cannot go on, as while the registry's database is restarted, is told, and the next one begins again.
        """
        while not self.stop.is_set():
            try:
                self.go_round()
            except BrainpressError as error:
                self.tell(f"This round was not finished. {error.message} {error.hint}".rstrip())
            self.stop.wait(interval)

    def go_round(self) -> Tally:
        """Look after each active repo once."""
        tally = Tally()
        with self.registry.snapshot() as connection:
            tenants = {tenant: list_repos(connection, tenant) for tenant in list_tenants(connection)}
        for tenant, repos in tenants.items():
            moved = {listed.repo.id for listed in repos if not self.stop.is_set() and self._look_after(tenant, listed, tally)}
            if moved and self.build is not None and not self.stop.is_set():
                self._build(tenant, {listed.repo.id: listed for listed in repos}, tally)
        return tally

    def _look_after(self, tenant: str, listed: ListedRepo, tally: Tally) -> bool:
        """Refresh a repo that has changed; return whether its website has to be built."""
        if listed.status != "active":
            return False
        name = listed.repo.id
        with self.registry.reading() as connection:
            known = fetch_index_states(connection, tenant, [name]).get(name)
        if listed.repo.kept_as_is:
            self._drop(tenant, name, known)
        elif known and known.next_try and self._waits(known.next_try):
            return False
        opened: list[Branch] = []
        try:
            head = self._refresh(tenant, listed, known, tally, opened)
        except BusyError as busy:
            self.tell(f"{tenant}/{name}: {busy.message} Looking again in the next round.")
            return False
        except DroppedError as dropped:
            self.tell(f"{tenant}/{name}: {dropped.message}")
            return False
        except BrainpressError as error:
            self._fail(tenant, name, known, f"{error.message} {error.hint}".rstrip(), tally)
            return bool(opened) and self._has_moved(tenant, name, opened[-1])
        except Exception:  # noqa: BLE001 (the top of the worker: a mistake of ours with one repo must not stop the others)
            self.tell(f"{tenant}/{name}: {traceback.format_exc().rstrip()}")
            self._fail(tenant, name, known, "A mistake in the program; what the worker printed says where.", tally)
            return False
        moved = self._heads.get((tenant, name)) != head or (known is not None and known.state == "failed")
        self._heads[tenant, name] = head
        return moved

    def _waits(self, next_try: str) -> bool:
        """Whether the time of a next try is still to come. One further away than any wait was noted by a clock that has been put back."""
        now = self.clock()
        return show_moment(now) < next_try <= show_moment(now + LONGEST_WAIT)

    def _has_moved(self, tenant: str, repo: str, branch: Branch) -> bool:
        """Whether a repo whose maps cannot be written, say in a protected branch, has something new for its website nevertheless."""
        try:
            head = read_head(branch).id
        except SourceError:
            return False
        moved = self._heads.get((tenant, repo)) != head
        self._heads[tenant, repo] = head
        return moved

    def _refresh(self, tenant: str, listed: ListedRepo, known: IndexState | None, tally: Tally, opened: list[Branch]) -> str:
        """Return the head of a repo, after its refresh; what is refreshed goes into `opened`, for those who look after a failure."""
        work = self.plan(tenant, listed)

        def open_branch() -> Branch:
            opened.append(work.refresh.open_branch())
            return opened[-1]

        order = replace(work.refresh, open_branch=open_branch, only_stale=True, check_rights=lambda: self._check(tenant, listed.repo.id))
        with work.hold_output():
            if listed.repo.kept_as_is:
                return _read_head(work)
            with hold_lock(work.find_lock()):
                done = refresh_maps(order)
        if done.status == "refreshed":
            tally.refreshed += 1
            self.tell(f"{tenant}/{listed.repo.id}: refreshed from {done.revision[:12]}{', and pushed' if done.pushed else ''}.")
        if done.waiting:
            tries = (known.tries if known else 0) + 1
            self._note(tenant, listed.repo.id, "stale", reason=f"Relations wait: {done.waiting}", tries=tries)
        elif known is None or known.state != "fresh" or done.status != "fresh":
            self._note(tenant, listed.repo.id, "fresh", revision=done.revision)
        return done.head

    def _check(self, tenant: str, repo: str) -> None:
        """Ask the registry again, just before something is written."""
        with self.registry.reading() as connection:
            listed = next((each for each in list_repos(connection, tenant) if each.repo.id == repo), None)
        if listed is None or listed.status != "active":
            raise DroppedError("It was archived meanwhile; the refresh is dropped.")
        if listed.repo.kept_as_is:
            raise DroppedError("It is kept as it is by now; the refresh is dropped.")

    def _drop(self, tenant: str, repo: str, known: IndexState | None) -> None:
        """A refresh that was to be tried again is not."""
        if known is not None and known.tries:
            self._note(tenant, repo, known.state, reason="Kept as it is; its refresh was dropped.", revision=known.revision)
            self.tell(f"{tenant}/{repo}: kept as it is; its refresh was dropped.")

    def _fail(self, tenant: str, repo: str, known: IndexState | None, reason: str, tally: Tally) -> None:
        tally.failed += 1
        tries = (known.tries if known else 0) + 1
        self._note(tenant, repo, "failed", reason=reason, tries=tries)
        self.tell(f"{tenant}/{repo}: FAILED, next try after {show_moment(self.clock() + wait_after(tries))}. {reason}")

    def _note(self, tenant: str, repo: str, state: State, *, reason: str = "", revision: str | None = None, tries: int = 0) -> None:
        now = self.clock()
        again = now + wait_after(tries) if tries else None
        with self.registry.writing() as connection:
            store_index_state(connection, tenant, repo, state, now, revision=revision, reason=reason, tries=tries, next_try=again)

    def _build(self, tenant: str, repos: dict[str, ListedRepo], tally: Tally) -> None:
        """Build the websites of a tenant, and note what its refreshes could not: repos that fail, and those that are kept as they are."""
        if self.build is None:
            return
        try:
            outcomes = self.build(tenant)
        except BrainpressError as error:
            self._miss_build(tenant, f"{error.message} {error.hint}".rstrip(), tally)
            return
        except Exception:  # noqa: BLE001 (as for one repo: a mistake with one tenant must not stop the others)
            self._miss_build(tenant, traceback.format_exc().rstrip(), tally)
            return
        tally.built += 1
        with self.registry.reading() as connection:
            known = fetch_index_states(connection, tenant, list(repos))
        for outcome in outcomes:
            if outcome.repo not in repos:
                continue
            before = known.get(outcome.repo)
            if outcome.status == "failed":
                if before is None or before.next_try is None or not self._waits(before.next_try):  # else its refresh failed, too
                    self._fail(tenant, outcome.repo, before, f"{outcome.error} {outcome.hint}".rstrip(), tally)
            elif repos[outcome.repo].repo.kept_as_is:
                self._note(tenant, outcome.repo, "fresh", revision=outcome.revision)
        lost = sum(outcome.status == "failed" for outcome in outcomes)
        made = len(outcomes) - lost
        self.tell(f"{tenant}: built {made} {'website' if made == 1 else 'websites'}{f'; {lost} could not be built' if lost else ''}.")

    def _miss_build(self, tenant: str, reason: str, tally: Tally) -> None:
        """Tell why a tenant could not be built; it is tried again in the next round."""
        tally.failed += 1
        self._forget(tenant)
        self.tell(f"{tenant}: the websites could not be built; the last ones stay. {reason}")

    def _forget(self, tenant: str) -> None:
        for key in [key for key in self._heads if key[0] == tenant]:
            del self._heads[key]


def _read_head(work: WorkOrder) -> str:
    """Return the head of a repo that is not refreshed; whether it can be read at all is for the build to say."""
    try:
        return read_head(work.refresh.open_branch()).id
    except SourceError:
        return ""
