"""Answers that come in parts, and how much one answer costs however much there is."""

from pathlib import Path

import pytest

from indexer.analysis.parents import MOST_PARENTS
from indexer.serve import tool_read, tool_search
from indexer.serve.access import OwnGate
from indexer.serve.cursor import make_cursor
from indexer.serve.library import Library
from indexer.serve.tool_error import ToolError
from indexer.serve.tools import Desk
from tests.tools.built import build_vault
from tests.tools.desks import DAY, record_queries
from tests.tools.many_brains import open_many, write_many
from tests.tools.vaults import write_files


@pytest.mark.req("S10")
def test_a_long_list_comes_in_parts_of_fifty_without_gap_or_repetition(tmp_path: Path) -> None:
    desk = open_many(write_many(tmp_path, 120, 2), 2)
    parts, cursor = [], None
    while True:
        part = desk.call("listBrains", {"cursor": cursor} if cursor else {})
        parts.append([brain["id"] for brain in part["brains"]])
        assert part["truncated"] == ("nextCursor" in part)
        cursor = part.get("nextCursor")
        if cursor is None:
            break
    assert [len(part) for part in parts] == [50, 50, 20]
    assert [brain for part in parts for brain in part] == [f"repo-{repo:03}/b{brain:05}" for repo in range(2) for brain in range(60)]
    only = desk.call("listBrains", {"project": "repo-001"})
    assert [brain["id"] for brain in only["brains"]] == parts[1][10:] + parts[2][:10]


@pytest.mark.req("S10")
def test_exactly_fifty_are_not_truncated(tmp_path: Path) -> None:
    answer = open_many(write_many(tmp_path, 50)).call("listBrains", {})
    assert (len(answer["brains"]), answer["truncated"]) == (50, False)


@pytest.mark.req("S10")
@pytest.mark.threat(28, 30)
@pytest.mark.parametrize("cursor", ["x", "", make_cursor(1), make_cursor("a", 1), make_cursor("a\x00")])
def test_a_malformed_cursor_says_so(tmp_path: Path, cursor: str) -> None:
    with pytest.raises(ToolError, match=r"\AThis cursor is not one that an answer held"):
        open_many(write_many(tmp_path, 1)).call("listBrains", {"cursor": cursor})


@pytest.mark.threat(30, 36)
def test_a_cursor_of_somebody_elses_list_shows_nothing_of_it(tmp_path: Path) -> None:
    """It only says after which id to go on, among what the reader reaches."""
    out = write_many(tmp_path, 120, 2)
    desk = Desk(Library(out, single=True), OwnGate(["repo-001"]), lambda: DAY)
    cursor = open_many(out, 2).call("listBrains", {})["nextCursor"]
    assert {brain["id"].partition("/")[0] for brain in desk.call("listBrains", {"cursor": cursor})["brains"]} == {"repo-001"}


@pytest.mark.req("S10")
@pytest.mark.threat(48)
@pytest.mark.parametrize("tool", ["listBrains", "getBrain"])
def test_the_number_of_queries_does_not_grow_with_the_number_of_brains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    asked = record_queries(monkeypatch)
    costs = []
    for brains in (60, 600):
        desk = open_many(write_many(tmp_path / str(brains), brains))
        asked.clear()
        desk.call(tool, {} if tool == "listBrains" else {"brain": "repo-000/b00005"})
        costs.append(list(asked))
    assert costs[0] == costs[1]
    assert len(costs[0]) <= (5 if tool == "listBrains" else 4 * 6)


