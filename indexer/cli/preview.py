"""`brain preview`: any folder of Markdown as a website on this machine, rebuilt while you write. Wiring only."""

import tempfile
from pathlib import Path

import click

from indexer.cli.options import path_argument, read_today
from indexer.cli.progress import open_progress
from indexer.cli.terminal import count, say
from indexer.model.result import RepoOutcome
from indexer.pipeline import build_path, has_changed, read_snapshot
from indexer.serve.preview import open_preview
from indexer.sources.orders import BuildOptions


@click.command("preview")
@path_argument
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port on 127.0.0.1; 0 = any free one.")
@click.option("--committed", is_flag=True, help="Show the last commit, not the files as they lie there.")
def command(path: Path, port: int, committed: bool) -> None:
    """Build PATH and show it in your browser; changes appear as you save them.

    PATH is a folder of Markdown, an Obsidian vault or a git work tree. Only this machine can see the website. Ctrl-C ends it.
    """
    options = BuildOptions(uncommitted=not committed, date=read_today())
    with tempfile.TemporaryDirectory(prefix="brainpress-preview-") as scratch:
        out = Path(scratch)
        with open_progress() as progress:
            outcome = build_path(path, out, options, progress)[0]
        with open_preview(Path(outcome.site), port) as preview:
            say(f"{_describe(outcome)}\nOpen {preview.address}   (Ctrl-C ends the preview)")
            snapshot = read_snapshot(path, options, out)
            while preview.wait(0.7):
                current = read_snapshot(path, options, out)
                if has_changed(snapshot, current):
                    snapshot = current
                    outcome = build_path(path, out, options)[0]
                    preview.announce()
                    say(f"{_describe(outcome)}; {count(outcome.written, 'file')} rewritten")


def _describe(outcome: RepoOutcome) -> str:
    problems = sum(finding.severity != "info" for finding in outcome.findings)
    return f"{count(outcome.pages, 'page')}, {count(outcome.links, 'link')}, {count(problems, 'finding')}"
