"""A stranger follows the handbook's page "Put it on a server", in a real browser: Caddy with TLS, sign-in, two people, a grant, its end.

The commands are those of the page: what begins with `brain` is run as it stands there, with other folders and addresses; what prepares a
machine is only checked to be of a kind that is known here.
"""

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, Page, expect

from tests.tools.commands import build_environment
from tests.tools.desks import NORTHWIND
from tests.tools.fronts import MISSING, PROGRAMS, free_port, run_front
from tests.tools.gateways import Line

pytestmark = [pytest.mark.req("X02", "T09", "T33"), pytest.mark.threat(33, 37)]

PAGE = Path(__file__).parents[2] / "brains" / "brainpress" / "handbook" / "guides" / "put-it-on-a-server.md"
PREPARING = ("useradd ", "usermod ", "install ", "systemctl ")
"""Commands that change a machine; they are read, not run."""
AS_BRAIN = "runuser -u brain -- "
"""The user of the gateway; here it is whoever runs the test."""
NOTES = "Mara's notes"
_CONTINUED = re.compile(r"\\\n\s*")


def read_commands() -> list[str]:
    """Every command of the page, one line each, in order."""
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return [line.removeprefix(AS_BRAIN) for block in blocks for line in _CONTINUED.sub("", block).splitlines() if line]


