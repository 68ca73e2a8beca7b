"""`make bench`: measures our build beside others on the same pages, and prints Markdown for the handbook.

    python -m tests.bench [--runs 3] [--only generated,virgil,growth,search,relations,finding,tools,decide,serve,explorer] [--work FOLDER]

Takes most of an hour in full: the other programs are slow on large folders. Nothing else should run on the machine meanwhile.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from tests.bench.compare import Row, compare_programs, measure_full
from tests.bench.decide_cost import judge_decisions, measure_decisions, render_decisions
from tests.bench.explorer_cost import judge_explorer, measure_explorer, render_explorer_cost
from tests.bench.finding import CORPORA as FOUND_IN
from tests.bench.finding import judge_findings, measure_folder, render_findings
from tests.bench.make_brain import write_brain
from tests.bench.peers import set_up_brainpress
from tests.bench.relations_cost import judge as judge_relations
from tests.bench.relations_cost import measure_relations, render_costs, render_quality
from tests.bench.report import (
    Target,
    judge_frame,
    judge_rows,
    judge_search,
    judge_serving,
    judge_sizes,
    judge_tools,
    render_rows,
    render_search,
    render_serving,
    render_sizes,
    render_targets,
    render_tools,
)
from tests.bench.scale import measure_frames, measure_sizes
from tests.bench.search_cost import measure_searches
from tests.bench.serve_cost import measure_serving
from tests.bench.tools_cost import measure_tools

CORPORA = Path(os.environ.get("BRAINPRESS_CORPORA", Path(__file__).parents[2].parent / "shared" / "corpora")) / "large"
Costs = TypeVar("Costs")
PARTS = ("generated", "virgil", "growth", "search", "relations", "finding", "tools", "decide", "serve", "explorer")
_REST_SECONDS = 40
"""So long ext4 keeps deleted inodes from being used again."""
GROWTH = (1_000, 5_000, 10_000, 20_000)


def main() -> int:
    """Measure what was asked for; 0 = every target is met, 1 = some is missed."""
    given = read_arguments()
    work = Path(tempfile.mkdtemp(prefix="brainpress-bench-", dir=given.work))
    targets: list[Target] = []
    print(describe_machine())
    try:
        parts: dict[str, Callable[[], list[Target]]] = {
            "generated": lambda: bench_generated(work, given.runs, given.pages),
            "virgil": lambda: bench_virgil(work, given.runs),
            "growth": lambda: bench_growth(work),
            "search": lambda: bench_search(work),
            "relations": bench_relations,
            "finding": lambda: bench_finding(work),
            "tools": lambda: bench_one(work, "read tools on 5,000 generated brains", measure_tools, render_tools, judge_tools),
            "decide": lambda: bench_one(
                work, "decisions at 1,000,000 generated grants", measure_decisions, render_decisions, judge_decisions
            ),
            "serve": lambda: bench_one(work, "the gateway under load, beside plain nginx", measure_serving, render_serving, judge_serving),
            "explorer": lambda: bench_one(work, "the graph explorer", measure_explorer, render_explorer_cost, judge_explorer),
        }
        for name, bench in parts.items():
            targets += bench() if name in given.only else []
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(render_targets(targets))
    return 0 if all(target.met for target in targets) else 1


def read_arguments() -> argparse.Namespace:
    """What to measure, and where."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3, help="runs of each build; the median counts (default 3)")
    parser.add_argument("--pages", type=int, default=2_000, help="pages of the generated brain (default 2000)")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--work", type=Path, default=None, help="folder for the builds; needs 30 GB in full")
    given = parser.parse_args()
    unknown = set(given.only) - set(PARTS)
    if unknown:
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    return given


def bench_generated(work: Path, runs: int, pages: int) -> list[Target]:
    """The generated brain with every program, and the frame of our pages."""
    brain = work / "brain"
    size = write_brain(brain, pages)
    rows = compare_programs(brain, work / "generated", runs, say)
    print(render_rows(f"{pages:,} generated pages ({size / 1000:,.0f} kB, {pages * 5:,} links)", rows))
    site = set_up_brainpress(brain, prepare(work / "frame"))
    measure_full(site, 1)
    frame = measure_frames(work / "frame" / "out" / "site")
    clear(brain, work / "generated", work / "frame")
    return [*judge_rows("generated", rows), judge_frame(frame)]


