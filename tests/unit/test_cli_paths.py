"""Paths as people type them: nothing, an address, a home folder that no shell put in, a folder that holds the cache."""

from pathlib import Path

import pytest

from tests.tools.commands import run_brain


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with one page, which is the current folder, too."""
    (tmp_path / "home" / "notes").mkdir(parents=True)
    (tmp_path / "home" / "notes" / "kiln.md").write_text("# Kiln\n\nFired twice.\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ""],
        ["inspect", " "],
        ["preview", ""],
        ["refresh", ""],
        ["build", "notes", "--out", ""],
        ["sql", "", "SELECT 1"],
        ["tool", "listBrains", "--path", ""],
        ["registry", "export", "--out", ""],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_variable_that_is_not_set_is_not_taken_for_the_current_folder(home: Path, arguments: list[str]) -> None:
    before = sorted(home.rglob("*"))
    ran = run_brain(*arguments, limit=60)
    assert ran.code == 2
    assert "empty" in ran.err
    assert "The current folder is written as a dot." in ran.err
    assert sorted(home.rglob("*")) == before


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    "address", ["https://mara:s3cretword@git.example.org/a.git", "git@git.example.org:acme/a.git", "file:///srv/notes"]
)
@pytest.mark.parametrize("command", [["check"], ["build", "--out", "../out"], ["preview"], ["report"]], ids=lambda command: command[0])
def test_an_address_is_told_from_a_folder_that_is_missing(home: Path, command: list[str], address: str) -> None:
    ran = run_brain(*command, address, limit=60)
    assert ran.code == 2
    assert "it is an address" in ran.err
    assert "git clone" in ran.err
    assert "s3cretword" not in ran.err


@pytest.mark.usefixtures("home")
def test_a_folder_with_the_name_of_an_address_is_read() -> None:
    Path("git@host:a").mkdir()
    Path("git@host:a/page.md").write_text("# Page\n")
    assert run_brain("check", "git@host:a").code == 0


@pytest.mark.req("P18")
def test_a_tilde_that_no_shell_read_is_the_home_folder(home: Path) -> None:
    assert run_brain("build", "~/notes", "--out=~/site").code == 0
    assert (home / "site" / "site" / "kiln" / "index.html").exists()
    assert not (home / "~").exists()


def test_a_registry_in_the_home_folder_may_be_named_by_a_tilde(home: Path) -> None:
    (home / "work" / "acme").mkdir(parents=True)
    (home / "work" / "acme" / "tenant.yml").write_text("id: acme\ntitle: Acme\n")
    assert run_brain("registry", "apply", "work", "--registry=~/who.sqlite").code == 0
    assert (home / "who.sqlite").exists()
    assert not (home / "~").exists()


def test_a_name_that_begins_with_a_tilde_is_a_name(home: Path) -> None:
    (home / "~drafts").mkdir()
    (home / "~drafts" / "page.md").write_text("# Page\n\n[[gone]]\n")
    assert "page.md" in run_brain("check", "~drafts").out


@pytest.mark.req("P18")
@pytest.mark.parametrize("command", [["check"], ["search", "Kiln"], ["report"], ["inspect"]], ids=lambda command: command[0])
def test_a_whole_home_folder_is_read_though_the_cache_lies_in_it_and_nothing_is_written_into_it(home: Path, command: list[str]) -> None:
    before = sorted(home.rglob("*"))
    ran = run_brain(command[0], str(home), *command[1:], env={"XDG_CACHE_HOME": ""})
    assert ran.code == 0, ran.err
    assert sorted(home.rglob("*")) == before


@pytest.mark.usefixtures("home")
def test_a_folder_that_holds_everything_is_refused_without_advice_that_cannot_be_followed() -> None:
    for arguments in (["check", "/"], ["build", "/", "--out", "site"]):
        ran = run_brain(*arguments)
        assert ran.code == 2
        assert "Give the folder that holds your pages." in ran.err
        assert "-site" not in ran.err


@pytest.mark.req("P13")
def test_no_page_is_told_from_no_finding(home: Path) -> None:
    (home / "pictures").mkdir()
    ran = run_brain("check", "pictures")
    assert ran.code == 0
    assert "pictures holds no Markdown page" in ran.out
    assert run_brain("check", "notes").out == "No findings.\n"


@pytest.mark.usefixtures("home")
def test_a_search_for_nothing_is_a_wrong_argument() -> None:
    ran = run_brain("search", "notes", "")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "Error: QUERY is empty.")


@pytest.mark.parametrize(
    ("name", "said"),
    [("help", "brain COMMAND --help"), ("version", "brain --version"), ("lint", "brain check"), ("watch", "brain preview")],
)
def test_what_other_programs_call_a_command_leads_to_ours(name: str, said: str) -> None:
    ran = run_brain(name)
    assert ran.code == 2
    assert said in ran.err


def test_the_short_option_says_the_version_as_well() -> None:
    assert run_brain("-V").out == run_brain("--version").out != ""


@pytest.mark.req("P10")
@pytest.mark.parametrize(
    "address", ["example.org", "ftp://example.org", "https://mara:s3cretword@example.org/", "https://example.org/?a=b"]
)
def test_an_address_that_no_feed_could_name_is_refused(home: Path, address: str) -> None:
    ran = run_brain("build", "notes", "--out", "out", "--site-url", address)
    assert ran.code == 2
    assert "https://brains.example.org" in ran.err
    assert "s3cretword" not in ran.err
    assert not (home / "out").exists()


@pytest.mark.req("P10")
def test_the_address_of_the_site_may_end_with_a_slash_or_not(home: Path) -> None:
    for number, address in enumerate(("https://example.org/docs", "https://example.org/docs/")):
        assert run_brain("build", "notes", "--out", f"out{number}", "--site-url", address).code == 0
        assert "<loc>https://example.org/docs/kiln/</loc>" in (home / f"out{number}/site/sitemap.xml").read_text()


@pytest.mark.req("P01")
@pytest.mark.parametrize(("option", "value"), [("--max-files", "1"), ("--max-file-mb", "1"), ("--max-total-mb", "1"), ("--max-depth", "1")])
def test_what_is_over_a_cap_names_the_option_that_raises_it(home: Path, option: str, value: str) -> None:
    (home / "notes/a/b/c").mkdir(parents=True)
    (home / "notes/a/b/c/deep.md").write_text("# Deep\n")
    (home / "notes/large.md").write_text("# Large\n" + "word " * 300_000)
    assert option in run_brain("build", "notes", "--out", "out", option, value).said
