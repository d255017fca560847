"""`oryn sessions`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

from oryn.cli.flags import configured
from oryn.errors import DaemonNotRunning, FileError
from oryn.settings import Configuration

_COLUMNS = ("name", "state", "mode", "started", "where", "url", "title")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@configured()
def sessions(configuration: Configuration, as_json: bool) -> None:
    """List the open and the saved sessions.

    They are the daemon's sessions, those that it has saved, and those of other programs."""
    found = [*_of_daemon(configuration), *_of_other_processes(configuration)]
    if as_json:
        click.echo(json.dumps(found))
    elif found:
        show_sessions(found)
    else:
        click.echo("no session is open: 'oryn goto <url>' opens one")


def show_sessions(sessions: Iterable[Mapping[str, Any]]) -> None:
    """Print a table of the sessions, which are in the form of `GET /status`."""
    from oryn.cli.tables import table

    rows = list(sessions)
    columns = [each for each in _COLUMNS if each != "where" or any(session.get(each) for session in rows)]
    table(columns, [[session.get(column) for column in columns] for session in rows])


def _of_daemon(configuration: Configuration) -> list[dict[str, Any]]:
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

    try:
        found: list[dict[str, Any]] = DaemonClient(DaemonInstance(configuration.paths)).status(limit=10)["sessions"]
    except DaemonNotRunning as error:
        if type(error) is not DaemonNotRunning:
            raise
        return _saved_sessions(configuration)
    return found


def _saved_sessions(configuration: Configuration) -> list[dict[str, Any]]:
    """The sessions that the next daemon restores."""
    from oryn.sessions.persistence.store import read_saved_sessions

    try:
        saved = read_saved_sessions(configuration.paths.daemon)
    except (FileError, OSError):
        return []  # the daemon reports what is wrong with the file, and sets it aside
    return [
        {"name": one.name, "state": "dormant", "mode": one.backend, "started": one.started, "url": one.listed_url}
        for one in saved
    ]


def _of_other_processes(configuration: Configuration) -> list[dict[str, Any]]:
    """The running sessions of processes other than the daemon."""
    from oryn.daemon_client.launcher import daemon_pid
    from oryn.sessions.registry import running
    from oryn.system.daemon_instance import DaemonInstance

    daemon = daemon_pid(DaemonInstance(configuration.paths))
    return [
        {"name": one.name, "state": f"process {one.process}", "mode": one.mode, "started": one.started}
        for one in running(configuration.paths.sessions)
        if one.process != daemon
    ]
