"""The answers of the engine in the browser, as the caller of this host gets them: each has the command as the caller
wrote it, and the real paths of files.

The echo of the command is a part of the answer's text, so this is the one place that takes such a text apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.core.text_safety import quoted, shortened
from oryn.engine import Answer
from oryn.engine.output.answer import PrerenderedAnswer
from oryn.engine.runner import ECHO_LIMIT, command_echo
from oryn.errors import OrynError, error_class_of
from oryn.sessions.extension.files import FileTarget

if TYPE_CHECKING:
    from oryn.extension_server.pending_commands import CommandReply


class OutgoingCommand(Record):
    """A command as the browser gets it: `line` contains the names of `targets` instead of their paths."""

    line: str
    address: str
    """`@tab2 ` if the command is for one tab, else empty."""
    targets: tuple[FileTarget, ...]
    session: str | None
    """The session that the line names, if it is this one."""
    sent: str
    """The text of the command that answers to `line` repeat."""
    written: str
    """The same with the paths as the caller wrote them."""

    @property
    def files(self) -> dict[str, bytes]:
        """The files that are sent to the browser with the command: their contents by name."""
        return {target.name: target.content for target in self.targets if target.content is not None}

    @property
    def output(self) -> FileTarget | None:
        """The file that the command names to be written."""
        return next((target for target in self.targets if target.content is None), None)

    def as_written(self, command: str) -> str:
        """Return the command's text, at the beginning of a text from an answer, as the caller wrote it."""
        sent = command_echo(self.sent)
        if self.targets and command.startswith(sent):
            command = command_echo(self.written) + command.removeprefix(sent)
        return f"@{self.session} {command}" if self.session else command


def read_answer(reply: CommandReply, outgoing: OutgoingCommand, paths: Mapping[str, Path]) -> Answer:
    """Return the answer of a reply. `paths` are the real paths of the files that the command has written, by the files'
    names in the browser."""
    text, form = _with_real_paths(reply.text, reply.id, paths), None
    head, newline, rest = text.partition("\n")
    answer = Answer()
    if reply.data is not None:
        form = _with_real_paths(dict(reply.data.answer), reply.id, paths)
        answer.command = shortened(outgoing.as_written(str(form.get("command", ""))), ECHO_LIMIT)
    answer.error = _error_in(form, head)
    if head.startswith("ok "):
        head = f"ok {shortened(outgoing.as_written(head.removeprefix('ok ')), ECHO_LIMIT)}"
    elif head.startswith("error "):
        head = f"error {outgoing.as_written(head.removeprefix('error '))}"
    answer.prerendered = PrerenderedAnswer(head + newline + rest, form)
    return answer


def text_of_record(record: str) -> str:
    """Return the text of the answer to a request, which is a record (`Answer.record`); of anything else, itself."""
    try:
        found = json.loads(record)
    except ValueError:
        return record
    return str(found["text"]) if isinstance(found, dict) and "text" in found else record


def _error_in(form: dict[str, Any] | None, head: str) -> OrynError | None:
    """The error in an answer, of which `head` is the first line; None if the command succeeded. A text alone has no
    error code."""
    match form:
        case {"ok": False, "error": {"code": str(code), "message": str(message), **more}}:
            hint = more.get("hint")
            return error_class_of(code)(message, hint if isinstance(hint, str) else None)
        case {"ok": True}:
            return None
    return OrynError(head.partition(": ")[2] or head) if head.startswith("error ") else None


def _with_real_paths(value: Any, id: int, paths: Mapping[str, Path]) -> Any:
    """An answer's text or JSON data, with the paths in the browser replaced by the real ones. `id` is that of the
    command, `paths` are the real paths by the files' names."""
    for name, path in paths.items():
        remote_path = f"/files/{id}/{name}"
        value = (
            value.replace(quoted(remote_path), quoted(str(path)))
            if isinstance(value, str)
            else _with(value, remote_path, path)
        )
    return value


def _with(value: Any, remote_path: str, path: Path) -> Any:
    match value:
        case dict():
            return {key: _with(each, remote_path, path) for key, each in value.items()}
        case list():
            return [_with(each, remote_path, path) for each in value]
        case str():
            return str(path) if value == remote_path else value.replace(quoted(remote_path), quoted(str(path)))
        case _:
            return value
