"""Compares commits of a test repository, as `brain check --base` does, and shows what came out in few words."""

from pathlib import Path
from typing import Any

from indexer.analysis.changes_json import make_changes_json
from indexer.cli.check_github import render_new_annotations
from indexer.cli.check_markdown import render_summary
from indexer.cli.check_reading import Comparison, load_comparison
from indexer.cli.check_words import make_sections, say_head, say_verdict
from indexer.cli.terminal import render_json
from indexer.model.changes import Changes
from indexer.sources.orders import BuildOptions
from tests.tools.repos import GitRepo


def compare(repo: GitRepo | Path, base: str = "HEAD~1", head: str | None = None, **options: Any) -> Comparison:
    """Return what the step from one commit to another does."""
    path = repo.path if isinstance(repo, GitRepo) else repo
    return load_comparison(path, base, head, BuildOptions(processes=1, **options))


def changes_of(repo: GitRepo | Path, base: str = "HEAD~1", head: str | None = None, **options: Any) -> Changes:
    """Return the changes alone."""
    return compare(repo, base, head, **options).changes


def list_links(changes: Changes) -> list[tuple[str, str, str, str, str]]:
    """Return (change, path, raw, cause, write) of each link."""
    return [(each.change, each.path, each.raw, each.cause, each.write) for each in changes.links]


def list_new(changes: Changes) -> list[tuple[str, str, int, bool]]:
    """Return (code, path, line, on a changed line) of each new finding."""
    return [(each.finding.code, each.finding.path, each.finding.line, each.on_changed_line) for each in changes.findings if each.new]


def list_gone(changes: Changes) -> list[tuple[str, str]]:
    """Return (code, path) of each finding that is gone."""
    return [(each.finding.code, each.finding.path) for each in changes.findings if not each.new]


def list_pages(changes: Changes) -> list[tuple[str, str]]:
    """Return (change, path) of each page."""
    return [(each.change, each.path) for each in changes.pages]


def say_all(comparison: Comparison) -> str:
    """Return every byte that any of the outputs has."""
    changes = comparison.changes
    lines = [say_head(comparison), *(line for section in make_sections(changes) for line in section.lines)]
    text = [say_verdict(changes), *("".join(part for _, part in line) for line in lines), *(each.title for each in make_sections(changes))]
    shown = render_json(make_changes_json(changes, comparison.tip))
    return "\n".join([*text, render_summary(comparison), render_new_annotations(changes), shown])
