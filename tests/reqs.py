"""`make reqs`: prints every requirement and threat with the tests that prove it; exits 1 when a finished one has none.

It collects the tests without running them. A skipped test still counts: it is there, and says why it could not run.
"""

import contextlib
import io
import sys
from pathlib import Path

import pytest

from tests.tools.requirements import Requirement, collect_claims, load_requirements

TESTS = Path(__file__).parent
HEADINGS = {"req": "Requirements", "threat": "Threats"}


class _Collector:
    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def main() -> int:
    """Print the list; 0 = every finished line has a test, 1 = some has none, 2 = the tests could not be collected."""
    collector = _Collector()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", str(TESTS)], plugins=[collector])
    if code != pytest.ExitCode.OK:
        print(said.getvalue())
        return 2
    claims = collect_claims(collector.items)
    unproven = []
    for marker, requirements in load_requirements().items():
        print(f"{HEADINGS[marker]}\n")
        for requirement in requirements.values():
            tests = claims[marker].get(requirement.id, [])
            print(describe(requirement, tests))
            if requirement.finished and not tests:
                unproven.append(f"{'threat ' if marker == 'threat' else ''}{requirement.id}")
        print()
    if unproven:
        print(f"Finished, but without a test: {', '.join(unproven)}")
        return 1
    print("Every finished line has a test.")
    return 0


def describe(requirement: Requirement, tests: list[str]) -> str:
    """Return the lines for one requirement: its state and title, then its tests by file."""
    state = "finished" if requirement.finished else "open    "
    lines = [f"{requirement.id:>4}  {state}  {requirement.title}" + (f" ({requirement.note})" if requirement.note else "")]
    by_file: dict[str, list[str]] = {}
    for test in tests:
        file, _, name = test.partition("::")
        by_file.setdefault(file, []).append(name)
    lines += [f"{'':16}{file}: {', '.join(names)}" for file, names in by_file.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
