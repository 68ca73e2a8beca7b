"""Changes → what people read of them, in words that terminal and Markdown share. Used by `check_text` and `check_markdown`; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexer.cli.check_documents import make_aged_section, make_brain_sections
from indexer.cli.check_lines import Line, Part, Section, join, make_section, place
from indexer.cli.check_pages import make_graph_section, make_page_section
from indexer.cli.check_reading import Comparison
from indexer.cli.terminal import count
from indexer.model.changes import Changes, FindingChange, LinkChange
from indexer.model.finding import Finding

_LINK_CODES = ("LNK001", "LNK002", "LNK004", "LNK006", "LNK007")
_SEVERITIES = ("error", "warning", "info")


def say_head(comparison: Comparison) -> Line:
    """Return which commits were compared, and why just these."""
    changes, (base, head) = comparison.changes, comparison.named
    if changes.base.revision == changes.head.revision:
        nothing: Part = ("word", " holds nothing that ")
        return join(("word", "Nothing to compare: "), ("code", head), nothing, ("code", base), ("word", " lacks."))
    said: list[Part] = [("word", "Compared "), *_name(head, changes.head.revision), ("word", " with ")]
    if comparison.tip == changes.base.revision:
        return join(*said, *_name(base, changes.base.revision), ("word", "."))
    parted: list[Part] = [("word", "the commit at which it left "), ("code", base), ("word", " ("), ("code", changes.base.revision[:9])]
    return join(*said, *parted, ("word", "); what came to that branch since then is not counted."))


def _name(name: str, revision: str) -> list[Part]:
    if revision.startswith(name):
        return [("code", revision[:9])]
    return [("code", name), ("word", " ("), ("code", revision[:9]), ("word", ")")]


def say_verdict(changes: Changes) -> str:
    """Return the whole in one sentence."""
    if changes.empty:
        return "No page, link, finding or document is another one." if changes.base.revision != changes.head.revision else ""
    new: Counter[str] = Counter(finding.severity for finding in changes.new_findings())
    gone = sum(1 for each in changes.findings if not each.new)
    named = [f"{new[each]:,} new {_plural(each, new[each])}" for each in _SEVERITIES if new[each]] or ["No new findings"]
    said = [*named, *([f"{count(gone, 'finding')} gone"] if gone else []), *_say_filled(changes)]
    return ", ".join(said) + "."


def _say_filled(changes: Changes) -> list[str]:
    before, after = changes.base.documents, changes.head.documents
    if not before["documents"] and not after["documents"]:
        return []
    now = f"{after['filled']:,} of {count(after['documents'], 'document')} filled"
    same = (before["filled"], before["documents"]) == (after["filled"], after["documents"])
    return [now if same else f"{now} (before: {before['filled']:,} of {before['documents']:,})"]


def make_sections(changes: Changes) -> list[Section]:
    """Return everything there is to tell, the most urgent first; sections without lines are left out."""
    links = {kind: [link for link in changes.links if link.change == kind] for kind in ("broke", "dead", "mended", "corrected")}
    told = _index_links(changes.links)
    rest = [each for each in changes.findings if each.new and not _is_told_otherwise(each.finding, told)]
    sections = (
        make_section("Links that broke", map(_say_link, links["broke"])),
        make_section("New links that lead nowhere", map(_say_link, links["dead"])),
        make_section("New findings", map(_say_finding, _sort_by_severity(rest))),
        *make_brain_sections(changes),
        make_page_section(changes),
        make_section("Links mended", map(_say_mended, [*links["mended"], *links["corrected"]])),
        make_section("Findings gone", _say_gone(changes.findings)),
        make_graph_section(changes),
        make_aged_section(changes),
    )
    return [section for section in sections if section.lines]


def _plural(severity: str, number: int) -> str:
    return severity if severity == "info" or number == 1 else severity + "s"


# --- links -----------------------------------------------------------------------------------------------------------


def _say_link(link: LinkChange) -> Line:
    write: list[Part] = [("word", "; write "), ("code", link.write)] if link.write else []
    return join(place(link.path, link.line), ("word", "  "), ("code", link.raw), ("word", "  "), *_say_cause(link), *write)


def _say_cause(link: LinkChange) -> list[Part]:
    target: Part = ("code", link.target)
    match link.cause:
        case "renamed":
            return [target, ("word", " is now "), ("code", link.now)]
        case "removed":
            return [target, ("word", " was removed")]
        case "hidden":
            return [target, ("word", " is not published")]
        case "moved":
            return [("word", "this page was moved, and "), target, ("word", " was not")]
        case "heading" if link.now:
            return [("word", "that heading of "), target, ("word", " is now "), ("text", link.now)]
        case "heading":
            return [target, ("word", " has no such heading or block")]
        case "name" if link.target:
            return [target, ("word", " goes by that name no more")]
        case _:
            return [("word", "nothing has this path or name")]


def _say_mended(link: LinkChange) -> Line:
    words = {
        "written": "was written",
        "renamed": "has that name now",
        "published": "is published now",
        "heading": "has that heading now",
        "name": "is found now",
    }
    start = join(place(link.path, link.line), ("word", "  "), ("code", link.raw), ("word", "  "))
    if link.change == "corrected":
        return (*start, ("word", "was taken out or corrected"))
    return join(*start, ("code", link.target), ("word", f" {words.get(link.cause, 'is there now')}"))


def _index_links(links: Iterable[LinkChange]) -> Mapping[tuple[str, int], Sequence[str]]:
    raws = defaultdict(list)
    for link in links:
        raws[link.path, link.line].append(link.raw)
    return raws


def _is_told_otherwise(finding: Finding, told: Mapping[tuple[str, int], Sequence[str]]) -> bool:
    """Links and hidden pages have lists of their own."""
    return finding.code == "PRV003" or _is_told_as_link(finding, told)


def _is_told_as_link(finding: Finding, told: Mapping[tuple[str, int], Sequence[str]]) -> bool:
    return finding.code in _LINK_CODES and any(finding.message.startswith(raw) for raw in told.get((finding.path, finding.line), ()))


# --- findings --------------------------------------------------------------------------------------------------------


def _sort_by_severity(findings: Iterable[FindingChange]) -> list[FindingChange]:
    return sorted(findings, key=lambda each: _SEVERITIES.index(each.finding.severity))


def _say_finding(change: FindingChange) -> Line:
    finding = change.finding
    start: list[Part] = [place(finding.path, finding.line), ("word", "  ")] if finding.path else []
    head: Line = (*start, ("strong", f"{finding.severity} {finding.code}"), ("word", "  "))
    hint: list[Part] = [("word", " "), ("text", finding.hint)] if finding.hint else []
    return join(*head, ("text", finding.message), *hint)


def _say_gone(findings: Iterable[FindingChange]) -> Iterator[Line]:
    gone = Counter((each.finding.code, each.finding.path) for each in findings if not each.new)
    for (code, path), number in sorted(gone.items(), key=lambda pair: (pair[0][1], pair[0][0])):
        yield join(("code", path), ("word", "  " if path else ""), ("word", f"{code}{f' × {number:,}' if number > 1 else ''}"))
