"""The read tools as an MCP server: names, schemas and answers in the form of the protocol, by the official SDK (SPEC S10, S13).

Used by `mcp_stdio` and `mcp_http`. One of the places where everything is caught: whatever goes wrong becomes one clear answer, with
its reason in the log of the server and not in the answer.
"""

import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from indexer import __version__
from indexer.errors import BrainpressError
from indexer.publish.visible import clean_line
from indexer.serve.tool_error import ToolError, UnknownToolError
from indexer.serve.tool_text import render_compact_json
from indexer.serve.tools import INSTRUCTIONS, Desk, describe_tool
from indexer.serve.turns import GoneError, TooManyError

UNREADABLE = "The brains cannot be read now. Try again later; the log of this server says why."
_CALLS_AT_ONCE = 4


def build_server(desk: Desk) -> Server[Any]:
    """Return a server that answers from `desk`; what its reader reaches is decided anew in each call."""

    async def find_desk(_context: Any) -> Desk:
        return desk

    limiter = anyio.CapacityLimiter(_CALLS_AT_ONCE)
    return build_shared_server(find_desk, lambda _context: limiter)


def build_shared_server(
    find_desk: Callable[[Any], Awaitable[Desk]], wait_for_turn: Callable[[Any], AbstractAsyncContextManager[Any]]
) -> Server[Any]:
    """Return a server for several readers: each message is answered from the desk that `find_desk` gives for its context, just before.

    `wait_for_turn` gives the turn of whoever a context is of; TooManyError = they have to wait for others of theirs.
    """

    async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "There is only one page of tools")
        desk = await find_desk(context)
        return ListToolsResult(tools=[_describe(tool.name, tool.title, tool.description) for tool in desk.list_tools()])

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            async with wait_for_turn(context):
                desk = await find_desk(context)
                # A query waits for the disk: other calls go on meanwhile.
                return await anyio.to_thread.run_sync(partial(answer, desk, params.name, params.arguments))
        except (TooManyError, GoneError) as error:
            return _refuse(error.message)
        except ToolError as error:
            return _refuse(error.render(params.name))

    return Server(
        "brainpress",
        version=__version__,
        title="Brainpress",
        description="Reads brains: what they hold, what they lack, and where it is written.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _describe(name: str, title: str, description: str) -> Tool:
    arguments, result = describe_tool(name)
    annotations = ToolAnnotations(title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    return Tool(name=name, title=title, description=description, input_schema=arguments, output_schema=result, annotations=annotations)


def answer(desk: Desk, name: str, arguments: Any) -> CallToolResult:
    """Return the answer of one call, structured and the same as text; MCPError when there is no such tool."""
    try:
        result = desk.call(name, arguments)
    except UnknownToolError as error:
        raise MCPError(INVALID_PARAMS, clean_line(error.message, 200)) from error
    except ToolError as error:
        return _refuse(error.render(name))
    except BrainpressError as error:
        sys.stderr.write(f"brain: {name}: {clean_line(error.message)} {clean_line(error.hint)}\n")
        return _refuse(ToolError(UNREADABLE).render(name))
    except Exception as error:  # this is the edge: the SDK would send the message of the exception, with its paths, to the client
        traceback.print_exc(file=sys.stderr)
        raise MCPError(INTERNAL_ERROR, "Internal error") from error
    return CallToolResult(content=[TextContent(type="text", text=render_compact_json(result))], structured_content=result)


def _refuse(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
