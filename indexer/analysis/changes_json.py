"""Changes → the JSON of `brain check --base` (schema: `check-changes` in `indexer/cli/schemas/`). Pure."""

from typing import Any

from msgspec.structs import asdict

from indexer.analysis.inspection import show_finding
from indexer.model.blueprint import RingDepth
from indexer.model.changes import BrainChange, Changes, DocumentChange, FindingChange, LinkChange, PageChange, Side


def make_changes_json(changes: Changes, tip: str) -> dict[str, Any]:
    """Return the changes as programs read them; `tip` is the revision that was named as the base."""
    return {
        "base": _show_side(changes.base),
        "head": _show_side(changes.head),
        "tip": tip,
        "date": changes.date,
        "folder": changes.folder,
        "pages": [_show_page(each) for each in changes.pages],
        "edited": changes.edited,
        "links": [_show_link(each) for each in changes.links],
        "newFindings": [_show_finding(each) for each in changes.findings if each.new],
        "goneFindings": [show_finding(each.finding) for each in changes.findings if not each.new],
        "brains": [_show_brain(each) for each in changes.brains],
        "aged": [_show_document(each) for each in changes.aged],
        "orphans": {"new": list(changes.orphans), "gone": list(changes.adopted)},
        "stubs": {"new": [{"name": name, "links": links} for name, links in changes.stubs], "gone": list(changes.filled_stubs)},
    }


def _show_side(side: Side) -> dict[str, Any]:
    severities = {"error": side.errors, "warning": side.warnings, "info": side.infos}
    return {
        "revision": side.revision,
        "day": side.day,
        "pages": side.pages,
        "hidden": side.hidden,
        "severities": severities,
        "totals": dict(side.documents),
    }


def _show_page(page: PageChange) -> dict[str, Any]:
    return {
        "change": page.change,
        "path": page.path,
        "former": page.former or None,
        "title": page.title or None,
        "hidden": page.hidden,
        "redirected": page.redirected,
        "brokenLinks": page.broken,
    }


def _show_link(link: LinkChange) -> dict[str, Any]:
    return {
        "change": link.change,
        "path": link.path,
        "line": link.line,
        "raw": link.raw,
        "cause": link.cause,
        "target": link.target or None,
        "now": link.now or None,
        "write": link.write or None,
    }


def _show_finding(change: FindingChange) -> dict[str, Any]:
    return {**show_finding(change.finding), "onChangedLine": change.on_changed_line}


def _show_brain(brain: BrainChange) -> dict[str, Any]:
    return {
        "change": brain.change,
        "id": brain.id,
        "title": brain.title,
        "card": brain.card,
        "blueprint": brain.blueprint or None,
        "formerId": brain.former_id or None,
        "formerBlueprint": brain.former_blueprint or None,
        "before": [_show_ring(each) for each in brain.before],
        "after": [_show_ring(each) for each in brain.after],
        "documents": [_show_document(each) for each in brain.documents],
    }


def _show_ring(ring: RingDepth) -> dict[str, Any]:
    shown = asdict(ring)
    shown["outOfDate"] = shown.pop("out_of_date")
    return shown


def _show_document(document: DocumentChange) -> dict[str, Any]:
    return {
        "brain": document.brain,
        "id": document.id,
        "title": document.title,
        "path": document.path,
        "before": document.before,
        "after": document.after,
        "checked": document.checked or None,
        "checkedBy": document.checked_by or None,
        "due": document.due or None,
        "reason": document.reason or None,
    }
