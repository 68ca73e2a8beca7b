"""Two results → the findings that are new and those that are gone (SPEC P16). Called by `changes`. Pure.

A finding is the same when its page, code and words are, wherever its line has moved to; failing that, when its page and code are and it
lies on a line that was not touched.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec.structs import replace

from indexer.analysis.changes_pairs import Pair
from indexer.model.changes import FindingChange, LinkChange
from indexer.model.codes import CODES
from indexer.model.finding import Finding

_OF_FRONTMATTER = ("BPR",)
"""Codes of findings for which another line than the one they name may be the cause: a name is taken away below a date."""
_QUOTING = ("BPR",)
"""Codes of findings that quote other pages than their own."""


def compare_findings(pair: Pair, links: Sequence[LinkChange]) -> list[FindingChange]:
    """Return what only one of the two has, new ones first; `links` say what to write in place of a link that broke."""
    gone, new = _leave_same(pair, pair.base.findings, pair.head.findings)
    gone, new = _leave_untouched(pair, gone, new)
    advice = _index_advice(links)
    hidden = {path for path, page in pair.head.pages.items() if page.hidden}
    told = [FindingChange(True, _redact(each, hidden), _is_on_changed_line(pair, each)) for each in (_advise(one, advice) for one in new)]
    hidden |= {path for path, page in pair.base.pages.items() if page.hidden or pair.now.get(path) in hidden}
    return [*told, *(FindingChange(False, _redact(each, hidden)) for each in gone)]


def _leave_same(pair: Pair, base: Iterable[Finding], head: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Return those of each side that the other one has not in the same words, as often."""
    known: dict[tuple[str, str, str], deque[Finding]] = defaultdict(deque)
    for finding in base:
        known[pair.follow(finding.path), finding.code, finding.message].append(finding)
    new = []
    for finding in head:
        same = known.get((finding.path, finding.code, finding.message))
        if same:
            same.popleft()
        else:
            new.append(finding)
    rest = [finding for same in known.values() for finding in same]
    return sorted(rest, key=lambda each: (each.path, each.line, each.code, each.message)), new


def _leave_untouched(pair: Pair, base: Sequence[Finding], head: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """An ambiguous link that has one more candidate is told in other words, and is no new finding."""
    known: dict[tuple[str, str, int], deque[Finding]] = defaultdict(deque)
    for finding in base:
        if finding.line:
            known[pair.follow(finding.path), finding.code, finding.line].append(finding)
    new, same = [], set()
    for finding in head:
        line = pair.base_line(finding.path, finding.line) if finding.line else None
        found = known.get((finding.path, finding.code, line)) if line else None
        if found:
            same.add(id(found.popleft()))
        else:
            new.append(finding)
    return [finding for finding in base if id(finding) not in same], new


def _is_on_changed_line(pair: Pair, finding: Finding) -> bool:
    if finding.path not in pair.head.entries:
        return False
    if not finding.line or finding.code.startswith(_OF_FRONTMATTER):
        return pair.is_edited(finding.path) or pair.former.get(finding.path) != finding.path
    return pair.base_line(finding.path, finding.line) is None


def _index_advice(links: Iterable[LinkChange]) -> dict[tuple[str, int], list[LinkChange]]:
    advice: dict[tuple[str, int], list[LinkChange]] = defaultdict(list)
    for each in links:
        if each.write:
            advice[each.path, each.line].append(each)
    return advice


def _advise(finding: Finding, advice: Mapping[tuple[str, int], Sequence[LinkChange]]) -> Finding:
    """Return a finding on a broken link with what to write instead; its message begins with the link."""
    if not finding.code.startswith("LNK"):
        return finding
    found = next((each for each in advice.get((finding.path, finding.line), ()) if finding.message.startswith(each.raw)), None)
    return replace(finding, hint=f"Write {found.write} instead.") if found else finding


def _redact(finding: Finding, hidden: Set[str]) -> Finding:
    """A finding on a hidden page quotes that page, and so may one that names it, from when it was published: only the code is told."""
    if finding.path not in hidden and not any(path in finding.message for path in hidden if finding.code.startswith(_QUOTING)):
        return finding
    return replace(finding, message=f"{CODES[finding.code].title}.", hint="")
