"""What one call of a read tool sees: the index as it is now, cut down to what the reader reaches. Made by `desk`, used by the tools.

Everything that a caller names is decided first and looked up afterwards, so what is hidden and what is missing take the same way.
"""

from collections.abc import Collection

from msgspec import Struct, field

from indexer.analysis.parents import follow_parents
from indexer.model.blueprint import Blueprints, Brain
from indexer.model.index import PageRow
from indexer.serve.access import Admission
from indexer.serve.library import Library
from indexer.serve.tool_error import NOT_FOUND, ToolError
from indexer.serve.tool_results import Level
from indexer.store.read import IndexReader

BEING_PUBLISHED = "This page is being published just now. Try again in a moment."


class View(Struct, frozen=True):
    """One call's view. It is never kept for the next one."""

    library: Library
    index: IndexReader
    admission: Admission
    date: str
    """`YYYY-MM-DD` that states are judged for."""
    _found: dict[str, Brain | None] = field(default_factory=dict)

    def find_brain(self, brain: str) -> Brain | None:
        """Return a brain; None when it is out of reach or not there."""
        if brain not in self._found:
            self._found[brain] = self.index.fetch_brain(brain) if self._reaches_brain(brain) else None
        return self._found[brain]

    def get_brain(self, brain: str) -> Brain:
        """Return a brain; the same ToolError when it is out of reach and when it is not there."""
        found = self.find_brain(brain)
        if found is None:
            raise ToolError(NOT_FOUND)
        return found

    def get_page(self, path: str) -> tuple[str, PageRow]:
        """Return repo and row of a published page, named with the repo in front; ToolError as in `get_brain`."""
        repo, _, inside = path.partition("/")
        page = self.index.fetch_page(repo, inside) if inside and self._reaches(path) else None
        if page is None or not self._is_of_bound_brain(repo, page):
            raise ToolError(NOT_FOUND)
        return repo, page

    def get_text(self, repo: str, page: PageRow) -> str:
        """Return the text of a page that was found; ToolError in the moment in which a new site takes the place of the old one."""
        text = self.library.read_text(repo, page)
        if text is None:
            raise ToolError(BEING_PUBLISHED)
        return text

    def list_brains(self, project: str | None, after: str, limit: int) -> list[Brain]:
        """Return brains within reach, of one project or of all, by id; those after an id, `limit` at most."""
        bound = self.admission.brain
        if bound:
            brain = self.find_brain(bound)
            return [brain] if brain and project in {None, brain.repo} and brain.id > after else []
        repos = [repo for repo in self.admission.reach if project in {None, repo}]
        return self.index.fetch_brains(repos, after=after, limit=limit) if repos else []

    def list_parents(self, brain: Brain) -> tuple[Brain, ...]:
        """Return the brains above a brain as far as the reader reaches, nearest first."""
        return follow_parents(brain, self.find_brain)

    def find_parents(self, brains: Collection[Brain]) -> dict[str, str | None]:
        """Return brain → its parent, None without one that can be read; one query for all of them."""
        named = {brain.parent for brain in brains if brain.parent and self._reaches_brain(brain.parent)}
        existing = self.index.fetch_brain_ids(named)
        return {brain.id: brain.parent if brain.parent in existing and brain.parent != brain.id else None for brain in brains}

    def load_blueprints(self) -> Blueprints:
        """Return the tenant's blueprints; none for somebody who does not belong to it."""
        return self.library.load_blueprints() if self.admission.known else {}

    def level_of(self, brain: Brain) -> Level:
        """Return where a brain lies: in somebody's home or in a shared repo."""
        return "tenant" if brain.repo in self.admission.homes else "shared"

    def _reaches(self, path: str) -> bool:
        """Whether the first part of an id or path names a repo within reach."""
        bound = self.admission.brain
        if bound and path != bound and not path.startswith(f"{bound}/"):
            return False
        return path.partition("/")[0] in self.admission.reach and is_storable(path)

    def _reaches_brain(self, brain: str) -> bool:
        """The same for the id of a brain: one below the brain that the credential is for is another brain."""
        return self.admission.brain in {"", brain} and self._reaches(brain)

    def _is_of_bound_brain(self, repo: str, page: PageRow) -> bool:
        if not self.admission.brain:
            return True
        above = self.index.fetch_brain_above(repo, page.path)
        return above is not None and above.id == self.admission.brain


def is_storable(text: str) -> bool:
    """Whether the index could hold this text at all; what it cannot hold, it must not be asked for."""
    try:
        return "\0" not in text and bool(text.encode())
    except UnicodeEncodeError:
        return False
