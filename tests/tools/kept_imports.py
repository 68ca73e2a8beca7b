"""Imported once by the process of `tests.tools.kept`: what commands import, at once or when they need it, so that no run pays for it."""

from importlib import import_module

from tests.tools.kept import list_commands

_LATE = (
    "indexer.publish.mkdocs_frame",
    "indexer.publish.mkdocs_plugin",
    "markdown.extensions.toc",
    "mkdocs.commands.build",
    "mkdocs.config.defaults",
    "mkdocs.contrib.search",
    "babel.dates",
    "pygments.lexers",
)
for _name in (*list_commands(), *_LATE):
    import_module(_name)
