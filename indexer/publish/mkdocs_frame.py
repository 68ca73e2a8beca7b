"""Real MkDocs draws the frame of a site once per URL depth; afterwards no page needs MkDocs any more.

Called by the pipeline when the kept frames do not fit (`frame_key` differs). Reads the operator's mkdocs.yml and the shipped theme, never a
file of a brain: MkDocs works in a private folder that is empty and deleted afterwards.
"""

import logging
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import material
import mkdocs
from jinja2 import TemplateError

from indexer.errors import ConfigError, PublishError
from indexer.model.site import SiteView
from indexer.publish.frames import FrameSet, fingerprint
from indexer.resources import find_resource


def frame_key(config_file: Path, site: SiteView, depths: Iterable[int]) -> str:
    """Return what a kept FrameSet was built from: 16 hex digits over mkdocs.yml, templates, assets, versions, site and depths.

    Cheap: of MkDocs and the theme, only what says their versions is imported. Same key, same frames.
    """
    digest = sha256(config_file.read_bytes())
    digest.update(f"mkdocs {mkdocs.__version__}\nmkdocs-material {material.__version__}\n".encode())
    overrides = find_resource("site_templates/overrides")
    manifest = find_resource("site_templates/dist/manifest.json")
    # Kept frames hold absolute paths of files to copy, so the place counts as well.
    digest.update(f"{config_file.resolve()} {overrides.resolve()} {manifest.resolve()}\n".encode())
    for path in sorted(path for path in overrides.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(overrides).as_posix()}\n".encode() + path.read_bytes())
    digest.update(manifest.read_bytes() if manifest.is_file() else b"")
    digest.update(repr((_frame_site(site), sorted(set(depths)))).encode())
    return digest.hexdigest()[:16]


def build_frames(config_file: Path, site: SiteView, depths: Iterable[int]) -> FrameSet:
    """Draw the frame for each URL depth with MkDocs and Material as the operator's mkdocs.yml sets them up.

    Raises ConfigError when mkdocs.yml is wrong, PublishError when the templates do not render or `make assets` was not run.
    """
    # Imported here and not above: a build that finds its frames in the cache must not pay half a second for MkDocs.
    from mkdocs.commands.build import build  # noqa: PLC0415
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415

    from indexer.publish.mkdocs_plugin import FrameOrder  # noqa: PLC0415

    order = FrameOrder(_frame_site(site), tuple(sorted(set(depths))))
    with tempfile.TemporaryDirectory(prefix="brainpress-frame-") as private, _warnings_only():
        config = _load_config(config_file, site, Path(private))
        config.plugins["brain"].order = order
        try:
            build(config)
        except MkDocsException as error:
            raise PublishError(f"MkDocs could not draw the frame: {error}", hint=f"Check {config_file}") from error
        except TemplateError as error:
            raise PublishError(f"A template of the frame does not render: {error}", hint="Compare it with the shipped one.") from error
        assets = config.plugins["brain"].assets
    files = tuple(sorted((*order.files.values(), *assets.files), key=lambda file: file.path))
    return FrameSet(fingerprint(order.frames, files), order.frames, files)


def _frame_site(site: SiteView) -> SiteView:
    """Return the part of the site that frames show, so that a new commit alone does not draw them again."""
    return SiteView(
        title=site.title, revision="", top=(), repo_url=site.repo_url, contents_url=site.contents_url, tags_url=site.tags_url,
        recent_url=site.recent_url, report_url=site.report_url, graph_url=site.graph_url, search_url=site.search_url,
        feed_url=site.feed_url, home_url=site.home_url, home_title=site.home_title,
    )  # fmt: skip


def _load_config(config_file: Path, site: SiteView, private: Path) -> Any:
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.exceptions import Abort, ConfigurationError  # noqa: PLC0415

    docs, out = private / "docs", private / "site"
    docs.mkdir()
    with _collect_errors() as problems:
        try:
            config = load_config(str(config_file), docs_dir=str(docs), site_dir=str(out), site_name=site.title)
        except (Abort, ConfigurationError, OSError) as error:
            raise ConfigError([f"{config_file}: {problem}" for problem in problems or [str(error)]]) from error
    if "brain" not in config.plugins:
        raise ConfigError([f"{config_file}: plugins: the plugin 'brain' is missing"], hint="Add it as the shipped mkdocs.yml does.")
    return config


@contextmanager
def _warnings_only() -> Iterator[None]:
    """MkDocs tells every step of a build; here only what is wrong matters."""
    log = logging.getLogger("mkdocs")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


class _Problems(logging.Handler):
    """Keeps what MkDocs logs as errors: its exceptions only say that there were some."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.problems: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message."""
        self.problems.append(record.getMessage())


@contextmanager
def _collect_errors() -> Iterator[list[str]]:
    log, handler = logging.getLogger("mkdocs"), _Problems()
    log.addHandler(handler)
    before, log.propagate = log.propagate, False
    try:
        yield handler.problems
    finally:
        log.propagate = before
        log.removeHandler(handler)
