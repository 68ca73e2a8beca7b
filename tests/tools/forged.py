"""Git objects that git itself would not make: trees with any names and modes, and commits on them."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.tools.repos import FIRST_COMMIT, run_git

FILE, EXECUTABLE, FOLDER, SYMLINK, SUBMODULE = b"100644", b"100755", b"40000", b"120000", b"160000"

Line = tuple[bytes, bytes, str]
"""Mode, name, id."""


def forge_blob(repo: Path, content: bytes) -> str:
    """Store a blob and return its id."""
    return _store(repo, "blob", content)


def forge_tree(repo: Path, lines: Sequence[Line]) -> str:
    """Store a tree with exactly these lines, in this order, and return its id."""
    return _store(repo, "tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(identity) for mode, name, identity in lines))


def forge_commit(
    repo: Path, tree: str, branch: str = "main", *, at: int = FIRST_COMMIT, person: str | None = None, parents: Sequence[str] = ()
) -> str:
    """Put a commit of this tree on a branch, made `at` seconds since the epoch or by `person` as it stands there, and return its id."""
    person = f"Ada Fields <ada@example.org> {at} +0000" if person is None else person
    above = "".join(f"parent {parent}\n" for parent in parents)
    commit = _store(repo, "commit", f"tree {tree}\n{above}author {person}\ncommitter {person}\n\nForged\n".encode())
    run_git(repo, "update-ref", f"refs/heads/{branch}", commit)
    return commit


def _store(repo: Path, kind: str, content: bytes) -> str:
    command = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
    done = subprocess.run(command, cwd=repo, input=content, capture_output=True, check=True)
    return done.stdout.decode().strip()
