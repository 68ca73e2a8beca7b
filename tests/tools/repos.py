"""Real git repositories with fixed authors and dates, so that commit ids are the same on every machine."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.tools.vaults import Files, write_files

FIRST_COMMIT = 1_767_225_600
"""2026-01-01T00:00:00Z; each further commit is one day later unless told otherwise."""

DAY = 86_400


def run_git(where: Path, *args: str, env: dict[str, str] | None = None) -> str:
    """Run git below `where` without this machine's configuration and return what it printed, stripped."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    fixed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    command = ["git", "-c", "core.quotePath=false", "-c", "protocol.file.allow=always", *args]
    done = subprocess.run(command, cwd=where, env={**clean, **fixed, **(env or {})}, capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@dataclass(slots=True)
class GitRepo:
    """A repository with a work tree on branch `main`."""

    path: Path
    commits: list[str] = field(default_factory=list)
    """Ids made by `commit`, oldest first."""

    @classmethod
    def create(cls, path: Path) -> "GitRepo":
        """Make an empty repository at `path`."""
        path.mkdir(parents=True, exist_ok=True)
        run_git(path, "init", "--quiet", "--initial-branch=main")
        return cls(path)

    def commit(
        self,
        files: Files | None = None,
        *,
        remove: tuple[str, ...] = (),
        rename: tuple[tuple[str, str], ...] = (),
        message: str = "Change pages",
        at: int | None = None,
    ) -> str:
        """Rename, remove and write files, commit all of it, and return the commit's id."""
        for old, new in rename:
            (self.path / new).parent.mkdir(parents=True, exist_ok=True)
            (self.path / old).rename(self.path / new)
        for name in remove:
            (self.path / name).unlink()
        write_files(self.path, files or {})
        run_git(self.path, "add", "--all", "--force")
        moment = f"{FIRST_COMMIT + DAY * len(self.commits) if at is None else at} +0000"
        person = {"NAME": "Ada Fields", "EMAIL": "ada@example.org", "DATE": moment}
        env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
        run_git(self.path, "commit", "--quiet", "--allow-empty", f"--message={message}", env=env)
        self.commits.append(run_git(self.path, "rev-parse", "HEAD"))
        return self.commits[-1]

    def bare(self, where: Path) -> Path:
        """Clone it without a work tree to `where` and return that path."""
        run_git(self.path, "clone", "--quiet", "--bare", "--no-hardlinks", str(self.path), str(where))
        return where
