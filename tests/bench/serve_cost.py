"""What deciding every request costs: requests per second of the gateway beside the same files from plain nginx, in one run (wrk).

Everything is on: a session is looked up, the right to read decided and the release asked at each request. Called by `tests.bench`. The
load generator runs on the same machine and takes its share of it. On a machine that others use too, rates say little: what the servers' own
processes take for a request in processor time says more.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from indexer.registry.apply import apply_tenants
from indexer.registry.engine import open_registry
from indexer.registry.identities import sign_in
from indexer.registry.sessions import create_session
from indexer.registry.tenant_file import load_tenant_file
from indexer.serve.settings import DEV_ISSUER
from tests.tools.commands import build_environment, command, run_brain
from tests.tools.desks import NORTHWIND
from tests.tools.fronts import MISSING, PROGRAMS, free_port, print_config, run_front
from tests.tools.gateways import Line

TENANT, REPO, PERSON = "northwind", "northwind-advisory", "tom"
SECONDS, CONNECTIONS = 10, 32
_SCRIPT = """
local paths = {{ {paths} }}
local at = 0
wrk.headers["Cookie"] = "brain={token}"
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
"""


@dataclass(frozen=True, slots=True)
class ServeCost:
    """One way of serving the same files."""

    way: str
    rate: float
    """Requests per second."""
    p99: str
    """99th percentile of the time to answer, as wrk shows it."""
    cpu: float
    """Microseconds of processor time that a request takes all processes that serve it, without those of wrk."""
    bad: int
    """Answers that were not 200, and failures of connections; anything but 0 makes the rate worthless."""


def measure_serving(work: Path, seconds: int = SECONDS) -> list[ServeCost]:
    """Build the sample workspace and measure each way, plain nginx first and last: the mean of both is its rate."""
    wrk = shutil.which("wrk")
    if wrk is None or PROGRAMS["nginx"] is None:
        missing = "wrk" if wrk is None else "nginx"
        print(MISSING.format(missing), file=sys.stderr)
        return []
    out, registry = work / "out", work / "registry.sqlite"
    shutil.copytree(NORTHWIND, work / "brains" / TENANT)
    built = run_brain("build", work / "brains", "--out", out, "--uncommitted", "--quiet", limit=600)
    if built.code:
        raise SystemExit(built.said)
    token = _open_session(work / "brains" / TENANT / "tenant.yml", registry)
    site = out / TENANT / REPO / "site"
    pages = sorted(str(page.parent.relative_to(site)) for page in site.rglob("index.html"))
    paths = [f"/{TENANT}/{REPO}/" if page == "." else f"/{TENANT}/{REPO}/{page}/" for page in pages]
    script = work / "paths.lua"
    script.write_text(_SCRIPT.format(paths=", ".join(f'"{path}"' for path in paths), token=token), encoding="ascii")

    def run(way: str, port: int) -> ServeCost:
        return _load(wrk, way, f"http://127.0.0.1:{port}", script, seconds)

    costs = []
    with _plain_nginx(out, work / "plain") as plain:
        costs.append(run("plain nginx", plain))
        with _gateway(out, registry) as port:
            costs.append(run("gateway alone", port))
        for way, options in (("gateway behind nginx", ()), ("gateway behind nginx, which sends the files", ("--sendfile", "nginx"))):
            front = free_port()
            with _gateway(out, registry, f"http://127.0.0.1:{front}", *options) as port, ExitStack() as stack:
                config = print_config("nginx", out, f"127.0.0.1:{port}", f"http://127.0.0.1:{front}", *options)
                stack.enter_context(run_front("nginx", work / way.replace(" ", "-"), config, front, workers=os.cpu_count() or 1))
                costs.append(run(way, front))
        costs.append(run("plain nginx, again", plain))
    return costs


def _open_session(tenant_file: Path, file: Path) -> str:
    registry = open_registry(str(file), create=True)
    now = datetime.now(UTC)
    with registry.writing() as connection:
        apply_tenants(connection, [load_tenant_file(tenant_file)], now)
        email = f"{PERSON}@{TENANT}.example"
        token = create_session(connection, sign_in(connection, DEV_ISSUER, email, email, now).identity, now)
    registry.close()
    return token


@contextmanager
def _plain_nginx(out: Path, folder: Path) -> Iterator[int]:
    """The same files at the same addresses, for anybody."""
    port = free_port()
    config = f"""server {{ listen 127.0.0.1:{port};
    location ~ ^/([a-z0-9-]+)/([a-z0-9-]+)/(.*)$ {{ root "{out}"; try_files /$1/$2/site/$3 /$1/$2/site/$3index.html =404; }} }}"""
    with run_front("nginx", folder, config, port, workers=os.cpu_count() or 1):
        yield port


@contextmanager
def _gateway(out: Path, registry: Path, url: str = "", *options: str) -> Iterator[int]:
    """`brain serve` with a process for each core."""
    port = free_port()
    given: list[str | Path] = ["serve", "--out", out, "--registry", registry, "--listen", f"127.0.0.1:{port}"]
    given += ["--rate", "0", "--dev-login", PERSON, "--processes", str(os.cpu_count() or 1), *(["--url", url] if url else []), *options]
    with subprocess.Popen(command(*given), env=build_environment(), stdout=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(40)


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            line = Line(("127.0.0.1", port))
            well = line.request("GET", "/healthz").status == 200
            line.close()
        except OSError:
            well = False
        if well:
            return
        time.sleep(0.1)
    raise SystemExit("the gateway did not start")


def _load(wrk: str, way: str, address: str, script: Path, seconds: int) -> ServeCost:
    """Two seconds to warm up, then measure."""
    before = 0.0
    for duration in (2, seconds):
        before = _sum_cpu()
        asked = [wrk, "-t", "2", "-c", str(CONNECTIONS), "-d", f"{duration}s", "--latency", "-s", str(script), address]
        said = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=seconds + 60).stdout
    took = _sum_cpu() - before
    count = re.search(r"(\d+) requests in", said)
    rate = re.search(r"Requests/sec:\s+([0-9.]+)", said)
    p99 = re.search(r"99%\s+(\S+)", said)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", said)
    bad = (int(refused[1]) if refused else 0) + (sum(map(int, failed.groups())) if failed else 0)
    return ServeCost(way, float(rate[1]) if rate else 0.0, p99[1] if p99 else "", took / int(count[1]) * 1e6 if count else 0.0, bad)


def _read_ticks(process: Path) -> int:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _sum_cpu() -> float:
    """Seconds of processor time that the processes below this one have taken, those that are running now."""
    ticks, found = 0, [Path("/proc/self")]
    while found:
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            children = [child for task in (found.pop() / "task").iterdir() for child in (task / "children").read_text().split()]
            found += map(Path("/proc").joinpath, children)
            ticks += sum(map(_read_ticks, found[len(found) - len(children) :]))
    return ticks / os.sysconf("SC_CLK_TCK")
