"""What the JSON doors take and answer, besides the tools (SPEC S10). The OpenAPI document is made from these and the tools' models."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, with_config
from typing_extensions import TypedDict

from indexer.registry.reach import Access
from indexer.serve.api_errors import Code
from indexer.serve.search_all import MOST_RESULTS
from indexer.serve.tool_arguments import LONGEST_QUERY, Arguments
from indexer.serve.tool_results import DOCUMENTED

_NUMBER = re.compile(r"[0-9]{1,9}")

_Name = Annotated[str, Field(max_length=100)]


def _read_number(text: Any) -> Any:
    """A query holds text; what is no number in it stays text, and is refused as such."""
    return int(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else text


class TenantQuery(Arguments):
    """Parameters of everything that belongs to a tenant."""

    tenant: _Name | None = None
    """Only for somebody who is signed in and has accounts in several tenants: which of them. A key is always of one tenant."""


class SearchQuery(TenantQuery):
    """Parameters of the search."""

    q: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
    """The words to find. Words `"in quotes"` have to stand so; the last word may be the beginning of one."""
    repo: _Name | None = None
    """Only in this repo; left out, in all that you can read. Of each repo at most ten pages are given."""
    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS), BeforeValidator(_read_number)] = 20
    """Results at most."""


@with_config(DOCUMENTED)
class RepoEntry(TypedDict):
    """One repo that you can read."""

    id: str
    """First part of the ids of its brains and of the paths of its pages."""
    title: str
    """Title, written by people."""
    access: Access
    """What you may do: `write` includes `read`."""
    state: Literal["fresh", "stale", "failed"] | None
    """`fresh`; `stale` = it could not be read lately, an older state is shown; `failed` = there is none to show; null = never published."""
    revision: str | None
    """Commit that is shown; null when never published, or for files that are not committed."""
    date: str | None
    """Day of that commit in UTC, `YYYY-MM-DD`."""


@with_config(DOCUMENTED)
class RepoList(TypedDict):
    """The repos that you can read, by id."""

    repos: list[RepoEntry]
    """All of them."""


@with_config(DOCUMENTED)
class SearchEntry(TypedDict):
    """One page that was found."""

    repo: str
    """Id of the repo."""
    path: str
    """What readDocument takes."""
    title: str
    """Title of the page."""
    heading: str
    """Heading of the passage that fits best; empty at the top of the page."""
    line: int
    """1-based line of that passage in the file."""
    snippet: str
    """Some words of it: not enough to state a fact."""
    url: str
    """Address of the page on the website."""
    missing: list[str]
    """Words of the query that the page does not have."""


@with_config(DOCUMENTED)
class SearchAnswer(TypedDict):
    """What was found: the best of each repo, then the second best of each, and so on; pages that lack a word come last."""

    searched: list[str]
    """Ids of the repos that were searched, in order."""
    results: list[SearchEntry]
    """At most `limit`."""
    truncated: bool
    """True when there were more repos than one search has time for: name one."""


@with_config(DOCUMENTED)
class ToolEntry(TypedDict):
    """One tool."""

    name: str
    """Last part of its address."""
    title: str
    """For people."""
    description: str
    """What it is for."""
    arguments: dict[str, Any]
    """JSON Schema of the body that it takes."""
    result: dict[str, Any]
    """JSON Schema of its answer."""


@with_config(DOCUMENTED)
class ToolList(TypedDict):
    """The tools that you can call."""

    tools: list[ToolEntry]
    """Empty when your key is not for reading."""


@with_config(DOCUMENTED)
class ErrorDetail(TypedDict):
    """What is wrong."""

    code: Code
    """For programs to branch on."""
    message: str
    """For people; it may change."""
    request_id: str
    """Also in the header `X-Request-Id`, and in the log of whoever runs the server."""


@with_config(DOCUMENTED)
class ErrorAnswer(TypedDict):
    """The answer to every request that is refused. What you may not read and what does not exist get the same."""

    error: ErrorDetail
    """What is wrong."""
