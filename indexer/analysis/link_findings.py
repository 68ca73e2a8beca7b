"""Resolved links → findings (codes LNK…). Called by the pipeline; the messages say which rule decided."""

import difflib
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from indexer.analysis.names import fold, folder_of, nfc
from indexer.analysis.resolve import SAFE_SCHEMES
from indexer.analysis.suggestions import Suggestions
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import LEAVES, NO_PAGES, NOT_READ, PASSED_OVER, Target
from indexer.model.page import PAGE_SUFFIXES, Link, PageFacts

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_BRACKETED = re.compile(r"[(\[<]+(https?://[^()\[\]<>\s]+)")
"""A frequent slip: `[text]((https://…))`."""
_HOST = re.compile(r"(?:www\.[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|edu|gov))(?:/|$)", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WEB_PAGE = re.compile(r"\.html?$", re.IGNORECASE)
_UNWRITTEN = re.compile(r"[?#]")
_MOST_NAMED = 5
_ON_THE_WEB = "Link to the address on the web instead."
_OTHERWISE = {rule: f"The finding {code} on it says what can be done." for code, rule in NOT_READ.items()}
"""What to do about links to files that are there and were not read."""


class Around(Struct, frozen=True):
    """What findings compare links with."""

    pages: Mapping[str, PageFacts]
    """All pages of the repo."""
    suggestions: Suggestions
    blobs: Mapping[str, str]
    """All files of the repo → blob id."""
    folders: frozenset[str]
    """Folders with published pages somewhere below them: only these have a place on the site."""


def check_links(path: str, page: PageFacts, targets: Sequence[Target], around: Around) -> list[Finding]:
    """Return one finding for each link of a page that a person should look at."""
    found = (check_link(path, link, target, around) for link, target in zip(page.links, targets, strict=True))
    return [finding for finding in found if finding]


def is_unsafe(link: Link) -> bool:
    """Whether the link's scheme is one that a page may not use."""
    match = _SCHEME.match(link.target)
    return match is not None and match[1].lower() not in SAFE_SCHEMES


def check_link(path: str, link: Link, target: Target, around: Around) -> Finding | None:
    """Return what a person should know about one link."""
    shown = _show(link)
    match target.status:
        case "missing" | "asset-missing" if target.is_outside and link.kind not in {"image", "embed"}:
            why = "leaves the repository" if target.rule == LEAVES else f"leads to no content: {target.rule}"
            return make_finding("LNK007", path, link.line, f"{shown} {why}.", _OTHERWISE.get(target.rule, _ON_THE_WEB))
        case "missing":
            return make_finding(
                "LNK001", path, link.line, f"{shown} leads to no page: {target.rule}.", _suggest(link, path, around.suggestions)
            )
        case "asset-missing":
            return make_finding("LNK004", path, link.line, _say_file(link, target), _suggest_file(link, path, target, around.suggestions))
        case "anchor-missing":
            return make_finding("LNK002", path, link.line, _say_anchor(link, target), _suggest_anchor(link, target, around.pages))
        case "ambiguous" | "asset" if _is_open(target, around):
            kind = "page" if target.status == "ambiguous" else "file"
            return make_finding(
                "LNK003", path, link.line, _say_candidates(link, target, around), f"Write the path, so that one {kind} is meant."
            )
        case "folder":
            code, what, hint = _judge_folder(target, around)
            return make_finding(code, path, link.line, f"{shown} {what}.", hint)
        case "private":
            return make_finding("LNK006", path, link.line, f"{shown} leads to a page that is not published; it is shown as plain text.")
        case "external" if is_unsafe(link):
            scheme = link.target.partition(":")[0]
            return make_finding("LNK009", path, link.line, f"{link.raw[:200]}: addresses with `{scheme}:` are not published.")
        case _ if target.rule == "letter case" and target.path:
            spaced = any(fold(each) != nfc(each).casefold() for each in (link.target, target.path))
            ignored = "kinds of spaces and invisible characters" if spaced else "letter case"
            return make_finding("LNK008", path, link.line, f"{shown} was found only by ignoring {ignored}.", f"Write it as {target.path}.")
    return None


def _judge_folder(target: Target, around: Around) -> tuple[str, str, str]:
    if target.path in around.folders:
        return "LNK005", "leads to a folder without an index page; it opens a list of its pages", ""
    return "LNK007", f"leads to no content: {NO_PAGES}", _ON_THE_WEB


def _show(link: Link) -> str:
    """Return the link as it is written; of a reference, whose address stands elsewhere on the page, also where it leads."""
    if link.kind != "reference" or link.target in link.raw:
        return link.raw
    return f"{link.raw} (to `{link.target}`)"


def _say_file(link: Link, target: Target) -> str:
    if not link.target:
        return f"{link.raw} names no file."
    why = f"is not shown: {target.rule}" if target.rule == PASSED_OVER or target.rule in _OTHERWISE else "does not exist"
    return f"{link.raw}: the file `{link.target}` {why}."


def _say_anchor(link: Link, target: Target) -> str:
    kind = "block" if link.anchor.startswith("^") else "heading"
    return f"{_show(link)}: {target.path} has no {kind} `{link.anchor}`."


def _suggest_anchor(link: Link, target: Target, pages: Mapping[str, PageFacts]) -> str:
    page = pages.get(target.path or "")
    ids = [*(heading.id for heading in page.headings), *(f"^{block}" for block in page.block_ids)] if page else []
    close = difflib.get_close_matches(link.anchor.lower(), ids[:500], n=1, cutoff=0.6)
    return f"Did you mean #{close[0]}?" if close else ""


def _is_open(target: Target, around: Around) -> bool:
    """Whether it makes a difference which of several is meant: copies of one file are all the same."""
    return target.status == "ambiguous" or len({around.blobs.get(each) for each in target.candidates}) > 1


def _say_candidates(link: Link, target: Target, around: Around) -> str:
    shown = [each for each in target.candidates if each in around.pages or around.suggestions.is_shown(each)][:_MOST_NAMED]
    rest = len(target.candidates) - len(shown)
    more = f" and {rest} more" if rest else ""
    return f"{_show(link)} could be {', '.join(shown)}{more}; it leads to {target.path} ({target.rule})."


def _suggest(link: Link, path: str, suggestions: Suggestions) -> str:
    if in_brackets := _BRACKETED.match(link.target):
        return f"Take the address out of its own brackets: {in_brackets[1]}"
    named = link.raw.startswith(("[[", "![["))
    if not named and _MAIL.fullmatch(link.target):
        return f"Write an address of e-mail with its scheme: mailto:{link.target}"
    whole = f"{link.target}#{link.anchor}" if link.anchor and not named else ""
    page = suggestions.find(whole if link.anchor.endswith(PAGE_SUFFIXES) else link.target, folder_of(path))
    if not named and _HOST.match(link.target) and ("/" in link.target or not page):
        return f"Write an address on the web with its scheme: https://{link.target}"
    if not page and whole:
        page = suggestions.find(whole, folder_of(path))
    if not page and named and link.label and suggestions.is_named(suggestions.find(link.label, folder_of(path)), link.label):
        return f"Did you mean [[{link.label}|{link.target}]]? The name stands before the bar."
    how = " Write `?` as `%3F` and `#` as `%23` in paths." if not named and _UNWRITTEN.search(page) else ""
    return f"Did you mean {page}?{how}" if page else ""


def _suggest_file(link: Link, path: str, target: Target, suggestions: Suggestions) -> str:
    if target.rule in _OTHERWISE:
        return _OTHERWISE[target.rule]
    file, exists = suggestions.find_file(link.target)
    if exists:
        return f"Did you mean {file}?" if file else "A file of this name lies in another folder."
    other = _HOST.match(link.target) or _MAIL.fullmatch(link.target) or _WEB_PAGE.search(link.target)
    return _suggest(link, path, suggestions) if other else ""
