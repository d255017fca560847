"""Replays rows of the history (docs/spec/daemon-protocol.md#replay): decides which can be replayed, and creates the
requests.

Pure; the caller reads the history and sends the requests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from oryn.daemon.events import format_timestamp
from oryn.daemon.history.log import HistoryRow
from oryn.daemon.vocabulary import canonical_action
from oryn.engine.output.target_description import TargetDescription, without_numbers
from oryn.errors import LanguageError, NotReplayable
from oryn.language import api_vocabulary, parse, render
from oryn.language.command import HOST_SCOPES, Command

INTERACTIVE = frozenset({"login", "login_done", "captcha solve", "confirm", "deny", "upload"})
"""Actions that need a person, or something that only that person had, such as a file to upload."""


def timestamp_before(seconds: float) -> str:
    """The moment `seconds` ago, in the format of a row's `ts`."""
    return format_timestamp(datetime.now(UTC) - timedelta(seconds=seconds))


def check_replayable(row: HistoryRow, *, interactive: bool = False) -> None:
    """Raise `NotReplayable` with the reason if the row can't be replayed."""
    if row.withheld:
        raise NotReplayable(
            f"{_describe(row)}: a part of it was withheld from the history", "Give the command itself again."
        )
    if _line(row) is None:
        raise NotReplayable(f"{_describe(row)}: it was no command")
    if canonical_action(row.action) in INTERACTIVE and not interactive:
        raise NotReplayable(
            f"{_describe(row)}: {row.action} needs a person", "Say --include-interactive to do it anyway."
        )
    command = _command(row)
    if command is not None and without_numbers(command, TargetDescription.of_fields(row.targets)) is None:
        raise _undescribed(row)
    if row.folder is None and command is not None and has_relative_path(command):
        raise NotReplayable(
            f"{_describe(row)}: its path is relative to a folder that the history has not",
            "Give the command itself again.",
        )


def replay_request(row: HistoryRow) -> dict[str, Any]:
    """The envelope that replays a row in its session. Raises `NotReplayable`."""
    line = _line(row)
    if line is None:
        raise NotReplayable(f"{_describe(row)}: it was no command")
    about = {"session": row.session, "source_action_id": row.action_id}
    if row.folder is not None:
        about["folder"] = row.folder
    name, command = canonical_action(row.action), _command(row)
    if command is not None and name in _host_command_names():
        return {"action": name, "args": _arguments(command), **about}
    return {"line": _line_in_words(row, line, command), **about}


def _line_in_words(row: HistoryRow, line: str, command: Command | None) -> str:
    """The line with its targets in words, since their numbers mean nothing on another page. Raises `NotReplayable` if
    nothing describes one."""
    if command is None:
        return line
    named = without_numbers(command, TargetDescription.of_fields(row.targets))
    if named is None:
        raise _undescribed(row)
    return line if named is command else render(named)


def _undescribed(row: HistoryRow) -> NotReplayable:
    return NotReplayable(
        f"{_describe(row)}: it names an element by a number, and nothing tells which that was",
        "Give the command itself again.",
    )


def partition_replayable(
    rows: Iterable[HistoryRow], *, interactive: bool = False
) -> tuple[list[HistoryRow], list[NotReplayable]]:
    """Split rows into those to replay and the reasons why others can't be. Rows that were replays themselves are left
    out silently, and those of commands that a program has given, which has a row of its own."""
    good, refused = [], []
    for row in rows:
        if row.source_action_id is not None or row.program is not None:
            continue
        try:
            check_replayable(row, interactive=interactive)
        except NotReplayable as error:
            refused.append(error)
        else:
            good.append(row)
    return good, refused


def has_relative_path(command: Command) -> bool:
    """Whether a path of the command is relative to the caller's folder."""
    return any(not os.path.isabs(path) and not path.startswith("~") for path in command.paths)


def _command(row: HistoryRow) -> Command | None:
    """The command of a row; None if it is none, any more."""
    line = _line(row)
    if line is None:
        return None
    is_host = canonical_action(row.action) in _host_command_names()
    try:
        return (parse(line, api_vocabulary()) if is_host else parse(line)).command
    except LanguageError:
        return None


def _line(row: HistoryRow) -> str | None:
    line = row.line or row.args.get("line")
    return line if isinstance(line, str) else None


def _describe(row: HistoryRow) -> str:
    return f"{row.action_id} ({row.action})"


def _host_command_names() -> set[str]:
    """The names of commands that only a host executes: as lines of the language, they mean something else or
    nothing."""
    return {
        spec.api_name for verb in api_vocabulary().verbs.values() for spec in verb.commands if spec.scope in HOST_SCOPES
    }


def _arguments(command: Command) -> dict[str, Any]:
    fields = (*type(command).spec.arguments, *type(command).spec.options.values())
    values = {field.name: getattr(command, field.name) for field in fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}  # 0 is a value
