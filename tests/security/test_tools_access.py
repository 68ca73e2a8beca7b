"""What is hidden, out of reach or not there at all looks the same through the read tools: same bytes, same queries (THREATS D)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from indexer.serve.tool_error import ToolError
from indexer.serve.tools import TOOLS, Desk
from tests.tools.customers import CANARY
from tests.tools.desks import Workspace, make_call, record_queries

EVERYBODY = ("ada", "sam", "ann", "bob", "cyd", "olga", "gone")
OUT_OF_REACH_OF_ANN = (
    "board/plans",
    "board/nowhere",
    "bob-home/shop",
    "nowhere/at-all",
    "rules/drafts",
    "rules/nothing",
    "ann-home/nothing",
    "board",
    "",
    "/",
    "rules",
    "ann-home/shop/",
    "ann-home//shop",
    "ANN-HOME/shop",
    "ann-home/../board/plans",
    "ann-home/shop/../../board/plans",
    "shop/board/plans",
    "ann-home/shop\x00",
    "ann-home/%73hop",
)
UNREADABLE_FOR_ANN = (
    "board/plans/pricing.md",
    "board/plans/nothing.md",
    "bob-home/shop/offer.md",
    "nowhere/at/all.md",
    "rules/secret.md",
    "rules/nothing.md",
    "rules/drafts/brain.md",
    "ann-home/shop/hidden.md",
    "ann-home/shop/../../board/plans/pricing.md",
    "rules/../board/plans/pricing.md",
    "../board/plans/pricing.md",
    "/etc/passwd",
    "ann-home/../../../../../../etc/passwd",
    "rules/house/pricing.md/",
    "rules//house/pricing.md",
    "rules/./house/pricing.md",
    "rules\\house\\pricing.md",
    "rules/house%2Fpricing.md",
    "rules/house/pricing.md\x00",
    "rules/house/index.md",
    "rules/site/house/pricing/index.md",
    "rules/report.json",
    "rules",
    "",
)


@pytest.mark.req("S11", "S15")
@pytest.mark.threat(1, 28, 36)
def test_raw_answers_about_hidden_and_missing_brains_are_the_same_bytes(customers: Workspace) -> None:
    calls = [make_call(100 + number, "getBrain", {"brain": brain}) for number, brain in enumerate(OUT_OF_REACH_OF_ANN)]
    calls += [make_call(300 + number, "searchBrain", {"brain": brain, "query": "a"}) for number, brain in enumerate(OUT_OF_REACH_OF_ANN)]
    lines = customers.exchange("ann", calls)
    assert len(lines) == len(calls)
    for tool, start in (("getBrain", 100), ("searchBrain", 300)):
        answers = {
            line.replace(b'"id":%d' % json.loads(line)["id"], b"") for line in lines if start <= json.loads(line)["id"] < start + 200
        }
        assert len(answers) == 1
        (answer,) = answers
        assert f"Error in {tool}: Not found".encode() in answer


@pytest.mark.req("S11", "S15")
@pytest.mark.threat(1, 28, 36)
def test_raw_answers_about_hidden_and_missing_pages_are_the_same_bytes(customers: Workspace) -> None:
    calls = [make_call(100 + number, "readDocument", {"path": path}) for number, path in enumerate(UNREADABLE_FOR_ANN)]
    lines = customers.exchange("ann", calls)
    assert len(lines) == len(calls)
    answers = {line.replace(b'"id":%d' % json.loads(line)["id"], b"") for line in lines}
    assert len(answers) == 1
    assert b"Error in readDocument: Not found" in answers.pop()


@pytest.mark.req("S08", "S11")
@pytest.mark.threat(28)
def test_a_hidden_and_a_missing_parent_give_the_same_bytes(customers: Workspace) -> None:
    """The brains of `ann` and `bob` differ in nothing else."""
    shown = []
    for who in ("ann", "bob"):
        desk = customers.open_desk(who)
        brain = {"brain": f"{who}-home/shop"}
        answers = [
            desk.call("listBrains", {"project": f"{who}-home"}),
            desk.call("getBrain", brain),
            desk.call("searchBrain", {**brain, "query": "violins", "includeParents": True}),
        ]
        shown.append(json.dumps(answers).replace(who, "WHO"))
    assert shown[0] == shown[1]
    assert '"parent": null' in shown[0]


@pytest.mark.threat(32)
@pytest.mark.parametrize("who", EVERYBODY)
def test_the_secret_word_is_in_no_answer_to_who_does_not_reach_it(customers: Workspace, who: str) -> None:
    """The word stands in a repo for admins and staff, and in hidden pages everywhere; only the former ever see it."""
    said = json.dumps(list(ask_everything(customers.open_desk(who))), ensure_ascii=False)
    if who in {"ada", "sam"}:
        assert CANARY in said
        assert f"{CANARY} of" not in said
    else:
        assert CANARY not in said


def ask_everything(desk: Desk) -> Iterator[Any]:
    """Yield the answers to every call that the files of the workspace suggest, errors as their texts."""
    brains = {*OUT_OF_REACH_OF_ANN, *(f"{name}-home/shop" for name in ("ann", "bob", "cyd")), "rules/house"}
    paths = {*UNREADABLE_FOR_ANN, "rules/readme.md", *(f"{brain}/{page}.md" for brain in brains for page in ("brain", "offer", "notes"))}
    calls: list[tuple[str, Any]] = [("listBrains", {}), ("getBlueprint", {}), ("getBlueprint", {"type": "site@1"})]
    calls += [("listBrains", {"project": project}) for project in ("board", "rules", "ann-home", "bob-home", "nowhere")]
    for brain in sorted(brains):
        calls += [("getBrain", {"brain": brain})]
        calls += [("searchBrain", {"brain": brain, "query": word, "includeParents": True}) for word in ("a", CANARY.upper(), "words")]
    calls += [("readDocument", {"path": path}) for path in sorted(paths)]
    for tool, arguments in calls:
        try:
            answer = desk.call(tool, arguments)
        except ToolError as error:
            yield error.render(tool)
        else:
            yield answer


@pytest.mark.threat(29)
def test_hidden_and_missing_take_the_same_queries(customers: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the same repo the same queries, and none at all for what is out of reach, whether or not it is there."""
    asked = record_queries(monkeypatch)
    desk = customers.open_desk("ann")

    def list_queries(tool: str, **arguments: str) -> list[str]:
        asked.clear()
        with pytest.raises(ToolError, match=r"\ANot found\Z"):
            desk.call(tool, arguments)
        return list(asked)

    assert list_queries("getBrain", brain="board/plans") == list_queries("getBrain", brain="board/nowhere") == []
    assert list_queries("getBrain", brain="bob-home/shop") == list_queries("getBrain", brain="nowhere/shop") == []
    assert list_queries("getBrain", brain="rules/drafts") == list_queries("getBrain", brain="rules/nothing") == ["fetch_brain"]
    assert list_queries("readDocument", path="board/plans/pricing.md") == list_queries("readDocument", path="board/x/y.md") == []
    assert list_queries("readDocument", path="rules/secret.md") == list_queries("readDocument", path="rules/nothing.md") == ["fetch_page"]


