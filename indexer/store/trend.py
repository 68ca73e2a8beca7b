"""The history of repos as the owner's report shows it (SPEC P11). Called by the pipeline after writing it, and by `brain report`."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from indexer.model.index_views import TrendPoint
from indexer.store.read import open_index

Trends = Mapping[str, tuple[TrendPoint, ...]]
"""Repo → its last builds, oldest first."""

MOST_BUILDS = 20


def read_trends(index_file: Path, repos: Iterable[str]) -> Trends:
    """Return the last builds of some repos; StoreError when the index cannot be read."""
    trends = {}
    with open_index(index_file) as reader:
        for repo in repos:
            builds = reader.fetch_builds(repo)[-MOST_BUILDS:]
            figures = reader.fetch_build_figures(repo) if builds else {}
            trends[repo] = tuple(TrendPoint(build, figures.get(build.revision, {})) for build in builds)
    return trends
