"""`oryn mcp`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, configured
from oryn.errors import NotSupported
from oryn.settings import Configuration


@click.command()
@click.option(
    "--tools",
    default="core",
    show_default=True,
    metavar="WHICH",
    help="What models are offered: core, all, or names of verbs and families with commas between them.",
)
@click.option(
    "--structured/--no-structured",
    default=True,
    help="Answers as data beside their text; without it for assistants that show a model the data in its place.",
)
@configured(*BROWSING)
def mcp(configuration: Configuration, tools: str, structured: bool) -> None:
    """Serve the Model Context Protocol on standard input and output, with sessions of this process.

    Assistants start it themselves: give them the command 'oryn mcp'."""
    try:
        from oryn.mcp.stdio import run
    except ModuleNotFoundError as error:
        raise NotSupported(f"the package {error.name} is missing", "pip install 'oryn[mcp]'") from error
    sys.exit(run(configuration, tools, structured=structured))
