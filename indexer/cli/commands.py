"""The group of all commands. A command's module is imported only when that command runs, for the pipeline takes a while to load.

Run by `edge`. A new command is a module of this folder that exposes `command`, and a line here.
"""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from indexer import __version__

COMMANDS = {
    "build": "Build the website and the index.",
    "preview": "Show a folder as a website on this machine, rebuilt as you write.",
    "check": "Show the findings; fail on errors.",
    "inspect": "Show pages, links, findings and graph as JSON.",
    "search": "Search as the website does.",
    "report": "Say how complete the knowledge is.",
    "refresh": "Bring the maps of a repository up to date.",
    "work": "Keep the maps of all repositories of a registry fresh.",
    "blueprint": "Show, check and start blueprints.",
    "reach": "List the repos that somebody reaches now.",
    "tool": "Call one of the read tools.",
    "mcp": "Serve the read tools over MCP.",
    "serve": "Serve the websites to those who may read them.",
    "registry": "Load, write back and check who may reach what.",
    "account": "People and their sign-in.",
    "member": "Memberships: who belongs to a tenant, and as what.",
    "repo": "Repositories of a tenant.",
    "grant": "Let somebody reach a repository.",
    "revoke": "Take a grant back.",
    "key": "Keys of programs.",
    "graph": "The one graph over the repositories of a tenant.",
    "sql": "Ask the index a question in SQL.",
    "schema": "Print the JSON Schemas of what programs read.",
}
"""Name → one line for `brain --help`; the module has the command's name."""
_MEANT = {
    "help": " `brain --help` lists all commands, and `brain COMMAND --help` the options of one.",
    "version": " `brain --version` says it.",
    "lint": " `brain check` shows what is wrong.",
    "validate": " `brain check` shows what is wrong.",
    "watch": " `brain preview` follows your edits.",
    "init": " Nothing has to be prepared: `brain preview PATH` shows any folder of Markdown.",
}
"""What other programs call things, and what to write here."""
_OF_A_TURN = ("BRAIN_KEY", "BRAIN_AS")
"""Where one of these says who is asking, `brain` alone lists what they reach (SPEC T16)."""


class LazyGroup(click.Group):
    """Commands by name, loaded on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the table."""
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        command = import_module(f"indexer.cli.{cmd_name}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the arguments; click would compare a name that is none with those that are loaded, and there are none yet."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            meant = _MEANT.get(args[0]) or suggest(args[0], self.list_commands(ctx))
            ctx.fail(f"No such command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click gives it)
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def suggest(name: str, known: Sequence[str]) -> str:
    """Return what may have been meant, as a question behind a space; nothing when no name is near."""
    near = get_close_matches(name, known, 3)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True, no_args_is_help=False)
@click.version_option(__version__, "-V", "--version", prog_name="brain", message="%(prog)s %(version)s")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Turn git repositories of Markdown into websites, an index and findings.

    Exit codes: 0 done, 1 findings at or above --fail-on, 2 wrong arguments, 3 expected failure, 4 a mistake in the program,
    130 interrupted.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not any(os.environ.get(name) for name in _OF_A_TURN):
        raise click.exceptions.NoArgsIsHelpError(ctx)
    reach = group.get_command(ctx, "reach")
    if reach is not None:
        with reach.make_context("reach", [], parent=ctx) as turn:
            reach.invoke(turn)
