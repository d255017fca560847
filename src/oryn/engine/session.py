"""One session: a line of the Intent Language in, an answer out. The brain between the language and a browser.

Never raises for what a line says or a page does: errors are answers. One command at a time; the host orders them.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn import errors
from oryn.browsers.base import Browser, Frame, Page
from oryn.engine.answer import Answer
from oryn.engine.escape import one_line, shortened
from oryn.engine.files import files_of
from oryn.engine.options import Options
from oryn.engine.starting import Starting
from oryn.engine.time_limits import TimeLimits
from oryn.engine.tools import Tools
from oryn.engine.view import View
from oryn.language import (
    Back,
    Command,
    Forward,
    Goto,
    Help,
    Line,
    Refresh,
    TabClose,
    TabNew,
    Tabs,
    TabSwitch,
    parse,
    render,
)

if TYPE_CHECKING:
    from oryn.engine.captchas import Solver
    from oryn.engine.confirming import Confirmations
    from oryn.engine.history import History
    from oryn.engine.hosting import Host
    from oryn.engine.intents.own import Library, OwnIntents
    from oryn.engine.recording import Recorder
    from oryn.engine.recording.video import Film
    from oryn.engine.saved_state import Sealing
    from oryn.engine.secrets import Secrets, Vault

log = logging.getLogger(__name__)

_NO_ROOM = frozenset(getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS"))
"""What the system says of a disk that takes no more."""

Handler = Callable[["Session", Command], Awaitable[Answer]]

Progress = Callable[[str, float], object]
"""Takes what is being done (`encoding demo.webm`) and the share of it that is done, 0 to 1."""

ECHO_LIMIT = 120
"""Characters of the command that an answer repeats."""

INPUT_NOTE = "input is dispatched by script, which pages can tell: 'Real keys and mouse' of the extension is not in use"

WATCHED = ("Acting", "Intents")
"""Families whose commands `learn` watches."""


_ELSEWHERE = (Goto, Back, Forward, Refresh, Tabs, TabNew, TabSwitch, TabClose)
"""Commands that tell nothing of the page that is there: they go to another, or say which there are."""


class Session(Starting, TimeLimits):
    """`browser` need not be started; `launch` or the first command that needs it does that."""

    def __init__(self, browser: Browser, name: str = "default", options: Options | None = None) -> None:
        Starting.__init__(self, browser)
        TimeLimits.__init__(self)
        self.name = name
        self.options = options or Options()
        self.files = files_of(self.options)
        self.tools = Tools()
        self.library: Callable[[], Library] | None = None
        """Gives the user's intents and packs, which sessions may share; without it there are the session's own only."""
        self.host: Host | None = None
        """Whoever has several sessions, of which this is one."""
        self.settings: Mapping[str, Any] = MappingProxyType({})
        """Those in which it differs from its host's other sessions."""
        self.downloads_told: dict[str, str] = {each.id: each.state for each in browser.downloads()}
        """The state that a report has told of each download, by its id; those before this session are no news."""
        browser.keep_downloads(self._keep_download, self.options.download_limit)
        if self.options.policy is not None and self.options.policy.domains:
            browser.restrict(self.options.policy.domains)
        self.view = View()
        self.frame: Frame | None = None
        """The frame that `frame <target>` chose; None is the whole page."""
        self.sealing: Callable[[], Sealing] | None = None
        """Gives what encrypts saved states; without it a session reads and writes plain ones only."""
        self.vault: Callable[[], Vault] | None = None
        """Gives the user's secrets, by their names; without it there are none."""
        self.solver: Callable[[], Solver] | None = None
        """Gives what solves captchas, where the user has chosen a service."""
        self.recorders: list[Recorder] = []
        self.film: Callable[[], Film] | None = None
        """Makes what `record` keeps its pictures in; without it a session records no video."""
        self.progress: Progress = lambda doing, share: None
        """Told how far something long has come; the host may show it."""
        self.answered: Callable[[Command | None], None] | None = None
        """Told at the end of each turn, before its answer leaves: the command, or None for what was none."""
        self.holds_files = False
        """The browser is told which files it may load."""
        self.json = False
        self.news: list[str] = []
        """What the next answer notes besides."""
        self._endpoint_told = False
        self._input_told = False
        self._lock = asyncio.Lock()

    @property
    def page(self) -> Page:
        return self.browser.page

    @property
    def is_busy(self) -> bool:
        """Whether a command is being done."""
        return self._lock.locked()

    def addresses(self, name: str) -> bool:
        """Whether `@name` before a command is for this session."""
        return name == self.name

    @property
    def generation(self) -> int:
        """Grows whenever the numbers and `@eN` that were told become invalid: a new `observe` or `snapshot`, another
        document or tab, whoever caused it. 0 until there was a page (seed 004, Snapshot generations)."""
        try:
            return self.view.count(self.page)
        except errors.OrynError:  # no browser runs: nothing new has come
            return self.view.generation

    def _keep_download(self, file: Path, name: str) -> Path:
        from oryn.engine.downloads import keep

        return keep(self, file, name)

    @cached_property
    def history(self) -> History:
        """What `learn` may learn from. Not a part of `own`, which the first click has no need to import."""
        from oryn.engine.history import History

        return History()

    @cached_property
    def own(self) -> OwnIntents:
        """The intents that are not built in, as this session has them."""
        from oryn.engine.intents.own import OwnIntents

        return OwnIntents(self.library)

    @cached_property
    def secrets(self) -> Secrets:
        """The values of the vault that this session was given."""
        from oryn.engine.secrets import Secrets

        return Secrets(self)

    @property
    def knows_secrets(self) -> bool:
        """Whether there may be a value of the vault that is to be shown nowhere."""
        return "secrets" in self.__dict__

    def withheld(self, text: str) -> str:
        """A text that leaves the session, with dots in the place of values of the vault that it was given."""
        return self.secrets.withheld(text) if self.knows_secrets else text

    def withheld_data(self, data: Any) -> Any:
        """JSON data likewise."""
        return self.secrets.withheld_data(data) if self.knows_secrets else data

    @cached_property
    def confirmations(self) -> Confirmations:
        """The commands that wait for a person's yes."""
        from oryn.engine.confirming import Confirmations

        return Confirmations(self)

    def permit(self, command: Command) -> None:
        """Every command passes here before anything of it happens. Raises `PolicyError` for one that the session's user
        does not let it run, or not without being asked."""
        policy = self.options.policy
        if policy is not None:
            policy.check(command)
            if policy.waits(command):
                self.confirmations.ask(command)

    def take_news(self) -> list[str]:
        news, self.news = self.news, []
        return news

    @asynccontextmanager
    async def turn(self, seconds: float) -> AsyncIterator[None]:
        """Between two commands: none runs while the block does, whose waits have so long (`remaining`)."""
        async with self._lock:
            self.give(seconds)
            try:
                yield
            finally:
                self._done(None)

    def _done(self, command: Command | None) -> None:
        if self.answered is not None:
            self.answered(command)

    async def perform(self, command: Command) -> Answer:
        """Run a command as a step of the one in hand, in whose time it has to be done. Raises `OrynError`."""
        async with self.step(self._limit(command)):
            return await self._do(command)

    async def execute(self, line: str | Line, *, json: bool | None = None) -> Answer:
        """Run one line, which may be parsed already, and answer it, as JSON or not (default: as `output` said)."""
        async with self._lock:
            try:
                parsed = parse(line) if isinstance(line, str) else line
            except errors.LanguageError as error:
                head = str(line).strip().partition("\n")[0]
                return self.sent(Answer(command=_echo(head), error=_positioned(error), json=self._form(json)))
            if parsed.command is None:
                return Answer(json=self._form(json))
            recorders = tuple(self.recorders)
            for recorder in recorders:
                await recorder.before(self, parsed.command)
            answer = await self._guarded(parsed, parsed.command)
            if not self._endpoint_told:
                self._tell_endpoint(answer)
            self._tell_input(answer)
            answer.command = answer.command or _echo(self.spoken(parsed, parsed.command))
            answer.json = self._form(json)
            if self.news:
                answer.notes = [*self.take_news(), *answer.notes]
            self.sent(answer, parsed.command)
            answer.cut = self._cut(answer)
            for recorder in recorders:
                if recorder in self.recorders:  # else the command has ended it
                    await recorder.after(self, self.spoken(parsed, parsed.command), answer)
            return answer

    def sent(self, answer: Answer, command: Command | None = None) -> Answer:
        """The answer as it may leave the session."""
        policy = self.options.policy
        refuses = self.holds_files or (policy is not None and policy.domains)
        if refuses and not isinstance(answer.error, errors.DomainNotAllowed | errors.PathNotAllowed):
            from oryn.engine.policy import refused_notes

            answer.notes += refused_notes(self.browser.refused())
        if self.knows_secrets:
            from oryn.engine.withholding import SHOWING, withhold

            withhold(answer, self.secrets, shown=command is not None and command.spec.family in SHOWING)
        if self.options.boundaries and not isinstance(command, Help):
            from oryn.engine.boundary import drawn

            answer.boundary = drawn()
        return answer

    def _tell_endpoint(self, answer: Answer) -> None:
        """Say once that others may drive the browser too."""
        place = self.browser.place
        if place.endpoint is not None and not place.attached:
            self._endpoint_told = True
            answer.notes.append(f"anyone on this computer can drive this session's browser: {place.endpoint}")

    def _late_hint(self) -> str | None:
        try:
            return self.browser.page.late_hint()
        except errors.OrynError:  # there is no page
            return None

    def _tell_input(self, answer: Answer) -> None:
        """What the page has to say of itself, and once that its input is not a person's."""
        try:
            page = self.browser.page
        except errors.OrynError:  # there is none
            return
        answer.notes += page.take_news()
        if not self._input_told and not page.trusted_input:
            self._input_told = True
            answer.notes.append(INPUT_NOTE)

    def _form(self, json: bool | None) -> bool:
        return self.json if json is None else json

    async def _guarded(self, line: Line, command: Command) -> Answer:
        try:
            if line.session is not None and not self.addresses(line.session):
                names = [one.name for one in self.host.known(self)] if self.host else [self.name]
                raise errors.SessionNotFound.among(names, line.session)
            return await self._watched(command)
        except errors.Timeout as error:
            if self.is_being_restored:
                error.hint = "The session is still being opened: run it again."
            else:
                error.hint = self._late_hint() or error.hint
            return Answer(error=error)
        except errors.OrynError as error:
            return Answer(error=error)
        except Exception as error:  # a bug must cost one answer, not the session
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                what = f"{error.filename} can't be written" if error.filename else "a file can't be written"
                return Answer(error=errors.FileError(f"{what}: {error.strerror}", "Make room on the disk."))
            log.exception("unexpected error in %s", type(command).__name__)
            return Answer(error=errors.InternalError(f"unexpected {type(error).__name__}", "Please report this."))
        finally:
            self._done(command)

    async def _watched(self, command: Command) -> Answer:
        async with self.limited(self._limit(command)):
            if command.spec.family not in WATCHED:
                return await self._do(command, begins=True)
            with self.history.watching(self, command) as seen:
                seen.answer = await self._do(command, begins=True)
            return seen.answer

    def _limit(self, command: Command) -> float:
        return self.options.timeout if command.timeout is None else command.timeout

    async def _do(self, command: Command, *, begins: bool = False) -> Answer:
        from oryn.engine.execute import handler_of, needs_browser

        handler = handler_of(type(command))
        if handler is None:
            raise errors.NotSupported()
        self.permit(command)
        if "{{" in repr(command):
            from oryn.engine.places import check_places

            check_places(command)
        if needs_browser(type(command)):
            await self.started()
            if begins:
                await self.browser.attend()
            if not isinstance(command, _ELSEWHERE):
                self.check_page()
            if self.shows_crash and not isinstance(command, Goto):
                from oryn.engine.mending import load_again

                await load_again(self)
        return await handler(self, command)

    def check_page(self) -> None:
        """Nothing is told of a file that the caller may not open, however the browser came to it. Raises
        `PathNotAllowed`."""
        try:
            url = self.page.url
        except (errors.PageError, errors.NotSupported):
            return  # there is no tab, or none that says where it is; a command that needs one says so
        if url[:5].lower() == "file:":
            from oryn.engine.addresses import check_address

            check_address(url, self.files, self.browser.mode)

    def spoken(self, line: Line, command: Command) -> str:
        """The canonical text of a line's command, its secrets masked."""
        from oryn.engine.execute import masked

        told = masked(self, command)
        if told is not command:
            return self.withheld(render(told))
        text = line.canonical
        return self.withheld(text.removesuffix(line.comment).rstrip() if line.comment else text)

    def _cut(self, answer: Answer) -> str | None:
        """What is sent of an answer that is longer than `max_output`."""
        if not self.options.max_output:
            return None
        from oryn.engine.cutting import limited

        return limited(answer, self.options.max_output, self.options.answer_folder)

    async def close(self) -> None:
        """End the browser, and what still records it. Safe to call twice."""
        while self.recorders:
            await self.recorders.pop().close()
        await self.end_browser()


def _echo(text: str) -> str:
    return one_line(shortened(text, ECHO_LIMIT))


def _positioned(error: errors.LanguageError) -> errors.LanguageError:
    """The error with its place in the line in the message, where it has one."""
    if error.position is None:
        return error
    return type(error)(f"{error.message} (at {error.position})", error.hint, error.position)
