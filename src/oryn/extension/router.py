"""`Router`: which tab a command goes to, when it starts, and that it is answered once (seed 000 §5.4, §5.8).

Commands to one tab are done one after the other, those to several at once; answers are sent as they come. What runs can
be ended at any time by the user, and is dropped when nobody is there to be answered.
"""

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
from oryn.engine.escape import one_line, shortened
from oryn.engine.jsonform import form
from oryn.engine.options import Options
from oryn.engine.session import ECHO_LIMIT
from oryn.errors import AnswerTooLarge, InternalError, LanguageError, OrynError, Stopped, TooManyCommands
from oryn.extension.activity import Activity, Row
from oryn.extension.files import Given, OwnFolder, files_in, folder_of, put_inline
from oryn.extension.ids import Ids
from oryn.extension.lanes import Lanes, Place
from oryn.extension.sessions import Tabs, TabSessions, tab_of
from oryn.language import Line, Output, Type, dots, parse, render
from oryn.remote.attachments import Answers, Data, EngineOptions, File
from oryn.remote.control import Control
from oryn.remote.messages import ANSWER_LIMIT, Failed, Message

if TYPE_CHECKING:
    from oryn.engine.intents.own.library import Library

log = logging.getLogger(__name__)

MOST_COMMANDS = 256
"""Commands that run or wait."""


def session_of(browser: Browser, name: str) -> Session:
    """A session as a server is given them: whatever it writes goes there."""
    session = Session(browser, name)
    session.files = OwnFolder()
    session.library = _library
    return session


def _library() -> Library:
    from oryn.extension.shelf import shipped_library

    return shipped_library()


class Job(Place):
    """A command that was taken. `head` is its text as an answer repeats it, `row` what the popup shows of it,
    `data` whether the server wants data with its answer. `options` are the server's, and `given` the files that it has
    sent for the command."""

    def __init__(
        self,
        id: int,
        line: str | Line,
        head: str,
        named: int | None,
        row: Row,
        *,
        data: bool,
        options: Options,
        given: Sequence[File],
    ) -> None:
        super().__init__(named)
        self.id = id
        self.line = line
        self.head = head
        self.row = row
        self.data = data
        self.options = options
        self.given = given
        self.answered = False
        self.task: asyncio.Task[None] | None = None