@pytest.mark.threat(30)
def test_what_is_hidden_changes_no_count(customers: Workspace) -> None:
    """Lists and searches tell how much they show, never how much there is; the hidden page of a brain is not among its pages."""
    desk = customers.open_desk("ann")
    assert [brain["id"] for brain in desk.call("listBrains", {})["brains"]] == ["ann-home/shop", "rules/house"]
    found = desk.call("searchBrain", {"brain": "ann-home/shop", "query": "of ann"})
    assert [hit["path"] for hit in found["results"]] == ["ann-home/shop/notes.md"]
    assert found["truncated"] is False


@pytest.mark.req("S15")
@pytest.mark.threat(33)
def test_a_blueprint_of_the_tenant_is_shown_to_nobody_who_left(customers: Workspace) -> None:
    with pytest.raises(ToolError, match=r"\AUnknown blueprint"):
        customers.open_desk("gone").call("getBlueprint", {"type": "site@1"})
    assert customers.open_desk("gone").call("getBlueprint", {}) == {"blueprints": []}
    assert customers.open_desk("gone").call("listBrains", {})["brains"] == []


@pytest.mark.threat(28)
@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_errors_never_repeat_what_was_sent(customers: Workspace, tool: str) -> None:
    desk = customers.open_desk("ann")
    for raw in ({"x" * 500: 1}, {"brain": ["q" * 500]}, {"path": {"q" * 500: 1}}, {"cursor": "q" * 9000}, ["q" * 500], "q" * 500, 7):
        with pytest.raises(ToolError) as caught:
            desk.call(tool, raw)
        assert "qqq" not in caught.value.message
        assert len(caught.value.message) < 300
