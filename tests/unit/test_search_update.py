"""Building and updating the index: one gives what the other gives, to the byte."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import indexer.publish.search_build as search_build
import indexer.publish.search_slots as search_slots
import indexer.publish.search_update as search_update
import indexer.publish.search_words as search_words
from indexer.errors import PublishError
from indexer.model.search import PageTerms, SearchChange, SearchDocument, SearchSection, SearchUpdate
from indexer.publish.search_build import build_search
from indexer.publish.search_reader import SearchReader
from indexer.publish.search_update import list_files, update_search
from tests.tools.search_vault import build_index, make_document, make_documents

Documents = dict[str, SearchDocument]


def build(documents: Documents) -> dict[str, bytes]:
    return build_search(list(documents), documents.__getitem__)


def update(index: dict[str, bytes], before: Documents, after: Documents, loaded: list[str] | None = None) -> SearchUpdate:
    """Update an index from one set of documents to another; `loaded` collects what had to be loaded besides the changes."""
    paths = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

    def load(path: str) -> SearchDocument:
        if loaded is not None:
            loaded.append(path)
        return after[path]

    return update_search(index.get, [SearchChange(before.get(path), after.get(path)) for path in paths], list(after), load)


def apply(index: dict[str, bytes], changed: SearchUpdate) -> dict[str, bytes]:
    new = {**index, **changed.files}
    for name in changed.removed:
        del new[name]
    return new


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so low that a few pages make files split, merge, move out and be cut, and pages push one another."""
    monkeypatch.setattr(search_build, "LEAF_BYTES", 150)
    monkeypatch.setattr(search_update, "LEAF_BYTES", 150)
    monkeypatch.setattr(search_slots, "_SMALLEST", 5)
    for name, value in {"OWN_BYTES": 24, "MOST_PAGES": 6, "MOST_NUMBERS": 14, "MOST_TITLES": 4}.items():
        monkeypatch.setattr(search_words, name, value)


WORDS = ("water", "wave", "tide", "tidal", "boat", "knot", "é", "漢字", "__proto__", "constructor", "a", "the")
TERMS = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 15), max_size=6)


