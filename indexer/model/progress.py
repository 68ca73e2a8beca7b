"""How far a long run is. The pipeline reports to this protocol; the command line shows it (SPEC P17)."""

from typing import Protocol


class Progress(Protocol):
    """Told by one thread at a time; never slows or stops the run."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins, such as `parse`, with `total` steps (None = not known); the stage before it is over."""

    def advance(self, steps: int = 1) -> None:
        """So many steps of the current stage are done."""

    def note(self, message: str) -> None:
        """One line worth telling between the stages, such as that a repo was skipped."""


class Silent:
    """Progress that nobody sees: the default of every function that takes one."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Do nothing."""

    def advance(self, steps: int = 1) -> None:
        """Do nothing."""

    def note(self, message: str) -> None:
        """Do nothing."""
