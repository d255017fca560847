"""`oryn daemon …`: starts and stops the daemon, shows its logs and events, lists and replays its history."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.fast.colour import print_text
from oryn.cli.flags import BROWSING, RESEARCH, SERVING, STORING, GroupedCommand, configured
from oryn.core.error_text import error_fields
from oryn.daemon.events import EVENT_TYPES
from oryn.errors import ActionNotFound, DaemonFailed, DaemonNotRunning, InvalidValue
from oryn.settings import SETTINGS, Configuration
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from oryn.daemon.history.log import ActionHistory, HistoryRow
    from oryn.system.daemon_instance import DaemonInstance

_SECONDS_TYPE = click.FloatRange(min=0)


def _sessions(_: click.Context, __: click.Parameter, prefix: str) -> list[str]:
    from oryn.cli.shell_completion import session_names

    return session_names(prefix)


def _verbs(_: click.Context, __: click.Parameter, prefix: str) -> list[str]:
    from oryn.language import api_vocabulary

    return [verb for verb in api_vocabulary().verbs if verb.startswith(prefix)]


@click.command()
@click.argument("which", required=False, metavar="[last]", type=click.Choice(["last"]))
@click.option(
    "-n", "--number", default=20, show_default=True, type=click.IntRange(min=1), help="Maximum number of rows."
)
@click.option("--session", metavar="NAME", shell_complete=_sessions, help="Show only this session.")
@click.option(
    "--action",
    metavar="VERB",
    shell_complete=_verbs,
    help="Show only this verb, by any of its names: click, navigate, tab.",
)
@click.option("--since", metavar="SECONDS", type=_SECONDS_TYPE, help="Show only the last so many seconds.")
@click.option("--prev", is_flag=True, help="Read the previous history file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
    """Show the history of commands, newest last, and the commands of a program under it.

    'last' prints the newest row as JSON."""
    last = 1 if which else number
    rows = _open_history(configuration).select(
        session=session, action=action, since=_since_timestamp(since), last=last, previous=prev
    )
    if which:
        if not rows:
            raise ActionNotFound("nothing was done yet")
        click.echo(json.dumps(rows[0].values()))
    elif as_json:
        click.echo(json.dumps([row.values() for row in rows]))
    else:
        _print_history(rows)


def _print_history(rows: list[HistoryRow]) -> None:
    from oryn.cli.tables import table
    from oryn.core.text_safety import one_line
    from oryn.daemon.history.query import under_programs

    columns = ("id", "at (UTC)", "session", "action", "what", "ms", "outcome")
    table(
        columns,
        [
            (
                row.action_id,
                row.ts[:19].replace("T", " "),
                row.session,
                row.action,
                ("  " if is_inner else "") + one_line(str(row.line or row.args.get("line") or "withheld"))[:80],
                round(row.elapsed_ms),
                "ok" if row.ok else row.error_kind,
            )
            for row, is_inner in under_programs(rows)
        ],
    )


@click.command()
@click.argument("action_id", required=False)
@click.option("--session", metavar="NAME", shell_complete=_sessions, help="Replay every command of this session.")
@click.option("--since", metavar="SECONDS", type=_SECONDS_TYPE, help="With --session: only the last so many seconds.")
@click.option("--include-interactive", is_flag=True, help="Include commands that need a person or local files.")
@click.option("--json", "as_json", is_flag=True, help="Print the responses as JSON, one per line.")
@configured()
def replay(
    configuration: Configuration,
    action_id: str | None,
    session: str | None,
    since: float | None,
    include_interactive: bool,
    as_json: bool,
) -> None:
    """Replay one command, or all of a session.

    ACTION_ID names the command ('oryn daemon trace' lists them). The first error ends the replay."""
    from oryn.daemon.history.replay import check_replayable, partition_replayable

    if (action_id is None) == (session is None):
        raise InvalidValue("replay needs either an action's id or --session", "'oryn daemon trace' lists the ids.")
    history = _open_history(configuration)
    if action_id is not None:
        row = history.find(action_id)
        if row is None:
            raise ActionNotFound(f"the history has no action {action_id}")
        check_replayable(row, interactive=include_interactive)
        rows = [row]
    else:
        moment = _since_timestamp(since)
        found = [row for prev in (True, False) for row in history.select(session=session, since=moment, previous=prev)]
        rows, refused = partition_replayable(found, interactive=include_interactive)
        for error in refused:
            click.echo(f"left out {error.message}", err=True)
    sys.exit(_replay_rows(configuration, rows, as_json))


def _since_timestamp(since: float | None) -> str | None:
    """The start of the period that an option selects, in the format of a row's `ts`."""
    from oryn.daemon.history.replay import timestamp_before

    return None if since is None else timestamp_before(since)


def _replay_rows(configuration: Configuration, rows: list[HistoryRow], as_json: bool) -> int:
    from oryn.cli.fast.errors import exit_code
    from oryn.daemon.history.replay import replay_request
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

    daemon = DaemonClient(DaemonInstance(configuration.paths), start=True)
    for row in rows:
        response = daemon.command(replay_request(row))
        if as_json:
            click.echo(json.dumps(response))
        else:
            print_text(response["text"], sys.stdout if response["ok"] else sys.stderr)
        if not response["ok"]:
            return exit_code(response["error_kind"])
    return 0


