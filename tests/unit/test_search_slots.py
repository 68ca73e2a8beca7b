"""Numbers of pages: from the paths alone, and hardly moved by others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.publish.search_slots import assign_slots, count_bits, reassign_slots

PATHS = st.sets(st.integers(0, 400).map(lambda number: f"notes/{number}.md"), max_size=40)


@pytest.mark.req("P14")
@given(PATHS)
def test_slots_follow_from_the_set_of_paths(paths: set[str]) -> None:
    slots = assign_slots(sorted(paths), 6)
    assert slots == assign_slots(sorted(paths, reverse=True), 6)
    assert len(set(slots.values())) == len(paths)
    assert list(slots.values()) == sorted(slots.values())


@given(PATHS, PATHS, st.integers(5, 8))
def test_moving_only_the_rows_concerned_gives_what_assigning_all_gives(before: set[str], after: set[str], bits: int) -> None:
    old, new = assign_slots(before, bits), assign_slots(after, bits)
    places = {slot: path for path, slot in old.items()}
    # Also pages that stay are said to leave and enter, as pages with other content do.
    same = {path for path in before & after if path.endswith("3.md")}
    moved = reassign_slots(places.get, (before - after) | same, (after - before) | same, bits)
    assert {path: slots[0] for path, slots in moved.items() if slots[0] >= 0} == {path: old[path] for path in moved if path in old}
    assert {path: slots[1] for path, slots in moved.items() if slots[1] >= 0} == {path: new[path] for path in moved if path in new}
    untouched = (before & after) - moved.keys()
    assert all(old[path] == new[path] for path in untouched)
    assert moved.keys() >= before ^ after


def test_a_new_page_moves_almost_no_other() -> None:
    paths = [f"notes/{number}.md" for number in range(5000)]
    bits = count_bits(len(paths))
    before = assign_slots(paths, bits)
    moved = 0
    for number in range(50):
        after = assign_slots([*paths, f"new/{number}.md"], bits)
        moved += sum(after[path] != slot for path, slot in before.items())
    assert moved <= 10


@pytest.mark.parametrize(("pages", "bits"), [(0, 10), (1, 10), (64, 10), (65, 11), (40_000, 20), (65_536, 20), (65_537, 21)])
def test_the_space_is_a_power_of_two_of_sixteen_to_thirty_two_slots_a_page(pages: int, bits: int) -> None:
    assert count_bits(pages) == bits
