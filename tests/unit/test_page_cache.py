"""Parse results by blob id: what comes back, what another version or a damaged file makes of it."""

import sqlite3
from pathlib import Path

import pytest

from indexer.errors import StoreError
from indexer.parse.batch import parse_batch
from indexer.store.page_cache import PageCache

PAGES = parse_batch([("b1", b"# One\n\n[[x]] word"), ("b2", b"# Two")])


def fill(file: Path, version: str = "1") -> PageCache:
    cache = PageCache(file, version)
    cache.store(PAGES)
    cache.commit()
    return cache


@pytest.mark.req("P13")
def test_a_full_disk_is_named_and_not_taken_for_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("sqlite3.connect", refuse)
    with pytest.raises(StoreError, match=r"The disk is full: the parse cache .*pages\.sqlite could not be written") as caught:
        PageCache(tmp_path / "pages.sqlite", "1")
    assert "Free some space" in caught.value.hint


@pytest.mark.req("P02")
def test_what_was_stored_comes_back_in_three_parts(tmp_path: Path) -> None:
    with fill(tmp_path / "deep" / "pages.sqlite"):
        pass
    with PageCache(tmp_path / "deep" / "pages.sqlite", "1") as cache:
        assert cache.find_missing(["b1", "b2", "b3"]) == {"b3"}
        facts = cache.load_facts(["b1", "b2", "b3"])
        assert [facts[blob].title for blob in ("b1", "b2")] == ["One", "Two"]
        assert facts["b1"].links[0].raw == "[[x]]"
        assert "word" in cache.load_bodies(["b1"])["b1"].html
        terms, sections = cache.load_terms("b1")
        assert any("word" in section for section in terms.sections)
        assert len(terms.sections) == len(sections)


@pytest.mark.req("P02")
def test_many_pages_come_back_as_few_do(tmp_path: Path) -> None:
    with PageCache(tmp_path / "p", "1") as cache:
        cache.store(parse_batch([(f"b{number}", f"# {number}".encode()) for number in range(700)]))
        wanted = [f"b{number}" for number in range(0, 700, 2)]
        assert {blob: facts.title for blob, facts in cache.load_facts(wanted).items()} == {blob: blob[1:] for blob in wanted}
        assert len(cache.load_bodies(f"b{number}" for number in range(700))) == 700


@pytest.mark.req("P02")
def test_another_version_of_the_parser_takes_nothing_over(tmp_path: Path) -> None:
    with fill(tmp_path / "p", "1"):
        pass
    with PageCache(tmp_path / "p", "2") as cache:
        assert cache.find_missing(["b1"]) == {"b1"}


@pytest.mark.req("P02", "P17")
@pytest.mark.parametrize("content", [b"", b"junk " * 500, b"SQLite format 3\0" + b"junk " * 500])
def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p").write_bytes(content)
    with fill(tmp_path / "p") as cache:
        assert cache.find_missing(["b1"]) == set()


@pytest.mark.req("P17")
def test_what_was_not_committed_is_not_there_after_a_stop(tmp_path: Path) -> None:
    with PageCache(tmp_path / "p", "1") as cache:
        cache.store(PAGES)
    with PageCache(tmp_path / "p", "1") as cache:
        assert cache.find_missing(["b1"]) == {"b1"}


@pytest.mark.req("P13")
def test_a_place_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        PageCache(tmp_path / "p", "1")


def test_pages_that_are_gone_are_forgotten_once_they_are_many(tmp_path: Path) -> None:
    with PageCache(tmp_path / "p", "1") as cache:
        cache.store(parse_batch([(f"b{number}", b"x") for number in range(1010)]))
        cache.drop_except(["b1", "b2"])
        assert cache.find_missing(["b1", "b2", "b3"]) == {"b3"}
        cache.store(PAGES)
        cache.drop_except(["b1"])
        assert cache.find_missing(["b1", "b2"]) == set()
