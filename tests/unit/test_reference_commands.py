"""The words about the commands against the commands: every command and option is described, and nothing is described that is not there."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from indexer.cli.commands import COMMANDS, group

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "brains/brainpress/handbook/reference"
PAGE = (REFERENCE / "commands.md").read_text("utf-8")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def walk(command: click.Command, context: click.Context, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Give each command that does something, with its names below `brain`."""
    if not isinstance(command, click.Group):
        yield names, command
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from walk(inner, click.Context(inner, parent=context, info_name=name), (*names, name))


ALL = dict(walk(group, click.Context(group, info_name="brain")))


def find_options(command: click.Command) -> set[str]:
    """Return the long options of a command."""
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


def find_sections(pattern: str) -> str:
    """Return the sections whose heading matches."""
    return "".join(part for part in re.split(r"(?m)^## ", PAGE) if re.match(pattern, part))


def find_shared_options(name: str) -> set[str]:
    """Return the options that tables for several commands give to this one."""
    rows = re.findall(r"(?m)^\| (`--[^|]*) \| ([^|]*) \|", find_sections("PATH\n"))
    given = [options for options, of in rows if bool(re.search(rf"\b{name}\b", of)) != of.startswith("all but")]
    first = {option for options in given for option in _OPTION.findall(options)}
    registry = set(_OPTION.findall(find_sections("The registry\n")))
    agents = set(_OPTION.findall((REFERENCE / "tools-for-agents.md").read_text("utf-8"))) if name in {"tool", "mcp"} else set()
    return first | registry | agents


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_every_option_is_in_the_reference(names: tuple[str, ...]) -> None:
    section = find_sections(rf"`brain {names[0]}\b")
    assert section, "it has a section"
    assert find_options(ALL[names]) - set(_OPTION.findall(section)) - find_shared_options(names[0]) - {"--json"} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_names_no_option_that_is_not_there(name: str) -> None:
    there = {option for names, command in ALL.items() if names[0] == name for option in find_options(command)}
    assert set(_OPTION.findall(find_sections(rf"`brain {name}\b"))) - there == set()


def test_the_readme_names_every_command() -> None:
    table = (ROOT / "README.md").read_text("utf-8").split("## Commands")[1].split("##")[0]
    assert [name for name in COMMANDS if f"`brain {name}" not in table] == []


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_what_prints_json_is_what_the_reference_says(names: tuple[str, ...]) -> None:
    but = re.findall(r"`--json` \| all but ([^|]*) \|", PAGE)[0]
    excepted = [word.strip().strip("`") for word in re.split(r",| and ", but)]
    assert ("--json" in find_options(ALL[names])) == (" ".join(names) not in excepted)
