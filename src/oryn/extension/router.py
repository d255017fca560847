"""`Router`: picks the tab and the start of each command, and answers it exactly once
(docs/spec/extension-protocol.md#commands).

Commands to one tab run one after the other, those to several tabs in parallel; answers are sent as they come. The user
can stop running commands at any time; without a server to answer, they are dropped."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.browsers.base import Browser
from oryn.engine import Answer, Session
from oryn.engine.options import Options
from oryn.engine.output.answer import json_form
from oryn.engine.runner import canonical_text, command_echo
from oryn.errors import AnswerTooLarge, Cancelled, InternalError, LanguageError, OrynError, Stopped, TooManyCommands
from oryn.extension.command_queue import CommandIdTracker, QueueEntry, TabQueue
from oryn.extension.files import CommandFiles, ReceivedFiles, command_folder, put_inline, written_files
from oryn.extension.popup.activity import CommandActivity, CommandRow
from oryn.extension.sessions import TabLookup, TabSessions, tab_of
from oryn.extension_server.messages import (
    ANSWER_LIMIT,
    AnswerOptions,
    Cancel,
    Control,
    Data,
    EngineOptions,
    Failed,
    File,
    WireMessage,
)
from oryn.language import Line, Output, Type, mask_secret, parse, render
from oryn.language.json_codec import is_request, line_of_request

if TYPE_CHECKING:
    from oryn.engine.definitions.library import IntentLibrary

log = logging.getLogger(__name__)

MAX_COMMANDS = 256
"""Commands that run or wait at once."""


def create_session(browser: Browser, name: str) -> Session:
    """A session for a server: its files are sent to the server."""
    session = Session(browser, name)
    session.files = CommandFiles()
    session.library = _library
    return session


def _library() -> IntentLibrary:
    from oryn.intents import shipped_library

    return shipped_library()


class RoutedCommand(QueueEntry):
    """A command in the queue.

    `head` is its text as an answer repeats it, `row` its row in the popup, `data` whether the server wants data with
    the answer, `record` whether the answer is a record (`Answer.record`). `options` are the server's, and
    `received_files` the files that it has sent for the command."""

    def __init__(
        self,
        id: int,
        line: str | Line,
        head: str,
        named: int | None,
        row: CommandRow,
        *,
        data: bool,
        record: bool,
        options: Options,
        received_files: Sequence[File],
    ) -> None:
        super().__init__(named)
        self.id = id
        self.line = line
        self.head = head
        self.row = row
        self.data = data
        self.record = record
        self.options = options
        self.received_files = received_files
        self.answered = False
        self.task: asyncio.Task[None] | None = None


class Router:
    """Runs a server's commands in the sessions of their tabs. `send` sends a frame to the connected server, if there is
    one; commands write files below `folder`."""

    def __init__(
        self,
        sessions: TabSessions,
        tabs: TabLookup,
        send: Callable[[str], None],
        activity: CommandActivity,
        folder: Path,
    ) -> None:
        self._sessions = sessions
        self._tabs = tabs
        self._send = send
        self._activity = activity
        self._folder = folder
        self._ids = CommandIdTracker()
        self._queue = TabQueue[RoutedCommand]()
        self._takes_files = False
        self._wants_data = False
        self._json = False
        self._options = Options()
        self._received_files = ReceivedFiles()
        self.controlled: set[int] = set()
        """The numbers of the tabs that commands of this connection have gone to."""

    # --- messages of the connection ---

    def begin(self, *, files: bool) -> None:
        self._ids.begin()
        self._takes_files, self._wants_data, self._json = files, False, False
        self._options, self._received_files = Options(), ReceivedFiles()

    def on_control(self, control: Control) -> None:
        match control:
            case AnswerOptions():
                self._wants_data = control.data
            case EngineOptions():
                self._options = Options(**control.provided)
            case File():
                self._received_files.add(control)
            case Cancel():
                self._cancel(control.id)

    def receive(self, message: WireMessage) -> bool:
        record = is_request(message.content)
        try:
            line: str | Line = line_of_request(message.content) if record else parse(message.content)
        except LanguageError as error:
            if record:  # the request may contain a secret
                self._reply(message.id, Answer(command="request", error=error, record=True))
                return False
            line = message.content
        head = self._canonical_line(line)
        files = self._received_files.take(message.id)
        try:
            self._ids.register(message)
        except OrynError as error:
            if self._ids.is_pending(message.id):  # its own answer must be the only one with this id
                self._send(Failed(error.message).frame)
            else:
                self._reply(message.id, Answer(command=head, error=error, record=record))
            return False
        if isinstance(line, Line) and line.command is None:
            self._reply(message.id, Answer(record=record))
            return True
        if len(self._queue) >= MAX_COMMANDS:
            full = TooManyCommands(f"{MAX_COMMANDS} commands wait")
            self._reply(message.id, Answer(command=head, error=full, record=record))
            return False
        self._enter(message.id, line, head, files, record=record)
        return True

    def stop(self) -> None:
        for routed in self._queue:
            self._answer(routed, Answer(command=routed.head, error=Stopped()))
        self._end()

    def drop(self) -> None:
        for routed in self._queue:
            routed.answered = True
            self._activity.end(routed.row, ok=False, line=routed.row.line, now=time.time())
        self._end()

    def _cancel(self, id: int) -> None:
        """Cancel the command with this id, whose server no longer waits for it, if it runs or waits."""
        for routed in self._queue:
            if routed.id == id:
                self._answer(routed, Answer(command=routed.head, error=Cancelled()))
                if routed.task is not None:
                    routed.task.cancel()
                else:
                    self._queue.leave(routed)
                    self._start()

    def _end(self) -> None:
        """Cancel running commands, drop waiting ones, and release the tabs."""
        running = set[asyncio.Task[None]]()
        for routed in self._queue:
            if routed.task is None:
                self._queue.leave(routed)
            else:
                running.add(routed.task)
                routed.task.cancel()
        self.controlled.clear()
        self._sessions.close_after(running)

    # --- one command ---

    def _enter(self, id: int, line: str | Line, head: str, files: Sequence[File], *, record: bool) -> None:
        named = tab_of(line.session) if isinstance(line, Line) else None
        row = self._activity.begin(id, self._display_line(line, head), named, time.time())
        routed = RoutedCommand(
            id, line, head, named, row, data=self._wants_data, record=record, options=self._options,
            received_files=files,
        )  # fmt: skip
        self._queue.enter(routed)
        self._start()

    def _start(self) -> None:
        for routed in self._queue.start(self._tabs.active):
            if routed.tab is not None:
                self.controlled.add(routed.tab)
            self._activity.start(routed.row, routed.tab)
            routed.task = asyncio.create_task(self._run(routed))
            routed.task.add_done_callback(partial(self._on_ended, routed))

    def _on_ended(self, routed: RoutedCommand, task: asyncio.Task[None]) -> None:
        """A task has ended, perhaps cancelled before its first step."""
        self._queue.leave(routed)
        self._start()
        self._tabs.on_left()

    @property
    def busy(self) -> set[int]:
        """The numbers of the tabs in which commands run."""
        return {routed.tab for routed in self._queue if routed.task is not None and routed.tab is not None}

    async def _run(self, routed: RoutedCommand) -> None:
        try:
            with command_folder(self._folder, routed.id, routed.received_files) as folder:
                await self._do(routed, folder)
        except asyncio.CancelledError:
            if not routed.answered:
                self._answer(routed, Answer(command=routed.head, error=Stopped()))
        except OrynError as error:
            self._answer(routed, Answer(command=routed.head, error=error))
        except Exception as error:  # a bug must cost one answer, not the connection
            log.exception("unexpected error in %s", type(routed.line).__name__)
            self._answer(routed, Answer(command=routed.head, error=InternalError(f"unexpected {type(error).__name__}")))

    async def _do(self, routed: RoutedCommand, folder: Path) -> None:
        if isinstance(routed.line, Line) and isinstance(routed.line.command, Output):
            self._json = routed.line.command.format == "json"
        session = await self._sessions.session_for(routed.named)
        session.options = routed.options.replace(screenshot_folder=folder)
        answer = await session.execute(routed.line, json=False)
        files = written_files(folder, routed.id, answer, routed.received_files)
        if files and not self._takes_files:
            put_inline(answer, folder, files)
            files = []
        self._answer(routed, answer, files, session.generation)

    def _answer(
        self, routed: RoutedCommand, answer: Answer, files: list[File] | None = None, generation: int = 0
    ) -> None:
        """Answer a command; does nothing if it is answered already."""
        if routed.answered:
            return
        routed.answered = True
        line = answer.command if answer.ok and isinstance(routed.line, Line) else routed.row.line
        self._activity.end(routed.row, ok=answer.ok, line=line, now=time.time())
        for file in files or ():
            self._send(file.frame)
        answer.record = routed.record
        self._reply(routed.id, answer, generation, data=routed.data)

    def _reply(self, id: int, answer: Answer, generation: int = 0, *, data: bool | None = None) -> None:
        answer.json = self._json
        frames = [WireMessage(id, answer.render()).frame]
        if self._wants_data if data is None else data:
            frames.insert(0, Data(id, json_form(answer), generation).frame)
        longest = max(map(len, frames))
        if longest > ANSWER_LIMIT:
            error = AnswerTooLarge(f"the answer has {longest} characters: {ANSWER_LIMIT} can be sent")
            self._reply(id, Answer(command=answer.command, error=error, record=answer.record), generation, data=data)
            return
        self._ids.on_answered(id)
        for frame in frames:
            self._send(frame)

    # --- the texts of a command ---

    def _canonical_line(self, line: str | Line) -> str:
        """The command as answers repeat it, its secrets masked."""
        if isinstance(line, str):
            return command_echo(line.strip().partition("\n")[0])
        canonical = canonical_text(self._sessions.default, line, line.command) if line.command else ""
        return command_echo(canonical)

    def _display_line(self, line: str | Line, head: str) -> str:
        """The command as the popup displays it. A line that can't be parsed may contain a secret, and a text to type
        may be a password, so they are masked."""
        if isinstance(line, str):
            return f"{head.partition(' ')[0]} …"
        if isinstance(line.command, Type):
            return render(line.command.replace(text=mask_secret(line.command.text)))
        return head
