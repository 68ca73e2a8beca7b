"""The one call for all relations: what an embedding server adds, and that relations wait whole when it is down."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from indexer.analysis.mentions import NOTHING, Spoken, find_unread, judge_mentions, read_unread
from indexer.analysis.relate import fit_relations
from indexer.errors import EmbeddingError
from indexer.model.page import PageBody
from indexer.model.relations import Copies, Mention, Relations
from indexer.sources.embedding import EmbedServer, open_embedder
from tests.tools.embedding import EmbedStub, run_embed_stub, watch_sockets
from tests.tools.results import find_relations, load_bodies, make_result
from tests.tools.vaults import Files

FILES = {f"o{number}.md": f"Filler about subject{number} and matter{number % 7}." for number in range(30)} | {
    "a.md": "# One\n\nThe car was red.",
    "b.md": "# Two\n\nAn automobile stands still.",
    "c.md": "# Three\n\nOld fiddle from Cremona, see page Two there.",
    "d.md": "# Four\n\nThat violin again?",
}


@pytest.fixture
def stub() -> Iterator[EmbedStub]:
    with run_embed_stub() as running:
        yield running


def relate(files: Files, stub: EmbedStub, folder: Path) -> Relations:
    with open_embedder(EmbedServer(stub.url, "m"), folder / "vectors.sqlite") as embed:
        return find_relations(files, embed)


@pytest.mark.req("T30")
def test_pages_that_mean_the_same_in_other_words_belong_together_when_a_model_says_so(stub: EmbedStub, tmp_path: Path) -> None:
    alone, helped = find_relations(FILES), relate(FILES, stub, tmp_path)
    assert "a.md" not in alone.related
    assert [path for path, _ in helped.related["a.md"]] == ["b.md"]
    assert "d.md" in [path for path, _ in helped.related["c.md"]]
    assert "d.md" not in [path for path, _ in alone.related["c.md"]]
    assert dict(helped.related["b.md"])["a.md"] == helped.related["a.md"][0][1]
    assert (helped.mentions, helped.copies) == (alone.mentions, alone.copies)


@pytest.mark.req("T30")
def test_the_same_vectors_give_the_same_relations_and_ask_the_server_once(stub: EmbedStub, tmp_path: Path) -> None:
    first = relate(FILES, stub, tmp_path)
    asked = len(stub.asked)
    assert relate(FILES, stub, tmp_path) == first
    assert len(stub.asked) == asked


@pytest.mark.req("T32")
def test_a_server_that_is_down_lets_all_relations_wait_and_says_why(stub: EmbedStub, tmp_path: Path) -> None:
    stub.url = "http://127.0.0.1:1"
    assert relate(FILES, stub, tmp_path) == Relations(
        waiting="The embedding server http://127.0.0.1:1 is not running. Start it; relations wait until then."
    )


@pytest.mark.req("T32")
def test_a_server_that_fails_halfway_lets_all_relations_wait_and_what_it_gave_is_not_asked_for_again(
    stub: EmbedStub, tmp_path: Path
) -> None:
    files = FILES | {f"x{number}.md": f"soup {number}" for number in range(40)}
    right = stub.answer
    stub.answer = lambda model, texts: right(model, texts) if len(stub.asked) < 2 else (500, {}, b"")
    waiting = relate(files, stub, tmp_path)
    assert "answers 500" in waiting.waiting
    assert (waiting.related, waiting.mentions, waiting.copies) == ({}, (), ())
    given = set(stub.asked[0]["input"])
    stub.answer = right
    assert not relate(files, stub, tmp_path).waiting
    assert not given & {text for body in stub.asked[2:] for text in body["input"]}


@pytest.mark.req("T32", "P19")
@pytest.mark.threat(32, 43)
def test_content_goes_to_the_server_of_this_machine_and_nothing_of_hidden_pages_goes_anywhere(stub: EmbedStub, tmp_path: Path) -> None:
    files: Files = FILES | {
        "s.md": "---\nprivate: true\naliases: [swordfish]\n---\n# Swordfish\n\nswordfish",
        "e.md": "See ![[s]] and [[s|that page]]. %%swordfish%%\n\n<!-- swordfish -->",
    }
    with watch_sockets() as seen:
        relate(files, stub, tmp_path)
    assert {arguments for event, arguments in seen if event == "socket.connect"} == {f"('127.0.0.1', {stub.port})"}
    assert len(stub.texts) == len(files) - 1
    assert "swordfish" not in repr(stub.asked).lower()
    assert any(text.startswith("One\n\nThe car was red.") for text in stub.texts)


@pytest.mark.req("T32")
def test_nothing_is_asked_for_a_brain_of_one_page_and_any_error_of_an_embedder_waits() -> None:
    def fail(texts: Sequence[str]) -> Sequence[bytes]:
        raise EmbeddingError("No.")

    assert find_relations({"a.md": "alone"}, fail) == Relations()
    assert find_relations({"a.md": "x", "b.md": "y"}, fail) == Relations(waiting="No.")


@pytest.mark.req("T30")
@pytest.mark.parametrize("length", [1, 3, 1024])
def test_vectors_that_all_say_the_same_or_nothing_change_nothing(length: int) -> None:
    alone = find_relations(FILES)
    for vector in (bytes(2 * length), b"\x10\x00" * length):
        assert find_relations(FILES, lambda texts, vector=vector: [vector] * len(texts)) == alone  # type: ignore[misc]


@pytest.mark.req("T30", "P09")
def test_after_an_edit_only_that_page_is_read_for_mentions_and_the_result_is_that_of_a_fresh_run() -> None:
    before = {"a.md": "the old mill", "b.md": "an old mill and the new barn", "old mill.md": "", "new barn.md": "Wood."}
    spoken = read(before)[0]
    for edit, wanted in (
        ({"b.md": "only the new barn"}, 1),
        ({"a.md": "the old mill, see [[old mill]]"}, 1),
        ({"c.md": "---\naliases: [the old mill]\n---\n"}, 5),
        ({"old mill.md": "# Another title"}, 4),
        ({"x.md": "---\nprivate: true\n---\nthe old mill"}, 0),
    ):
        after = before | edit
        again, asked = read(after, spoken)
        assert len(asked) == wanted
        assert again == read(after)[0]
        assert judge_mentions(make_result(after), again) == find_relations(after).mentions


@pytest.mark.req("T30", "P19")
def test_recorded_relations_are_shown_without_pages_that_are_hidden_since_and_pairs_that_are_linked_since() -> None:
    then = Relations(
        {"a.md": (("b.md", 0.5), ("s.md", 0.4), ("c.md", 0.3)), "b.md": (("a.md", 0.5),), "s.md": (("a.md", 0.4),)},
        (
            Mention("a.md", 1, "b", "b.md", 1),
            Mention("a.md", 2, "s", "s.md", 1),
            Mention("s.md", 1, "a", "a.md", 1),
            Mention("b.md", 1, "a", "a.md", 1),
        ),
        (Copies("a.md", (("s.md", 1.0),)), Copies("b.md", (("c.md", 1.0), ("s.md", 0.9))), Copies("s.md", (("c.md", 0.9),))),
        waiting="",
    )
    now = make_result({"a.md": "[[b]]", "b.md": "x", "c.md": "y", "s.md": "---\nprivate: true\n---\n"})
    assert fit_relations(then, now) == Relations(
        {"a.md": (("c.md", 0.3),)}, (Mention("b.md", 1, "a", "a.md", 1),), (Copies("b.md", (("c.md", 1.0),)),)
    )
    assert fit_relations(Relations(waiting="Down."), now) == Relations(waiting="Down.")


def read(files: Files, before: Spoken = NOTHING) -> tuple[Spoken, list[str]]:
    bodies, asked = load_bodies(files), list[str]()

    def load(blobs: Sequence[str]) -> dict[str, PageBody]:
        asked.extend(blobs)
        return {blob: bodies[blob] for blob in blobs}

    unread = find_unread(make_result(files), before)
    return Spoken(unread.digest, {**unread.known, **read_unread(unread, load)}), asked
