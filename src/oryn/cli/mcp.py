"""`oryn mcp`."""

from __future__ import annotations

import json
import sys
from urllib.parse import urlencode

import click

from oryn.cli.flags import BROWSING, configured
from oryn.errors import ConfigurationError
from oryn.extras import needed
from oryn.settings import SETTINGS, Configuration


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
@click.option(
    "--http", is_flag=True, help="Print how assistants reach the daemon instead, which is started where none runs."
)
@configured(*BROWSING)
def mcp(configuration: Configuration, tools: str, structured: bool, http: bool) -> None:
    """Serve the Model Context Protocol on standard input and output, with sessions of this process.

    Assistants start it themselves: give them the command 'oryn mcp'. Those that speak HTTP may share the daemon:
    'oryn mcp --http' prints its address and its token as a configuration."""
    with needed("mcp", "'oryn mcp'"):
        from oryn.mcp.stdio import run, with_session
    if not http:
        from oryn.cli.mcp_research import research_of

        own = with_session(configuration)
        sys.exit(run(own, tools, structured=structured, elsewhere=research_of(own)))
    click.echo(json.dumps(_entry(configuration, tools, structured=structured), indent=2))


def _entry(configuration: Configuration, tools: str, *, structured: bool) -> dict[str, object]:
    """The daemon as most assistants have servers in their configuration."""
    from oryn.client.daemon import Daemon
    from oryn.client.exchange import token_in
    from oryn.daemon.lifecycle import Place
    from oryn.daemon.mcp import PATH
    from oryn.mcp.clients import chosen

    chosen(tools)
    given = [name for name, origin in configuration.origins.items() if origin == "flag" and name != "session"]
    if wrong := next((name for name in given if name in BROWSING), None):
        raise ConfigurationError(
            f"{SETTINGS[wrong].flag} is the daemon's to know", "Give it to 'oryn daemon start', or leave --http out."
        )
    options = {
        "session": configuration.settings.session if configuration.origins["session"] != "default" else None,
        "tools": tools if tools != "core" else None,
        "structured": None if structured else "0",
    }
    query = urlencode({name: value for name, value in options.items() if value is not None})
    port = Daemon(Place(configuration.paths), start=True).status()["port"]
    server = {
        "type": "http",
        "url": f"http://127.0.0.1:{port}{PATH}" + (f"?{query}" if query else ""),
        "headers": {"Authorization": f"Bearer {token_in(str(configuration.paths.daemon))}"},
    }
    return {"mcpServers": {"oryn": server}}
