"""The commands of one conversation that were sent and not answered yet, and what comes for them
(docs/remote-protocol.md, Commands)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from oryn.errors import BackendUnavailable, ConnectionLost
from oryn.records import Record, field
from oryn.remote.attachments import Data, File
from oryn.remote.messages import Message

MOST_FILES = 20
"""Files of one command."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of them together."""
MOST_PENDING = 256
"""Commands at once."""


class Reply(Record):
    """What a command was answered with: the text; `data`, where it was wanted (`messages.Data`); the files that it
    wrote, by their names."""

    text: str
    id: int
    data: Data | None = None
    files: Mapping[str, bytes] = {}


class Pending(Record, frozen=False):
    """A command that was sent."""

    id: int
    answer: asyncio.Future[Reply]
    data: Data | None = None
    files: dict[str, bytes] = field(factory=dict)


class InFlight:
    """Ids only grow, from `first` on, else from the time in milliseconds: an extension refuses what it knows, by its id
    and its text, as a command of an earlier connection, maybe with another process. What comes for a command that
    nobody waits for, or that is answered already, is ignored."""

    def __init__(self, first: int | None = None) -> None:
        self._pending: dict[int, Pending] = {}
        self._latest = (int(time.time() * 1000) if first is None else first) - 1

    def add(self) -> Pending:
        """A command that is about to be sent. Raises `BackendUnavailable` where too many are in flight."""
        if len(self._pending) >= MOST_PENDING:
            raise BackendUnavailable(f"{len(self._pending)} commands are in flight", "Wait for some of them to end.")
        self._latest += 1
        pending = Pending(self._latest, asyncio.get_running_loop().create_future())
        self._pending[pending.id] = pending
        return pending

    def forget(self, pending: Pending) -> None:
        """Nobody waits for it any more."""
        self._pending.pop(pending.id, None)

    def answer(self, message: Message) -> None:
        pending = self._pending.pop(message.id, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(Reply(message.content, message.id, pending.data, pending.files))

    def take_data(self, data: Data) -> None:
        if pending := self._pending.get(data.id):
            pending.data = data

    def take_file(self, file: File) -> None:
        """Of more than a command may write nothing is kept."""
        pending = self._pending.get(file.id)
        if pending is None:
            return
        size = len(file.content) + sum(map(len, pending.files.values()))
        if size <= MOST_BYTES and len(pending.files) < MOST_FILES:
            pending.files[file.name] = file.content

    def fail(self) -> None:
        """None of them will be answered."""
        pending, self._pending = self._pending, {}
        for each in pending.values():
            if not each.answer.done():
                each.answer.set_exception(ConnectionLost("the connection to the browser was lost before the answer"))
