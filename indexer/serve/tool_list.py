"""listBrains and getBlueprint: which brains there are, and what a brain of a kind should hold (SPEC S09, S10, S12). Called by `tools`."""

from collections.abc import Sequence
from typing import cast

from indexer.analysis.states import score_depth
from indexer.model.blueprint import Blueprint, Brain
from indexer.publish.visible import clean_line
from indexer.registry.blueprint_file import show_blueprint
from indexer.serve.cursor import UNUSABLE_CURSOR, make_cursor, parse_cursor
from indexer.serve.tool_arguments import GetBlueprint, ListBrains
from indexer.serve.tool_error import ToolError
from indexer.serve.tool_results import BlueprintEntry, BlueprintList, BlueprintResult, BrainEntry, Depth, ListBrainsResult
from indexer.serve.view import View, is_storable

MOST_BRAINS = 50
UNKNOWN_BLUEPRINT = "Unknown blueprint. Call getBlueprint with no type for the list."


def list_brains(view: View, arguments: ListBrains) -> ListBrainsResult:
    """Return the brains within reach by id, a part at a time; a project out of reach has none, as one that does not exist."""
    after = str(parse_cursor(arguments.cursor, (str,))[0]) if arguments.cursor is not None else ""
    if after and not is_storable(after):
        raise ToolError(UNUSABLE_CURSOR)
    found = view.list_brains(arguments.project, after, MOST_BRAINS + 1)
    shown, truncated = found[:MOST_BRAINS], len(found) > MOST_BRAINS
    parents = view.find_parents(shown)
    brains = [_show_brain(view, brain, parents[brain.id]) for brain in shown]
    result: ListBrainsResult = {"brains": brains, "truncated": truncated, "date": view.date}
    if truncated:
        result["nextCursor"] = make_cursor(shown[-1].id)
    return result


def _show_brain(view: View, brain: Brain, parent: str | None) -> BrainEntry:
    entry: BrainEntry = {
        "id": brain.id,
        "type": brain.type or None,
        "title": clean_line(brain.title),
        "blueprint": brain.blueprint or None,
        "level": view.level_of(brain),
        "parent": parent,
        "card": f"{brain.repo}/{brain.card}",
        "depth": show_depth(brain, view.date),
    }
    if brain.warnings:
        entry["warnings"] = show_warnings(brain.warnings)
    return entry


def show_depth(brain: Brain, date: str) -> list[Depth] | None:
    """Return a brain's depth; None when its blueprint is not known."""
    if not brain.known:
        return None
    return [
        {
            "ring": ring.ring,
            "stage": ring.stage,
            "documents": ring.documents,
            "filled": ring.filled,
            "checked": ring.checked,
            "declined": ring.declined,
            "outOfDate": ring.out_of_date,
            "missing": ring.missing,
        }
        for ring in score_depth(brain.documents, date)
    ]


def show_warnings(warnings: Sequence[str]) -> list[str]:
    """Return warnings, which quote what people wrote, as clean lines."""
    return [clean_line(warning, 500) for warning in warnings]


def get_blueprint(view: View, arguments: GetBlueprint) -> BlueprintList | BlueprintResult:
    """Return one blueprint, or the list of all when none is named."""
    blueprints = view.load_blueprints()
    if arguments.type is None:
        entries = [_summarise(blueprint) for blueprint in blueprints.values()]
        return BlueprintList(blueprints=entries)
    blueprint = blueprints.get(arguments.type)
    if blueprint is None:
        raise ToolError(UNKNOWN_BLUEPRINT)
    return cast(BlueprintResult, show_blueprint(blueprint))  # the same shape, which a test holds


def _summarise(blueprint: Blueprint) -> BlueprintEntry:
    return {"type": blueprint.ref, "title": blueprint.title, "summary": blueprint.summary, "documents": len(blueprint.documents)}
