"""Caddy and nginx for real, with the configuration that `brain serve --print-config` prints, on ports of loopback.

The printed text is used as it is; what a packaged service brings along (nginx's outer file, where logs go, who runs it) is put around it.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.tools.commands import run_brain

PROGRAMS = {
    "caddy": shutil.which("caddy"),
    "nginx": shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None),
}
MISSING = "no {0}: install the package (Debian: apt-get install {0})"


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


def print_config(kind: str, out: Path, listen: str, url: str, *options: str) -> str:
    """What the command prints."""
    ran = run_brain("serve", "--out", out, "--listen", listen, "--url", url, "--print-config", kind, *options)
    assert ran.code == 0, ran.said
    return ran.out


@contextmanager
def run_front(kind: str, folder: Path, config: str, port: int, workers: int = 1) -> Iterator[None]:
    """Run the program with a printed configuration until the block ends; `workers` are processes of nginx."""
    folder.mkdir(parents=True, exist_ok=True)
    program = PROGRAMS[kind]
    assert program
    command = _prepare_caddy(program, folder, config) if kind == "caddy" else _prepare_nginx(program, folder, config, workers)
    log = folder / "front.log"
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder)}
    with log.open("wb") as told:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=told, stderr=told)
    try:
        _wait_until_open(process, port, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def _prepare_caddy(program: str, folder: Path, config: str) -> list[str]:
    """Nothing beside what is tested: no port of administration, no redirects from port 80, no certificate for the whole machine."""
    head, _, rest = config.partition("{\n")
    file = folder / "Caddyfile"
    file.write_text(f"{head}{{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n{rest}", encoding="utf-8")
    return [program, "run", "--config", str(file), "--adapter", "caddyfile"]


def _prepare_nginx(program: str, folder: Path, config: str, workers: int) -> list[str]:
    (folder / "site.conf").write_text(config, encoding="utf-8")
    user = "user root;" if os.geteuid() == 0 else ""
    scratch = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    outer = f"""{user} daemon off; worker_processes {workers}; pid {folder}/nginx.pid; error_log {folder}/error.log;
    events {{ worker_connections 512; }}
    http {{ default_type application/x-odd; sendfile on; keepalive_requests 100000; access_log off; {scratch} include {folder}/site.conf; }}
    """
    (folder / "nginx.conf").write_text(outer, encoding="utf-8")
    return [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]


def _wait_until_open(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(log.read_text("utf-8", "replace")[-3000:])
