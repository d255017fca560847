"""A session in the user's own browser: `extension_session`.

The engine in the extension runs its lines. The user's limits are enforced here, and its files are stored here
(docs/spec/extension-protocol.md)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from json import dumps
from typing import TYPE_CHECKING, Any

from oryn.engine import Answer, CommandRunner, Session
from oryn.engine.handlers.registry import SESSION_COMMANDS
from oryn.engine.options import Options
from oryn.engine.policy.urls import check_address, is_file, require_file_limits
from oryn.engine.runner import finish_answer
from oryn.errors import (
    InternalError,
    InvalidValue,
    LanguageError,
    NotSupported,
    OrynError,
)
from oryn.extension_server.messages import EngineOptions
from oryn.language import (
    Command,
    Exit,
    Goto,
    Help,
    Line,
    Output,
    Program,
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
from oryn.language.command import HOST_SCOPES
from oryn.language.commands.host import Captcha, NetworkList, NetworkStart, NetworkStop
from oryn.language.json_codec import command_json, is_request
from oryn.language.render import render_command
from oryn.sessions.browsers import ExtensionSessionBrowser
from oryn.sessions.extension.answer import OutgoingCommand, read_answer, text_of_record
from oryn.sessions.extension.files import (
    RecordingNames,
    file_targets,
    save_files,
    with_target_names,
)

if TYPE_CHECKING:
    from oryn.extension_server.extensions import Extension
    from oryn.extension_server.peer import Peer
    from oryn.extension_server.pending_commands import CommandReply

log = logging.getLogger(__name__)

LEEWAY_SECONDS = 5.0
"""Seconds added to a command's timeout, so that its own engine can report the timeout in detail. Its answer may be
long, and the tab may still run another command that addressed it."""
RUN_SECONDS = 3600.0
"""Timeout of a custom intent, as intents may give themselves more time than commands have."""

_HOST_COMMANDS = (Help, Exit, Output, Sessions, SessionShow, SessionNew, SessionClose, SessionSwitch)
"""Commands about this host."""
_RELAYED_REQUESTS = (Captcha, NetworkStart, NetworkStop, NetworkList)
"""Commands of a host that the engine in the browser runs. `captcha solve` needs the key of the user's service."""
_TAB = re.compile(r"tab[1-9][0-9]*")


def extension_session(
    name: str, options: Options, extension: Callable[[], Extension], *, data: bool = False
) -> Session:
    """A session in the user's own browser.

    `extension` returns the browser, connected or not. With `data`, every answer also has JSON data."""
    browser = ExtensionSessionBrowser(extension)
    session = Session(browser, name, options, lambda session: ExtensionCommandRunner(session, extension, data=data))
    browser.execute = session.execute
    return session


