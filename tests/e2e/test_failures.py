"""What cannot be built ends with one clear sentence and the right exit code, and leaves the last output as it was."""

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.bench.make_brain import write_brain
from tests.conftest import BuildFactory, RepoFactory, VaultFactory
from tests.tools.built import build_vault
from tests.tools.commands import Ran, build_environment, command, run_brain
from tests.tools.repos import run_git
from tests.tools.trees import compare_trees, find_bytes, read_states, read_tree
from tests.tools.vaults import write_files

pytestmark = pytest.mark.req("P13")

PAGES: dict[str, str | bytes] = {"index.md": "# Home\n\n[[a]]\n", "a.md": "# A\n"}


REVISIONS = ("nowhere", "0" * 40, "HEAD~50", "--upload-pack=touch x", "-x", "main:a.md", "HEAD^{tree}", "a..b", "", "\x07")


def check_said(ran: Ran, code: int, *words: str) -> None:
    """The command ended with this code, one short message without a traceback, and these words."""
    assert ran.code == code, ran.said
    assert "Traceback" not in ran.said
    assert ran.out.strip() == ""
    assert 1 <= len(ran.err.strip().splitlines()) <= 4, ran.err
    for word in words:
        assert word.lower() in ran.err.lower(), ran.err


def read_product(out: Path) -> dict[str, bytes]:
    """What readers of an output use: site, report and index."""
    return {name: content for name, content in read_tree(out).items() if not name.startswith(".brain/")}


@pytest.mark.parametrize("command_name", ["build", "inspect", "search"])
def test_a_missing_path_is_named(tmp_path: Path, command_name: str) -> None:
    options = {"build": ["--out", str(tmp_path / "out")], "inspect": ["--json"], "search": ["word", "--json"]}[command_name]
    check_said(run_brain(command_name, tmp_path / "no such folder", *options), 3, "no such folder")
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_a_folder_is_refused(vault: VaultFactory, tmp_path: Path) -> None:
    page = vault(PAGES) / "a.md"
    check_said(run_brain("build", page, "--out", tmp_path / "out"), 3, "a.md")


@pytest.mark.threat(11)
def test_archives_are_neither_opened_nor_unpacked(build: BuildFactory, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escaped.md", "# Escaped\n")
        archive.writestr("page.md", "0" * 30_000_000)
    bomb = (tmp_path / "bomb.zip").read_bytes()
    check_said(run_brain("build", tmp_path / "bomb.zip", "--out", tmp_path / "out"), 3, "bomb.zip")
    built = build(
        {"a.md": "# A\n\n[z](bomb.zip) [g](page.md.gz)\n", "bomb.zip": bomb, "page.md.gz": gzip.compress(b"# Packed\n" * 100_000)}
    )
    assert [p["path"] for p in built.inspected["pages"]] == ["a.md"]
    assert bomb in read_tree(built.site).values()
    assert not list(tmp_path.rglob("escaped.md"))


def test_a_folder_without_pages_is_named_and_the_last_output_stays(build: BuildFactory) -> None:
    built = build(PAGES)
    before = read_product(built.out)
    for page in built.source.glob("*.md"):
        page.unlink()
    check_said(run_brain("build", built.source, "--out", built.out), 3)
    assert compare_trees(read_product(built.out), before) == []


@pytest.mark.req("P01")
@pytest.mark.threat(4)
@pytest.mark.parametrize(
    "revision", ["nowhere", "0" * 40, "HEAD~50", "--upload-pack=touch x", "-x", "main:a.md", "HEAD^{tree}", "a..b", "", "\x07"]
)
def test_an_unknown_revision_is_named_and_no_option_reaches_git(git_repo: RepoFactory, tmp_path: Path, revision: str) -> None:
    repo = git_repo(PAGES)
    ran = run_brain("build", repo.path, "--out", tmp_path / "out", f"--at={revision}")
    assert ran.code in (2, 3), ran.said
    assert "Traceback" not in ran.said
    assert not (tmp_path / "out" / "site").exists()
    assert not (repo.path / "x").exists()


@pytest.mark.req("P01")
@pytest.mark.threat(3)
@pytest.mark.threat(4)
@pytest.mark.parametrize(
    "address", ["ext::sh -c touch% ran", "-oProxyCommand=touch ran", "file:///etc", "git://127.0.0.1/x", "fd::17", "http://127.0.0.1:9/x"]
)
def test_dangerous_addresses_are_refused(tmp_path: Path, address: str) -> None:
    ran = run_brain("build", "--out", tmp_path / "out", "--", address, cwd=tmp_path)
    assert ran.code in (2, 3), ran.said
    assert "Traceback" not in ran.said
    assert not list(tmp_path.rglob("ran*"))


@pytest.mark.req("P01")
def test_a_damaged_repository_keeps_the_last_output(git_repo: RepoFactory, tmp_path: Path) -> None:
    repo = git_repo({**PAGES, **{f"n{i}.md": f"# N{i}\n\n{i} text\n" for i in range(50)}})
    bare = repo.bare(tmp_path / "bare.git")
    out = tmp_path / "out"
    build_vault(bare, out)
    before = read_product(out)
    objects = [p for p in (bare / "objects").rglob("*") if p.is_file() and p.stat().st_size > 20]
    for file in objects:
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[:20])
    check_said(run_brain("build", bare, "--out", out), 3)
    assert compare_trees(read_product(out), before) == []


