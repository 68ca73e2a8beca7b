"""The edge of the command line: exit codes, one clear sentence, and a log for mistakes of the program."""

import errno
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from indexer.cli.bug_log import redact_arguments, redact_text, render_bug, store_bug
from indexer.cli.commands import COMMANDS, group
from indexer.cli.edge import run_guarded
from indexer.errors import ConfigError, SourceError, StoreError, UsageError
from indexer.store.write import write_index
from tests.tools.commands import build_environment, command, run_brain
from tests.tools.index_rows import make_brain
from tests.tools.registries import open_world


def raising(error: BaseException) -> Callable[[Sequence[str]], int]:
    def run(arguments: Sequence[str]) -> int:
        raise error

    return run


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "brainpress"


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (SourceError("No branch “x”.", hint="Name another."), 3, "Error: No branch “x”.\n  Name another.\n"),
        (StoreError("The index is damaged."), 3, "Error: The index is damaged.\n"),
        (ConfigError(["a: wrong", "b: wrong"]), 3, "Error: a: wrong\nb: wrong\n"),
        (UsageError("--at needs git."), 2, "Error: --at needs git.\n"),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (OSError(errno.ENOSPC, "No space left on device", "out/a.html"), 3, "Error: The disk is full: out/a.html.\n  Free some space"),
        (OSError(errno.EROFS, "Read-only file system", "out"), 3, "Error: The file system is read-only: out.\n"),
        (PermissionError(errno.EACCES, "Permission denied", "out"), 3, "Error: Access was refused: out.\n"),
        (MemoryError(), 3, "Error: There is not enough memory.\n"),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "out/x"), 3, "Error: A folder lies where a file belongs: out/x.\n  Move it"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory", "a/b"), 3, "Error: A file lies where a folder belongs: a/b.\n"),
        (OSError(errno.EIO, "Input/output error", "x"), 3, "Error: The disk could not be read or written: x.\n"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x"), 3, "Error: The name is too long for this file system: x.\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_each_failure_has_its_exit_code_and_one_sentence(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str], state: Path
) -> None:
    assert run_guarded([], raising(error)) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert not state.exists()


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    "error", [ZeroDivisionError("1/0"), FileNotFoundError(errno.ENOENT, "gone", "x"), RecursionError(), KeyError("BUG")]
)
def test_a_mistake_of_the_program_leaves_a_log(error: Exception, capsys: pytest.CaptureFixture[str], state: Path) -> None:
    assert run_guarded(["build", "vault", "--token", "hunter2hunter2"], raising(error)) == 4
    said = capsys.readouterr().err
    (log,) = state.iterdir()
    assert str(log) in said
    assert "Traceback" not in said
    text = log.read_text()
    for part in ("brain 0.", "Python 3.", "duckdb ", "Arguments: 'build' 'vault' '--token' '***'", "Traceback", type(error).__name__):
        assert part in text
    assert "hunter2" not in text
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.req("P13")
def test_the_log_goes_elsewhere_when_its_folder_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    log = store_bug("text", {"XDG_STATE_HOME": str(blocked), "HOME": str(blocked)})
    assert log is not None
    assert log.parent == temporary


def test_without_any_folder_the_log_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "blocked"
    blocked.touch()
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(blocked))
    assert run_guarded([], raising(ZeroDivisionError("\x1b[31mred"))) == 4
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "\x1b" not in said


@pytest.mark.threat(38)
@pytest.mark.parametrize(
    "secret",
    [
        "https://ada:hunter2hunter2@forge.example/x.git",
        "https://hunter2hunter2@forge.example/x.git",
        "ghp_hunter2hunter2hunter2",
        "github_pat_hunter2hunter2",
        "sk_live_tenant_hunter2hunter2",
        "Authorization: Bearer hunter2hunter2",
        "https://forge.example/x?access_token=hunter2hunter2&y=1",
        "the value of FORGE_TOKEN: hunter2hunter2",
    ],
)
def test_no_credential_is_in_the_log(secret: str) -> None:
    environment = {"FORGE_TOKEN": "hunter2hunter2"} if "FORGE_TOKEN" in secret else {}
    text = render_bug(ValueError(secret), [secret], environment)
    assert "hunter2" not in text
    assert "***" in text


def test_arguments_and_home_are_shortened() -> None:
    given = ["sql", "--api-key=abc", "--password", "abc", "--limit", "3", "--token", "--json"]
    assert redact_arguments(given) == ["sql", "--api-key=***", "--password", "***", "--limit", "3", "--token", "--json"]
    assert redact_text("/home/ada/vault /home/adam", {"HOME": "/home/ada"}) == "~/vault /home/adam"


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["sql"],
        ["sql", "a", "b", "--limit", "9" * 20],
        ["sql", "a", "b", "--timeout", "nan"],
        ["build", "a", "--out", "b", "--jobs", "5000"],
        ["--nonsense"],
        [],
    ],
)
def test_wrong_arguments_exit_2_and_show_the_usage(arguments: list[str]) -> None:
    ran = run_brain(*arguments)
    assert ran.code == 2
    assert "Usage: brain" in ran.err
    assert "Traceback" not in ran.said