def _open_history(configuration: Configuration) -> ActionHistory:
    """The history: of all daemons with the same records, or of this one. Raises `RecordsUnavailable`,
    `ConfigurationError`."""
    folder, url = configuration.paths.daemon, configuration.settings.records
    if url is None:
        from oryn.daemon.history.log import ActionHistory

        return ActionHistory(folder)
    from oryn.daemon.cluster import open_history

    return open_history(folder, url)


_POLL_SECONDS = 0.2


@click.command()
@click.option(
    "-n",
    "--number",
    default=50,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of lines, counted from the end.",
)
@click.option("-f", "--follow", is_flag=True, help="Keep printing new lines until Ctrl-C.")
@configured()
def logs(configuration: Configuration, number: int, follow: bool) -> None:
    """Show the daemon's log."""
    file = configuration.paths.daemon / "daemon.log"
    if not file.exists() and not follow:
        click.echo("nothing was logged yet", err=True)
        return
    with suppress(KeyboardInterrupt):
        for line in _log_lines(file, number, follow):
            click.echo(line, nl=False)


def _log_lines(file: Path, number: int, follow: bool) -> Iterator[str]:
    read = 0
    if file.exists():
        with file.open("r", encoding="utf-8", errors="replace") as log:
            yield from deque(log, maxlen=number)
            read = log.tell()
    while follow:
        time.sleep(_POLL_SECONDS)  # not every platform has events for files
        size = file.stat().st_size if file.exists() else 0
        if size < read:
            read = 0  # the log was rotated
        if size > read:
            with file.open("rb") as bytes_:
                bytes_.seek(read)
                new = bytes_.read()
            read += len(new)
            yield new.decode("utf-8", "replace")


@click.command()
@click.option(
    "--filter", "types", multiple=True, type=click.Choice(EVENT_TYPES), help="Show only this type of event; repeatable."
)
@click.option("--json-lines", is_flag=True, help="Print one JSON object per line.")
@configured()
def watch(configuration: Configuration, types: tuple[str, ...], json_lines: bool) -> None:
    """Show events as they happen.

    It ends with Ctrl-C, or when the daemon stops."""
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

    with suppress(KeyboardInterrupt):
        for event in DaemonClient(DaemonInstance(configuration.paths)).events(types):
            click.echo(json.dumps(event) if json_lines else _format_event(event))


def _format_event(event: dict[str, Any]) -> str:
    data = event["data"]
    parts = [event["ts"][11:23], event["type"], data.get("session"), data.get("action")]
    if event["type"] == "action.finish":
        parts += ["ok" if data["ok"] else data["error_kind"], f"{data['elapsed_ms']:.0f} ms"]
    if lost := event.get("lost"):
        parts.append(f"({lost} before it were lost)")
    return " ".join(str(part) for part in parts if part)


_DAEMON_SETTINGS = (*SERVING, *STORING, *BROWSING, *RESEARCH, "model", "endpoint", "model_key")
"""The settings of a daemon; the model is the one that 'oryn graph' uses."""


@click.group()
def daemon() -> None:
    """Manage the daemon, which runs commands.

    The first command starts it."""


for command in (logs, trace, replay, watch):
    daemon.add_command(command)


@daemon.command(cls=GroupedCommand)
@configured(*_DAEMON_SETTINGS)
def serve(configuration: Configuration) -> None:
    """Run the daemon in the foreground."""
    with require_extra("daemon", "the daemon", DaemonFailed):
        from oryn.daemon.server import serve
        from oryn.system.daemon_instance import READY_VARIABLE
    if READY_VARIABLE in os.environ:
        # A daemon in the background must not keep the folder in use from which it was started.
        os.chdir(Path.home())
    sys.exit(serve(configuration))


_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@daemon.command(cls=GroupedCommand)
@_JSON
@configured(*_DAEMON_SETTINGS)
def start(configuration: Configuration, as_json: bool) -> None:
    """Start the daemon in the background.

    It gets the settings of this command."""
    from oryn.daemon_client.launcher import ensure_started

    place, options = _place(configuration), _options()
    if not ensure_started(place, options) and options:
        raise DaemonFailed(
            "a daemon runs already, with settings of its own", "'oryn daemon restart' starts one with these."
        )
    _print_running(configuration, as_json)


@daemon.command()
@_JSON
@configured()
def stop(configuration: Configuration, as_json: bool) -> None:
    """Stop the daemon, and save its sessions.

    The next daemon restores them."""
    has_ended = _stop_daemon(configuration)
    if as_json:
        click.echo(json.dumps({"ok": True, "stopped": has_ended}))
    else:
        click.echo("the daemon has ended" if has_ended else "no daemon runs")


