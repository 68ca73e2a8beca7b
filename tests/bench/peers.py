"""Sets up the same pages for each compared program, the way its users would, and says which command builds them.

Called by `tests.bench.__main__`. Every program gets its own copy, so that none finds another's leftovers.
"""

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HUGO_SITE = Path(__file__).parent / "hugo"
SHORTCODE = re.compile(r"\{\{([<%])")
FRONTMATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)

MKDOCS_CONFIG = """\
site_name: Benchmark
site_url: https://example.org/
theme:
  name: material
  features: [navigation.prune]
plugins: [search]
"""

ZENSICAL_CONFIG = """\
site_name: Benchmark
site_url: https://example.org/
theme:
  features: [navigation.prune]
"""


@dataclass(frozen=True, slots=True)
class Site:
    """One program's build of some pages."""

    program: str
    """Name in the table."""
    folder: Path
    """Where the command runs."""
    command: tuple[str, ...]
    pages: Path
    """Folder of its Markdown."""
    outputs: tuple[Path, ...]
    """What it writes, caches included; set aside before a full build."""

    def set_aside(self) -> None:
        """Move away everything that an earlier build left.

        Moved and not deleted: after a deletion ext4 searches long for inodes that are free long enough, and the next build would pay for
        that (measured: 1.5 ms a file in place of 0.05 ms).
        """
        spent = self.folder / "spent"
        spent.mkdir(exist_ok=True)
        for path in self.outputs:
            if path.exists():
                path.rename(spent / f"{len(list(spent.iterdir()))}-{path.name}")


def set_up_brainpress(pages: Path, folder: Path) -> Site:
    """Our own build: website, index, graph and search."""
    source = _copy(pages, folder / "pages")
    out, cache = folder / "out", folder / "cache"
    command = ("env", f"XDG_CACHE_HOME={cache}", _program("brain"), "build", str(source), "--out", str(out), "--quiet")
    return Site("Brainpress", folder, command, source, (out, cache))


def set_up_mkdocs(pages: Path, folder: Path) -> Site:
    """MkDocs with Material, pruned navigation and its search."""
    source = _copy(pages, folder / "docs")
    (folder / "mkdocs.yml").write_text(MKDOCS_CONFIG, encoding="utf-8")
    return Site("MkDocs + Material", folder, (_program("mkdocs"), "build", "--quiet"), source, (folder / "site",))


def set_up_zensical(pages: Path, folder: Path) -> Site:
    """Zensical with the same features."""
    source = _copy(pages, folder / "docs")
    (folder / "mkdocs.yml").write_text(ZENSICAL_CONFIG, encoding="utf-8")
    command = (_program("zensical"), "build", "--clean", "--config-file", "mkdocs.yml")
    return Site("Zensical", folder, command, source, (folder / "site", folder / ".cache"))


def set_up_hugo(pages: Path, folder: Path) -> Site:
    """Hugo with a small theme that shows about what ours does: sections, contents, tags, search JSON, feeds."""
    shutil.copytree(HUGO_SITE, folder, dirs_exist_ok=True)
    source = _copy(pages, folder / "content", adapt=_adapt_to_hugo)
    for index in source.rglob("index.md"):
        index.rename(index.with_name("_index.md"))
    for part in [source, *(p for p in source.rglob("*") if p.is_dir())]:
        if not (part / "_index.md").exists():
            (part / "_index.md").write_text(f"---\ntitle: {part.name}\n---\n", encoding="utf-8")
    command = (_program("hugo"), "build", "--quiet", "--cacheDir", str(folder / "cache"))
    return Site("Hugo", folder, command, source, (folder / "public", folder / "resources", folder / "cache"))


PEERS: tuple[Callable[[Path, Path], Site], ...] = (set_up_mkdocs, set_up_zensical, set_up_hugo)


def _copy(pages: Path, target: Path, adapt: Callable[[str], str] | None = None) -> Path:
    for file in sorted(pages.rglob("*.md")):
        copy = target / file.relative_to(pages)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if adapt is None:
            shutil.copyfile(file, copy)
        else:
            copy.write_text(adapt(file.read_text("utf-8")), encoding="utf-8", newline="\n")
    return target


def _adapt_to_hugo(text: str) -> str:
    """Hugo stops at words in double braces that look like its own commands; they are made text, links are left as they are."""
    return SHORTCODE.sub(r"{ {\1", text)


def _program(name: str) -> str:
    return str(Path(sys.executable).parent / name)