@dataclass
class Machine:
    """Where the page's places are in this test."""

    folder: Path
    places: Mapping[str, str]
    url: str
    commands: list[str]

    def put(self, command: str) -> str:
        """A command of the page, for this machine."""
        for name, place in self.places.items():
            command = command.replace(name, place)
        return re.sub(r"^brain ", f"'{sys.executable}' -m indexer ", command)

    def find(self, start: str, *, holding: str = "") -> str:
        """The one command of the page that begins so."""
        printing = "--print-config" in holding
        (found,) = [each for each in self.commands if each.startswith(start) and holding in each and ("--print-config" in each) == printing]
        return found

    def run(self, start: str, *, holding: str = "") -> str:
        """Run it and return what it said."""
        done = subprocess.run(
            ["bash", "-c", self.put(self.find(start, holding=holding))],
            env=build_environment(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def sign_in_service() -> Iterator[str]:
    """An OpenID Connect service that knows Mara and Samir; gives its issuer."""
    people = [User(sub=name, claims={"email": f"{name}@northwind.example", "email_verified": True}) for name in ("mara", "samir")]
    with run_server_in_thread(user_claims=people) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Sections 1 to 6 of the page."""
    if PROGRAMS["caddy"] is None:
        pytest.skip(MISSING.format("caddy"))
    with ExitStack() as stack:
        # Short, for the path of a socket may have 107 bytes.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="brain-")))
        port, issuer = free_port(), stack.enter_context(sign_in_service())
        url = f"https://localhost:{port}"
        for part in ("srv", "run", "log", "etc"):
            (folder / part).mkdir()
        places = {
            "/srv/brain": f"{folder}/srv",
            "/run/brain": f"{folder}/run",
            "/var/log/brain": f"{folder}/log",
            "/etc/brain": f"{folder}/etc",
            "/etc/caddy": f"{folder}/etc",
            "https://brain.example.org": url,
            "https://login.example.org": issuer,
        }
        made = Machine(folder, places, url, read_commands())
        subprocess.run(["cp", "-r", str(NORTHWIND.parent), str(folder / "srv" / "brains")], check=True, timeout=60)
        (folder / "etc" / "oidc-secret").write_text("s3cret\n")
        assert "change" in made.run("brain registry apply")
        made.run("brain build")
        made.run("brain serve", holding="--print-config caddy")
        stack.enter_context(run_service(made))
        stack.enter_context(run_front("caddy", folder / "caddy", (folder / "etc" / "Caddyfile").read_text(), port))
        yield made


@contextmanager
def run_service(machine: Machine) -> Iterator[None]:
    """The gateway, as the page starts it; a signal ends it, and it ends well."""
    told = machine.folder / "log" / "told"
    with told.open("wb") as out:
        started = ["bash", "-c", f"exec {machine.put(machine.find('brain serve'))}"]
        process = subprocess.Popen(started, env=build_environment(), cwd=machine.folder, stdout=out, stderr=out)
    try:
        _wait(machine.folder / "run" / "brain.sock", process, told)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(40)
    assert code in {0, -signal.SIGTERM}, told.read_text()


def _wait(path: Path, process: "subprocess.Popen[bytes]", told: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if path.exists():
            line = Line(str(path))
            try:
                if line.request("GET", "/healthz", {"Host": "localhost"}).status == 200:
                    return
            except OSError:
                pass
            finally:
                line.close()
        time.sleep(0.05)
    raise AssertionError(told.read_text())


@contextmanager
def signed_in(browser: Browser, machine: Machine, name: str) -> Iterator[Page]:
    """A browser of one person, who has signed in by the link on the front page."""
    with browser.new_context(base_url=machine.url, ignore_https_errors=True) as context:
        page = context.new_page()
        page.goto("/")
        page.get_by_role("link", name="Sign in").first.click()
        expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()
        assert urlsplit(page.url).netloc != urlsplit(machine.url).netloc
        page.get_by_role("button", name=name, exact=True).first.click()
        expect(page.get_by_role("heading", name="What you can read")).to_be_visible()
        assert page.url == f"{machine.url}/"
        yield page


def reads(page: Page) -> bool:
    """Whether somebody reads Mara's notes: on the home page, by search and at their address, which have to agree."""
    page.goto("/")
    listed = page.get_by_role("link", name=NOTES, exact=True).count() > 0
    page.goto("/-/search?q=notes")
    found = page.locator('a[href^="/northwind/mara-home/"]').count() > 0
    answer = page.goto("/northwind/mara-home/")
    assert answer is not None
    opened = answer.status == 200
    assert opened or (answer.status == 404 and "Mara" not in page.content())
    assert listed == found == opened, (listed, found, opened)
    return opened


def test_what_the_page_tells_a_stranger_works(browser: Browser, machine: Machine) -> None:
    with signed_in(browser, machine, "mara") as mara, signed_in(browser, machine, "samir") as samir:
        assert reads(mara)
        assert not reads(samir)
        hidden = samir.request.get("/northwind/mara-home/")
        missing = samir.request.get("/northwind/never-existed/")
        assert (hidden.status, hidden.body()) == (missing.status, missing.body())

        # Sections 7 and 8, by the commands.
        assert "samir may now read mara-home" in machine.run("brain grant")
        assert reads(samir)
        machine.run("brain revoke")
        assert not reads(samir)

        # The same by Mara herself, with Samir's page open.
        mara.goto("/")
        mara.get_by_role("link", name=re.compile(f"Who can read it ?: {NOTES}")).click()
        mara.get_by_label("Person or agent").fill("samir@northwind.example")
        mara.get_by_role("button", name="Grant", exact=True).click()
        expect(mara.get_by_role("row", name=re.compile("Samir Haddad"))).to_be_visible()
        assert reads(samir)
        mara.get_by_role("button", name=re.compile("Revoke ?: Samir Haddad")).click()
        expect(mara.get_by_role("row", name=re.compile("Samir Haddad"))).to_have_count(0)
        answer = samir.reload()
        assert answer is not None
        assert answer.status == 404
        assert not reads(samir)
        assert reads(mara)


def test_sessions_are_bound_to_the_host_and_end_when_somebody_signs_out(browser: Browser, machine: Machine) -> None:
    with signed_in(browser, machine, "mara") as page:
        cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
        session = cookies["__Host-brain"]
        assert (session["secure"], session["httpOnly"], session["sameSite"], session["path"]) == (True, True, "Lax", "/")
        assert [name for name in cookies if name.startswith("__Host-")] == list(cookies)
        page.goto("/")
        page.get_by_role("button", name="Sign out").click()
        answer = page.request.get("/northwind/mara-home/", headers={"Cookie": f"__Host-brain={session['value']}"})
        assert answer.status == 404


def test_the_log_holds_who_asked_and_no_secret(machine: Machine, browser: Browser) -> None:
    with signed_in(browser, machine, "samir") as page:
        token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "__Host-brain")
    text = (machine.folder / "log" / "access.log").read_text()
    assert "northwind/samir" in text
    for secret in (token, "s3cret", "code=", "state="):
        assert secret not in text


def test_every_command_of_the_page_is_known_here() -> None:
    """A new command of the page has to be tried by this test, or be one that only prepares a machine."""
    commands = read_commands()
    tried = ("brain registry apply", "brain build", "brain serve", "brain grant", "brain revoke")
    assert [each for each in commands if not each.startswith((*tried, *PREPARING))] == []
    for start in (*tried, *PREPARING):
        assert any(each.startswith(start) for each in commands), start


def test_the_service_is_started_as_the_page_says() -> None:
    """The unit for systemd repeats the command; one of them must not be changed alone."""
    (unit,) = re.findall(r"```ini\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (started,) = re.findall(r"^ExecStart=(.*)$", _CONTINUED.sub("", unit), re.MULTILINE)
    (command,) = [each for each in read_commands() if each.startswith("brain serve") and "--print-config" not in each]
    assert started == command
    assert Path("/run/brain/brain.sock").parent == Path("/run") / re.findall(r"^RuntimeDirectory=(.*)$", unit, re.MULTILINE)[0]
