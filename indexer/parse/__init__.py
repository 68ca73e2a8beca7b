"""Bytes → page value + findings. Pure: no files, no neighbours, no names."""

from indexer.parse.page import PARSER_VERSION, parse_page

__all__ = ["PARSER_VERSION", "parse_page"]
