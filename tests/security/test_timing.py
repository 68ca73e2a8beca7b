"""Hidden and missing cost the same, so that no clock tells them apart (THREATS 29).

What is exact is tested exactly: the same calls in the same order, the same statements, no file touched, and as good as the same number of
steps that SQLite takes inside them. What remains is measured: many requests of both kinds in random order, in processor time of this thread
alone, and the difference has to be small beside what a request costs.
"""

import asyncio
import gc
import itertools
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from indexer.registry.decide import decide
from indexer.registry.reach import Access, Reader
from indexer.serve.gateway import GatewayApp, build_app
from tests.tools.gateways import Site, open_site
from tests.tools.registries import open_world

pytestmark = [pytest.mark.req("S11"), pytest.mark.threat(29)]

MISSING = "/acme/plums/"
HIDDEN = ("/acme/plans/", "/acme/di-home/", "/acme/old/", "/acme/orphaned/")
ROUNDS = 1_500
MARGIN = 0.06
"""Of the median request. On a network a request varies by many times as much."""
STEPS_APART = 6
"""Of more than a hundred in a decision: what it takes SQLite to fill in a row that is not there. A table left out is twenty or more."""
Call = tuple[str, str]


def count_steps(driver: Any, act: Callable[[], object]) -> int:
    """Return how many steps SQLite's machine takes for something: the same every time, whatever else this computer is busy with."""
    steps = itertools.count()

    def step() -> int:
        next(steps)
        return 0

    driver.set_progress_handler(step, 1)
    act()
    driver.set_progress_handler(None, 0)
    return next(steps)


class Prober:
    """Asks the application without a network between, as one role."""

    def __init__(self, site: Site, headers: dict[str, str], *, at_once: bool = True) -> None:
        """`at_once` = as it is; else as if every request had to wait for something."""
        self._at_once = at_once
        self.app: GatewayApp = build_app(site.settings, clock=lambda: site.world.now)
        given = {"Host": "127.0.0.1", **headers}
        self._statements: list[str] = []
        self._driver: Any = None
        event.listen(self.app.gateway.asking.engine, "checkout", self._trace)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in given.items()]

    def _trace(self, driver: Any, *_: object) -> None:
        driver.set_trace_callback(self._statements.append)
        self._driver = driver

    async def ask(self, path: str) -> int:
        """One request, as a connection passes it on; returns its status."""
        answered = self.app.answer_at_once("GET", path.encode(), self._headers) if self._at_once else None
        if answered is not None:
            return answered[0].status
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        plain = {"type": "http", "http_version": "1.1", "scheme": "http", "method": "GET", "query_string": b"", "client": ("127.0.0.1", 1)}
        await self.app({**plain, "path": path, "raw_path": path.encode(), "headers": self._headers}, receive, send)
        return statuses[0]

    def record(self, path: str) -> list[Call]:
        """Every call of Python and C code that a request leads to, in order."""
        calls: list[Call] = []

        def note(frame: Any, kind: str, argument: Any) -> None:
            if kind == "call":
                calls.append((frame.f_code.co_filename, frame.f_code.co_name))
            elif kind == "c_call":
                calls.append(("C", f"{argument.__module__}.{argument.__qualname__}"))

        async def watch() -> None:
            gc.disable()  # a collection calls what has nothing to do with the request
            sys.setprofile(note)
            try:
                await self.ask(path)
            finally:
                sys.setprofile(None)
                gc.enable()

        asyncio.run(watch())
        return calls

    def record_statements(self, path: str) -> list[str]:
        """Every statement that a request has the database run, as the driver sends it, without the name that was asked for."""
        self._statements.clear()
        asyncio.run(self.ask(path))
        return [statement.replace(f"'{path.split('/')[2]}'", "REPO") for statement in self._statements]

    def count_steps(self, path: str) -> int:
        """Steps of SQLite's machine that a request takes."""
        return count_steps(self._driver, lambda: asyncio.run(self.ask(path)))

    def let_others_read(self, site: Site) -> None:
        """What is hidden from this role is asked for by those who may read it: that must not show either."""
        own = self._headers
        for email in ("di@acme.example", "ed@acme.example"):
            self._headers = [(b"host", b"127.0.0.1"), (b"cookie", site.cookie(email)["Cookie"].encode())]
            assert [asyncio.run(self.ask("/acme/plans/")) for _ in range(3)] == [200] * 3
        self._headers = own

    def close(self) -> None:
        """Give everything back."""
        self.app.gateway.close()


