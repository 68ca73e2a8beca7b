"""What the graph explorer costs: drawing the picture when a site is built, and opening it in a browser.

    python -m tests.bench.explorer_cost

Graphs are generated: communities of about 90 pages, five links a page, one in five of them to anywhere. Processor time where it is ours;
the browser draws WebGL in software here, and its frames are told in time on the clock.
"""

import random
import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from indexer.analysis.communities import find_communities
from indexer.publish.explorer_layout import lay_out
from tests.bench.compare import measure_full
from tests.bench.explorer_browser import BrowserCost, measure_browser
from tests.bench.make_brain import write_brain
from tests.bench.peers import set_up_brainpress
from tests.bench.report import Target, render_targets

SIZES = ((2_000, 0.3), (10_000, 3.0), (40_000, 15.0))
"""Pages, and the most seconds of processor time for their picture."""
_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class ExplorerCost:
    """Figures of one run."""

    layouts: tuple[tuple[int, float, float], ...]
    """(pages, processor seconds, peak megabytes)."""
    size: float
    """Megabytes of data that the explorer reads at 10,000 pages."""
    browser: BrowserCost | None


def main() -> int:
    """Measure and print; 0 = every target is met."""
    with tempfile.TemporaryDirectory(prefix="brainpress-bench-") as work:
        cost = measure_explorer(Path(work))
    print(render_explorer_cost(cost))
    targets = judge_explorer(cost)
    print(render_targets(targets))
    return 0 if all(target.met for target in targets) else 1


def measure_explorer(work: Path) -> ExplorerCost:
    """Draw generated graphs, then build a generated brain of 10,000 pages and open its explorer."""
    layouts = tuple(measure_layout(pages) for pages, _ in SIZES)
    write_brain(work / "brain", _PAGES, _PAGES // 80)
    folder = work / "built"
    folder.mkdir()
    measure_full(set_up_brainpress(work / "brain", folder), 1)
    site = folder / "out" / "site"
    size = sum(file.stat().st_size for file in (site / "_" / "graph").glob("*.json")) / 1e6
    return ExplorerCost(layouts, size, measure_browser(site))


def measure_layout(pages: int) -> tuple[int, float, float]:
    """Return the processor seconds and, from a second run, the peak memory of one picture."""
    nodes, edges = make_graph(pages)
    communities = find_communities(nodes, edges)
    began = time.process_time()
    lay_out(nodes, edges, communities)
    seconds = time.process_time() - began
    tracemalloc.start()
    lay_out(nodes, edges, communities)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return pages, seconds, peak


def make_graph(pages: int) -> tuple[tuple[str, ...], tuple[tuple[str, str, int], ...]]:
    """Return nodes and edges; a few pages of each community get most of its links."""
    stream = random.Random(pages)
    nodes = tuple(sorted(f"f{number % 40:02}/p{number:05}.md" for number in range(pages)))
    groups = max(1, pages // 90)
    edges = set()
    for page in range(pages):
        for _ in range(5):
            inside = page % groups + groups * min(int(stream.expovariate(0.05)), pages // groups - 1)
            other = inside % pages if stream.random() < 0.8 else stream.randrange(pages)
            if other != page:
                edges.add((nodes[page], nodes[other], 1))
    return nodes, tuple(sorted(edges))


def render_explorer_cost(cost: ExplorerCost) -> str:
    """The figures as tables."""
    lines = ["## The graph explorer\n", "| Pages | CPU seconds for the picture | Peak memory, MB |", "|--:|--:|--:|"]
    lines += [f"| {pages:,} | {seconds:.2f} | {peak:.0f} |" for pages, seconds, peak in cost.layouts]
    if cost.browser:
        it = cost.browser
        opened = f"At 10,000 pages in Chromium, WebGL in software: {it.script:.2f} s of CPU in the page until it can be used"
        moved = f"{it.script_frame:.1f} ms of it a frame, {it.median_frame:.0f} ms a frame at the median"
        lines += ["", f"{opened}; panning and zooming, {moved}, the longest task {it.longest_task:.0f} ms."]
    return "\n".join(lines) + "\n"


def judge_explorer(cost: ExplorerCost) -> list[Target]:
    """The promises."""
    targets = [
        Target(f"picture of {pages:,} pages in {most} s of CPU, 200 MB", f"{seconds:.2f} s, {peak:.0f} MB", seconds <= most and peak < 200)
        for (pages, seconds, peak), (_, most) in zip(cost.layouts, SIZES, strict=True)
    ]
    targets.append(Target("graph of 10,000 pages in 1.5 MB", f"{cost.size:.2f} MB", cost.size <= 1.5))
    if cost.browser is None:
        return targets
    it = cost.browser
    return [
        *targets,
        Target("10,000 pages to the first interaction in 2 s", f"{it.interaction:.2f} s", it.interaction < 2),
        Target("no frame over 100 ms while panning and zooming", f"{it.worst_frame:.0f} ms at most", it.worst_frame <= 100),
        Target(
            "nothing left after ten rounds of opening and closing",
            f"{it.heap_growth:+.1f} MB, {it.nodes_growth} elements, {it.contexts} WebGL contexts",
            it.heap_growth < 2 and it.nodes_growth < 200 and it.contexts == 0,
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
