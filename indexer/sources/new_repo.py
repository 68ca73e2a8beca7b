"""Makes a new bare repository with its first commit: how it is organised, an index, a log (SPEC T26). Called by `brain repo`.

Made beside its place and moved in whole, so that there is a whole one or none; one that is there already is taken as it is, so trying again
reuses it. The same titles and time give the same commit. Nothing else of this room writes into a repository.
"""

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from indexer.errors import SourceError
from indexer.sources.git import GitPipe, run_git
from indexer.sources.location import is_git_dir

BRANCH = "main"
_PERSON = {"NAME": "Brainpress", "EMAIL": "brainpress@noreply.invalid"}
_CONFIG = (
    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    "[receive]\n\tfsckObjects = true\n\tdenyNonFastForwards = true\n\tdenyDeletes = true\n"
)
_BRAIN = """\
---
title: How this brain is organised
---

# How this brain is organised

Written for people who arrive and for programs that read.
Start at [[index]], follow its links, then search.

| Folder | One page per | Named |
|---|---|---|
| `notes/` | subject | by the subject |

## Rules

1. Link to the page, never to a copy of it.
2. A page that turns out to be wrong is corrected, not deleted.
3. Every change that a program makes adds a line to [[log]]: what, where, for whom.
"""
_INDEX = """\
---
title: {title}
---

# {heading}

[[BRAIN|How this brain is organised]]

<!-- brain:index -->
<!-- /brain:index -->
"""
_LOG = """\
---
title: Log
---

# Log

- {day} · `index.md` · brain begun · for {owner}
"""


class Seed(Struct, frozen=True):
    """What the first pages say."""

    title: str
    """One line of plain text."""
    owner: str
    """Id of the account that it is made for."""

    def render(self, at: datetime) -> dict[str, bytes]:
        """Return path → content of the first commit."""
        # As a JSON string, any title is a YAML scalar; as a heading, its marks would be Markdown.
        quoted = '"' + self.title.replace("\\", "\\\\").replace('"', '\\"') + '"'
        heading = "".join(f"\\{char}" if char in "\\`*_{}[]<>#|!~$%=^" else char for char in self.title)
        pages = {
            "BRAIN.md": _BRAIN,
            "index.md": _INDEX.format(title=quoted, heading=heading),
            "log.md": _LOG.format(day=at.date().isoformat(), owner=self.owner),
        }
        return {path: text.encode() for path, text in pages.items()}


def name_repository(tenant: str, repo: str, *, dev: bool = False) -> str:
    """Return the name of the repository of a repo."""
    return f"brain-{tenant}-{repo}{'-dev' if dev else ''}"


def make_repository(place: Path, seed: Seed, now: datetime) -> bool:
    """Make a bare repository with its first commit at `place`; False when one is there already. SourceError when neither is possible."""
    place = place.absolute()  # git runs elsewhere
    if is_git_dir(place):
        return False
    if place.exists() or place.is_symlink():
        raise SourceError(f"{place} is in the way: it is no repository.", hint="Move it away; the repository is made in its place.")
    try:
        beside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}."))
        try:
            _lay_out(beside)
            commit = _commit(beside, seed.render(now), now)
            run_git(beside, ("update-ref", f"refs/heads/{BRANCH}", commit, "0" * 40))
            beside.chmod(0o755)
            beside.rename(place)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise SourceError(f"No repository can be made at {place}: {error.strerror}.", hint="Make the folder writable.") from error
    return True


def _lay_out(place: Path) -> None:
    """Without the hooks and examples that `git init` copies from the machine."""
    for folder in ("objects", "refs/heads"):
        (place / folder).mkdir(parents=True)
    (place / "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n", encoding="utf-8")
    (place / "config").write_text(_CONFIG, encoding="utf-8")


def _commit(git_dir: Path, files: dict[str, bytes], now: datetime) -> str:
    """Store one commit of these files at the top, and return its id."""
    blobs = {path: _write(git_dir, ("hash-object", "-w", "--no-filters", "--stdin"), content) for path, content in sorted(files.items())}
    lines = "".join(f"100644 blob {blob}\t{path}\n" for path, blob in blobs.items())
    tree = _write(git_dir, ("mktree",), lines.encode())
    at = f"@{int(now.astimezone(UTC).timestamp())} +0000"
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in {**_PERSON, "DATE": at}.items()}
    return _write(git_dir, ("commit-tree", "--no-gpg-sign", "-F", "-", tree), b"Begin the brain\n", who)


def _write(git_dir: Path, args: tuple[str, ...], given: bytes, environment: dict[str, str] | None = None) -> str:
    with GitPipe(git_dir, args, environment=environment) as pipe:
        pipe.feed(given, last=True)
        said = pipe.out.read(100)
        pipe.finish()
    return said.decode("ascii").strip()
