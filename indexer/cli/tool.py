"""`brain tool`: one call of a read tool, answered as JSON. Wiring only."""

import json
import sys
from typing import Any

import click

from indexer.cli.desk import DeskOptions, desk_options, open_desk
from indexer.cli.terminal import escape_text, render_json, say
from indexer.errors import UsageError
from indexer.registry.reach import READ_SCOPE
from indexer.serve.tool_error import ToolError, UnknownToolError
from indexer.serve.tools import TOOLS


@click.command("tool")
@click.argument("name", required=False)
@click.argument("arguments", required=False, metavar="[JSON]")
@desk_options
@click.pass_context
def command(ctx: click.Context, /, name: str | None, arguments: str | None, **given: Any) -> None:
    """Call the read tool NAME with arguments as JSON and print its answer; without NAME, list the tools.

    JSON is an object such as '{"brain": "notes/website"}', or - to read it from standard input. What --as reaches is decided by the
    workspace's tenant.yml. What the tool refuses ends with exit code 3.
    """
    if name is None:
        _list_tools(given["scopes"])
        return
    raw = _parse(sys.stdin.read() if arguments == "-" else arguments)
    with open_desk(DeskOptions(**given)) as desk:
        try:
            answer = desk.call(name, raw)
        except UnknownToolError as error:
            raise UsageError(f"{error.message}.", hint=_name_tools(desk.list_tools())) from error
        except ToolError as error:
            say(escape_text(error.render(name)))
            ctx.exit(3)
    click.echo(render_json(answer))


def _list_tools(scopes: str) -> None:
    if READ_SCOPE in scopes.split(","):
        width = max(map(len, TOOLS))
        for tool in TOOLS.values():
            click.echo(f"{tool.name:{width}}  {tool.description.partition('. ')[0].partition(': ')[0]}")


def _name_tools(tools: Any) -> str:
    return f"The tools are: {', '.join(tool.name for tool in tools)}." if tools else ""


def _parse(text: str | None) -> Any:
    if text is None or not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("The arguments are not valid JSON.", hint="""Write an object, such as '{"project": "handbook"}'.""") from error