@pytest.mark.req("P01")
@pytest.mark.threat(7)
@pytest.mark.parametrize(
    ("options", "words"), [(["--max-files", "3"], "files"), (["--max-total-mb", "1"], "bytes")], ids=["too many files", "too many bytes"]
)
def test_a_repository_over_a_cap_fails_clearly(git_repo: RepoFactory, tmp_path: Path, options: list[str], words: str) -> None:
    repo = git_repo({f"n{i}.md": "x" * 300_000 + str(i) for i in range(6)})
    check_said(run_brain("build", repo.path, "--out", tmp_path / "out", *options), 3)


def test_an_empty_repository_and_one_without_pages_are_named(git_repo: RepoFactory, tmp_path: Path) -> None:
    check_said(run_brain("build", git_repo(name="empty").path, "--out", tmp_path / "out"), 3)
    check_said(run_brain("build", git_repo({"x.txt": "x"}, name="bare-bones").path, "--out", tmp_path / "out"), 3)


def test_an_output_that_cannot_be_written_is_named(vault: VaultFactory, tmp_path: Path) -> None:
    source = vault(PAGES)
    (tmp_path / "file").write_text("mine")
    check_said(run_brain("build", source, "--out", tmp_path / "file"), 3, "file")
    check_said(run_brain("build", source, "--out", tmp_path / "file" / "below"), 3, "file")
    assert (tmp_path / "file").read_text() == "mine"
    check_said(run_brain("build", source, "--out", "/proc/brain"), 3)


def test_a_folder_of_someone_else_is_never_replaced(vault: VaultFactory, tmp_path: Path) -> None:
    source = vault(PAGES)
    mine = write_files(tmp_path / "out", {"site/precious.txt": "mine", "thesis.md": "mine"})
    ran = run_brain("build", source, "--out", mine)
    assert (mine / "site" / "precious.txt").read_text() == "mine"
    assert (mine / "thesis.md").read_text() == "mine"
    check_said(ran, 3)


def test_an_output_inside_the_input_is_refused(vault: VaultFactory) -> None:
    source = vault(PAGES)
    before = read_tree(source)
    for out in (source, source / "out"):
        ran = run_brain("build", source, "--out", out)
        assert ran.code in (2, 3), ran.said
    assert read_tree(source) == before


