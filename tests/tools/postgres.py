"""A PostgreSQL of one's own for a test run: made in a temporary folder, reached by a socket there, gone afterwards."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

MISSING = "PostgreSQL is not installed (Debian: apt-get install postgresql)"
_USER = "brain"


def find_programs() -> Path | None:
    """Return the folder with `initdb` and `postgres`; None where there is none."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_isready").exists()), None)


@contextmanager
def run_postgres() -> Iterator[str]:
    """Run a server and give the URL of its first database. It refuses to run as root, so then another user runs it."""
    programs = find_programs()
    if programs is None:
        raise RuntimeError(MISSING)
    # The path of a socket has at most 107 characters, so the folder is not below pytest's.
    folder = Path(tempfile.mkdtemp(prefix="brain-pg-", dir="/tmp"))
    data, log = folder / "data", folder / "log"
    user = "nobody" if os.getuid() == 0 else None
    try:
        folder.chmod(0o755)
        data.mkdir(mode=0o700)
        if user:
            for path in (folder, data):
                shutil.chown(path, user)
        init: list[str | Path] = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            _USER,
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]
        subprocess.run(init, check=True, capture_output=True, cwd=folder, timeout=120, user=user)
        settings = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off", "-c", "shared_buffers=64MB"]
        with log.open("wb") as said:
            server = subprocess.Popen(
                [*_dying_with_us(), programs / "postgres", "-D", data, *settings],
                stdout=said,
                stderr=said,
                cwd=folder,
                start_new_session=True,
                user=user,
            )
        try:
            wait_for(programs, folder, server, log)
            yield f"postgresql://{_USER}@/postgres?host={quote(str(folder), safe='')}"
        finally:
            server.send_signal(signal.SIGINT)  # stops without waiting for connections
            server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _dying_with_us() -> list[str]:
    """The beginning of a command that ends when this process is killed."""
    return ["setpriv", "--pdeathsig", "INT"] if shutil.which("setpriv") else []


def wait_for(programs: Path, folder: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers; RuntimeError with what it said when it does not."""
    for _ in range(100):
        ready = subprocess.run([programs / "pg_isready", "-q", "-h", folder, "-U", _USER, "-t", "1"], check=False, timeout=10)
        if ready.returncode == 0:
            return
        if server.poll() is not None:
            break
        try:
            server.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
    raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
