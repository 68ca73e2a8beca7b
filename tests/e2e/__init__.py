"""Whole builds through the command, with real git, real MkDocs and a real browser."""