def limit_file_size() -> None:
    """Let no file grow over 60 kB, as on a disk that fills up."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_file_that_cannot_be_written_in_full_leaves_the_last_output(build: BuildFactory) -> None:
    built = build(PAGES)
    before = read_product(built.out)
    write_files(built.source, {"new.md": "# New\n\n" + "many words " * 20_000})
    done = subprocess.run(
        command("build", built.source, "--out", built.out),
        env=build_environment(),
        preexec_fn=limit_file_size,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert compare_trees(read_product(built.out), before) == []
    assert build_vault(built.source, built.out).page("new.md")["published"]


def test_a_full_disk_is_named_and_leaves_the_last_output(vault: VaultFactory, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        source = vault(PAGES)
        assert run_brain("build", source, "--out", disk / "out").code == 0
        before = read_product(disk / "out")
        write_files(source, {f"big/n{i}.md": f"# N{i}\n\n" + f"words {i} " * 4000 for i in range(400)})
        ran = run_brain("build", source, "--out", disk / "out")
        check_said(ran, 3, "disk is full")
        assert compare_trees(read_product(disk / "out"), before) == []
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def check_whole(out: Path, before: dict[str, bytes], source: Path, fresh: Path) -> bool:
    """Whether an output is the one before; otherwise it must be that of a complete run, which a fast machine may come to."""
    now = read_product(out)
    if compare_trees(now, before) == []:
        return True
    assert not [name for name in ("index.duckdb", "report.json") if now[name] == before[name]]
    assert compare_trees(read_tree(out / "site"), read_tree(build_vault(source, fresh).site)) == []
    return False


@pytest.mark.req("P17")
@pytest.mark.parametrize("seconds", [0.15, 0.7, 1.3, 2.2, 3.2])
def test_control_c_ends_at_once_and_leaves_the_last_output_or_a_whole_new_one(tmp_path: Path, seconds: float) -> None:
    source = tmp_path / "vault"
    write_brain(source, 30, 3)
    built = build_vault(source, tmp_path / "out")
    before, states = read_product(built.out), read_states(built.site)
    write_brain(source, 900, 12, seed=8)
    process = subprocess.Popen(
        command("build", source, "--out", built.out),
        env=build_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    started = time.monotonic()
    said = process.communicate(timeout=20)
    assert time.monotonic() - started < 5
    kept = check_whole(built.out, before, source, tmp_path / "fresh")
    assert process.returncode in ((130, -signal.SIGINT) if seconds < 0.5 else (130,) if kept else (130, 0)), said
    assert b"Traceback" not in b"".join(said) or seconds < 0.5
    assert not kept or read_states(built.site) == states
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize("seconds", [0.8, 1.8, 2.8])
def test_a_killed_build_leaves_a_whole_output_and_the_next_one_is_complete(tmp_path: Path, seconds: float) -> None:
    source = tmp_path / "vault"
    write_brain(source, 30, 3)
    built = build_vault(source, tmp_path / "out")
    before = read_product(built.out)
    write_brain(source, 400, 12, seed=8)
    process = subprocess.Popen(
        command("build", source, "--out", built.out),
        env=build_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    check_whole(built.out, before, source, tmp_path / "whole")
    again = build_vault(source, built.out)
    fresh = build_vault(source, tmp_path / "fresh")
    assert compare_trees(read_tree(again.site), read_tree(fresh.site)) == []


@pytest.mark.req("P17")
def test_a_reader_that_goes_away_is_no_error(vault: VaultFactory) -> None:
    source = vault({f"n{i}.md": f"# N{i}\n" for i in range(300)})
    inspect = subprocess.Popen(
        command("inspect", source, "--json"), env=build_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert inspect.stdout is not None
    inspect.stdout.read(10)
    inspect.stdout.close()
    assert inspect.stderr is not None
    assert inspect.stderr.read() == b""
    inspect.wait()


@pytest.mark.parametrize("arguments", [[], ["build"], ["build", "x"], ["build", "--nonsense"], ["nonsense"], ["search", "x"]])
def test_wrong_arguments_are_a_usage_error(arguments: list[str]) -> None:
    ran = run_brain(*arguments)
    assert ran.code == (2 if arguments else ran.code)
    assert ran.code in (0, 2)
    assert "Usage" in ran.said


def test_fail_on_decides_the_exit_code(vault: VaultFactory, tmp_path: Path) -> None:
    broken = vault({"a.md": "# A\n\n[[missing]]\n"}, "broken")
    warned = vault({"a.md": "# A\n\n[x](a.md#nowhere)\n"}, "warned")
    fine = vault({"a.md": "# A\n"}, "fine")
    expected = {
        (broken, None): 0,
        (broken, "error"): 1,
        (broken, "warning"): 1,
        (warned, "error"): 0,
        (warned, "warning"): 1,
        (fine, "warning"): 0,
    }
    for number, ((source, level), code) in enumerate(expected.items()):
        options = ["--fail-on", level] if level else []
        ran = run_brain("build", source, "--out", tmp_path / f"out{number}", *options)
        assert ran.code == code, (source.name, level, ran.said)
        assert (tmp_path / f"out{number}" / "site" / "index.html").is_file()


@pytest.mark.req("P17")
def test_output_for_programs_people_and_nobody(vault: VaultFactory, tmp_path: Path) -> None:
    source = vault({"a.md": "# A\n\n[[missing]]\n"})
    plain = run_brain("build", source, "--out", tmp_path / "1")
    quiet = run_brain("build", source, "--out", tmp_path / "2", "--quiet")
    machine = run_brain("build", source, "--out", tmp_path / "3", "--json")
    assert "LNK001" in plain.said
    assert "\x1b" not in plain.said
    assert quiet.said == ""
    assert machine.json
    assert machine.err == ""


TENANT = """\
id: harbour
title: Harbour
accounts:
  - {id: ada, name: Ada Fields, email: ada@harbour.example}
