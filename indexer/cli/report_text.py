"""How complete a repository is, for the person who owns it, in a terminal (SPEC P11): first the whole, then what to do next.

Used by `brain report`, which gives the report as JSON values (see `indexer.analysis.report`). Texts of pages go through
`terminal.escape_text`, so no page can give the terminal or the runner an order.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from indexer.analysis.brain_findings import say_problem
from indexer.cli.report_words import say_counts, say_document, say_state, say_totals
from indexer.cli.terminal import count, escape_text, is_terminal, wants_colour
from indexer.model.blueprint import RINGS

Report = Mapping[str, Any]

SHOWN = 6
"""Documents of one list that are shown without --all; of links and pages half as many."""
BRAINS_SHOWN = 20
BUILDS_SHOWN = 8
_WIDTH = 80
_BAR = (("checked", "█", "#", "green"), ("filled", "▓", "=", "cyan"), ("outOfDate", "▒", "~", "yellow"), ("missing", "░", ".", "dim"))
"""State, its sign, the sign for terminals without it, and its colour; declined documents are left out of the bar."""
_LINK_FINDINGS = {"Broken links": ("LNK001", "LNK002", "LNK004", "LNK006", "LNK007"), "Ambiguous links": ("LNK003",)}
_CORRECTIONS = ("BPR004", "BPR005", "BPR006", "BPR007", "BPR008", "BPR009", "BPR012", "BPR013")
"""The others are told with the card, as out of date, or as documents that disagree."""
_NO_BRAIN = (
    "No brain here yet. To start one, give a folder a page called brain.md with the line `blueprint: business@1` in its frontmatter; "
    "`brain blueprint list` shows the other kinds."
)
_RINGS = tuple(ring for ring, _ in RINGS)


class Line(Struct, frozen=True):
    """One line, or a paragraph that is broken at the width."""

    indent: int
    text: Text
    whole: bool = False
    """True for a line that is never broken."""
    beside: Text | None = None
    """Stands on the same line if there is room, else on the next one."""


def open_console(stream: TextIO | None = None) -> Console:
    """Return where a report goes: as wide as the terminal but no wider than reads well, 80 columns into a file, coloured if wanted."""
    stream = stream or sys.stdout
    width = None if is_terminal(stream) or os.environ.get("COLUMNS") else _WIDTH
    console = Console(file=stream, highlight=False, emoji=False, markup=False, no_color=not wants_colour(stream), width=width)
    console.width = min(console.width, 100)
    return console


def print_report(report: Report, console: Console, *, show_all: bool = False, pages: bool = True) -> None:
    """Print a report; without `pages` only what is said about brains."""
    shown = 10**9 if show_all else SHOWN
    sections = [
        _render_head(report),
        _render_brains(report, console, 10**9 if show_all else BRAINS_SHOWN),
        _render_corrections(report, shown, pages=pages),
        _render_next(report, shown),
        _render_out_of_date(report, shown),
        _render_due(report, shown),
        _render_declined(report, shown),
        _render_conflicts(report, shown),
        *(
            [
                _render_links(report, shown // 2),
                _render_pages(report, shown // 2),
                _render_relations(report, shown // 2),
                _render_trend(report),
            ]
            if pages
            else []
        ),
    ]
    for number, section in enumerate(sections):
        lines = list(section)
        if lines and number:
            console.print()
        for line in lines:
            _print_line(line, console)


def _print_line(line: Line, console: Console) -> None:
    """Break a line at the width, further lines indented; a path is printed whole, so that it can be copied."""
    space = " " * line.indent
    if line.whole:
        said = Text(space) + line.text
        if line.beside is not None:
            fits = said.cell_len + 2 + line.beside.cell_len <= console.width
            said += Text("  " if fits else f"\n{space}    ") + line.beside
        console.print(said, soft_wrap=True)
        return
    for part in line.text.wrap(console, max(console.width - line.indent, 20)):
        part.rstrip()
        console.print(Text(space) + part if part else part, soft_wrap=True)


def _render_head(report: Report) -> Iterator[Line]:
    yield _line(0, (report["title"], "bold"), (f"  {report['repo']}" if report["repo"] != report["title"] else "", "dim"))
    totals = report["totals"]
    if totals["documents"]:
        yield _wrap(0, f"{count(totals['documents'], 'document')}: {say_totals(totals)}.")
    about = [count(totals["brains"], "brain")] if totals["brains"] else []
    yield _wrap(0, ", ".join([*about, count(report["pages"], "page"), f"as of {report['date']}"]), "dim")


def _render_brains(report: Report, console: Console, shown: int) -> Iterator[Line]:
    brains = report["brains"]
    if not brains and not any(each["code"] == "BPR012" for each in report["findings"]):
        yield _wrap(0, _NO_BRAIN)
    signs = _choose_signs(console)
    hints = {(each["path"], each["message"]): each for each in report["findings"] if each["code"].startswith("BPR")}
    for number, brain in enumerate(brains[:shown]):
        if number:
            yield _line(0)
        yield _line(0, (brain["title"], "bold"), (f"  {brain['blueprint'] or 'no blueprint'}  {brain['id']}", "dim"))
        for ring in brain["depth"] or ():
            yield from _draw_ring(ring, signs, console.width)
        if brain["dropped"]:
            yield _wrap(2, f"Left out by the card: {', '.join(each['title'] for each in brain['dropped'])}.", "dim")
        for warning in brain["warnings"]:
            said = say_problem(warning)
            yield _wrap(2, _say_finding(hints.get((brain["card"], said)) or {"path": brain["card"], "message": said}), "yellow")
    yield from _tell_more(brains, shown)
    if any(brain["depth"] for brain in brains):
        yield _line(0)
        yield _line(0, ("  ".join(f"{signs[state]} {say_state(state)}" for state, *_ in _BAR), "dim"))


def _say_finding(each: Mapping[str, Any]) -> str:
    """Say where, what, and what to write."""
    place = f"{each['path']}:{each['line']}" if each.get("line") else each["path"]
    return f"{place}  {each['message']} {each.get('hint') or ''}".rstrip()


def _choose_signs(console: Console) -> Mapping[str, str]:
    """A terminal that has no blocks gets plain characters."""
    try:
        "".join(sign for _, sign, _, _ in _BAR).encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return {state: plain for state, _, plain, _ in _BAR}
    return {state: sign for state, sign, _, _ in _BAR}


def _draw_ring(ring: Report, signs: Mapping[str, str], width: int) -> Iterator[Line]:
    said = ", ".join([f"{ring['filled']} of {ring['documents']}", *say_counts(ring)])
    longest = max(map(len, _RINGS))
    cells = 12 if width >= 72 else 6
    line = Text(f"{ring['ring']:<{longest}}  ") + _draw_bar(ring, signs, cells)
    beside = 2 + longest + 2 + cells + 2
    if beside + len(said) <= width:
        yield Line(2, line + Text(f"  {said}"), whole=True)
    else:
        yield Line(2, line, whole=True)
        yield _wrap(2 + longest + 2, said)


def _draw_bar(ring: Report, signs: Mapping[str, str], width: int) -> Text:
    """Divide the width by state; whatever there is at all gets a cell, as far as there are cells."""
    counts = {**ring, "filled": ring["filled"] - ring["checked"] - ring["outOfDate"]}
    total = sum(counts[state] for state, *_ in _BAR)
    if not total:
        return Text("-" * width, style="dim")
    bar, begun, drawn = Text(), 0, 0
    for state, _, _, colour in _BAR:
        begun += counts[state]
        end = max(round(begun * width / total), min(drawn + 1, width) if counts[state] else 0)
        bar.append(signs[state] * (end - drawn), style=colour)
        drawn = max(end, drawn)
    return bar


def _list_documents(report: Report, state: str) -> list[tuple[Report, Report]]:
    """Return (brain, document) of one state, the first ring first."""
    found = [(brain, document) for brain in report["brains"] for document in brain["documents"] if document["state"] == state]
    return sorted(found, key=lambda pair: _RINGS.index(pair[1]["ring"]))


def _render_next(report: Report, shown: int) -> Iterator[Line]:
    missing = _list_documents(report, "missing")
    if not missing:
        if report["totals"]["documents"]:
            yield _line(0, ("Nothing is missing.", "green"))
        return
    yield _head("Write next", len(missing))
    yield _wrap(2, "Put a page at the path, or write `declined:` and a reason in its frontmatter.", "dim")
    ring = ""
    for brain, document in missing[:shown]:
        if document["ring"] != ring:
            ring = document["ring"]
            yield _line(2, (ring, "underline"))
        named = f"  ({brain['title']})" if len(report["brains"]) > 1 else ""
        yield _place(document, (named, "dim"))
        yield _wrap(6, document["asks"])
        if document["parentCovers"]:
            said = ", ".join(f"{each['path']} ({say_state(each['state'])})" for each in document["parentCovers"][:3])
            yield _wrap(6, f"Until then the parent covers it: {said}", "dim")
    yield from _tell_more(missing, shown)


def _render_corrections(report: Report, shown: int, *, pages: bool) -> Iterator[Line]:
    """What keeps a card or document from counting as it was meant, and is told nowhere above; of the brains shown, or of all `pages`."""
    told = {(brain["card"], say_problem(warning)) for brain in report["brains"] for warning in brain["warnings"]}
    folders = tuple(brain["card"].removesuffix("brain.md") for brain in report["brains"])
    found = [
        each
        for each in report["findings"]
        if each["code"] in _CORRECTIONS and (each["path"], each["message"]) not in told and (pages or each["path"].startswith(folders))
    ]
    if found:
        yield _head("Correct in cards and documents", len(found))
    for each in found[:shown]:
        yield _wrap(2, _say_finding(each), "yellow")
    yield from _tell_more(found, shown)


def _render_out_of_date(report: Report, shown: int) -> Iterator[Line]:
    late = sorted(_list_documents(report, "outOfDate"), key=lambda pair: (pair[1]["due"], pair[1]["path"]))
    if late:
        yield _head("Out of date", len(late))
        yield _wrap(2, "Read them, correct them, and set `checked` and `checkedBy`.", "dim")
    for _, document in late[:shown]:
        yield _place(document)
        yield _wrap(6, say_document(document, report["date"]), "yellow")
    yield from _tell_more(late, shown)


def _render_due(report: Report, shown: int) -> Iterator[Line]:
    due = report["dueSoon"]
    if due:
        yield _head("Due in the next 30 days", len(due))
    for each in due[:shown]:
        yield _place(each, f"  in {count(each['days'], 'day')}, on {each['due']}")
    yield from _tell_more(due, shown)


def _render_declined(report: Report, shown: int) -> Iterator[Line]:
    declined = _list_documents(report, "declined")
    if declined:
        yield _head("Declined", len(declined))
    for _, document in declined[:shown]:
        yield _place(document)
        yield _wrap(6, document["declined"])
    yield from _tell_more(declined, shown)


def _render_conflicts(report: Report, shown: int) -> Iterator[Line]:
    conflicts = [conflict for brain in report["brains"] for conflict in brain["conflicts"]]
    if conflicts:
        yield _head("Documents disagree", len(conflicts))
    for conflict in conflicts[:shown]:
        yield _line(2, (conflict["fact"], "bold"))
        for claim in conflict["claims"]:
            yield _line(6, (claim["path"], "cyan"), f"  {claim['value']}")
    yield from _tell_more(conflicts, shown)


def _render_links(report: Report, shown: int) -> Iterator[Line]:
    sound = True
    for name, codes in _LINK_FINDINGS.items():
        found = [finding for finding in report["findings"] if finding["code"] in codes]
        if found:
            yield from () if sound else [_line(0)]
            sound = False
            yield _head(name, len(found))
        for each in found[:shown]:
            yield _wrap(2, f"{each['path']}:{each['line']}  {each['message']}")
        yield from _tell_more(found, shown)
    if sound:
        yield _line(0, ("No link is broken or ambiguous.", "green"))


def _render_pages(report: Report, shown: int) -> Iterator[Line]:
    stale = [f"{each['path']}  {count(each['days'], 'day')}" for each in report["stale"]]
    kinds = {
        "Pages that no page links to": report["orphans"],
        "Pages that nobody has touched for a year": stale,
        "Pages that are not published": report["hidden"],
    }
    listed = {name: found for name, found in kinds.items() if found}
    for number, (name, found) in enumerate(listed.items()):
        if number:
            yield _line(0)
        yield _head(name, len(found))
        for each in found[:shown]:
            yield _line(2, each)
        yield from _tell_more(found, shown)


def _render_relations(report: Report, shown: int) -> Iterator[Line]:
    relations = report["relations"] or {"waiting": "", "mentions": [], "copies": []}
    mentions = relations["mentions"]
    copies = [(copies["path"], other) for copies in relations["copies"] for other in copies["others"]]
    if relations["waiting"]:
        yield _wrap(0, f"Mentions without a link and near-copies wait. {relations['waiting']}", "yellow")
    if mentions:
        yield _head("Mentioned, not linked", len(mentions))
    for each in mentions[:shown]:
        yield _wrap(2, f"{each['path']}:{each['line']}  “{each['words']}” means {each['target']}")
    yield from _tell_more(mentions, shown)
    if mentions and copies:
        yield _line(0)
    if copies:
        yield _head("Near-copies", len(copies))
    for first, other in copies[:shown]:
        yield _line(2, f"{other['path']}  {int(other['share'] * 100)}% of the words of {first}")
    yield from _tell_more(copies, shown)


def _render_trend(report: Report) -> Iterator[Line]:
    points = report["trend"][-BUILDS_SHOWN:]
    if points:
        yield _head("Trend", len(report["trend"]))
        yield _line(2, (f"{'Commit of':<12}{'Filled':<12}{'Out of date':<13}{'Broken links':<14}Orphans", "dim"))
    for point in points:
        documents = point["documents"]
        filled, late = (f"{documents['filled']} of {documents['documents']}", documents["outOfDate"]) if documents else ("-", "-")
        yield _line(2, f"{point['date'] or point['revision'][:8]:<12}{filled:<12}{late:<13}{point['brokenLinks']:<14}{point['orphans']}")


def _head(name: str, number: int) -> Line:
    return _line(0, (name, "bold"), (f" ({number:,})", "dim"))


def _tell_more(found: Sequence[Any], shown: int) -> Iterator[Line]:
    if len(found) > shown:
        yield _line(2, (f"… and {len(found) - shown:,} more; --all shows them.", "dim"))


def _line(indent: int, *parts: str | tuple[str, str]) -> Line:
    """Return one line that is never broken."""
    shown = [(escape_text(part[0]), part[1]) if isinstance(part, tuple) else escape_text(part) for part in parts]
    return Line(indent, Text.assemble(*shown), whole=True)


def _place(document: Report, *more: str | tuple[str, str]) -> Line:
    """Return title and path of a document, and what is to be said of it."""
    title = _line(2, (document["title"], "bold"))
    return replace(title, beside=_line(0, (document["path"], "cyan"), *more).text)


def _wrap(indent: int, text: str, style: str = "") -> Line:
    """Return text that is broken at the width."""
    return Line(indent, Text(escape_text(text), style=style))
