"""Resolved links → findings (codes LNK…). Called by the pipeline; the messages say which rule decided."""

import difflib
import re
from collections.abc import Mapping, Sequence

from indexer.analysis.resolve import SAFE_SCHEMES
from indexer.analysis.suggestions import Suggestions
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import Target
from indexer.model.page import Link, PageFacts

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_BRACKETED = re.compile(r"[(\[<]+(https?://[^()\[\]<>\s]+)")
"""A frequent slip: `[text]((https://…))`."""
_MOST_NAMED = 5


def check_links(
    path: str, page: PageFacts, targets: Sequence[Target], suggestions: Suggestions, pages: Mapping[str, PageFacts]
) -> list[Finding]:
    """Return one finding for each link of a page that a person should look at."""
    found = (check_link(path, link, target, suggestions, pages) for link, target in zip(page.links, targets, strict=True))
    return [finding for finding in found if finding]


def is_unsafe(link: Link) -> bool:
    """Whether the link's scheme is one that a page may not use."""
    match = _SCHEME.match(link.target)
    return match is not None and match[1].lower() not in SAFE_SCHEMES


def check_link(path: str, link: Link, target: Target, suggestions: Suggestions, pages: Mapping[str, PageFacts]) -> Finding | None:
    """Return what a person should know about one link."""
    shown = _show(link)
    match target.status:
        case "missing" if target.rule == "leaves the repository":
            return make_finding("LNK007", path, link.line, f"{shown} leaves the repository.", "Link to the address on the web instead.")
        case "missing":
            return make_finding("LNK001", path, link.line, f"{shown} leads to no page: {target.rule}.", _suggest(link, suggestions))
        case "asset-missing":
            return make_finding("LNK004", path, link.line, f"{link.raw}: the file `{link.target}` does not exist.")
        case "anchor-missing":
            return make_finding("LNK002", path, link.line, _say_anchor(link, target), _suggest_anchor(link, target, pages))
        case "ambiguous":
            return make_finding("LNK003", path, link.line, _say_candidates(link, target), "Write the path, so that one page is meant.")
        case "folder":
            return make_finding(
                "LNK005", path, link.line, f"{shown} leads to a folder without an index page; it opens a list of its pages."
            )
        case "private":
            return make_finding("LNK006", path, link.line, f"{shown} leads to a page that is not published; it is shown as plain text.")
        case "external" if is_unsafe(link):
            scheme = link.target.partition(":")[0]
            return make_finding("LNK009", path, link.line, f"{link.raw[:200]}: addresses with `{scheme}:` are not published.")
        case _ if target.rule == "letter case" and target.path:
            hint = f"Write it as {target.path}."
            return make_finding("LNK008", path, link.line, f"{shown} was found only by ignoring letter case.", hint)
    return None


def _show(link: Link) -> str:
    """Return the link as it is written; of a reference, whose address stands elsewhere on the page, also where it leads."""
    if link.kind != "reference" or link.target in link.raw:
        return link.raw
    return f"{link.raw} (to `{link.target}`)"


def _say_anchor(link: Link, target: Target) -> str:
    kind = "block" if link.anchor.startswith("^") else "heading"
    return f"{_show(link)}: {target.path} has no {kind} `{link.anchor}`."


def _suggest_anchor(link: Link, target: Target, pages: Mapping[str, PageFacts]) -> str:
    page = pages.get(target.path or "")
    ids = [*(heading.id for heading in page.headings), *(f"^{block}" for block in page.block_ids)] if page else []
    close = difflib.get_close_matches(link.anchor.lower(), ids[:500], n=1, cutoff=0.6)
    return f"Did you mean #{close[0]}?" if close else ""


def _say_candidates(link: Link, target: Target) -> str:
    named = ", ".join(target.candidates[:_MOST_NAMED])
    more = f" and {len(target.candidates) - _MOST_NAMED} more" if len(target.candidates) > _MOST_NAMED else ""
    return f"{_show(link)} could be {named}{more}; it leads to {target.path} ({target.rule})."


def _suggest(link: Link, suggestions: Suggestions) -> str:
    if in_brackets := _BRACKETED.match(link.target):
        return f"Take the address out of its own brackets: {in_brackets[1]}"
    page = suggestions.find(link.target)
    return f"Did you mean {page}?" if page else ""
