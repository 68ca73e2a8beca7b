"""Links to what lies in the repository and is not published: Git LFS, submodules, folders without pages."""

import pytest
from msgspec.structs import replace

from indexer.analysis.index import build_index
from indexer.model.codes import make_finding
from indexer.model.known import Known
from indexer.model.result import IndexResult
from indexer.model.snapshot import History, Origin, Snapshot
from tests.tools.results import list_entries, make_result, parse_text
from tests.tools.vaults import Files


def build(files: Files, skipped: dict[str, str], last: Known | None = None) -> IndexResult:
    """Return the index of `files` beside others that were skipped: path → code."""
    entries = list_entries(files)
    facts = {entry.blob: parse_text(files[entry.path])[0] for entry in entries if entry.path.endswith(".md")}
    findings = tuple(make_finding(code, path, 0, "skipped") for path, code in skipped.items())
    snapshot = replace(Snapshot(None, None, entries), findings=findings)
    return build_index("brain", "Brain", snapshot, Origin(), History(), facts, last or Known())


def said(result: IndexResult) -> list[tuple[str, str, str]]:
    return [(finding.code, finding.message, finding.hint) for finding in result.findings if finding.code.startswith("LNK")]


@pytest.mark.req("P01", "P05")
@pytest.mark.parametrize(
    ("link", "place", "code", "reason"),
    [
        ("[x](files/deck.pdf)", "d/files/deck.pdf", "SRC003", "Git LFS"),
        ("[x](files/Deck.pdf)", "d/files/deck.pdf", "SRC003", "Git LFS"),
        ("[[deck.pdf]]", "d/files/deck.pdf", "SRC003", "Git LFS"),
        ("[[note]]", "e/f/note.md", "SRC003", "Git LFS"),
        ("[x](/e/note)", "e/note.md", "SRC003", "Git LFS"),
        ("[x](../handbook/a/b.md)", "handbook", "SRC002", "submodule"),
        ("[x](../handbook/)", "handbook", "SRC002", "submodule"),
        ("[[handbook/a]]", "handbook", "SRC002", "submodule"),
        ("[x](big.md)", "d/big.md", "SRC004", "larger than the cap"),
    ],
)
def test_a_link_to_a_file_that_was_skipped_says_so_and_is_no_page_to_be_written(link: str, place: str, code: str, reason: str) -> None:
    result = build({"d/a.md": link}, {place: code})
    ((found, message, hint),) = said(result)
    assert (found, reason in message, code in hint) == ("LNK007", True, True)
    assert result.graph.stubs == ()


@pytest.mark.req("P01", "P05")
def test_an_image_that_was_skipped_is_not_said_not_to_exist() -> None:
    for link in ("![x](p.png)", "![[p.png]]", '<img src="p.png">'):
        ((code, message, _),) = said(build({"a.md": link}, {"p.png": "SRC003"}))
        assert code == "LNK004"
        assert "is not shown: it is kept in Git LFS" in message


@pytest.mark.req("P05")
def test_what_only_looks_like_a_skipped_file_does_not_exist() -> None:
    files = {"d/a.md": "[x](deck.pdf) [[files/other.pdf]] [y](handbooks/a.md) [z](../../deck.pdf)"}
    result = build(files, {"files/deck.pdf": "SRC003", "d/handbook": "SRC002"})
    assert [code for code, _, _ in said(result)] == ["LNK001", "LNK004", "LNK004", "LNK007"]
    assert not any("LFS" in message or "submodule" in message for _, message, _ in said(result))


@pytest.mark.req("P02", "P05")
def test_a_page_follows_when_the_file_of_its_link_is_skipped_from_now_on() -> None:
    files = {"a.md": "[x](deck.pdf)"}
    before = build(files, {})
    after = build(files, {"deck.pdf": "SRC003"}, before.known)
    assert [code for code, _, _ in said(before)] == ["LNK004"]
    assert [code for code, _, _ in said(after)] == ["LNK007"]


@pytest.mark.req("P05")
def test_a_link_to_a_folder_without_pages_is_not_said_to_open_a_list() -> None:
    files: Files = {"a.md": "[x](images/) [[notes]] [y](notes/) [z](images/x.png)", "images/x.png": b"x", "notes/b.md": "text"}
    assert [(code, "opens a list" in message) for code, message, _ in said(make_result(files))] == [
        ("LNK005", True),
        ("LNK005", True),
        ("LNK007", False),
    ]
