"""`oryn mcp`."""

from __future__ import annotations

import json
import sys
from urllib.parse import urlencode

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.errors import ConfigurationError
from oryn.settings import SETTINGS, Configuration
from oryn.system.optional_dependencies import require_extra


@click.command(cls=GroupedCommand)
@click.option(
    "--tools",
    default="core",
    show_default=True,
    metavar="WHICH",
    help="Tools that the model gets: core, all, or comma-separated names of verbs and families.",
)
@click.option(
    "--structured/--no-structured",
    default=True,
    help="Return data beside the text of answers; turn it off if an assistant shows the model the data instead.",
)
@click.option(
    "--http",
    is_flag=True,
    help="Print a configuration for the daemon's HTTP endpoint instead; starts the daemon if needed.",
)
@configured(*BROWSING, "allow_private")
def mcp(configuration: Configuration, tools: str, structured: bool, http: bool) -> None:
    """Serve the Model Context Protocol (MCP).

    It uses standard input and output, and its sessions belong to this process.

    Assistants start it themselves: configure the command 'oryn mcp'. Assistants that support HTTP can share the daemon:
    'oryn mcp --http' prints the daemon's address and token as a configuration."""
    with require_extra("mcp", "'oryn mcp'"):
        from oryn.mcp.stdio import run, with_session
    if not http:
        from oryn.cli.mcp_research import research_of

        own = with_session(configuration)
        sys.exit(run(own, tools, structured=structured, elsewhere=research_of(own)))
    click.echo(json.dumps(_entry(configuration, tools, structured=structured), indent=2))


def _entry(configuration: Configuration, tools: str, *, structured: bool) -> dict[str, object]:
    """The configuration entry for the daemon's MCP endpoint, in the form that most assistants use."""
    from oryn.daemon.mcp_endpoint import MCP_PATH
    from oryn.daemon_client.client import DaemonClient
    from oryn.daemon_client.http import read_token
    from oryn.daemon_client.remote import RemoteDaemon
    from oryn.mcp.clients import select_tools
    from oryn.system.daemon_instance import DaemonInstance

    select_tools(tools)
    flags = [name for name, origin in configuration.origins.items() if origin == "flag" and name != "session"]
    if wrong := next((name for name in flags if name in (*BROWSING, "allow_private")), None):
        raise ConfigurationError(
            f"{SETTINGS[wrong].flag} must be set for the daemon, not for 'oryn mcp --http'",
            "Give it to 'oryn daemon restart', or leave --http out.",
        )
    options = {
        "session": configuration.settings.session if configuration.origins["session"] != "default" else None,
        "tools": tools if tools != "core" else None,
        "structured": None if structured else "0",
    }
    query = urlencode({name: value for name, value in options.items() if value is not None})
    if remote := RemoteDaemon.of_environment():
        base, token = remote.url, remote.token
    else:
        status = DaemonClient(DaemonInstance(configuration.paths), start=True).status()
        base = f"{'https' if status['tls'] else 'http'}://127.0.0.1:{status['port']}"
        token = read_token(str(configuration.paths.daemon))
    server = {
        "type": "http",
        "url": f"{base}{MCP_PATH}" + (f"?{query}" if query else ""),
        "headers": {"Authorization": f"Bearer {token}"},
    }
    return {"mcpServers": {"oryn": server}}