@daemon.command()
@click.option("--provider", "drained", metavar="NAME", help="Only the sessions of this provider of browsers.")
@_JSON
@configured()
def drain(configuration: Configuration, drained: str | None, as_json: bool) -> None:
    """Open no more sessions, and save those there are.

    With --provider, the next command of a saved session opens its browser at another provider."""
    from oryn.daemon_client.client import DaemonClient

    answer = DaemonClient(_place(configuration)).drain(drained)
    click.echo(json.dumps(answer) if as_json else f"sessions that were saved: {answer['sessions']}")


@daemon.command(cls=GroupedCommand)
@_JSON
@configured(*_DAEMON_SETTINGS)
def restart(configuration: Configuration, as_json: bool) -> None:
    """Restart the daemon with these settings.

    If no daemon runs, this starts one."""
    from oryn.daemon_client.launcher import ensure_started

    _stop_daemon(configuration)
    ensure_started(_place(configuration), _options())
    _print_running(configuration, as_json)


@daemon.command()
@click.option("--all", "every", is_flag=True, help="Show every daemon with the same records.")
@_JSON
@configured()
def status(configuration: Configuration, every: bool, as_json: bool) -> None:
    """Show the daemon's status and its sessions."""
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_paths import TOKEN_FILE

    paths, client = configuration.paths, DaemonClient(_place(configuration))
    if every:
        _print_daemons(client.daemons(limit=10), as_json)
        return
    try:
        found = client.status(limit=10)
    except DaemonNotRunning as error:
        if as_json and type(error) is DaemonNotRunning:
            click.echo(json.dumps({**error_fields(error), "running": False}))
            sys.exit(error.exit_code)
        raise
    found = {**found, "token_file": str(paths.daemon / TOKEN_FILE), "log": str(paths.daemon / "daemon.log")}
    if as_json:
        click.echo(json.dumps(found))
    else:
        _print_status(found)


@daemon.command()
@click.argument("code")
@configured()
def pair(configuration: Configuration, code: str) -> None:
    """Pair with the user's own browser.

    CODE is the code that the Oryn extension shows. It is valid once, for five minutes."""
    from oryn.daemon_client.client import DaemonClient

    pairing = DaemonClient(_place(configuration), start=True).pair(code)
    click.echo(f"the daemon has the code; press Connect in the extension, whose endpoint is {pairing['endpoint']}")


_DAEMON_COLUMNS = ("alive", "ready", "sessions", "running", "memory_mb", "heartbeat_s", "version", "pid", "address")


def _print_daemons(daemons: list[dict[str, Any]], as_json: bool) -> None:
    """Print the daemons with the same records, which are in the form of `GET /daemons`."""
    from oryn.cli.tables import table

    if as_json:
        click.echo(json.dumps(daemons))
        return
    headings = [each.replace("_mb", " (MB)").replace("_s", " (s)") for each in _DAEMON_COLUMNS]
    table(
        ("daemon", *headings), [[each["name"], *(each.get(column) for column in _DAEMON_COLUMNS)] for each in daemons]
    )


def _print_status(status: dict[str, Any]) -> None:
    from oryn.cli.sessions import show_sessions
    from oryn.cli.tables import table

    sessions, browsers, providers = status.pop("sessions"), status.pop("browsers", []), status.pop("providers", [])
    table(("daemon", ""), [(name.replace("_", " "), value) for name, value in status.items()])
    if sessions:
        click.echo()
        show_sessions(sessions)
        for each in sessions:
            if queue := each.get("queue"):
                first, waiting = queue[0], len(queue) - 1
                click.echo(f"{each['name']}: {first['action']} for {first['seconds']:.0f} s, {waiting} waiting")
    if providers:
        click.echo()
        columns = ("kind", "state", "capacity", "used", "queue", "error")
        table(("provider", *columns), [(each["name"], *(each[column] for column in columns)) for each in providers])
    if browsers:
        click.echo()
        table(("browser", "memory (MB)"), [(f"process {each['process']}", each["memory_mb"]) for each in browsers])


def _place(configuration: Configuration) -> DaemonInstance:
    from oryn.system.daemon_instance import DaemonInstance

    return DaemonInstance(configuration.paths)


def _options() -> list[str]:
    """The flags that were given to the current command, in the form that the daemon gets."""
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


def _print_running(configuration: Configuration, as_json: bool) -> None:
    """Print where the daemon runs, or its status as JSON."""
    from oryn.daemon_client.client import DaemonClient

    about = DaemonClient(_place(configuration)).status(limit=10)
    click.echo(json.dumps(about) if as_json else f"the daemon runs: process {about['pid']}, port {about['port']}")


def _stop_daemon(configuration: Configuration) -> bool:
    """End the daemon; return whether one was running. Raises `DaemonFailed` if it does not end."""
    from oryn.daemon_client.launcher import daemon_pid, is_stopped, wait_until_stopped

    place = _place(configuration)
    if is_stopped(place):
        return False
    process = daemon_pid(place)
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    if not wait_until_stopped(place):
        end_it = f"'kill -9 {process}' ends it at once." if process else "'oryn daemon logs' may show why."
        raise DaemonFailed("the daemon does not end", end_it)
    return True
