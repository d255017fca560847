"""`RemoteSession`: a session in the user's own browser. Its lines go to the engine in the extension; what its user lets
it do is held here, and here lie its files (docs/remote-protocol.md)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.engine import Answer, Session
from oryn.engine.addresses import check_address, is_file
from oryn.engine.answer import Told
from oryn.engine.escape import shortened
from oryn.engine.options import Options
from oryn.engine.session import ECHO_LIMIT
from oryn.error_codes import class_of
from oryn.errors import InternalError, InvalidValue, LanguageError, NotSupported, OrynError, PathNotAllowed
from oryn.language import (
    Command,
    Exit,
    Goto,
    Help,
    Line,
    Output,
    Run,
    SessionClose,
    SessionNew,
    Sessions,
    SessionShow,
    SessionSwitch,
    TabNew,
    WaitTime,
    parse,
    render,
    resolve_url,
)
from oryn.language.kinds import PATH
from oryn.records import Record
from oryn.remote.attachments import EngineOptions
from oryn.sessions.remote_browser import RemoteBrowser
from oryn.sessions.remote_files import Place, Recordings, place_of, put_away, renamed, with_name

if TYPE_CHECKING:
    from oryn.remote.extensions import Extension
    from oryn.remote.in_flight import Reply
    from oryn.remote.peer import Peer

log = logging.getLogger(__name__)

LEEWAY = 5.0
"""Seconds more than a command has, so that its own engine says what took so long: its answer may be long, and the tab
may still be at a command that named it."""
RUN_SECONDS = 3600.0
"""What an intent of one's own may take, which may give itself more time than commands have."""

_OURS = (Help, Exit, Output, Sessions, SessionShow, SessionNew, SessionClose, SessionSwitch)
"""Commands that are about this host."""
_TAB = re.compile(r"tab[1-9][0-9]*")


class Outgoing(Record):
    """A command as the browser gets it: `line`, of which the name of `place` is ours."""

    line: str
    address: str
    """`@tab2 `, where it is for one tab."""
    place: Place | None
    session: str | None
    """The session that the line names, where that is this one."""

    @property
    def files(self) -> dict[str, bytes]:
        """What the browser is given with it."""
        return {self.place.name: self.place.content} if self.place and self.place.content is not None else {}


