"""What a change does, in a terminal or a plain log, whose text gives neither an order. Used by `brain check --base`."""

import sys
from typing import TextIO

from indexer.cli.check_lines import Line
from indexer.cli.check_reading import Comparison
from indexer.cli.check_words import make_sections, say_head, say_verdict
from indexer.cli.terminal import escape_text, wants_colour

SHOWN = 10
"""Lines of one section without --all."""

_STYLES = {"word": "", "code": "cyan", "text": "", "strong": "bold"}


def print_comparison(comparison: Comparison, *, show_all: bool = False, stream: TextIO | None = None) -> None:
    """Print which commits were compared, the verdict, and a section for each kind of change."""
    from rich.console import Console  # noqa: PLC0415 (takes a while; only people need it)
    from rich.text import Text  # noqa: PLC0415

    stream = stream or sys.stdout
    console = Console(file=stream, highlight=False, soft_wrap=True, emoji=False, markup=False, no_color=not wants_colour(stream))
    console.print(Text(_flatten(say_head(comparison)), style="dim"))
    verdict = say_verdict(comparison.changes)
    if verdict:
        console.print(Text(verdict, style="bold"))
    for section in make_sections(comparison.changes):
        console.print(Text(f"\n{section.title}", style="bold underline"))
        shown = section.lines if show_all else section.lines[:SHOWN]
        for line in shown:
            console.print(Text.assemble("  ", *((escape_text(text), _STYLES[kind]) for kind, text in line)))
        if len(shown) < len(section.lines):
            console.print(Text(f"  … and {len(section.lines) - len(shown):,} more; --all shows them."))


def _flatten(line: Line) -> str:
    return escape_text("".join(text for _, text in line))
