"""What embeds show: which part of which page, and what that part embeds in turn. Used by `indexer.publish.jobs`; pure.

Cycles are cut where a part would show itself again, and depth and number are limited; a cut embed is a link, with a finding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class _Walk:
    """State while one page is planned."""

    path: str
    parts: int = 0
    findings: list[Finding] = field(default_factory=list)


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
            self._planned[path] = self._plan_part(walk, path, ((path, "", ""),))
            self._findings += walk.findings
        return self._planned[path]

    def find_cut(self) -> list[Finding]:
        """Return the findings of all pages that embed something."""
        for path in self.embedders:
            self.plan(path)
        return self._findings

    def _plan_part(self, walk: _Walk, path: str, above: tuple[Part, ...]) -> dict[int, Embed]:
        page = self._result.pages[path]
        embeds: dict[int, Embed] = {}
        for number, (link, target) in enumerate(zip(page.links, self._result.targets[path], strict=True)):
            if link.kind != "embed" or target.status not in {"page", "self", "ambiguous"}:
                continue
            embed = self._plan_embed(walk, path, number, target, above)
            if embed is not None:
                embeds[number] = embed
        return embeds

    def _plan_embed(self, walk: _Walk, path: str, number: int, target: Target, above: tuple[Part, ...]) -> Embed | None:
        source, page = target.path or "", self._result.pages[target.path or ""]
        start, end, title = _bounds(page, target.fragment)
        part = (source, start, end)
        line = self._result.pages[path].links[number].line
        if _shows_itself(part, above):
            self._note(walk, "MDN002", line, path, number, "would show itself again; it is a link instead")
            return None
        walk.parts += 1
        if len(above) > _MAX_DEPTH or walk.parts > _MAX_PARTS:
            self._note(
                walk, "MDN003", line, path, number, f"is deeper than {_MAX_DEPTH} levels or one of more than {_MAX_PARTS}; it is a link"
            )
            return None
        inner = self._plan_part(walk, source, (*above, part))
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

    def _note(self, walk: _Walk, code: str, line: int, path: str, number: int, what: str) -> None:
        if path == walk.path:
            raw = self._result.pages[path].links[number].raw
            walk.findings.append(make_finding(code, path, line, f"The embed {raw} {what}."))


def _shows_itself(part: Part, above: Sequence[Part]) -> bool:
    """A part that contains, or is, one that is being shown already would never end; a section of the same page may be shown."""
    path, start, _ = part
    return part in above or any(path == other and not start for other, _, _ in above)


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
