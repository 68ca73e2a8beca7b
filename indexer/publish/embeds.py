"""What embeds show: which part of which page, and what that part embeds in turn. Used by `indexer.publish.jobs`; pure.

Cycles are cut where a part would show itself again, and depth and number are limited; a cut embed is a link, with a finding.
"""

import sys
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import Target
from indexer.model.job import Embed, SlotLink
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.publish.tags import TagPages

_MAX_DEPTH = 5
_MAX_PARTS = 60
Part = tuple[str, str, str]


class _Walk(Struct):
    """State while one page is planned."""

    path: str
    number: int = 0
    """Link of the page itself below which the walk is."""
    parts: int = 0
    cut: dict[tuple[int, str], str] = field(default_factory=dict)
    """(link of the page itself, code) → why something in it is a link instead."""


class EmbedPlan:
    """Plans the embeds of all pages of one site; keeps the findings."""

    def __init__(self, result: IndexResult, links: Mapping[str, tuple[SlotLink, ...]], tags: TagPages) -> None:
        self._result = result
        self._links = links
        self._tags = tags
        self._planned: dict[str, dict[int, Embed]] = {}
        self._findings: list[Finding] = []
        self.embedders = {
            path: {target.path for link, target in zip(result.pages[path].links, result.targets[path], strict=True) if link.kind == "embed"}
            for path in result.graph.nodes
            if any(link.kind == "embed" for link in result.pages[path].links)
        }
        """Page → what it embeds."""

    def plan(self, path: str) -> dict[int, Embed]:
        """Return what each embed of a page shows, by link number."""
        if path not in self.embedders:
            return {}
        if path not in self._planned:
            walk = _Walk(path)
            self._planned[path] = self._plan_part(walk, ((path, "", ""),))
            self._findings += self._make_findings(walk)
        return self._planned[path]

    def find_cut(self) -> list[Finding]:
        """Return the findings of all pages that embed something."""
        for path in self.embedders:
            self.plan(path)
        return self._findings

    def _plan_part(self, walk: _Walk, above: tuple[Part, ...]) -> dict[int, Embed]:
        """Plan the embeds of the last part of `above`."""
        path, start, end = above[-1]
        page = self._result.pages[path]
        lines = _lines_of(page, start, end)
        embeds: dict[int, Embed] = {}
        for number, (link, target) in enumerate(zip(page.links, self._result.targets[path], strict=True)):
            if link.kind != "embed" or target.status not in {"page", "self", "ambiguous"} or link.line not in lines:
                continue
            if len(above) == 1:
                walk.number = number
            embed = self._plan_embed(walk, path, number, target, above)
            if embed is not None:
                embeds[number] = embed
        return embeds

    def _plan_embed(self, walk: _Walk, path: str, number: int, target: Target, above: tuple[Part, ...]) -> Embed | None:
        source, page = target.path or "", self._result.pages[target.path or ""]
        start, end, title = _bounds(page, target.fragment)
        part = (source, start, end)
        if _shows_itself(part, above):
            # Blocks are not known by line, so an embed beside the block was perhaps taken for one inside it.
            if source == walk.path and not any(block.startswith("b") for _, block, _ in above):
                walk.cut.setdefault((walk.number, "MDN002"), "would show itself again; it is a link instead")
            return None
        walk.parts += 1
        if len(above) > _MAX_DEPTH or walk.parts > _MAX_PARTS:
            reason = f"goes deeper than {_MAX_DEPTH} levels or makes more than {_MAX_PARTS} embeds; the rest are links"
            walk.cut.setdefault((walk.number, "MDN003"), reason)
            return None
        inner = self._plan_part(walk, (*above, part))
        name = self._result.title_of(source)
        return Embed(
            blob=self._result.entries[source].blob,
            href=self._links[path][number].href,
            title=f"{name} › {title}" if title else name,
            links=self._links[source],
            tags=self._tags.pair(page.inline_tags),
            start=start,
            end=end,
            embeds=inner,
        )

    def _make_findings(self, walk: _Walk) -> list[Finding]:
        links = self._result.pages[walk.path].links
        return [
            make_finding(code, walk.path, links[number].line, f"The embed {links[number].raw} {what}.")
            for (number, code), what in walk.cut.items()
        ]


def _shows_itself(part: Part, above: Sequence[Part]) -> bool:
    """A part that contains, or is, one that is being shown already would never end; a section of the same page may be shown."""
    path, start, _ = part
    return part in above or any(path == other and not start for other, _, _ in above)


def _lines_of(page: PageFacts, start: str, end: str) -> range:
    """Return the lines of the file that a part takes; of a block, whose lines are not known, those of the page."""
    if not start.startswith("s"):
        return range(sys.maxsize)
    first = page.headings[int(start[1:])].line
    return range(first, page.headings[int(end[1:])].line if end else sys.maxsize)


def _bounds(page: PageFacts, fragment: str) -> tuple[str, str, str]:
    """Return (start slot, end slot, title) of a fragment; empty slots for the whole page."""
    if fragment.startswith("^"):
        number = page.block_ids.index(fragment[1:])
        return f"b{number}", f"d{number}", ""
    for index, heading in enumerate(page.headings):
        if fragment and heading.id == fragment and heading.top:
            following = (
                number for number, other in enumerate(page.headings[index + 1 :], index + 1) if other.level <= heading.level and other.top
            )
            end = next(following, None)
            return f"s{index}", f"s{end}" if end is not None else "", heading.text
    return "", "", ""
