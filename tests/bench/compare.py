"""Builds the same pages with every program in one run: ours in full, after one edited page and without a change; then the others."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measure import Cost, RunError, measure, take_median
from tests.bench.peers import PEERS, Site, set_up_brainpress

LONG_SECONDS = 120
"""A build that takes longer is not repeated: the differences that matter here are larger than what repeating would show."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison."""

    program: str
    cost: Cost | None
    """Median; None when the program failed."""
    runs: int
    pages: int
    """HTML pages it wrote."""
    note: str = ""
    """Why it failed, or what is special."""


def compare_programs(pages: Path, work: Path, runs: int, say: Say) -> list[Row]:
    """Measure our three kinds of build, then each other program, below `work`; nothing is deleted meanwhile (see `Site.set_aside`)."""
    rows = measure_ours(pages, work / "brainpress", runs, say)
    for set_up in PEERS:
        folder = work / set_up.__name__.removeprefix("set_up_")
        folder.mkdir(parents=True)
        site = set_up(pages, folder)
        say(f"{site.program}: full build")
        rows.append(_measure_site(site, runs))
    return rows


def measure_ours(pages: Path, folder: Path, runs: int, say: Say) -> list[Row]:
    """Measure our full build, the build after one edited page, and the build after no change."""
    folder.mkdir(parents=True)
    site = set_up_brainpress(pages, folder)
    say("Brainpress: full build")
    rows = [_measure_site(site, runs)]
    if rows[0].cost is not None:
        edited = _pick_page(site.pages)
        original = edited.read_text("utf-8")
        say("Brainpress: after one edited page")
        costs = []
        for number in range(runs):
            edited.write_text(f"{original}\nEdited for the {number + 1}. time, with a word like zebra{number}.\n", encoding="utf-8")
            costs.append(measure(site.command, site.folder))
        rows.append(Row("Brainpress, one page edited", take_median(costs), runs, rows[0].pages))
        say("Brainpress: without a change")
        costs = [measure(site.command, site.folder) for _ in range(runs)]
        rows.append(Row("Brainpress, nothing changed", take_median(costs), runs, rows[0].pages))
    return rows


def measure_full(site: Site, runs: int) -> tuple[Cost, int]:
    """Build from nothing, up to `runs` times, and return the median cost and the number of runs."""
    costs: list[Cost] = []
    while len(costs) < runs:
        site.set_aside()
        costs.append(measure(site.command, site.folder))
        if costs[0].wall > LONG_SECONDS:
            break
    return take_median(costs), len(costs)


def _measure_site(site: Site, runs: int) -> Row:
    try:
        cost, done = measure_full(site, runs)
    except RunError as failure:
        return Row(site.program, None, 0, 0, str(failure))
    wanted = sum(1 for _ in site.pages.rglob("*.md"))
    pages = max(sum(1 for _ in output.rglob("*.html")) for output in site.outputs)
    note = "" if pages >= wanted else f"wrote {pages} of {wanted} pages"
    return Row(site.program, cost, done, pages, note)


def _pick_page(pages: Path) -> Path:
    """A page in the middle of the list: neither the front page nor the most linked one."""
    files = sorted(pages.rglob("*.md"))
    return files[len(files) // 2]