ROLES = ["anonymous", "member without grant", "other tenant", "agent without grant", "member in a task", "other tenant in a task"]


@pytest.fixture(params=ROLES)
def prober(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Prober]:
    """One of those who may not read."""
    site = open_site(tmp_path)
    made: dict[str, Callable[[], dict[str, str]]] = {
        "anonymous": dict,
        "member without grant": lambda: site.cookie("ana@acme.example"),
        "other tenant": lambda: site.cookie("ana@other.example"),
        "agent without grant": lambda: site.bearer("filer"),
    }
    made |= {"member in a task": made["member without grant"], "other tenant in a task": made["other tenant"]}
    opened = Prober(site, made[request.param](), at_once="task" not in request.param)
    opened.let_others_read(site)
    for path in (MISSING, *HIDDEN) * 3:  # what is loaded or compiled once, and the note that a session was used
        assert asyncio.run(opened.ask(path)) == 404
    yield opened
    opened.close()
    site.world.registry.close()


def test_hidden_and_missing_lead_to_the_same_calls_and_touch_no_file(prober: Prober) -> None:
    missing = prober.record(MISSING)
    assert len(missing) > 50
    assert not [call for call in missing if call[0].endswith("releases.py")], "before the decision nothing of a release is looked at"
    assert ("C", "posix.open") not in missing
    for path in HIDDEN:
        assert prober.record(path) == missing, path


def test_hidden_and_missing_lead_to_the_same_statements(prober: Prober) -> None:
    missing = prober.record_statements(MISSING)
    assert missing
    for path in HIDDEN:
        assert prober.record_statements(path) == missing, path


def test_hidden_and_missing_take_the_database_the_same_steps(prober: Prober) -> None:
    missing = prober.count_steps(MISSING)
    assert missing
    for path in HIDDEN:
        assert abs(prober.count_steps(path) - missing) <= STEPS_APART, path


@pytest.mark.parametrize("action", ["read", "write"])
@pytest.mark.parametrize(
    "reader",
    [
        Reader("acme", "ana"),
        Reader("acme", "ed"),
        Reader("acme", agent="filer"),
        Reader("acme", "ed", "filer"),
        Reader("acme", "ed", "filer", speaking=True),
        Reader("other", "ana"),
    ],
    ids=str,
)
def test_a_decision_takes_as_many_steps_about_a_missing_repo_as_about_any_other(tmp_path: Path, reader: Reader, action: Access) -> None:
    names = [path.split("/")[2] for path in (MISSING, *HIDDEN)]
    world = open_world(str(tmp_path / "registry.sqlite"))
    with world.registry.reading() as connection:
        driver = connection.connection.driver_connection
        taken = {repo: count_steps(driver, partial(decide, connection, reader, action, repo)) for repo in names}
    world.registry.close()
    assert min(taken.values()) > 50
    assert max(taken.values()) - min(taken.values()) <= STEPS_APART, taken


def test_what_may_be_read_does_lead_to_more(tmp_path: Path) -> None:
    """Or the comparison would see nothing."""
    site = open_site(tmp_path)
    reader = Prober(site, site.cookie("ed@acme.example"))
    assert asyncio.run(reader.ask("/acme/plans/")) == 200
    calls = reader.record("/acme/plans/")
    assert ("C", "posix.open") in calls
    assert [call for call in calls if call[0].endswith("releases.py")]
    assert calls != reader.record(MISSING)
    reader.close()
    site.world.registry.close()


def test_the_time_of_hidden_and_missing_is_the_same_within_a_margin(prober: Prober) -> None:
    """An equivalence test on medians: noise widens both alike, and a verdict needs three bad series in a row."""
    verdicts = []
    for turn in range(3):
        times = measure(prober, random.Random(turn))
        usual = statistics.median(times[MISSING])
        apart = {path: (statistics.median(times[path]) - usual) / usual for path in HIDDEN}
        verdicts.append(apart)
        if max(map(abs, apart.values())) < MARGIN:
            return
    pytest.fail(f"hidden and missing differ: {verdicts}")


def measure(prober: Prober, chance: random.Random) -> dict[str, list[int]]:
    """Processor time of this thread for each request, in nanoseconds; what others do on this machine counts little."""
    times: dict[str, list[int]] = {path: [] for path in (MISSING, *HIDDEN)}

    async def run() -> None:
        for _ in range(ROUNDS):
            for path in chance.sample(list(times), len(times)):
                began = time.thread_time_ns()
                await prober.ask(path)
                times[path].append(time.thread_time_ns() - began)

    asyncio.run(run())
    return times