class Router:
    """`send` sends a frame to whichever server is connected, if one is. `folder` is where commands write files."""

    def __init__(
        self, sessions: TabSessions, tabs: Tabs, send: Callable[[str], None], activity: Activity, folder: Path
    ) -> None:
        self._sessions = sessions
        self._tabs = tabs
        self._send = send
        self._activity = activity
        self._folder = folder
        self._ids = Ids()
        self._lanes = Lanes[Job]()
        self._takes_files = False
        self._wants_data = False
        self._json = False
        self._options = Options()
        self._given = Given()
        self.controlled: set[int] = set()
        """The numbers of the tabs that commands of this connection have gone to."""

    # --- what the connection tells ---

    def begin(self, *, files: bool) -> None:
        self._ids.begin()
        self._takes_files, self._wants_data, self._json = files, False, False
        self._options, self._given = Options(), Given()

    def hear(self, control: Control) -> None:
        match control:
            case Answers():
                self._wants_data = control.data
            case EngineOptions():
                self._options = Options(**control.given)
            case File():
                self._given.add(control)

    def receive(self, message: Message) -> bool:
        try:
            line: str | Line = parse(message.content)
        except LanguageError:
            line = message.content
        head = self._head(line)
        given = self._given.take(message.id)
        try:
            self._ids.take(message)
        except OrynError as error:
            if self._ids.is_pending(message.id):  # its answer is to be the only one with this id
                self._send(Failed(error.message).frame)
            else:
                self._reply(message.id, Answer(command=head, error=error))
            return False
        if isinstance(line, Line) and line.command is None:
            self._reply(message.id, Answer())
            return True
        if len(self._lanes) >= MOST_COMMANDS:
            self._reply(message.id, Answer(command=head, error=TooManyCommands(f"{MOST_COMMANDS} commands wait")))
            return False
        self._enter(message.id, line, head, given)
        return True

    def stop(self) -> None:
        for job in self._lanes:
            self._answer(job, Answer(command=job.head, error=Stopped()))
        self._end()

    def drop(self) -> None:
        for job in self._lanes:
            job.answered = True
            self._activity.end(job.row, ok=False, line=job.row.line, now=time.time())
        self._end()

    def _end(self) -> None:
        """End what runs, forget what waits, and let go of the tabs."""
        running = set[asyncio.Task[None]]()
        for job in self._lanes:
            if job.task is None:
                self._lanes.leave(job)
            else:
                running.add(job.task)
                job.task.cancel()
        self.controlled.clear()
        self._sessions.close_after(running)

    # --- one command ---

    def _enter(self, id: int, line: str | Line, head: str, given: Sequence[File]) -> None:
        named = tab_of(line.session) if isinstance(line, Line) else None
        row = self._activity.begin(id, self._shown(line, head), named, time.time())
        job = Job(id, line, head, named, row, data=self._wants_data, options=self._options, given=given)
        self._lanes.enter(job)
        self._start()

    def _start(self) -> None:
        for job in self._lanes.start(self._tabs.active):
            if job.tab is not None:
                self.controlled.add(job.tab)
            self._activity.start(job.row, job.tab)
            job.task = asyncio.create_task(self._run(job))
            job.task.add_done_callback(partial(self._ended, job))

    def _ended(self, job: Job, task: asyncio.Task[None]) -> None:
        """Also of a task that was cancelled before its first step."""
        self._lanes.leave(job)
        self._start()

    async def _run(self, job: Job) -> None:
        try:
            with folder_of(self._folder, job.id, job.given) as folder:
                await self._do(job, folder)
        except asyncio.CancelledError:
            if not job.answered:
                self._answer(job, Answer(command=job.head, error=Stopped()))
        except OrynError as error:
            self._answer(job, Answer(command=job.head, error=error))
        except Exception as error:  # a bug must cost one answer, not the connection
            log.exception("unexpected error in %s", type(job.line).__name__)
            self._answer(job, Answer(command=job.head, error=InternalError(f"unexpected {type(error).__name__}")))

    async def _do(self, job: Job, folder: Path) -> None:
        if isinstance(job.line, Line) and isinstance(job.line.command, Output):
            self._json = job.line.command.format == "json"
        session = await self._sessions.reach(job.named)
        session.options = job.options.replace(screenshot_folder=folder)
        answer = await session.execute(job.line, json=False)
        files = files_in(folder, job.id, answer, job.given)
        if files and not self._takes_files:
            put_inline(answer, folder, files)
            files = []
        self._answer(job, answer, files, session.generation)

    def _answer(self, job: Job, answer: Answer, files: list[File] | None = None, generation: int = 0) -> None:
        """Once, whatever becomes of the command."""
        if job.answered:
            return
        job.answered = True
        line = answer.command if answer.ok and isinstance(job.line, Line) else job.row.line
        self._activity.end(job.row, ok=answer.ok, line=line, now=time.time())
        for file in files or ():
            self._send(file.frame)
        self._reply(job.id, answer, generation, data=job.data)

    def _reply(self, id: int, answer: Answer, generation: int = 0, *, data: bool | None = None) -> None:
        answer.json = self._json
        frames = [Message(id, answer.render()).frame]
        if self._wants_data if data is None else data:
            frames.insert(0, Data(id, form(answer), generation).frame)
        longest = max(map(len, frames))
        if longest > ANSWER_LIMIT:
            error = AnswerTooLarge(f"the answer has {longest} characters: {ANSWER_LIMIT} can be sent")
            self._reply(id, Answer(command=answer.command, error=error), generation, data=data)
            return
        self._ids.answered(id)
        for frame in frames:
            self._send(frame)

    # --- how a command is told ---

    def _head(self, line: str | Line) -> str:
        """The command as answers repeat it, its secrets masked."""
        if isinstance(line, str):
            return one_line(shortened(line.strip().partition("\n")[0], ECHO_LIMIT))
        told = self._sessions.default.spoken(line, line.command) if line.command else ""
        return one_line(shortened(told, ECHO_LIMIT))

    def _shown(self, line: str | Line, head: str) -> str:
        """The command as the popup shows it: what can't be read might hold a secret, and a text that is typed might
        turn out to be a password."""
        if isinstance(line, str):
            return f"{head.partition(' ')[0]} …"
        if isinstance(line.command, Type):
            return render(line.command.replace(text=dots(line.command.text)))
        return head
