"""The one exception tree.

Raised anywhere below the edges; caught in three places only: the top of the command line, of the ASGI app and of MCP.
Problems in someone's content are never exceptions: they are `indexer.model.finding.Finding` values.
"""


class BrainpressError(Exception):
    """An expected failure: the run cannot go on, and the message says what happened, where, and what to do.

    `hint` is one sentence on what to do next (may be empty). The command line prints both and exits 3.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(BrainpressError):
    """The command was called with arguments that make no sense together. Exit 2."""


class SourceError(BrainpressError):
    """A repository or folder cannot be read: missing, corrupt, empty, unknown revision, over a cap."""


class EmbeddingError(BrainpressError):
    """The embedding server that was configured does not give vectors: relations wait until it does."""


class StoreError(BrainpressError):
    """The index file cannot be read or written."""


class RegistryError(BrainpressError):
    """The registry cannot be read or written: missing, locked, damaged, of a newer program. Whoever asked is refused."""


class RefusalError(BrainpressError):
    """The registry was asked for what its rules do not allow; nothing has changed. Its message tells nothing the asker may not know."""


class PublishError(BrainpressError):
    """The website cannot be written: unwritable output, full disk, a frame that does not build."""


class ConfigError(BrainpressError):
    """A tenant.yml, mkdocs.yml or blueprint is wrong. All problems are collected before raising."""

    def __init__(self, problems: list[str], *, hint: str = "") -> None:
        super().__init__("\n".join(problems), hint=hint)
        self.problems = problems