@pytest.mark.parametrize(("written", "meant"), [("buidl", " Did you mean 'build'?"), ("xyzzy", "")])
def test_a_misspelt_command_is_told_what_it_may_be(written: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded([written]) == 2
    assert capsys.readouterr().err.endswith(f"Error: No such command '{written}'.{meant}\n")


@pytest.mark.req("T16")
def test_brain_alone_lists_what_a_turn_reaches(tmp_path: Path) -> None:
    turn = {"BRAIN_AS": "filer", "BRAIN_SPEAKER": "ed", "BRAIN_REGISTRY": str(tmp_path / "registry.sqlite")}
    assert run_brain(env=turn).code == 3, "no registry there"
    open_world(str(tmp_path / "registry.sqlite")).registry.close()
    unclear = run_brain(env=turn)
    assert unclear.code == 2
    assert "--tenant" in unclear.err
    ran = run_brain(env={**turn, "BRAIN_TENANT": "acme"})
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == ["handbook", "plans"]


def test_help_lists_every_command_without_loading_it() -> None:
    code = (
        "import sys; from indexer.cli.main import main\ntry: main(['--help'])\nfinally: print('loaded', 'indexer.pipeline' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "loaded False" in ran.stdout
    for name in COMMANDS:
        assert f"  {name} " in ran.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_can_be_run(name: str) -> None:
    ran = run_brain(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: brain {name} ")


def test_every_module_with_a_command_is_listed() -> None:
    folder = Path(__file__).parents[2] / "indexer" / "cli"
    modules = {path.stem for path in folder.glob("*.py") if "\ndef command(" in path.read_text(encoding="utf-8")}
    assert modules == {name.replace("-", "_") for name in COMMANDS}
    assert group.list_commands(None) == list(COMMANDS)  # type: ignore[arg-type]


def test_the_version_is_answered_without_loading_anything() -> None:
    code = "import sys; from indexer.cli.main import main\ntry: main(['--version'])\nfinally: print('click' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "brain 0.1.0\nFalse\n"
    assert run_brain("--version", "--version").out == "brain 0.1.0\n"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    write_index(tmp_path / "index.duckdb", [make_brain()])
    return tmp_path / "index.duckdb"


@pytest.mark.req("P13")
def test_a_reader_that_has_enough_makes_no_noise(index: Path) -> None:
    given = command("sql", index, "SELECT repeat('x', 200) FROM range(20000)", "--limit", "20000", "--csv")
    environment = build_environment({"PYTHONUNBUFFERED": ""})  # unbuffered, Python itself overlooks a short write
    with subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as brain:
        assert brain.stdout is not None
        assert brain.stderr is not None
        brain.stdout.readline()
        brain.stdout.close()
        assert brain.stderr.read() == b""
    assert brain.returncode == 141


@pytest.mark.req("P13")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_onto_a_full_disk_is_an_expected_failure(index: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            command("sql", index, "FROM repo"), stdout=full, stderr=subprocess.PIPE, text=True, env=build_environment(), check=False
        )
    assert ran.returncode == 3
    assert ran.stderr.startswith("Error: The disk is full")
    assert "Exception ignored" not in ran.stderr


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("given", "streams", "code"),
    [("blueprint list", "<&- >&- 2>&-", 0), ("nonsense", ">&- 2>&-", 2), ("--version", ">&-", 0), ("--version", ">/dev/full", 3)],
)
def test_streams_that_are_closed_or_full_are_no_mistake_of_the_program(given: str, streams: str, code: int, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {streams}', "sh", *command(*given.split())],
        capture_output=True,
        text=True,
        env=build_environment({"XDG_STATE_HOME": str(tmp_path)}),
        check=False,
    )
    assert (ran.returncode, "Traceback" in ran.stderr, list(tmp_path.iterdir())) == (code, False, [])


@pytest.mark.req("P13", "P17")
def test_an_interrupted_command_says_so_and_exits_130(index: Path) -> None:
    query = "SELECT count(*) FROM range(1000000000000) a, range(1000) b"
    with subprocess.Popen(
        command("sql", index, query), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=build_environment(), text=True
    ) as brain:
        time.sleep(2)
        brain.send_signal(signal.SIGINT)
        _, said = brain.communicate(timeout=60)
    assert brain.returncode == 130, said
    assert "Interrupted" in said
    assert "Traceback" not in said


def test_a_terminal_that_is_not_unicode_is_no_reason_to_fail(index: Path) -> None:
    environment = {"PYTHONIOENCODING": "ascii"}
    ran = run_brain("sql", index, "SELECT 'Ω\u202e' AS x", env=environment)
    assert ran.code == 0, ran.said
    assert "\\u03a9" in ran.out


def test_an_argument_that_is_not_utf_8_is_text_or_refused(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(["sql", str(index), "SELECT '\udcff' AS x", "--csv"]) == 0
    assert capsys.readouterr().out == "x\n\ufffd\n"
    error = UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed")
    assert run_guarded(["account", "add", "\udcff"], raising(error)) == 2
    assert "no UTF-8" in capsys.readouterr().err


def test_messages_cannot_give_the_terminal_orders(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    run_guarded([], raising(SourceError("No file \x1b]0;owned\x07\u202e.", hint="::error::x")))
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\\x1b]0;owned\\x07\\u202e" in said
    assert "  \\x3a:error::x" in said


def test_exit_codes_of_commands_are_passed_on() -> None:
    assert run_guarded([], lambda arguments: 1) == 1
