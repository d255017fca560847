"""Doing again what the history has (seed 004, Action history): which rows can be, and what is then asked of the daemon.
Pure; the caller reads the history and sends the requests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from oryn.daemon.actions import door_of
from oryn.daemon.events import moment
from oryn.daemon.history import Row
from oryn.errors import NotReplayable
from oryn.language import doors, parse
from oryn.language.command import Command

INTERACTIVE = frozenset({"login", "login_done", "captcha solve", "confirm", "deny", "upload"})
"""Actions that need a person, or what one had at hand."""


def ago(seconds: float) -> str:
    """The moment so many seconds ago, as rows have it."""
    return moment(datetime.now(UTC) - timedelta(seconds=seconds))


def check(row: Row, *, interactive: bool = False) -> None:
    """Raises `NotReplayable`, saying why."""
    if row.withheld:
        raise NotReplayable(
            f"{_named(row)}: a part of it was withheld from the history", "Give the command itself again."
        )
    if _line(row) is None:
        raise NotReplayable(f"{_named(row)}: it was no command")
    if door_of(row.action) in INTERACTIVE and not interactive:
        raise NotReplayable(f"{_named(row)}: {row.action} needs a person", "Say --include-interactive to do it anyway.")


def request_of(row: Row) -> dict[str, Any]:
    """The envelope that does a row again, in its session. Raises `NotReplayable`."""
    line = _line(row)
    if line is None:
        raise NotReplayable(f"{_named(row)}: it was no command")
    about = {"session": row.session, "source_action_id": row.action_id}
    name = door_of(row.action)
    command = parse(line, doors()).command if name in _hosts() else None
    return {"line": line, **about} if command is None else {"action": name, "args": _arguments(command), **about}


def divided(rows: Iterable[Row], *, interactive: bool = False) -> tuple[list[Row], list[NotReplayable]]:
    """The rows to do again, and why others are left out. What was itself a replay is left out without a word."""
    good, refused = [], []
    for row in rows:
        if row.source_action_id is not None:
            continue
        try:
            check(row, interactive=interactive)
        except NotReplayable as error:
            refused.append(error)
        else:
            good.append(row)
    return good, refused


def _line(row: Row) -> str | None:
    line = row.line or row.args.get("line")
    return line if isinstance(line, str) else None


def _named(row: Row) -> str:
    return f"{row.action_id} ({row.action})"


def _hosts() -> set[str]:
    """The names of what only a host can do: no lines of the language, where they mean something else or nothing."""
    return {spec.door for verb in doors().verbs.values() for spec in verb.commands if spec.host}


def _arguments(command: Command) -> dict[str, Any]:
    fields = (*type(command).spec.arguments, *type(command).spec.options.values())
    values = {field.name: getattr(command, field.name) for field in fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}  # 0 is given