def bench_virgil(work: Path, runs: int) -> list[Target]:
    """4,000 real pages in few folders, with every program."""
    pages = unpack("virgil-notes", work)
    if pages is None:
        return []
    rows: list[Row] = compare_programs(pages, work / "virgil", runs, say)
    print(render_rows("virgil-notes (4,033 pages, 19,927 wikilinks, half of them to pages that do not exist)", rows))
    clear(pages, work / "virgil")
    return judge_rows("virgil-notes", rows)


def bench_growth(work: Path) -> list[Target]:
    """Our build from 1,000 to 38,390 pages."""
    brains = []
    for pages in GROWTH:
        write_brain(work / f"brain{pages}", pages, max(5, pages // 80))
        brains.append((f"generated {pages:,}", work / f"brain{pages}"))
    tldr = unpack("tldr", work)
    brains += [("tldr", tldr)] if tldr else []
    sizes = measure_sizes(brains, work / "growth", say)
    print(render_sizes(sizes))
    clear(work / "growth", *(folder for _, folder in brains))
    return judge_sizes(sizes)


def bench_search(work: Path) -> list[Target]:
    """Searches on the largest site."""
    tldr = unpack("tldr", work)
    if tldr is None:
        return []
    say("Brainpress: full build of tldr, then searches in a browser")
    folder = prepare(work / "search")
    measure_full(set_up_brainpress(tldr, folder), 1)
    costs = measure_searches(folder / "out" / "site")
    print(render_search(costs))
    clear(tldr, folder)
    return judge_search(costs)


def bench_relations() -> list[Target]:
    """How many of the links that were taken out are found again, and what that costs."""
    say("Brainpress: links taken out of three corpora and found again")
    qualities, costs = measure_relations(CORPORA.parent)
    print(f"{render_quality(qualities)}\n{render_costs(costs)}")
    return judge_relations(qualities, costs)


def bench_finding(work: Path) -> list[Target]:
    """Pages looked for by their titles, through the maps alone."""
    rows = []
    for name in FOUND_IN:
        small = CORPORA.parent / "small" / name
        folder = small if small.is_dir() else unpack(name, work)
        if folder is not None:
            say(f"Brainpress: maps of {name}")
            rows.append(measure_folder(name, folder, prepare(work / f"maps-{name}")))
    print(render_findings(rows))
    return judge_findings(rows)


def bench_one(
    work: Path, what: str, measure: Callable[[Path], Costs], render: Callable[[Costs], str], judge: Callable[[Costs], list[Target]]
) -> list[Target]:
    """One measurement that makes what it needs in a folder of its own."""
    say(f"Brainpress: {what}")
    folder = prepare(work / measure.__name__)
    costs = measure(folder)
    print(render(costs))
    shutil.rmtree(folder, ignore_errors=True)
    return judge(costs)


def unpack(name: str, work: Path) -> Path | None:
    """Unpack a corpus; a name with a backslash is left out everywhere, for one of the programs then builds nothing at all."""
    archive = CORPORA / f"{name}.tar.gz"
    if not archive.exists():
        say(f"{name} is not on this machine: left out (BRAINPRESS_CORPORA names the folder that holds it)")
        return None
    target = work / name
    with tarfile.open(archive) as members:
        members.extractall(target, filter="data")
    for odd in [path for path in target.rglob("*") if "\\" in path.name]:
        odd.unlink()
    return target


def prepare(folder: Path) -> Path:
    """Make a folder for one build."""
    folder.mkdir(parents=True)
    return folder


def clear(*folders: Path) -> None:
    """Free the disk between two parts, and let the file system come to rest before the next one is measured."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    os.sync()
    time.sleep(_REST_SECONDS)


def describe_machine() -> str:
    """One line about where the figures come from."""
    processor = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
    revision = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    programs = ", ".join(f"{name} {version(name)}" for name in ("mkdocs", "mkdocs-material", "zensical", "hugo"))
    ours = f"brainpress {version('brainpress')}{f' at {revision}' if revision else ''}"
    return f"{ours}; {programs}; Python {platform.python_version()}; {os.cpu_count()} cores ({processor}).\n"


def say(message: str) -> None:
    """Progress goes beside the tables, not into them."""
    print(f"… {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
