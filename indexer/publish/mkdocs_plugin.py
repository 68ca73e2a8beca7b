"""The MkDocs plugin `brain`: hands MkDocs virtual files and finished HTML, so that it draws frames and never sees Markdown.

Two uses. `mkdocs_frame.build_frames` sets `order` and collects bare frames. Plain `mkdocs build` or `mkdocs serve` finds no order and shows
the brain named in mkdocs.yml, every page filled from the same frame by the same renderer as in a published site.
"""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils.templates import TemplateContext
from msgspec import Struct, field
from msgspec.structs import replace

from indexer.errors import PublishError
from indexer.model.site import SiteView
from indexer.publish.frames import SLOTS, Frame, StaticFile, drop_noncharacters, slot, split_frame
from indexer.publish.mkdocs_live import LivePages, load_live_pages
from indexer.publish.mkdocs_static import Assets, extract_scripts, move_references, read_assets, read_theme_files
from indexer.publish.render import root_of

_INDENTS = re.compile(r"\s*\n\s*")
"""White space of the templates; a frame holds no preformatted text."""


class BrainConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs is typed in part
    """Options of the plugin in mkdocs.yml; they matter to plain `mkdocs` only."""

    source = config_options.Type(str, default="")
    """Brain that plain `mkdocs` shows: a folder, relative to mkdocs.yml."""
    views = config_options.Type(str, default="indexer.pipeline:load_site_views")
    """`module:function` that reads it (see `mkdocs_live.load_live_pages`)."""


class FrameOrder(Struct):
    """Which frames to draw, and what was drawn."""

    site: SiteView
    depths: tuple[int, ...]
    frames: dict[int, Frame] = field(default_factory=dict)
    files: dict[str, StaticFile] = field(default_factory=dict)


class BrainPlugin(BasePlugin[BrainConfig]):  # type: ignore[no-untyped-call]
    """See the module."""

    order: FrameOrder | None = None

    def __init__(self) -> None:
        super().__init__()
        self.assets = Assets({}, ())
        self._live: LivePages | None = None
        self.serving = False
        self.theme_files: dict[str, str] = {}
        self.own_theme_files: set[str] = set()

    @property
    def site(self) -> SiteView:
        """The site that is drawn."""
        if self.order is not None:
            return self.order.site
        return self.live.site

    @property
    def live(self) -> LivePages:
        """The brain that plain `mkdocs` shows."""
        if self._live is None:
            raise PublishError("BUG: MkDocs asks for pages before it read its configuration")
        return self._live

    def on_startup(self, *, command: str, dirty: bool) -> None:  # noqa: ARG002 - MkDocs passes it
        """Note whether MkDocs adds its inline reload script, which the pages' own policy would block."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Drop what the theme would publish besides pages, and read the brain for plain `mkdocs`."""
        config.theme.static_templates = set()
        self.assets = read_assets()
        if self.order is None:
            root = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
            self._live = load_live_pages(root / self.config.source, self.config.views)
            config.site_name = self.live.site.title
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Replace whatever MkDocs found in its folder by virtual pages; remember the theme's files."""
        theme = [file for file in files if file.src_dir in config.theme.dirs]
        self.theme_files = {file.src_uri: file.abs_src_path or "" for file in theme}
        self.own_theme_files = {
            file.src_uri for file in theme if file.src_dir == config.theme.custom_dir and not file.src_uri.startswith(".")
        }
        if self.order is not None:
            return Files([_virtual_page(config, "p/" * depth + "index.md") for depth in self.order.depths])
        return Files([_virtual_page(config, source, page.url) for source, page in self.live.pages.items()])

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> Any:  # noqa: ARG002
        """Escape by default: titles come from people."""
        env.autoescape = True
        return env

    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:  # noqa: ARG002
        """Give the templates the slots instead of page values."""
        root = root_of(page.url)
        # Material draws its skip link from the first heading; ours leads to the content.
        page.toc = TableOfContents([AnchorLink("Content", "brain-main", 1)])
        assets = {name: root + path for name, path in self.assets.entries.items()}
        values = {
            "slot": {name: slot(name) for name in SLOTS},
            "site": _plain(self.site),
            "root": root,
            "assets": assets,
            "policy": not self.serving,
        }
        context.update(values)  # type: ignore[typeddict-item]  # what our own templates read
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG002
        """Cut the drawn page into a frame; plain `mkdocs` gets it back filled."""
        output, scripts = extract_scripts(_INDENTS.sub("\n", output), root_of(page.url))
        output, used = move_references(output, self.theme_files.__contains__)
        frame = split_frame(output)
        files = {path: StaticFile(path, "", _digest(code), content=code) for path, code in scripts.items()}
        files |= {file.path: file for file in read_theme_files(self.theme_files, used | self.own_theme_files)}
        if self.order is not None:
            self.order.frames[page.url.count("/")] = frame
            self.order.files |= files
            return ""
        self.live.static |= files
        return self.live.fill(frame, page.file.src_uri)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write what is no page. Twins are Markdown: MkDocs would render them if it saw them."""
        if self.order is None:
            self.live.write_files(Path(config.site_dir), self.assets.files)


def _virtual_page(config: MkDocsConfig, source: str, url: str = "") -> File:
    """Return an empty page; a URL that names a file keeps its name."""
    file = File.generated(config, source, content="")
    if url and not url.endswith("/"):
        file.dest_uri = source.removesuffix(".md")
    return file


def _plain(site: SiteView) -> SiteView:
    """Return the site with a title that cannot forge a slot."""
    return replace(site, title=drop_noncharacters(site.title))


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
