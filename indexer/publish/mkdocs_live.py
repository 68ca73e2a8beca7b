"""Plain `mkdocs build` and `mkdocs serve`: where the finished pages come from.

The rooms above this one read and parse a brain, so they cannot be imported here. mkdocs.yml names the function that does it, as a web
server is told the name of its application: `views: indexer.pipeline:load_site_views`. It is called as
`load_site_views(source: Path) -> SiteContent`.
"""

import shutil
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct, field

from indexer.errors import ConfigError
from indexer.model.site import PageView, SiteContent, SiteView
from indexer.publish.frames import Frame, FrameSet, StaticFile
from indexer.publish.render import render_page


class LivePages(Struct):
    """The brain that plain `mkdocs` shows."""

    site: SiteView
    pages: dict[str, PageView]
    """Name of the virtual source file → page."""
    files: dict[str, bytes]
    static: dict[str, StaticFile] = field(default_factory=dict)
    """Files that the frames load, gathered while pages are drawn."""

    def fill(self, frame: Frame, source: str) -> str:
        """Return a finished page: the frame that MkDocs has just drawn for it, filled like every published page."""
        page = self.pages[source]
        return render_page(FrameSet("", {page.url.count("/"): frame}, ()), self.site, page).decode()

    def write_files(self, site_dir: Path, assets: Iterable[StaticFile]) -> None:
        """Write everything into the site that is no page: the brain's other files, the theme's and our own."""
        for path, content in self.files.items():
            _place(site_dir / path).write_bytes(content)
        for file in (*self.static.values(), *assets):
            target = _place(site_dir / file.path)
            if file.source:
                shutil.copyfile(file.source, target)
            else:
                target.write_bytes(file.content)


def _place(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def load_live_pages(source: Path, views: str) -> LivePages:
    """Call the function named by `views` on the brain at `source`. Raises ConfigError when mkdocs.yml names none."""
    if not source.is_dir():
        raise ConfigError([f"mkdocs.yml: plugins.brain.source: there is no folder {source}"])
    content = _find_loader(views)(source)
    pages = {_source_name(page.url): page for page in content.pages}
    return LivePages(content.site, pages, dict(content.files))


def _find_loader(views: str) -> Callable[[Path], SiteContent]:
    module, _, name = views.partition(":")
    try:
        loader = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            [f"mkdocs.yml: plugins.brain.views: {views!r} names no function"], hint="The default is indexer.pipeline:load_site_views"
        ) from error
    return loader  # type: ignore[no-any-return]


def _source_name(url: str) -> str:
    """Return the name of the virtual Markdown file whose page MkDocs writes at this URL."""
    path = unquote(url)
    return f"{path}index.md" if not path or path.endswith("/") else f"{path}.md"
