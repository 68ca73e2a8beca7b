"""Versions of what the parser gives, part of the page cache's key. Apart from the parser, which a build without changes never loads."""

PARSER_VERSION = 14
"""Raise it with every change that gives other results for the same bytes."""
TERMS_VERSION = 5
"""Raise it with every change that gives other search terms for the same page."""
