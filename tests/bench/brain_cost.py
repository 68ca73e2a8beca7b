"""What brains cost in the index of a tenant with many: one list of 50, one brain, and a build after one changed document.

    python -m tests.bench.brain_cost

The rows are generated, and the index is asked as the tools ask it: on a reader that is open already. Times are those of the processor,
which other programs on the machine disturb less.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from indexer.model.index import BrainRow, DocumentRow, RepoRows
from indexer.store.read import open_index
from indexer.store.write import write_index
from tests.bench.report import Target, render_targets

BRAINS, DOCUMENTS, REPOS, RUNS = 5_000, 20, 10, 15


def main() -> int:
    """Measure and print; 0 = both targets are met."""
    with tempfile.TemporaryDirectory(prefix="brainpress-bench-") as work:
        targets = measure_brains(Path(work) / "index.duckdb")
    print(render_targets(targets))
    return 0 if all(target.met for target in targets) else 1


def measure_brains(index_file: Path) -> list[Target]:
    """Write an index of 5,000 brains with 20 documents each, ask it, and change one document."""
    repos = [make_repo(f"repo{number}") for number in range(REPOS)]
    write_index(index_file, repos)
    names = [repo.name for repo in repos]
    with open_index(index_file) as reader:
        listed = time_call(lambda: reader.fetch_brains(names, after="repo5/brains/00200", limit=50))
        single = time_call(lambda: reader.fetch_brain("repo5/brains/00200"))
    changed = replace(repos[5], documents=(repos[5].documents[0]._replace(written=False), *repos[5].documents[1:]))
    began = time.process_time()
    write_index(index_file, [*repos[:5], changed, *repos[6:]], previous=index_file)
    rewritten = time.process_time() - began
    return [
        Target(f"50 of {BRAINS:,} brains with their documents in 60 ms", f"{listed:.1f} ms; one brain {single:.1f} ms", listed <= 60),
        Target("an index after one changed document in 1 s", f"{rewritten:.2f} s", rewritten <= 1),
    ]


def make_repo(name: str) -> RepoRows:
    """Return a repo with its share of the brains; of three documents one is missing and one is checked."""
    brains, documents = [], []
    for number in range(BRAINS // REPOS):
        folder = f"brains/{number:05}"
        card = f"{folder}/brain.md"
        brains.append(BrainRow(card, f"{name}/{folder}", folder, f"Brain {number}", "business@1", True, ""))
        documents += [_make_document(card, folder, position) for position in range(DOCUMENTS)]
    return RepoRows(name, "Repo", "a" * 40, 1_790_000_000, brains=tuple(brains), documents=tuple(documents), date="2026-11-30")


def _make_document(card: str, folder: str, position: int) -> DocumentRow:
    written, checked = position % 3 > 0, position % 3 == 2
    return DocumentRow(
        card=card,
        position=position,
        id=f"document-{position}",
        file=f"document-{position}.md",
        title=f"Document {position}",
        ring="Public Context",
        deepens=(position + 1,),
        out_of_date_after_days=365,
        asks="What would somebody have to know to do this without you, and where does it go wrong? " * 2,
        page=f"{folder}/document-{position}.md" if written else "",
        written=written,
        added=False,
        reason="",
        summary="One sentence that says what the page is about and for whom it is written. " if written else "",
        owner="Ada Fields",
        checked="2026-06-01" if checked else None,
        checked_by="Ada Fields" if checked else "",
        declined="",
        facts=(("price", "300"),) if checked else (),
    )


def time_call(ask: Callable[[], object]) -> float:
    """Return the median milliseconds of processor time of a call."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        ask()
        times.append((time.process_time() - began) * 1000)
    return median(times)


if __name__ == "__main__":
    sys.exit(main())