@st.composite
def some_documents(draw: st.DrawFn) -> Documents:
    """Up to forty pages with up to three sections each, some of them long."""
    documents: Documents = {}
    for number in draw(st.sets(st.integers(0, 60), max_size=40)):
        path = f"d{number % 3}/note {number}.md"
        terms = draw(st.lists(TERMS, min_size=1, max_size=3))
        length = draw(st.sampled_from([10, 900, 4000]))
        sections = tuple(SearchSection("Head", f"h{place}", place + 1, "x " * (length // 2)) for place in range(len(terms)))
        title = draw(st.sampled_from(WORDS))
        documents[path] = SearchDocument(path, f"d{number % 3}/note%20{number}/", title, (), (), sections, PageTerms(tuple(terms)))
    return documents


@pytest.mark.req("P14")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(states=st.lists(some_documents(), min_size=2, max_size=4))
def test_updates_give_the_bytes_of_a_full_build(small_limits: None, states: list[Documents]) -> None:
    index = build(states[0])
    for before, after in pairwise(states):
        changed = update(index, before, after)
        assert all(index.get(name) != data for name, data in changed.files.items()), "only changed files"
        index = apply(index, changed)
        assert index == build(after)
        assert sorted(list_files(index.get)) == sorted(index)


@pytest.mark.req("P14")
def test_words_that_become_frequent_and_rare_again_are_moved_and_cut(small_limits: None) -> None:
    counts = (3, 9, 20, 21, 20, 9, 3)
    states = [
        {
            f"{number}.md": make_document(f"{number}.md", f"# Tide\n\n{'water ' * (number % 5 + 1)} {WORDS[number % 12]}\n")
            for number in range(count)
        }
        for count in counts
    ]
    index = build(states[0])
    folders = [{name.partition("/")[0] for name in index}]
    for before, after in pairwise(states):
        index = apply(index, update(index, before, after))
        assert index == build(after)
        folders.append({name.partition("/")[0] for name in index})
    assert ["whole" in names for names in folders] == [False, True, True, True, True, True, False]
    assert len([name for name in build(states[3]) if name.startswith("terms/")]) > 2


@pytest.mark.req("P14")
@given(some_documents(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_pages_does_not_matter(documents: Documents, random: object) -> None:
    paths = list(documents)
    random.shuffle(paths)  # type: ignore[attr-defined]
    assert build_search(paths, documents.__getitem__) == build(documents)


def notes(count: int) -> dict[str, str]:
    return {
        f"notes/{number}.md": f"# Note {number}\n\nThe water of number {number}.\n\n## Tide {number % 7}\n\nmore\n"
        for number in range(count)
    }


@pytest.mark.req("P02")
def test_editing_one_page_of_many_touches_few_files_and_loads_no_other_page() -> None:
    before = make_documents(notes(1500))
    index = build(before)
    after = {**before, "notes/700.md": make_document("notes/700.md", "# Note 700\n\nThe zeppelin of number 700.\n\n## Tide 0\n\nmore\n")}
    loaded: list[str] = []
    changed = update(index, before, after, loaded)
    assert loaded == []
    assert 0 < len(changed.files) <= 8
    assert len(index) > 200
    assert SearchReader(apply(index, changed).get).search("zeppelin")[0].path == "notes/700.md"
    assert SearchReader(apply(index, changed).get).search("water number 700")[0].missing == ("water",)


def test_nothing_changed_writes_nothing() -> None:
    documents = make_documents(notes(5))
    assert update(build(documents), documents, documents) == SearchUpdate({}, ())


def test_an_update_over_the_border_of_the_space_removes_what_is_gone() -> None:
    before, after = make_documents(notes(64)), make_documents(notes(65))
    after["notes/1.md"] = replace(after["notes/1.md"], sections=(SearchSection("", "", 1, "x" * 3000),), terms=PageTerms(({"x": 1},)))
    index = build(before)
    changed = update(index, before, after)
    assert apply(index, changed) == build(after)
    back = update(build(after), after, before)
    assert any(name.startswith("parts/") for name in back.removed)
    assert apply(build(after), back) == index


@pytest.mark.parametrize("case", ["unknown page leaves", "known page is added", "missing index", "missing terms", "missing word file"])
def test_an_index_out_of_step_is_said_and_not_made_worse(case: str) -> None:
    documents = make_documents(notes(1500))
    index = build(documents)
    other = make_document("notes/0.md", "# Other\n\nwater\n")
    change = SearchChange(documents["notes/0.md"], other)
    if case == "unknown page leaves":
        change = SearchChange(make_document("nowhere.md", "# Nowhere\n"), None)
    elif case == "known page is added":
        change = SearchChange(None, other)
    elif case == "missing index":
        del index["index.json"]
    else:
        folder = case.split()[1].removesuffix("s")
        missing = [name for name in index if name.startswith(folder)]
        assert missing
        for name in missing:
            del index[name]
    with pytest.raises(PublishError, match="search index"):
        update_search(index.get, [change], list(documents), documents.__getitem__)


@pytest.mark.req("P19")
@pytest.mark.threat(32)
def test_only_pages_that_are_passed_are_in_any_byte() -> None:
    files = {"public.md": "# Public\n\nOpen text.\n", "secret.md": "# CANARY title\n\ncanary text\n"}
    documents = make_documents(files)
    index = build_search(["public.md"], documents.__getitem__)
    assert b"canary" not in b"".join(index.values()).lower()
    both = build_index(files)
    hidden = update_search(both.get, [SearchChange(documents["secret.md"], None)], ["public.md"], documents.__getitem__)
    assert apply(both, hidden) == index
