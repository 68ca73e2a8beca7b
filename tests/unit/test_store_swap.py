"""The file on the disk: swapped in whole, readers undisturbed, and one clear sentence when it cannot be."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from indexer.errors import StoreError
from indexer.store.read import open_index
from indexer.store.write import write_index
from tests.tools.index_rows import change_page, make_brain

READ_IN_STEPS = """
import sys
from pathlib import Path
from indexer.store.read import open_index
with open_index(Path(sys.argv[1])) as reader:
    for _ in sys.stdin:
        print(reader.fetch_page("handbook", "index.md").title, reader.is_current(), flush=True)
"""

WRITE_LARGE = """
import sys
from msgspec.structs import replace
from pathlib import Path
from indexer.store.write import write_index
from tests.tools.index_rows import make_brain, make_page
pages = tuple(make_page(f"{number}.md", "Killed") for number in range(30_000))
print("go", flush=True)
write_index(Path(sys.argv[1]), [replace(make_brain(), pages=pages)])
print("done", flush=True)
"""

HOLD_OPEN = """
import sys
import _duckdb
connection = _duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "index.duckdb"
    write_index(path, [make_brain()])
    return path


def start(code: str, target: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, str(target)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def ask(process: "subprocess.Popen[str]") -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.mark.req("P07")
def test_another_process_finishes_on_the_old_index_and_a_new_one_sees_the_new(target: Path) -> None:
    with start(READ_IN_STEPS, target) as old:
        assert ask(old) == "Start True"
        write_index(target, [change_page(make_brain(), "index.md", title="Changed")], previous=target)
        assert ask(old) == "Start False"
        with start(READ_IN_STEPS, target) as new:
            assert ask(new) == "Changed True"
            new.communicate()
        old.communicate()


@pytest.mark.req("P07")
def test_a_reader_of_the_same_process_that_opens_anew_sees_the_new_index_beside_the_old(target: Path) -> None:
    with open_index(target) as old:
        write_index(target, [change_page(make_brain(), "index.md", title="Changed")], previous=target)
        with open_index(target) as new:
            page, former = new.fetch_page("handbook", "index.md"), old.fetch_page("handbook", "index.md")
    assert page is not None
    assert former is not None
    assert (page.title, former.title) == ("Changed", "Start")


@pytest.mark.req("P07")
@pytest.mark.parametrize("delay", [0.0, 0.15, 0.4])
def test_killing_the_writer_leaves_the_old_index(target: Path, delay: float) -> None:
    before = target.read_bytes()
    with start(WRITE_LARGE, target) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "go\n"
        if delay:
            deadline = time.monotonic() + 60
            while not list(target.parent.glob("*.new")) and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        finished = "done" in writer.stdout.read()
    if finished:
        pytest.skip("the writer was faster than the signal")
    assert target.read_bytes() == before
    write_index(target, [make_brain()], previous=target)
    assert [path.name for path in target.parent.iterdir()] == ["index.duckdb"]


def test_a_stray_file_of_a_running_writer_is_left_alone(target: Path) -> None:
    running = target.with_name(f"index.duckdb.{os.getppid()}-00000000.new")
    running.touch()
    write_index(target, [make_brain()])
    assert running.exists()


def test_nothing_but_the_index_is_left_in_the_folder(target: Path) -> None:
    write_index(target, [make_brain("other")], previous=target)
    with pytest.raises(StoreError):
        write_index(target, [change_page(make_brain(), "index.md", summary=None)])
    assert [path.name for path in target.parent.iterdir()] == ["index.duckdb"]


def test_the_new_file_has_the_permissions_of_the_old(target: Path) -> None:
    target.chmod(0o640)
    write_index(target, [make_brain()], previous=target)
    assert target.stat().st_mode & 0o777 == 0o640


def make_foreign_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (a)")


def make_other_duckdb(path: Path) -> None:
    import _duckdb

    path.unlink()
    with _duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE mine (a INTEGER)")


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[12_400:12_900] = b"\xff" * 500
    path.write_bytes(data)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_text("my notes\n" * 2000), "is not an index"),
    "sqlite": (make_foreign_database, "is not an index"),
    "other tables": (make_other_duckdb, "not an index"),
    "damaged": (damage, "is damaged"),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:9000]), "is damaged"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_file_that_is_no_index_is_neither_read_nor_replaced(target: Path, kind: str) -> None:
    spoil, said = DAMAGES[kind]
    spoil(target)
    before = target.read_bytes()
    for action in (
        lambda: open_index(target),
        lambda: write_index(target, [make_brain()]),
        lambda: write_index(target, [make_brain()], previous=target),
    ):
        with pytest.raises(StoreError, match=said) as error:
            action()
        assert str(target) in error.value.message
        assert error.value.hint
        assert "\n" not in error.value.message
    assert target.read_bytes() == before


def test_an_empty_file_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "index.duckdb").touch()
    write_index(tmp_path / "index.duckdb", [make_brain()], previous=tmp_path / "index.duckdb")
    with open_index(tmp_path / "index.duckdb") as reader:
        assert len(reader.fetch_repos()) == 1


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no index"):
        open_index(tmp_path / "none.duckdb")


def test_an_index_that_another_program_writes_to_is_named(target: Path) -> None:
    with start(HOLD_OPEN, target) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        for action in (lambda: open_index(target), lambda: write_index(target, [make_brain()], previous=target)):
            with pytest.raises(StoreError, match="open for writing in another program"):
                action()
        holder.communicate()


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write anywhere, so it becomes somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    write_index(tmp_path / "other.duckdb", [make_brain()])  # everything is imported before rights are given up
    with unprivileged(), pytest.raises(StoreError, match=r"refused") as error:
        write_index(closed / "index.duckdb", [make_brain()])
    assert error.value.hint


def test_an_output_below_a_file_is_named(target: Path) -> None:
    with pytest.raises(StoreError, match="part of the path is a file"):
        write_index(target / "index.duckdb", [make_brain()])


def test_a_disk_that_takes_no_more_is_named_and_the_old_index_stays(target: Path) -> None:
    before = target.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with pytest.raises(StoreError) as error:
            write_index(target, [make_brain("other")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert "larger than this system allows" in error.value.message
    assert target.read_bytes() == before
    assert [path.name for path in target.parent.iterdir()] == ["index.duckdb"]


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK) or os.geteuid() != 0, reason="needs the right to mount a small disk")
def test_a_full_disk_is_named_and_the_old_index_stays(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=False, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        target = disk / "index.duckdb"
        write_index(target, [make_brain()])
        before = target.read_bytes()
        (disk / "ballast").write_bytes(b"x" * (os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize))
        with pytest.raises(StoreError, match="The disk is full"):
            write_index(target, [make_brain()], previous=target)
        assert target.read_bytes() == before
    finally:
        subprocess.run(["umount", disk], check=True)


def test_changes_that_a_foreign_program_left_beside_the_old_index_are_not_applied_to_the_new(target: Path) -> None:
    log = target.with_name("index.duckdb.wal")
    log.write_bytes(b"")
    write_index(target, [make_brain()], previous=target)
    assert not log.exists()
