"""`oryn daemon trace` and `oryn daemon replay`: what was done, and doing it again."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import configured
from oryn.errors import ActionNotFound, InvalidValue
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.daemon.history import History, Row

_SECONDS = click.FloatRange(min=0)


@click.command()
@click.argument("which", required=False, metavar="[last]", type=click.Choice(["last"]))
@click.option("-n", "--number", default=20, show_default=True, type=click.IntRange(min=1), help="At most so many rows.")
@click.option("--session", metavar="NAME", help="Of this session alone.")
@click.option("--action", metavar="VERB", help="Of this kind alone, by any of its names: click, navigate, tab.")
@click.option("--since", metavar="SECONDS", type=_SECONDS, help="Of the last so many seconds.")
@click.option("--prev", is_flag=True, help="Of the file before the present one.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@configured()
def trace(
    configuration: Configuration,
    which: str | None,
    number: int,
    session: str | None,
    action: str | None,
    since: float | None,
    prev: bool,
    as_json: bool,
) -> None:
    """Show what was done, the latest last; 'last' is the latest row as JSON."""
    last = 1 if which else number
    rows = _history(configuration).select(
        session=session, action=action, since=_moment(since), last=last, previous=prev
    )
    if which:
        if not rows:
            raise ActionNotFound("nothing was done yet")
        click.echo(json.dumps(rows[0].values()))
    elif as_json:
        click.echo(json.dumps([row.values() for row in rows]))
    else:
        _show(rows)


def _show(rows: list[Row]) -> None:
    from oryn.cli.tables import table
    from oryn.engine.escape import one_line

    columns = ("id", "at (UTC)", "session", "action", "what", "ms", "outcome")
    table(
        columns,
        [
            (
                row.action_id,
                row.ts[:19].replace("T", " "),
                row.session,
                row.action,
                one_line(str(row.line or row.args.get("line") or "withheld"))[:80],
                round(row.elapsed_ms),
                "ok" if row.ok else row.error_kind,
            )
            for row in rows
        ],
    )


@click.command()
@click.argument("action_id", required=False)
@click.option("--session", metavar="NAME", help="Everything that was done in this session.")
@click.option("--since", metavar="SECONDS", type=_SECONDS, help="With --session: of the last so many seconds.")
@click.option("--include-interactive", is_flag=True, help="Also what needs a person, or a person's files.")
@click.option("--json", "as_json", is_flag=True, help="The responses as JSON, one a line.")
@configured()
def replay(
    configuration: Configuration,
    action_id: str | None,
    session: str | None,
    since: float | None,
    include_interactive: bool,
    as_json: bool,
) -> None:
    """Do again what ACTION_ID did, or all that was done in a session; the first error ends it."""
    from oryn.daemon.replay import check, divided

    if (action_id is None) == (session is None):
        raise InvalidValue("what shall be done again?", "Give an action's id ('oryn daemon trace'), or --session.")
    history = _history(configuration)
    if action_id is not None:
        row = history.find(action_id)
        if row is None:
            raise ActionNotFound(f"the history has no action {action_id}")
        check(row, interactive=include_interactive)
        rows = [row]
    else:
        rows, refused = divided(_rows_of(history, session, since), interactive=include_interactive)
        for error in refused:
            click.echo(f"left out {error.message}", err=True)
    sys.exit(_done_again(configuration, rows, as_json))


def _rows_of(history: History, session: str | None, since: float | None) -> list[Row]:
    moment = _moment(since)
    return [row for prev in (True, False) for row in history.select(session=session, since=moment, previous=prev)]


def _moment(since: float | None) -> str | None:
    """When the time began that an option asks for, as rows have it."""
    from oryn.daemon.replay import ago

    return None if since is None else ago(since)


def _done_again(configuration: Configuration, rows: list[Row], as_json: bool) -> int:
    from oryn.client.daemon import Daemon
    from oryn.client.refused import exit_code
    from oryn.daemon.lifecycle import Place
    from oryn.daemon.replay import request_of

    daemon = Daemon(Place(configuration.paths), start=True)
    for row in rows:
        response = daemon.command(request_of(row))
        click.echo(json.dumps(response) if as_json else response["text"])
        if not response["ok"]:
            return exit_code(response["error_kind"])
    return 0


def _history(configuration: Configuration) -> History:
    from oryn.daemon.history import History

    return History(configuration.paths.daemon)
