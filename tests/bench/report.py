"""Turns measurements into Markdown for the handbook: the figures, and which targets they meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.compare import Row
from tests.bench.scale import Frame, Size
from tests.bench.search_cost import SearchCost
from tests.bench.serve_cost import ServeCost
from tests.bench.tools_cost import BRAINS, ToolCost

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Target:
    """One promise about speed or size."""

    text: str
    measured: str
    met: bool


def render_rows(title: str, rows: Sequence[Row]) -> str:
    """A comparison as a table; the last column is the time of the program divided by our full build's."""
    ours = find_cost(rows, "Brainpress")
    lines = [
        f"## {title}\n",
        "| program | seconds | processor seconds | memory, MB | pages written | times our full build | runs |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        if row.cost is None:
            lines.append(f"| {row.program} | failed | | | | | |")
        else:
            ratio = f"{row.cost.wall / ours:.2f}" if ours else ""
            memory = f"{row.cost.memory / MB:,.0f}"
            lines.append(f"| {row.program} | {row.cost.wall:.2f} | {row.cost.cpu:.2f} | {memory} | {row.pages:,} | {ratio} | {row.runs} |")
    lines += [f"\n{row.program}: {row.note}" for row in rows if row.note]
    return "\n".join(lines) + "\n"


def render_sizes(sizes: Sequence[Size]) -> str:
    """How the cost grows."""
    lines = [
        "## Growth\n",
        "| brain | pages | seconds | processor ms per page | memory, MB | largest process, MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {s.name} | {s.pages:,} | {s.cost.wall:.1f} | {s.per_page:.2f} | {s.cost.memory / MB:,.0f} | {s.cost.largest / MB:,.0f} |"
        for s in sizes
    ]
    return "\n".join(lines) + "\n"


def render_search(costs: Sequence[SearchCost]) -> str:
    """What each search downloaded."""
    lines = ["## Search on the largest site\n", "| typed | kB downloaded | requests | first result |", "|---|---:|---:|---|"]
    lines += [f"| `{c.query}` | {c.bytes / 1000:,.1f} | {c.requests} | {c.first} |" for c in costs]
    return "\n".join(lines) + "\n"


def render_targets(targets: Sequence[Target]) -> str:
    """Promise, figure, verdict."""
    lines = ["## Targets\n", "| target | measured | |", "|---|---|---|"]
    lines += [f"| {t.text} | {t.measured} | {'met' if t.met else '**missed**'} |" for t in targets]
    return "\n".join(lines) + "\n"


def judge_rows(name: str, rows: Sequence[Row]) -> list[Target]:
    """Compare our build with the others on the same pages."""
    ours, edited = find_cost(rows, "Brainpress"), find_cost(rows, "Brainpress, one page edited")
    if not ours:
        return [Target(f"{name}: our build works", "failed", met=False)]
    targets = []
    for program, least in (("MkDocs + Material", 5), ("Zensical", 10)):
        theirs = find_cost(rows, program)
        if theirs:
            targets.append(
                Target(f"{name}: at least {least} times faster than {program}", f"{theirs / ours:.1f} times", theirs >= least * ours)
            )
    hugo = find_cost(rows, "Hugo")
    if hugo:
        targets.append(Target(f"{name}: at most 3 times Hugo's time", f"{ours / hugo:.2f} times", ours <= 3 * hugo))
    if edited:
        targets.append(Target(f"{name}: after one edit at most 10 % of the full build", f"{edited / ours:.1%}", edited <= 0.1 * ours))
    return targets


def judge_sizes(sizes: Sequence[Size]) -> list[Target]:
    """Memory at 10,000 pages, and whether a page costs the same in a large brain."""
    targets = [
        Target("peak memory under 700 MB at 10,000 pages", f"{s.cost.memory / MB:,.0f} MB", s.cost.memory < 700 * MB)
        for s in sizes
        if s.pages in range(10_000, 10_100)
    ]
    generated = [s for s in sizes if s.name.startswith("generated")]
    if len(generated) > 1:
        first, last = generated[0], generated[-1]
        text = f"cost per page is flat from {first.pages:,} to {last.pages:,} pages (at most 1.3 times)"
        targets.append(Target(text, f"{last.per_page / first.per_page:.2f} times", last.per_page <= 1.3 * first.per_page))
    return targets


def judge_frame(frame: Frame) -> Target:
    """The HTML around the article."""
    measured = f"{frame.mean / 1000:.1f} kB on average, {frame.largest / 1000:.1f} kB at most ({frame.page or 'front page'})"
    return Target("HTML frame at most 25 kB a page", measured, frame.largest <= 25_000)


def judge_search(costs: Sequence[SearchCost]) -> list[Target]:
    """The dearest search."""
    if not costs:
        return []
    dearest = max(costs, key=lambda c: c.bytes)
    return [Target("a search on the largest site downloads at most 300 kB", f"{dearest.bytes / 1000:,.1f} kB", dearest.bytes <= 300_000)]


def find_cost(rows: Sequence[Row], program: str) -> float:
    """Seconds of one program's build; 0 when it failed or wrote too few pages to be compared."""
    return next((row.cost.wall for row in rows if row.program == program and row.cost and not row.note), 0.0)


def render_tools(costs: Sequence[ToolCost]) -> str:
    """What each call of a read tool took."""
    lines = [f"## Read tools on {BRAINS:,} brains\n", "| call | first, ms | median of ten more, ms |", "|---|---:|---:|"]
    lines += [f"| {c.call} | {c.first:,.1f} | {c.median:,.1f} |" for c in costs]
    return "\n".join(lines) + "\n"


def judge_tools(costs: Sequence[ToolCost]) -> list[Target]:
    """A list must come at once."""
    listed = next(cost for cost in costs if cost.call == "listBrains")
    return [Target(f"listBrains on {BRAINS:,} brains in at most 100 ms", f"{listed.median:.1f} ms", listed.median <= 100)]


def render_serving(costs: Sequence[ServeCost]) -> str:
    """Requests per second of each way, and how that compares with plain nginx."""
    plain = _rate_of_plain(costs)
    lines = [
        "## Serving\n",
        "| the same pages from | requests per second | of plain nginx | CPU a request, µs | 99 % answered within | not answered well |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [f"| {c.way} | {c.rate:,.0f} | {c.rate / plain:.0%} | {c.cpu:.0f} | {c.p99} | {c.bad:,} |" for c in costs if plain]
    return "\n".join(lines) + "\n"


def judge_serving(costs: Sequence[ServeCost]) -> list[Target]:
    """The best way of the gateway, with every check on, beside plain nginx; its other ways are in the table."""
    plain = _rate_of_plain(costs)
    ours = [c for c in costs if c.way.startswith("gateway") and not c.bad]
    if not plain or not ours:
        return []
    best = max(ours, key=lambda c: c.rate)
    text = "the gateway answers at least half as many requests per second as plain nginx with the same files"
    return [Target(text, f"{best.rate / plain:.0%} ({best.way})", best.rate >= 0.5 * plain)]


def _rate_of_plain(costs: Sequence[ServeCost]) -> float:
    rates = [c.rate for c in costs if c.way.startswith("plain") and not c.bad]
    return sum(rates) / len(rates) if rates else 0.0
