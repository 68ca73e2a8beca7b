"""Files of a run that are complete beside their last versions, until all of them are shown at once. Called by the pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.publish.release import translate_errors


class Staging:
    """Files that are complete beside those that people see. From `open_staging`."""

    def __init__(self) -> None:
        self._files: list[tuple[Path, Path]] = []

    def add(self, target: Path, content: bytes) -> None:
        """Write the next version of a file beside it. Raises PublishError."""
        fresh = target.with_name(target.name + ".new")
        self._files.append((fresh, target))
        with translate_errors(target):
            fresh.write_bytes(content)

    def place(self) -> None:
        """Move all files into their places, in the order in which they were added."""
        while self._files:
            fresh, target = self._files[0]
            with translate_errors(target):
                fresh.replace(target)
            del self._files[0]

    def abandon(self) -> None:
        """Remove what was not placed."""
        for fresh, _ in self._files:
            fresh.unlink(missing_ok=True)


@contextmanager
def open_staging() -> Iterator[Staging]:
    """Give an empty one; whatever ends the block before `place` leaves the files that people see untouched."""
    staging = Staging()
    try:
        yield staging
    finally:
        staging.abandon()
