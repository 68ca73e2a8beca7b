"""How blueprints look in a terminal.

Used by `brain blueprint`. Texts of blueprints go through `terminal.escape_text`, so no file can give the terminal or the runner an order.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from indexer.cli.terminal import count, escape_text, is_terminal, wants_colour
from indexer.model.blueprint import RINGS, Blueprint, PlannedDocument

_WIDEST = 100


def print_list(blueprints: Mapping[str, Blueprint]) -> None:
    """Print ref, title, number of documents and rings of each blueprint."""
    from rich.text import Text  # noqa: PLC0415

    console = _open_console()
    widest = max(map(len, blueprints), default=0)
    for blueprint in blueprints.values():
        counts = Counter(each.ring for each in blueprint.documents)
        rings = ", ".join(f"{ring} {counts[ring]}" for ring, _ in RINGS if counts[ring])
        title = (escape_text(blueprint.title), "bold")
        console.print(
            Text.assemble((f"{blueprint.ref:<{widest}}", "cyan"), "  ", title, f"  {count(len(blueprint.documents), 'document')}")
        )
        _print_indented(console, widest + 2, blueprint.summary)
        _print_indented(console, widest + 2, rings, style="dim")


def print_blueprint(blueprint: Blueprint) -> None:
    """Print the documents of a blueprint by ring, and what each should contain."""
    from rich.text import Text  # noqa: PLC0415

    console = _open_console()
    size = count(len(blueprint.documents), "document")
    console.print(Text.assemble((blueprint.ref, "cyan"), "  ", (escape_text(blueprint.title), "bold"), f"  {size}"))
    _print_indented(console, 0, blueprint.summary)
    indent = 2 + min(max((len(each.file) for each in blueprint.documents), default=0), 28) + 2
    for ring, stage in RINGS:
        documents = [each for each in blueprint.documents if each.ring == ring]
        if documents:
            console.print()
            console.print(Text.assemble((f"{ring} ({stage})", "bold underline"), f"  {count(len(documents), 'document')}"))
        for each in documents:
            console.print(_render_document(each, indent))
            _print_indented(console, indent, each.asks)


def _render_document(document: PlannedDocument, indent: int) -> Any:
    from rich.text import Text  # noqa: PLC0415

    file = escape_text(document.file)
    facts = [*_name_unusual(document), "domain" + "s" * (len(document.deepens) > 1) + f" {', '.join(map(str, document.deepens))}"]
    if document.out_of_date_after_days is not None:
        facts.append(f"a check holds {count(document.out_of_date_after_days, 'day')}")
    space = " " * (indent - 2 - len(file)) if len(file) + 4 <= indent else "\n" + " " * indent
    return Text.assemble("  ", (file, "cyan"), space, (escape_text(document.title), "bold"), ("  " + " · ".join(facts), "dim"))


def _name_unusual(document: PlannedDocument) -> Iterator[str]:
    """Yield the id where it does not follow from the file; cards drop documents by it."""
    if not document.file.endswith(f"{document.id}.md"):
        yield f"id {document.id}"


def _print_indented(console: Any, indent: int, text: str, *, style: str = "") -> None:
    """Print text with space before it, broken at words on a terminal; a file or a pipe has no width."""
    from rich.text import Text  # noqa: PLC0415

    whole = Text(escape_text(text), style=style)
    lines = whole.wrap(console, max(20, min(console.width, _WIDEST) - indent)) if is_terminal(sys.stdout) else [whole]
    for line in lines:
        line.rstrip()
        console.print(Text(" " * indent) + line)


def _open_console() -> Any:
    from rich.console import Console  # noqa: PLC0415 (takes a while; only people need it)

    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False, no_color=not wants_colour(sys.stdout))
