"""`--update-golden`: write what the parser gives now into the golden files, to be read before it is committed."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--update-golden", action="store_true", help="write the results of now into tests/golden/*.md")
