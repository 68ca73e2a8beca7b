"""What a read tool answers instead of a result. Raised by the tools, shown by the doors: MCP, JSON and the command line."""

from indexer.errors import BrainpressError

NOT_FOUND = "Not found"
"""The one answer for what is hidden, out of reach or not there at all (SPEC S11)."""


class ToolError(BrainpressError):
    """A call that cannot be answered; the message says what to do next and is safe to show to whoever called."""

    def render(self, tool: str) -> str:
        """Return the text that a caller sees."""
        return f"Error in {tool}: {self.message}"


class UnknownToolError(BrainpressError):
    """There is no such tool, or none for a connection without the right to read: callers cannot tell the two apart."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"Tool {tool} not found")
