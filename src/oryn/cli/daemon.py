"""`oryn daemon …`: its life. What it did is in `daemon_history`, what it says in `daemon_news`."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.daemon_history import replay, trace
from oryn.cli.daemon_news import logs, watch
from oryn.cli.flags import BROWSING, RESEARCH, SERVING, STORING, configured
from oryn.errors import DaemonFailed, DaemonNotRunning
from oryn.extras import needed
from oryn.settings import SETTINGS, Configuration

if TYPE_CHECKING:
    from oryn.daemon.lifecycle import Place


_ITS = (*SERVING, *STORING, *BROWSING, *RESEARCH, "model", "endpoint", "model_key")
"""The settings of a daemon; the model is the one that 'oryn graph' asks."""


@click.group()
def daemon() -> None:
    """The browser service that commands go to. The first command starts it."""


for command in (logs, trace, replay, watch):
    daemon.add_command(command)


@daemon.command()
@configured(*_ITS)
def serve(configuration: Configuration) -> None:
    """Run the daemon in the foreground."""
    with needed("daemon", "the daemon", DaemonFailed):
        from oryn.daemon.lifecycle import READY
        from oryn.daemon.serving import serve
    if READY in os.environ:
        # In the background: the folder it was started in is not kept from being removed.
        os.chdir(Path.home())
    sys.exit(serve(configuration))


@daemon.command()
@configured(*_ITS)
def start(configuration: Configuration) -> None:
    """Start the daemon in the background, with these settings."""
    from oryn.client.starting import started

    place, options = _place(configuration), _options()
    if not started(place, options) and options:
        raise DaemonFailed(
            "a daemon runs already, with settings of its own", "'oryn daemon restart' starts one with these."
        )
    click.echo(_told(configuration))


@daemon.command()
@configured()
def stop(configuration: Configuration) -> None:
    """End the daemon and its sessions; they come back with the next one."""
    click.echo("the daemon has ended" if _stopped(configuration) else "no daemon runs")


@daemon.command()
@configured(*_ITS)
def restart(configuration: Configuration) -> None:
    """End the daemon, where one runs, and start another with these settings."""
    from oryn.client.starting import started

    _stopped(configuration)
    started(_place(configuration), _options())
    click.echo(_told(configuration))


@daemon.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@configured()
def status(configuration: Configuration, as_json: bool) -> None:
    """Tell whether it runs, where, and which sessions it has."""
    from oryn.client.daemon import Daemon
    from oryn.places import TOKEN

    paths = configuration.paths
    try:
        found = Daemon(_place(configuration)).status(limit=10)
    except DaemonNotRunning as error:
        if as_json and type(error) is DaemonNotRunning:
            click.echo(json.dumps({"running": False}))
            sys.exit(error.exit_code)
        raise
    found = {**found, "token_file": str(paths.daemon / TOKEN), "log": str(paths.daemon / "daemon.log")}
    if as_json:
        click.echo(json.dumps(found))
    else:
        _show(found)


@daemon.command()
@click.argument("code")
@configured()
def pair(configuration: Configuration, code: str) -> None:
    """Pair with the user's own browser: CODE is what the Oryn extension shows. It is good once, for five minutes."""
    from oryn.client.daemon import Daemon

    told = Daemon(_place(configuration), start=True).pair(code)
    click.echo(f"the daemon has the code; press Connect in the extension, whose endpoint is {told['endpoint']}")


def _show(status: dict[str, Any]) -> None:
    from oryn.cli.sessions import show_sessions
    from oryn.cli.tables import table

    sessions = status.pop("sessions")
    table(("daemon", ""), [(name.replace("_", " "), value) for name, value in status.items()])
    if sessions:
        click.echo()
        show_sessions(sessions)


def _place(configuration: Configuration) -> Place:
    from oryn.daemon.lifecycle import Place

    return Place(configuration.paths)


def _options() -> list[str]:
    """The flags of the current command that were given, as the daemon gets them."""
    options = []
    for name, value in click.get_current_context().params.items():
        if name not in SETTINGS or value is None:
            continue
        flag = SETTINGS[name].flag
        if isinstance(value, bool):
            options.append(flag if value else f"--no-{flag[2:]}")
        else:
            options += [flag, str(value)]
    return options


def _told(configuration: Configuration) -> str:
    from oryn.client.daemon import Daemon

    about = Daemon(_place(configuration)).status(limit=10)
    return f"the daemon runs: process {about['pid']}, port {about['port']}"


def _stopped(configuration: Configuration) -> bool:
    """End the daemon; whether there was one. Raises `DaemonFailed` where it does not end."""
    from oryn.client.starting import await_end, is_free, process_of

    place = _place(configuration)
    if is_free(place):
        return False
    process = process_of(place)
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    if not await_end(place):
        end_it = f"'kill -9 {process}' ends it at once." if process else "'oryn daemon logs' may tell why."
        raise DaemonFailed("the daemon does not end", end_it)
    return True
