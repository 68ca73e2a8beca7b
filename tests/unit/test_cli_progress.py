"""Progress: a bar on a terminal, lines elsewhere, silence when quiet."""

import io
import os
import pty
import subprocess
import sys

import pytest

from indexer.cli.progress import LineProgress, open_progress
from tests.tools.commands import build_environment

RUN = """
import time
from indexer.cli.progress import open_progress
with open_progress(quiet=QUIET) as progress:
    progress.stage("parse", 3)
    for _ in range(3):
        progress.advance()
    time.sleep(0.3)
    progress.note("lost\\x1b[31m: skipped")
    progress.stage("write \\u202e")
print("the result")
"""


def run_on_terminal(code: str, **environment: str) -> str:
    """Run Python with a terminal as standard error and return what that shows."""
    leader, follower = pty.openpty()
    variables = {**build_environment(), "TERM": "xterm-256color", "NO_COLOR": "", **environment}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=follower, env=variables) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # Linux reports the end of a terminal so
                break
            if not part:
                break
            shown += part
    os.close(leader)
    assert process.returncode == 0
    return shown.decode()


@pytest.mark.req("P17")
def test_a_terminal_gets_a_bar_and_notes_above_it() -> None:
    shown = run_on_terminal(RUN.replace("QUIET", "False"))
    assert "3/3" in shown
    assert "━" in shown
    assert "lost\\x1b[31m: skipped" in shown
    assert "write \\u202e" in shown
    assert "\u202e" not in shown


@pytest.mark.req("P17")
@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_no_bar_in_ci_nor_on_a_terminal_that_cannot_show_one(environment: dict[str, str]) -> None:
    assert run_on_terminal(RUN.replace("QUIET", "False"), **environment).split("\r\n") == [
        "parse (3)",
        "lost\\x1b[31m: skipped",
        "write \\u202e",
        "",
    ]


@pytest.mark.req("P17")
def test_quiet_shows_nothing() -> None:
    assert run_on_terminal(RUN.replace("QUIET", "True")) == ""
    ran = subprocess.run([sys.executable, "-c", RUN.replace("QUIET", "True")], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("the result\n", "")


@pytest.mark.req("P17")
def test_progress_never_mixes_with_the_result() -> None:
    ran = subprocess.run([sys.executable, "-c", RUN.replace("QUIET", "False")], capture_output=True, text=True, check=True)
    assert ran.stdout == "the result\n"
    assert ran.stderr.startswith("parse (3)\n")


@pytest.mark.req("P17")
def test_a_long_stage_prints_a_line_every_ten_seconds_and_its_end() -> None:
    stream, now = io.StringIO(), 0.0
    progress = LineProgress(stream, clock=lambda: now)
    progress.stage("parse", 4000)
    for _ in range(4):
        now += 6
        progress.advance(1000)
    progress.stage("write")
    progress.finish()
    assert stream.getvalue() == "parse (4,000)\nparse: 2,000 of 4,000\nparse: 4,000 of 4,000\nparse: 4,000 of 4,000\nwrite\n"


def test_short_stages_print_one_line_each() -> None:
    stream = io.StringIO()
    with open_progress(stream=stream) as progress:
        progress.stage("parse", 2)
        progress.advance(2)
        progress.stage("write")
    assert stream.getvalue() == "parse (2)\nwrite\n"
