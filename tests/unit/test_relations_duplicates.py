"""Near-copies: what counts as one, and how they are grouped."""

import pytest

from indexer.analysis.duplicates import COPY
from indexer.model.relations import Copies
from tests.tools.results import find_relations
from tests.tools.vaults import Files

WORDS = [f"word{number}" for number in range(60)]
TEXT = " ".join(WORDS)


def group(files: Files) -> tuple[Copies, ...]:
    return find_relations(files).copies


@pytest.mark.req("T30")
def test_the_same_text_is_a_whole_copy_wherever_it_lies() -> None:
    assert group({"b.md": TEXT, "a/z.md": TEXT, "c.md": "other text"}) == (Copies("a/z.md", (("b.md", 1.0),)),)


@pytest.mark.req("T30")
def test_one_changed_word_of_sixty_is_a_near_copy_and_ten_are_not() -> None:
    near = " ".join([*WORDS[:59], "else"])
    far = " ".join([*WORDS[:50], *(f"else{number}" for number in range(10))])
    (copies,) = group({"a.md": TEXT, "b.md": near, "c.md": far})
    ((path, share),) = copies.others
    assert (copies.path, path) == ("a.md", "b.md")
    assert share == pytest.approx(59 / 61, abs=0.01)


@pytest.mark.req("T30")
def test_short_pages_are_copies_only_when_they_are_the_same() -> None:
    assert group({"a.md": "meeting notes of june about money", "b.md": "meeting notes of july about money"}) == ()
    assert [copies.path for copies in group({"a.md": "to be written", "b.md": "to be written"})] == ["a.md"]


@pytest.mark.req("T30")
def test_pages_without_text_and_hidden_pages_are_no_copies() -> None:
    hidden = "---\nprivate: true\n---\n"
    assert group({"a.md": "", "b.md": "", "c.md": "---\ntitle: x\n---\n"}) == ()
    assert group({"a.md": TEXT, "s.md": hidden + TEXT}) == ()


@pytest.mark.req("T30")
def test_copies_of_copies_are_one_group_and_no_page_is_in_two() -> None:
    files = {f"p{number:03}.md": f"{TEXT} day{number}" for number in range(100)} | {"q.md": f"{TEXT} day7"}
    (copies,) = group(files)
    assert copies.path == "p000.md"
    assert len(copies.others) == 100
    assert all(COPY <= share <= 1 for _, share in copies.others)
