"""Vectors from an embedding server: sent once, to this machine and nowhere else, and a clear reason when there are none."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from indexer.errors import EmbeddingError, UsageError
from indexer.sources import embedding
from indexer.sources.embedding import EmbedServer, open_embedder
from tests.tools.embedding import Answer, EmbedStub, answer_json, run_embed_stub, watch_sockets


@pytest.fixture
def stub() -> Iterator[EmbedStub]:
    with run_embed_stub() as running:
        yield running


def ask(stub: EmbedStub, folder: Path, texts: Sequence[str], model: str = "m") -> list[tuple[int, ...]]:
    with open_embedder(EmbedServer(stub.url, model), folder / "vectors.sqlite") as embed:
        return [tuple(memoryview(vector).cast("h")) for vector in embed(texts)]


def refuse(stub: EmbedStub, folder: Path) -> str:
    with pytest.raises(EmbeddingError) as refused:
        ask(stub, folder, ["a"])
    return f"{refused.value.message} {refused.value.hint}".rstrip()


@pytest.mark.req("T30")
def test_each_text_gets_its_vector_of_length_one_in_the_order_of_the_texts(stub: EmbedStub, tmp_path: Path) -> None:
    assert ask(stub, tmp_path, ["a violin", "a car", "a car and a violin"]) == [(0, 1000, 0), (1000, 0, 0), (707, 707, 0)]
    assert stub.paths == ["/api/embed"]
    assert stub.asked[0]["model"] == "m"


@pytest.mark.req("T30")
def test_a_text_is_sent_once_for_each_model_and_many_texts_in_several_requests(stub: EmbedStub, tmp_path: Path) -> None:
    ask(stub, tmp_path, ["a car", "a car", "a violin"])
    assert stub.texts == ["a car", "a violin"]
    assert ask(stub, tmp_path, ["a violin", "a soup"]) == [(0, 1000, 0), (0, 0, 1000)]
    assert stub.texts == ["a car", "a violin", "a soup"]
    ask(stub, tmp_path, ["a car"], model="other")
    assert stub.asked[-1] == {"model": "other", "input": ["a car"]}
    ask(stub, tmp_path, [f"soup {number}" for number in range(70)])
    assert [len(body["input"]) for body in stub.asked[-3:]] == [32, 32, 6]


@pytest.mark.req("T30")
def test_a_model_that_has_taken_the_name_of_another_is_asked_for_all_texts_anew(stub: EmbedStub, tmp_path: Path) -> None:
    ask(stub, tmp_path, ["a car", "a soup"])
    stub.answer = lambda model, texts: answer_json({"embeddings": [[1, 0] for _ in texts]})
    assert ask(stub, tmp_path, ["a car", "a new text"]) == [(1000, 0)] * 2


@pytest.mark.req("T30")
def test_the_cache_holds_no_text_and_is_begun_anew_when_it_is_damaged(stub: EmbedStub, tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    ask(stub, tmp_path, ["a car called swordfish"])
    assert b"swordfish" not in file.read_bytes()
    file.write_bytes(b"x" * 5000)
    assert ask(stub, tmp_path, ["a car called swordfish"]) == [(1000, 0, 0)]


@pytest.mark.req("T32")
@pytest.mark.threat(43)
@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1:11434",
        "http://0.0.0.0:11434",
        "http://10.0.0.1",
        "http://169.254.169.254/",
        "http://[::]:11434",
        "http://[fe80::1]:11434",
        "http://[::1%25eth0]:11434",
        "http://2130706433:11434",
        "http://0x7f.1:11434",
        "http://127.1:11434",
        "http://example.org:11434",
        "http://localhost.example.org",
        "http://localhost.",
        "http://127.0.0.1@example.org/",
        "http://me:pw@127.0.0.1/",
        "http://127.0.0.1:11434/api",
        "http://127.0.0.1:11434/?x=1",
        "http://127.0.0.1:99999",
        "https://127.0.0.1",
        "file:///etc/passwd",
        "127.0.0.1:11434",
        "",
    ],
)
def test_an_address_that_is_not_plainly_of_this_machine_is_refused_before_anything_is_asked(url: str, tmp_path: Path) -> None:
    with (
        watch_sockets() as seen,
        pytest.raises(UsageError, match="no loopback address"),
        open_embedder(EmbedServer(url, "m"), tmp_path / "v.sqlite") as embed,
    ):
        embed(["x"])
    assert seen == []


@pytest.mark.req("T32")
@pytest.mark.threat(43)
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7"])
def test_only_loopback_addresses_are_ever_contacted_and_no_name_is_looked_up(
    host: str, stub: EmbedStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by a proxy of the environment, and not where the server sends us."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    stub.url = f"http://{host}:{stub.port}"
    with watch_sockets() as seen:
        if host != "127.9.8.7":
            assert ask(stub, tmp_path, ["a car"]) == [(1000, 0, 0)]
        stub.answer = lambda model, texts: (307, {"Location": "http://192.0.2.1/api/embed"}, b"")
        refuse(stub, tmp_path)
    assert seen
    connected = {arguments for event, arguments in seen if event == "socket.connect"}
    assert connected <= {f"('127.0.0.1', {stub.port})", f"('127.9.8.7', {stub.port})"}
    assert {arguments for event, arguments in seen if event != "socket.connect"} <= {"127.0.0.1", "127.9.8.7"}


@pytest.mark.req("T32")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((200, {}, b"<html>"), "does not answer with vectors"),
        ((200, {}, b"\xff\xfe"), "does not answer with vectors"),
        ((200, {}, b'{"embeddings": ' + b"[" * 100_000), "does not answer with vectors"),
        (answer_json({"embedding": [1, 2]}), "does not answer with vectors"),
        (answer_json({"embeddings": [["a"]]}), "does not answer with vectors"),
        (answer_json({"embeddings": [[None]]}), "does not answer with vectors"),
        ((200, {}, b'{"embeddings": [[NaN]]}'), "does not answer with vectors"),
        ((200, {}, b'{"embeddings": [[1e999]]}'), "does not answer with vectors"),
        (answer_json({"embeddings": []}), "another number"),
        (answer_json({"embeddings": [[]]}), "another number"),
        (answer_json({"embeddings": [[1.0], [1.0]]}), "another number"),
        (answer_json({"embeddings": [[1.0] * 9000]}), "another number"),
        (answer_json({"error": "x"}, 500), "answers 500"),
        (answer_json({"error": "no such model"}, 404), "ollama pull m"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "answers 302"),
        ((200, {"X-Length": "900"}, b"{}"), "does not answer"),
    ],
)
def test_a_wrong_answer_is_told_in_one_sentence_and_nothing_of_it_is_kept(
    answer: Answer, reason: str, stub: EmbedStub, tmp_path: Path
) -> None:
    right = stub.answer
    stub.answer = lambda model, texts: answer
    assert reason in refuse(stub, tmp_path)
    stub.answer = right
    assert ask(stub, tmp_path, ["a car"]) == [(1000, 0, 0)]


@pytest.mark.req("T32")
def test_an_answer_has_a_largest_size_and_a_longest_time(stub: EmbedStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_MOST_BYTES", 1 << 20)
    stub.answer = lambda model, texts: (200, {}, b" " * (1 << 20) + b'{"embeddings": [[1.0]]}')
    assert "more than 1 MiB" in refuse(stub, tmp_path)

    monkeypatch.setattr(embedding, "_SECONDS", 0.5)
    stub.answer = lambda model, texts: (200, {"X-Slow": "0.1"}, b" " * 1000)  # never silent for long
    before = time.monotonic()
    assert "does not answer" in refuse(stub, tmp_path)
    assert time.monotonic() - before < 20  # sent whole, it takes 100 seconds


@pytest.mark.req("T32")
def test_a_server_that_is_not_running_is_told_so(stub: EmbedStub, tmp_path: Path) -> None:
    stub.url = "http://localhost:1"
    assert refuse(stub, tmp_path) == "The embedding server http://localhost:1 is not running. Start it; relations wait until then."


@pytest.mark.req("T30")
def test_no_texts_ask_nothing(stub: EmbedStub, tmp_path: Path) -> None:
    assert ask(stub, tmp_path, []) == []
    assert stub.asked == []
    with pytest.raises(UsageError, match="No model"), open_embedder(EmbedServer(stub.url, ""), tmp_path / "v.sqlite"):
        pass
