"""Imported once by the process of `tests.tools.kept`: everything that commands import, so that no run pays for it."""

from importlib import import_module

from tests.tools.kept import list_commands

for _name in list_commands():
    import_module(_name)
