"""`oryn sessions`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

from oryn.cli.flags import configured
from oryn.errors import DaemonNotRunning, FileError
from oryn.settings import Configuration

_COLUMNS = ("name", "state", "mode", "started", "url", "title")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@configured()
def sessions(configuration: Configuration, as_json: bool) -> None:
    """List the sessions: the daemon's, those that it keeps, and those of other programs."""
    found = [*_of_daemon(configuration), *_elsewhere(configuration)]
    if as_json:
        click.echo(json.dumps(found))
    elif found:
        show_sessions(found)
    else:
        click.echo("no session is open: 'oryn goto <url>' opens one")


def show_sessions(sessions: Iterable[Mapping[str, Any]]) -> None:
    from oryn.cli.tables import table

    table(_COLUMNS, [[session.get(column) for column in _COLUMNS] for session in sessions])


def _of_daemon(configuration: Configuration) -> list[dict[str, Any]]:
    from oryn.client.daemon import Daemon
    from oryn.daemon.lifecycle import Place

    try:
        found: list[dict[str, Any]] = Daemon(Place(configuration.paths)).status(limit=10)["sessions"]
    except DaemonNotRunning as error:
        if type(error) is not DaemonNotRunning:
            raise
        return _kept(configuration)
    return found


def _kept(configuration: Configuration) -> list[dict[str, Any]]:
    """Those that the next daemon brings back."""
    from oryn.sessions.keeping import listed

    try:
        kept = listed(configuration.paths.daemon)
    except (FileError, OSError):
        return []  # the daemon says what is wrong with the file, and sets it aside
    return [
        {"name": one.name, "state": "dormant", "mode": one.backend, "started": one.started, "url": one.last_url}
        for one in kept
    ]


def _elsewhere(configuration: Configuration) -> list[dict[str, Any]]:
    """Those that the registry has of processes other than the daemon."""
    from oryn.client.starting import process_of
    from oryn.daemon.lifecycle import Place
    from oryn.sessions.registry import running

    daemon = process_of(Place(configuration.paths))
    return [
        {"name": one.name, "state": f"process {one.process}", "mode": one.mode, "started": one.started}
        for one in running(configuration.paths.sessions)
        if one.process != daemon
    ]