@pytest.mark.req("S08")
@pytest.mark.threat(48)
def test_a_long_chain_of_parents_is_followed_for_a_while_only(tmp_path: Path) -> None:
    brain = {"brain": "repo-000/b00199"}
    desk = open_many(write_many(tmp_path, 200))
    assert desk.call("getBrain", brain)["parent"] == "repo-000/b00198"
    found = desk.call("searchBrain", {**brain, "query": "word", "includeParents": True})
    assert found["searched"] == [f"repo-000/b{number:05}" for number in range(199, 198 - MOST_PARENTS, -1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built folder with one brain of many lines, and another brain inside it."""
    root = tmp_path_factory.mktemp("folder")
    files = {
        "site/brain.md": "---\ntitle: Site\nblueprint: site@1\n---\nThe needle of the card.\n",
        "site/offer.md": "# Offer\n\nA needle here.\n",
        "site/aaa.md": "".join(f"line {number} with a needle\n" for number in range(1, 61)),
        "site/inner/brain.md": "---\ntitle: Inner\nblueprint: site@1\n---\n",
        "site/inner/page.md": "A needle of the inner brain.\n",
        "site-two/page.md": "A needle outside.\n",
        "long.md": "".join(f"{number} {'ü' * 90}\n" for number in range(2_000)) + "x" * 100_000,
    }
    return build_vault(write_files(root / "vault", files), root / "out", "--uncommitted").out


def open_folder(out: Path) -> Desk:
    return Desk(Library(out, single=True), OwnGate(["vault"]), lambda: DAY)


@pytest.mark.req("S10")
def test_a_search_goes_through_the_brains_own_pages_documents_first_and_stops_at_forty(folder: Path) -> None:
    found = open_folder(folder).call("searchBrain", {"brain": "vault/site", "query": "needle"})
    assert found["truncated"] is True
    assert len(found["results"]) == 40
    assert found["results"][0]["path"] == "vault/site/offer.md"
    assert {hit["path"] for hit in found["results"]} == {"vault/site/offer.md", "vault/site/aaa.md"}
    assert [(hit["line"], hit["snippet"]) for hit in found["results"][1:3]] == [(1, "line 1 with a needle"), (2, "line 2 with a needle")]
    inner = open_folder(folder).call("searchBrain", {"brain": "vault/site/inner", "query": "needle"})
    assert [hit["path"] for hit in inner["results"]] == ["vault/site/inner/page.md"]


@pytest.mark.req("S10")
def test_a_search_finds_the_brains_other_pages_after_its_documents(folder: Path) -> None:
    found = open_folder(folder).call("searchBrain", {"brain": "vault/site", "query": "NEEDLE of the card"})
    assert [(hit["path"], hit["line"]) for hit in found["results"]] == [("vault/site/brain.md", 5)]


@pytest.mark.threat(48)
def test_one_search_reads_a_bounded_amount_and_says_when_that_was_not_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_search, "MOST_CHARACTERS", 100)
    found = open_folder(folder).call("searchBrain", {"brain": "vault/site", "query": "needle"})
    assert found["truncated"] is True
    assert [hit["path"] for hit in found["results"]] == ["vault/site/offer.md"]


@pytest.mark.req("S10")
def test_an_empty_query_says_what_to_give(folder: Path) -> None:
    for query in (" ", "\u200b\u2060", "\t\n"):
        with pytest.raises(ToolError, match=r"\AThe query is empty"):
            open_folder(folder).call("searchBrain", {"brain": "vault/site", "query": query})


@pytest.mark.req("S10")
def test_a_long_page_comes_in_parts_that_make_up_the_whole(folder: Path) -> None:
    desk = open_folder(folder)
    part = desk.call("readDocument", {"path": "vault/long.md"})
    texts = [part["text"]]
    while part["truncated"]:
        line = part["line"] + part["text"].count("\n")
        part = desk.call("readDocument", {"path": "vault/long.md", "cursor": part["nextCursor"]})
        assert part["line"] == line
        texts.append(part["text"])
    assert all(len(text) <= tool_read.MOST_CHARACTERS for text in texts)
    assert "".join(texts) == (folder / "site" / "long" / "index.md").read_text("utf-8")
    assert texts[0].endswith("\n")


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("12345\n12345\n", ["12345\n", "12345\n"]),
        ("a\n12345678901", ["a\n12345678", "901"]),  # no answer of one short line where the next one is long
        ("a\n1234 6789 123", ["a\n1234 ", "6789 123"]),
    ],
)
def test_a_part_of_a_page_is_filled_and_ends_after_a_line_or_a_word(text: str, parts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_read, "MOST_CHARACTERS", 10)
    found, start = [], 0
    while start < len(text):
        end = tool_read.find_end(text, start)
        found.append(text[start:end])
        start = end
    assert found == parts


@pytest.mark.req("S10")
@pytest.mark.parametrize("cursor", [make_cursor("abc", 5), make_cursor("abc", -1), make_cursor("abc"), "x"])
def test_a_cursor_of_another_page_or_text_is_refused(folder: Path, cursor: str) -> None:
    with pytest.raises(ToolError, match="cursor"):
        open_folder(folder).call("readDocument", {"path": "vault/long.md", "cursor": cursor})


@pytest.mark.req("S10", "S01")
def test_pages_outside_of_brains_are_read_as_well(folder: Path) -> None:
    read = open_folder(folder).call("readDocument", {"path": "vault/site-two/page.md"})
    assert (read["brain"], read["document"], read["state"]) == (None, None, None)
    inner = open_folder(folder).call("readDocument", {"path": "vault/site/inner/page.md"})
    assert (inner["brain"], inner["document"]) == ("vault/site/inner", None)


@pytest.mark.req("P07")
def test_a_desk_answers_from_a_new_build_at_once(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "vault", {"a/brain.md": "---\ntitle: Old\nblueprint: site@1\n---\n", "a/offer.md": "old words\n"})
    out = build_vault(vault, tmp_path / "out", "--uncommitted").out
    desk = open_folder(out)
    assert desk.call("listBrains", {})["brains"][0]["title"] == "Old"
    write_files(vault, {"a/brain.md": "---\ntitle: New\nblueprint: site@1\n---\n", "a/offer.md": "---\nprivate: true\n---\nnew words\n"})
    build_vault(vault, out, "--uncommitted")
    assert desk.call("listBrains", {})["brains"][0]["title"] == "New"
    with pytest.raises(ToolError, match=r"\ANot found\Z"):
        desk.call("readDocument", {"path": "vault/a/offer.md"})