class ExtensionCommandRunner:
    """Runs a session's commands in the engine of the extension, and those about this host here.

    `extension` returns the browser, connected or not. With `data`, every answer also has JSON data."""

    def __init__(self, session: Session, extension: Callable[[], Extension], *, data: bool) -> None:
        self._session = session
        self._local = CommandRunner(session)
        self._extension = extension
        self._data = data
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """The lock of each tab that lines name: commands to several tabs run concurrently."""
        self._peer: Peer | None = None
        self._recordings = RecordingNames()
        self._generation_offset = 0
        """The generation when this connection began; its engine counts from 0. Tabs that lines name have their own
        generations, which nobody asks for here."""
        session.displayed_page = None, None  # those of the last answer that contained one

    @property
    def is_busy(self) -> bool:
        return self._local.is_busy or any(turn.locked() for turn in self._turns.values())

    def is_addressed_by(self, name: str) -> bool:
        """Whether `@name` addresses this session: its own name, or a tab's (`tab2`)."""
        return name == self._session.name or _TAB.fullmatch(name) is not None

    async def execute_inner(self, line: Line) -> Answer:
        assert line.command is not None
        try:
            answer = await self._guarded_relay(line, line.command, json=True)
        finally:
            self._session.end_turn(line.command)
        return finish_answer(self._session, answer, line, line.command, is_inner=True)

    async def _run_program(self, command: Program) -> Answer:
        """Run a program here: its commands go to the engine one by one. Raises `OrynError`."""
        session = self._session
        handler = SESSION_COMMANDS.handler_of(Program)
        assert handler is not None
        async with session.deadline.limited(session.time_limit(command)):
            return await handler(session, command)

    async def perform(self, command: Command) -> Answer:
        """Run a command about this host as a step of another."""
        return await self._local.perform(command)

    def permit(self, command: Command) -> None:
        policy = self._session.options.policy
        if policy is not None and isinstance(command, Run):
            raise NotSupported(
                "the steps of an intent can't be held to the user's limits in this mode",
                "Give its commands one by one.",
            )
        if isinstance(command, Goto | TabNew):
            self._check_address(command.url)
        self._local.permit(command)

    def _check_address(self, url: str) -> None:
        """Check a URL before it is opened. Raises `CannotAccessPage`."""
        session = self._session
        with suppress(InvalidValue):  # the engine rejects URLs that are relative to no page
            url = resolve_url(url, (session.displayed_page or ("",))[0] or "")
            check_address(url, session.files, session.browser.mode)
            if is_file(url):
                require_file_limits(session.browser)

    async def execute(self, line: str | Line, *, json: bool | None = None) -> Answer:
        try:
            parsed = parse(line) if isinstance(line, str) else line
        except LanguageError:
            return await self._local.execute(line, json=json)
        session, command, named = self._session, parsed.command, parsed.session
        if command is None or isinstance(command, _HOST_COMMANDS) or not (named is None or self.is_addressed_by(named)):
            return await self._local.execute(parsed, json=json)
        async with self._turns["" if named in (None, session.name) else named or ""]:
            try:
                answer = await self._guarded_relay(parsed, command, session.json if json is None else json)
            finally:
                session.end_turn(command)
        return finish_answer(session, answer, parsed, command, json=json)

    async def _guarded_relay(self, line: Line, command: Command, json: bool) -> Answer:
        try:
            self.permit(command)
            if isinstance(command, Program):
                return await self._run_program(command)
            return await self._relay(line, command, json)
        except OrynError as error:
            return Answer(error=error)
        except Exception as error:  # a bug must cost one answer, not the session
            log.exception("unexpected error in %s", type(command).__name__)
            return Answer(error=InternalError(f"unexpected {type(error).__name__}"))

    # --- relaying ---

    async def _relay(self, line: Line, command: Command, json: bool) -> Answer:
        outgoing = self._prepare(line, command)
        seconds, clock = self._seconds(command), asyncio.get_running_loop().time
        started = clock()
        peer = await self._extension().wait_for_peer(seconds)
        await self._session.startup.ensure_started()
        self._use_peer(peer)
        left = max(0.0, seconds - (clock() - started)) + LEEWAY_SECONDS
        reply = await peer.request(
            outgoing.line, timeout=left, data=json or self._data, options=self._engine_options(), files=outgoing.files
        )
        if is_request(outgoing.line):
            reply = reply.replace(text=text_of_record(reply.text))
        return self._to_answer(reply, outgoing, command)

    def _prepare(self, line: Line, command: Command) -> OutgoingCommand:
        if command.spec.scope in HOST_SCOPES:
            return _request(command)
        targets = file_targets(command, self._session.files)
        address = f"@{line.session} " if line.session not in (None, self._session.name) else ""
        self._recordings.check_writable(command, address, self._session.files)
        named = line.session if line.session == self._session.name else None
        if targets:
            text = render(with_target_names(command, targets))
        elif line.session is None and line.comment is None:
            text = line.canonical
        else:
            text = render(line.replace(tree=line.tree.replace(session=None, comment=None)))
        return OutgoingCommand(address + text, address, targets, named, address + text, address + render(command))

    def _engine_options(self) -> EngineOptions:
        """The options in which the session differs from the engine's defaults."""
        own, usual = self._session.options.values(), Options().values()
        chosen = {name: own[name] for name in EngineOptions.__fields__ if own[name] != usual[name]}
        if self._session.options.only_clicks_press:
            chosen["confirms_presses"] = True
        return EngineOptions(**chosen)

    def _seconds(self, command: Command) -> float:
        """The maximum time in seconds that the engine may take for a command."""
        if isinstance(command, Run) and command.timeout is None:
            return RUN_SECONDS
        return self._session.time_limit(command) + (command.duration if isinstance(command, WaitTime) else 0.0)

    def _use_peer(self, peer: Peer) -> None:
        """Use a connection. Numbers from an earlier connection are no longer valid, as its engine may have
        restarted."""
        if peer is self._peer:
            return
        if self._peer is not None:
            self._session.pending_notes.append(
                "the browser reconnected: element numbers and @e references from before are no longer valid"
            )
        self._peer = peer
        self._recordings = RecordingNames()
        self._session.element_index.forget()
        self._generation_offset = self._session.element_index.generation

    def _to_answer(self, reply: CommandReply, outgoing: OutgoingCommand, command: Command) -> Answer:
        target = outgoing.output or self._recordings.target(command, outgoing.address)
        paths = {each.name: each.source for each in outgoing.targets if each.source is not None}
        paths |= save_files(reply.files, target, self._session.files, self._session.options.screenshot_folder)
        answer = read_answer(reply, outgoing, paths)
        if reply.data is not None and answer.prerendered is not None:
            self._update_page(answer.prerendered.form or {}, reply.data.generation, outgoing)
        if answer.ok:
            self._recordings.on_success(command, outgoing.address, target)
        return answer

    def _update_page(self, form: dict[str, Any], generation: int, outgoing: OutgoingCommand) -> None:
        if not outgoing.address:
            index = self._session.element_index
            index.generation = max(index.generation, self._generation_offset + generation)
        match form.get("page"):
            case {"url": str(url), "title": str(title)}:
                self._session.displayed_page = url, title


def _request(command: Command) -> OutgoingCommand:
    """A command that is not a line of the language. Raises `NotSupported` for those that the browser's engine does not
    run by itself."""
    if not isinstance(command, _RELAYED_REQUESTS):
        raise NotSupported
    arguments = {name: value for name, value in command_json(command)["arguments"].items() if value is not None}
    text = render_command(command)
    return OutgoingCommand(dumps({"action": command.spec.api_name, "args": arguments}), "", (), None, text, text)