memberships:
  - {account: ada, role: admin, status: active}
repos:
  - {id: one, title: One, folder: one, owner: ada, kind: shared, kept_as_is: false, grants: []}
  - {id: two, title: Two, folder: two, owner: ada, kind: shared, kept_as_is: false, grants: []}
"""


def write_workspace(root: Path) -> Path:
    """A workspace of one tenant with two repositories."""
    return write_files(root, {"harbour/tenant.yml": TENANT, "harbour/one/a.md": "# One\n", "harbour/two/b.md": "# Two\n\nFIRST-WORD\n"})


@pytest.mark.req("P01")
def test_one_bad_repository_of_a_workspace_costs_only_itself(tmp_path: Path) -> None:
    root, out = write_workspace(tmp_path / "workspace"), tmp_path / "out"
    assert run_brain("build", root, "--out", out).code == 0
    before = read_tree(out / "harbour" / "two" / "site")
    (root / "harbour" / "two" / "b.md").unlink()
    (root / "harbour" / "one" / "new.md").write_text("# New page\n")
    ran = run_brain("build", root, "--out", out)
    assert ran.code == 3, ran.said
    assert "two" in ran.err
    assert (out / "harbour" / "one" / "site" / "new" / "index.html").is_file()
    assert compare_trees(read_tree(out / "harbour" / "two" / "site"), before) == []
    rows = run_brain("sql", out / "harbour" / "index.duckdb", "SELECT path FROM page ORDER BY path")
    assert {"b.md", "new.md"} <= set(rows.out.replace("|", " ").split()), rows.said


def test_all_mistakes_in_a_tenant_file_are_told_at_once(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "workspace")
    file = root / "harbour" / "tenant.yml"
    file.write_text(
        TENANT.replace("owner: ada", "owner: nobody", 1).replace("kind: shared", "kind: odd", 1).replace("role: admin", "role: king")
    )
    ran = run_brain("build", root, "--out", tmp_path / "out")
    assert ran.code == 3, ran.said
    assert "Traceback" not in ran.said
    for word in ("odd", "king"):
        assert word in ran.err
    assert not (tmp_path / "out").exists()


def test_nothing_of_this_machine_is_in_the_output(vault: VaultFactory, tmp_path: Path) -> None:
    source = vault(PAGES, "plain")
    assert run_brain("build", source, "--out", tmp_path / "out").code == 0
    assert (
        find_bytes(tmp_path / "out" / "site", str(tmp_path), os.uname().nodename if len(os.uname().nodename) > 6 else str(tmp_path)) == []
    )


def test_a_clean_python_runs_the_command_without_the_tests(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-m", "indexer", "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("brain")
    assert run_git(tmp_path, "--version").startswith("git version")
