"""The commands of one connection that were sent and not answered yet, with the data and files received for them
(docs/spec/extension-protocol.md#commands)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from oryn.core.records import Record, field
from oryn.errors import BackendUnavailable, ConnectionLost
from oryn.extension_server.messages import Data, File, WireMessage

MAX_FILES = 20
"""Files of one command."""
MAX_FILES_BYTES = 64 * 1024 * 1024
"""Bytes of all files of one command together."""
MAX_PENDING_COMMANDS = 256
"""Commands in flight at once."""


class CommandReply(Record):
    """The answer to a command: its text; its `data`, if the server wanted them; the files that it wrote, by their
    names."""

    text: str
    id: int
    data: Data | None = None
    files: Mapping[str, bytes] = {}


class PendingCommand(Record, frozen=False):
    """A command that was sent, and what has arrived for it."""

    id: int
    answer: asyncio.Future[CommandReply]
    data: Data | None = None
    files: dict[str, bytes] = field(factory=dict)


class PendingCommands:
    """Matches answers, data and files to their commands. Those of unknown or answered commands are ignored."""

    def __init__(self, first: int | None = None) -> None:
        """Ids increase from `first` on; by default from the time in milliseconds, because an extension refuses a
        command with the id and the text of one on an earlier connection, maybe of another process."""
        self._pending: dict[int, PendingCommand] = {}
        self._latest = (int(time.time() * 1000) if first is None else first) - 1

    def add(self) -> PendingCommand:
        """Register a command that is about to be sent. Raises `BackendUnavailable` if too many are in flight."""
        if len(self._pending) >= MAX_PENDING_COMMANDS:
            raise BackendUnavailable(f"{len(self._pending)} commands are in flight", "Wait for some of them to end.")
        self._latest += 1
        pending = PendingCommand(self._latest, asyncio.get_running_loop().create_future())
        self._pending[pending.id] = pending
        return pending

    def forget(self, pending: PendingCommand) -> None:
        """Drop a command whose answer is no longer awaited."""
        self._pending.pop(pending.id, None)

    def answer(self, message: WireMessage) -> None:
        """A command was answered."""
        pending = self._pending.pop(message.id, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(CommandReply(message.content, message.id, pending.data, pending.files))

    def take_data(self, data: Data) -> None:
        """Store the data for a command."""
        if pending := self._pending.get(data.id):
            pending.data = data

    def take_file(self, file: File) -> None:
        """Store a file for its command; ignored if the command has reached its limits."""
        pending = self._pending.get(file.id)
        if pending is None:
            return
        size = len(file.content) + sum(map(len, pending.files.values()))
        if size <= MAX_FILES_BYTES and len(pending.files) < MAX_FILES:
            pending.files[file.name] = file.content

    def fail(self) -> None:
        """Raise `ConnectionLost` for all commands: none of them will be answered."""
        pending, self._pending = self._pending, {}
        for each in pending.values():
            if not each.answer.done():
                each.answer.set_exception(ConnectionLost("the connection to the browser was lost before the answer"))
