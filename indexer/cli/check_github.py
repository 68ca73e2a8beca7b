"""What a change does, for GitHub Actions: annotations within the limits of a step, and outputs. Used by `brain check --base`; pure.

GitHub shows at most ten annotations of a kind from one step, and drops the rest without a word. So no more are written, and those that are
left out are counted.
"""

from collections import Counter

from indexer.cli.findings import SEVERITIES, render_annotations, sort_findings
from indexer.cli.terminal import count
from indexer.model.changes import Changes
from indexer.model.finding import Finding

MOST_OF_A_KIND = 10
"""Errors, warnings and notices that GitHub shows of one step."""


def render_new_annotations(changes: Changes) -> str:
    """Return a workflow command for each new finding on a changed line, as many as GitHub shows, and how many more there are."""
    near = [each.finding for each in changes.findings if each.new and each.on_changed_line and each.finding.path]
    shown = [finding for severity in SEVERITIES for finding in _take(near, severity)]
    left = len(near) - len(shown)
    far = sum(1 for each in changes.findings if each.new) - len(near)
    notes = [f"{count(left, 'more finding')} on changed lines" if left else "", f"{count(far, 'new finding')} elsewhere" if far else ""]
    said = ", ".join(note for note in notes if note)
    return render_annotations(shown, changes.folder) + (f"Not annotated: {said}.\n" if said else "")


def _take(findings: list[Finding], severity: str) -> list[Finding]:
    return sort_findings(finding for finding in findings if finding.severity == severity)[:MOST_OF_A_KIND]


def render_outputs(changes: Changes) -> str:
    """Return figures as `name=value` lines, as GITHUB_OUTPUT and the dotenv reports of GitLab take them."""
    new = Counter(finding.severity for finding in changes.new_findings())
    documents = changes.head.documents
    figures = {
        "changed": "false" if changes.empty else "true",
        "new_errors": new["error"],
        "new_warnings": new["warning"],
        "new_infos": new["info"],
        "gone": sum(1 for each in changes.findings if not each.new),
        "documents": documents["documents"],
        "filled": documents["filled"],
        "filled_before": changes.base.documents["filled"],
    }
    return "".join(f"{name}={value}\n" for name, value in figures.items())
