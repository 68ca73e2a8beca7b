"""The graph of a tenant as programs send and get it (SPEC T36). The OpenAPI document is made from these; a test holds `publish` to them."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from indexer.registry.tenant_model import ID_PATTERN
from indexer.serve.api_errors import ApiError

_STRICT = ConfigDict(use_attribute_docstrings=True, extra="forbid", strict=True)
_Id = Annotated[str, Field(pattern=ID_PATTERN)]
_Text = Annotated[str, Field(max_length=4000)]
_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
_Pair = Annotated[list[_Text], Field(min_length=2, max_length=2)]
_Edge = Annotated[list[_Count], Field(min_length=3, max_length=3)]


@with_config(_STRICT)
class GraphRepo(TypedDict):
    """One repo that the graph was drawn from."""

    id: _Id
    """Id in the tenant."""
    title: _Text
    """Title, written by people."""
    revision: _Text | None
    """Commit that was read; null for files that are not committed."""


@with_config(_STRICT)
class GraphNode(TypedDict):
    """One published page."""

    repo: _Count
    """Position of its repo in `repos`."""
    path: _Text
    """Markdown file in the repo."""
    title: _Text
    """Title, written by people."""
    url: _Text
    """Address relative to the site of the repo."""


@with_config(_STRICT)
class TenantGraph(TypedDict):
    """The published pages of several repos and the links between them."""

    tenant: _Id
    """Id of the tenant."""
    repos: Annotated[list[GraphRepo], Field(min_length=1, max_length=2000)]
    """Every repo it was drawn from: who does not reach all of them does not get it."""
    nodes: Annotated[list[GraphNode], Field(max_length=200_000)]
    """Pages, repo by repo."""
    edges: Annotated[list[_Edge], Field(max_length=2_000_000)]
    """[position in `nodes` of the page that links, of the page it links to, how often]."""
    parents: Annotated[list[_Pair], Field(max_length=20_000)]
    """[brain, the brain of another repo that its card names as its parent]."""


@with_config(_STRICT)
class PublishedGraph(TypedDict):
    """What was put in the place of the last one."""

    repos: int
    """Repos it was drawn from."""
    nodes: int
    """Pages."""
    edges: int
    """Links between pages."""


_ADAPTER: TypeAdapter[TenantGraph] = TypeAdapter(TenantGraph)


def parse_graph(value: Any, tenant: str) -> TenantGraph:
    """Return the graph of a tenant; ApiError 400 for anything that is none, without repeating what it holds."""
    try:
        graph = _ADAPTER.validate_python(value)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"][:3] if isinstance(part, int) or part in _KEYS)
        raise ApiError(400, f"The body is no graph of a tenant; the first problem is at `{place or 'the top'}`.") from error
    names = [repo["id"] for repo in graph["repos"]]
    pages = len(graph["nodes"])
    sound = (
        graph["tenant"] == tenant
        and len(set(names)) == len(names)
        and all(node["repo"] < len(names) for node in graph["nodes"])
        and all(source < pages and target < pages for source, target, _ in graph["edges"])
        and all(brain.partition("/")[0] in names for pair in graph["parents"] for brain in pair)
    )
    if not sound:
        raise ApiError(400, "The graph contradicts itself: it names a tenant, repo or page that is not its own, or a repo twice.")
    return graph


_KEYS = {"tenant", "repos", "nodes", "edges", "parents", "id", "title", "revision", "repo", "path", "url"}
