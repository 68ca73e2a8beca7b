"""The log of refreshes: one line each, bounded, and nothing that a title or a commit message says can add a line."""

import pytest

from indexer.publish.maps_log import add_log
from indexer.publish.maps_text import MOST_TOKENS, count_bytes


@pytest.mark.req("T31")
def test_a_refresh_adds_one_line_at_the_end() -> None:
    once = add_log(b"", "2026-11-30 13:00 UTC", "Maps made from 5b1fd2a: 12 pages.")
    twice = add_log(once, "2026-11-30 14:00 UTC", "Nothing to do.")
    assert twice == once + b"- 2026-11-30 14:00 UTC: Nothing to do.\n"
    assert once.endswith(b"\n- 2026-11-30 13:00 UTC: Maps made from 5b1fd2a: 12 pages.\n")


@pytest.mark.req("T31")
@pytest.mark.threat(47)
def test_no_entry_can_be_forged() -> None:
    forged = add_log(b"", "2026-11-30", "Failed:\n- 2026-12-01: all is well\r\u2028| a [link](x) <b>")
    lines = forged.decode().splitlines()
    assert [line for line in lines if line.startswith("- ")] == [r"- 2026-11-30: Failed: - 2026-12-01: all is well | a \[link\](x) \<b\>"]


@pytest.mark.req("T31")
def test_the_log_stays_short() -> None:
    log = b"".join(b"- entry %d\n" % number for number in range(5_000)) + b"x" * 100_000
    for number in range(300):
        log = add_log(log, "2026-11-30", f"{number} " + "word " * 200)
    assert count_bytes(log) <= MOST_TOKENS
    assert b"299 word" in log
    assert log.startswith(b"# Log\n")
