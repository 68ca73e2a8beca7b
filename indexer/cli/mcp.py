"""`brain mcp`: the read tools for an agent on this machine, over MCP on standard input and output. Wiring only."""

import logging
import sys
from typing import Any

import click

from indexer.cli.desk import DeskOptions, desk_options, open_desk


@click.command("mcp")
@desk_options
def command(**given: Any) -> None:
    """Serve the read tools over MCP (stdio), until the client closes its end.

    For the configuration of a client: command `brain`, arguments such as `mcp --path WORKSPACE --as ACCOUNT`. Only messages of the protocol
    reach standard output. What --as reaches is decided anew in each call.
    """
    import anyio  # noqa: PLC0415 (the protocol takes a while to load)

    from indexer.serve.mcp_server import build_server  # noqa: PLC0415
    from indexer.serve.mcp_stdio import serve_stdio  # noqa: PLC0415

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="brain: %(message)s")
    with open_desk(DeskOptions(**given)) as desk:
        anyio.run(serve_stdio, build_server(desk))