class RemoteSession(Session):
    """`extension` gives the browser, connected or not. With `data` every command is answered as JSON too."""

    def __init__(self, name: str, options: Options, extension: Callable[[], Extension], *, data: bool = False) -> None:
        super().__init__(RemoteBrowser(extension, self._asked), name, options)
        self._extension = extension
        self._data = data
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Of each tab that lines name: commands to several tabs run at once."""
        self._peer: Peer | None = None
        self._recordings = Recordings()
        self._before = 0
        """The generation when this conversation began; its engine counts from 0."""
        self.shown: tuple[str | None, str | None] = None, None
        """URL and title of the page that an answer told of last."""

    @property
    def is_busy(self) -> bool:
        return super().is_busy or any(turn.locked() for turn in self._turns.values())

    @property
    def generation(self) -> int:
        """Of the numbers of the active tab; each tab that lines name has numbers of its own."""
        return self.view.generation

    def addresses(self, name: str) -> bool:
        """Whether `@name` is for this session: its own name, or a tab's (`tab2`)."""
        return name == self.name or _TAB.fullmatch(name) is not None

    def permit(self, command: Command) -> None:
        policy = self.options.policy
        if policy is not None and isinstance(command, Run):
            raise NotSupported(
                "the steps of an intent can't be held to the user's limits in this mode",
                "Give its commands one by one.",
            )
        if isinstance(command, Goto | TabNew):
            self._check_address(command.url)
        super().permit(command)

    def _check_address(self, url: str) -> None:
        """Raises `CannotAccessPage`, `PathNotAllowed`."""
        with suppress(InvalidValue):  # what is relative to no page the engine there refuses
            url = resolve_url(url, self.shown[0] or "")
            check_address(url, self.files, self.browser.mode)
            if self.files.bounds and is_file(url):
                raise PathNotAllowed("the user's own browser can't be held to the allowed folders, so it opens no file")

    async def execute(self, line: str | Line, *, json: bool | None = None) -> Answer:
        try:
            parsed = parse(line) if isinstance(line, str) else line
        except LanguageError:
            return await super().execute(line, json=json)
        command, named = parsed.command, parsed.session
        if command is None or isinstance(command, _OURS) or not (named is None or self.addresses(named)):
            return await super().execute(parsed, json=json)
        async with self._turns["" if named in (None, self.name) else named or ""]:
            try:
                answer = await self._guarded_relay(parsed, command, self._form(json))
            finally:
                self._done(command)
        answer.command = answer.command or shortened(self.spoken(parsed, command), ECHO_LIMIT)
        answer.json = self._form(json)
        answer.notes = [*self.take_news(), *answer.notes]
        self.sent(answer, command)
        answer.cut = self._cut(answer)
        return answer

    async def _guarded_relay(self, line: Line, command: Command, json: bool) -> Answer:
        try:
            self.permit(command)
            return await self._relayed(line, command, json)
        except OrynError as error:
            return Answer(error=error)
        except Exception as error:  # a bug must cost one answer, not the session
            log.exception("unexpected error in %s", type(command).__name__)
            return Answer(error=InternalError(f"unexpected {type(error).__name__}", "Please report this."))

    # --- there and back ---

    async def _relayed(self, line: Line, command: Command, json: bool) -> Answer:
        going = self._going(line, command)
        seconds, clock = self._seconds(command), asyncio.get_running_loop().time
        begun = clock()
        peer = await self._extension().reached(seconds)
        await self.started()
        self._meet(peer)
        left = max(0.0, seconds - (clock() - begun)) + LEEWAY
        reply = await peer.ask(
            going.line, timeout=left, data=json or self._data, options=self._engine_options(), files=going.files
        )
        return self._came(reply, going, command)

    def _going(self, line: Line, command: Command) -> Outgoing:
        if command.spec.host:
            raise NotSupported
        place = place_of(command, self.files)
        address = f"@{line.session} " if line.session not in (None, self.name) else ""
        self._recordings.check(command, address, self.files)
        named = line.session if line.session == self.name else None
        if place is not None:
            text = render(with_name(command, place))
        elif line.session is None and line.comment is None:
            text = line.canonical
        else:
            text = render(line.replace(tree=line.tree.replace(session=None, comment=None)))
        return Outgoing(address + text, address, place, named)

    def _engine_options(self) -> EngineOptions:
        """What its user has chosen otherwise than the engine does by itself."""
        own, usual = self.options.values(), Options().values()
        chosen = {name: own[name] for name in EngineOptions.__fields__ if own[name] != usual[name]}
        return EngineOptions(**chosen)

    def _seconds(self, command: Command) -> float:
        """How long the engine may take with it."""
        if isinstance(command, Run) and command.timeout is None:
            return RUN_SECONDS
        return self._limit(command) + (command.duration if isinstance(command, WaitTime) else 0.0)

    def _meet(self, peer: Peer) -> None:
        """What another conversation has numbered is void: its engine may have begun anew."""
        if peer is self._peer:
            return
        if self._peer is not None:
            self.news.append("the browser has connected again: numbers and references from before are void")
        self._peer = peer
        self._recordings = Recordings()
        self.view.forget()
        self._before = self.view.generation

    def _came(self, reply: Reply, going: Outgoing, command: Command) -> Answer:
        place = going.place or self._recordings.place(command, going.address)
        paths = put_away(reply.files, place, self.files, self.options.screenshot_folder)
        text, form = renamed(reply.text, reply.id, paths), None
        answer = Answer()
        if reply.data is not None:
            form = renamed(dict(reply.data.answer), reply.id, paths)
            self._learn(form, reply.data.generation, going)
            answer.command = self._as_given(str(form.get("command", "")), going)
        answer.error = _error_in(form, text)
        if answer.ok:
            self._recordings.done(command, going.address, place)
        answer.told = Told(self._head_as_given(text, going), form)
        return answer

    def _learn(self, form: dict[str, Any], generation: int, going: Outgoing) -> None:
        if not going.address:
            self.view.generation = max(self.view.generation, self._before + generation)
        match form.get("page"):
            case {"url": str(url), "title": str(title)}:
                self.shown = url, title

    def _head_as_given(self, text: str, going: Outgoing) -> str:
        head, newline, rest = text.partition("\n")
        if head.startswith("ok "):
            return f"ok {self._as_given(head.removeprefix('ok '), going)}{newline}{rest}"
        if head.startswith("error "):
            return f"error {_restored(head.removeprefix('error '), going)}{newline}{rest}"
        return text

    def _as_given(self, spoken: str, going: Outgoing) -> str:
        return shortened(_restored(spoken, going), ECHO_LIMIT)

    async def _asked(self, line: str) -> dict[str, Any]:
        """The JSON form of a line's answer, for the host itself. Raises what the line does."""
        answer = await self.execute(line, json=True)
        if answer.error is not None:
            raise answer.error
        return (answer.told.form if answer.told else None) or {}


def _restored(spoken: str, going: Outgoing) -> str:
    """The command's text as its caller has given it, where it was sent in another form."""
    if going.place is not None:
        spoken = spoken.replace(PATH.write(going.place.name), PATH.write(going.place.path), 1)
    return f"@{going.session} {spoken}" if going.session else spoken


def _error_in(form: dict[str, Any] | None, text: str) -> OrynError | None:
    """The error that an answer is. Text alone says no code."""
    match form:
        case {"ok": False, "error": {"code": str(code), "message": str(message), **more}}:
            hint = more.get("hint")
            return class_of(code)(message, hint if isinstance(hint, str) else None)
        case {"ok": True}:
            return None
    head = text.partition("\n")[0]
    return OrynError(head.partition(": ")[2] or head) if head.startswith("error ") else None
