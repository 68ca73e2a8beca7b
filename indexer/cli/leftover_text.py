"""What a build says of folders that it made earlier and that no declaration names any more. Used by `brain build` and `brain work`."""

import shlex

from indexer.cli.terminal import escape_text
from indexer.model.result import Leftover


def describe_leftover(leftover: Leftover) -> str:
    """Return one line on what an earlier build made and no declaration names any more."""
    if leftover.removed:
        return escape_text(f"{leftover.name}: tenant.yml names it no more; {leftover.folder}, which was built of it, was removed.")
    why = "tenant.yml names it no more" if "/" in leftover.name else "this workspace names no such tenant"
    by_hand = f"To remove it by hand: rm -r {shlex.quote(leftover.folder)}"
    return escape_text(f"{leftover.name}: {why}, but {leftover.folder} stays: {leftover.reason}. {by_hand}")
