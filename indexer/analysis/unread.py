"""Links to what lies in the repository and was not read: files in Git LFS, in submodules, over a cap. Called by `analysis.index`; pure.

Such a file is there for everybody who has the repository, so it would be wrong to say of a link to it that the file does not exist, and
to list the page as one that is still to be written.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from indexer.analysis.names import fold, folder_of, join
from indexer.model.finding import Finding
from indexer.model.graph import NOT_READ, Target
from indexer.model.page import PAGE_SUFFIXES, Link, PageFacts


class Unread(Struct, frozen=True):
    """What was not read, and why: the rule that a link to it gets."""

    places: Mapping[str, str]
    """Folded path of a file or folder → rule; what lies in such a folder was not read either."""
    named: Mapping[str, str]
    """Folded file name → rule, for links that name a file wherever it lies."""


def find_unread(findings: Iterable[Finding]) -> Unread:
    """Return what the findings about a snapshot say was passed over."""
    places = {fold(finding.path.strip("/")): NOT_READ[finding.code] for finding in findings if finding.code in NOT_READ}
    return Unread(places, {place.rpartition("/")[2]: rule for place, rule in sorted(places.items(), reverse=True)})


def tell_unread(path: str, page: PageFacts, targets: tuple[Target, ...], unread: Unread) -> tuple[Target, ...]:
    """Return the targets of a page; those that lead nowhere because the file was not read say so."""
    if not unread.places:
        return targets
    return tuple(_tell(path, link, target, unread) for link, target in zip(page.links, targets, strict=True))


def _tell(path: str, link: Link, target: Target, unread: Unread) -> Target:
    if target.status not in {"missing", "asset-missing"} or target.is_outside or not link.target:
        return target
    rule = next((found for place in _places(path, link) if (found := _look_up(place, unread.places))), "")
    if not rule and "/" not in link.target and link.raw.startswith(("[[", "![[")):
        rule = next((unread.named[name] for name in _spell(fold(link.target)) if name in unread.named), "")
    return replace(target, rule=rule) if rule else target


def _places(path: str, link: Link) -> Iterator[str]:
    named = link.raw.startswith(("[[", "![["))
    for base in ("", folder_of(path)) if named else (folder_of(path),):
        joined = join(base, link.target)
        if joined:
            yield from _spell(fold(joined))


def _spell(name: str) -> tuple[str, ...]:
    return name, *(name + suffix for suffix in PAGE_SUFFIXES)


def _look_up(place: str, places: Mapping[str, str]) -> str:
    while place:
        if place in places:
            return places[place]
        place = folder_of(place)
    return ""
