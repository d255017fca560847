"""`Sessions`: the named sessions of one host. Lines go to the current one, `@name …` to another, here or elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn.engine import Answer, Session
from oryn.engine.files import CALLERS_ROOTS, CONFINED
from oryn.errors import (
    BackendUnavailable,
    BrowserError,
    LanguageError,
    NotSupported,
    OrynError,
    SessionExists,
    SessionNotAllowed,
    SessionNotFound,
    SessionUnreachable,
)
from oryn.language import Help, Line, Output, SessionClose, SessionNew, parse
from oryn.language import Sessions as ListSessions
from oryn.sessions.members import Member, Members
from oryn.sessions.nowhere import Nowhere
from oryn.sessions.others import Others

# What seldom runs is imported when it does: the start of a host is in a hurry.
if TYPE_CHECKING:
    from oryn.engine.hosting import Known
    from oryn.paths import Paths
    from oryn.sessions.keeping import Keeper
    from oryn.sessions.registry import Listed

_OF_NO_SESSION = (Help, ListSessions, SessionNew, SessionClose)
"""Commands for which no session is opened."""

Make = Callable[[str, Mapping[str, Any]], Session]
"""Makes a session of a name, with some settings other than the host's own; its browser is not started."""


class Sessions(Members):
    """`make` makes the sessions; `first` is the one to begin with, if there is one. With `paths` they are listed for
    other processes, which may then send them commands too. With a `keeper` they outlive the host: those that it has are
    dormant until their first command.

    Never raises for what a line says. Lines to one session run one after the other, those to several at once."""

    def __init__(
        self,
        make: Make,
        first: Session | None = None,
        paths: Paths | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        super().__init__(Session(Nowhere(), "", first.options if first else None), keeper)
        self._make = make
        self.json = first.json if first else False
        """`output json` was given: it is for the whole host, whichever session a line goes to."""
        self.limited = False
        """The host's user limits what its sessions do (`engine.policy`), so that it sends no lines to those of other
        processes, where other limits may hold."""
        self.limits: Collection[str] = ()
        """The settings that limit a session, which are also those of the sessions that its lines open."""
        self._none.host = self
        self._others = Others(self, self._members.values, paths)
        if first is not None:
            self.add(first)

    # --- lines ---

    async def execute(self, line: str) -> Answer:
        """Run one line and answer it."""
        with self._others.outside():
            try:
                parsed = parse(line)
            except LanguageError:
                return await self.current.execute(line, json=self.json)
            return await self._run(parsed)

    async def _run(self, line: Line) -> Answer:
        if isinstance(line.command, Output):
            self.json = line.command.format == "json"
        try:
            self._check_reach(self.current, line)
        except OrynError as error:
            return self._refused(line, error, json=self.json)
        return await self._in(self.current if line.session is None else None, line, self.current)

    async def execute_in(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        """Run a line in the session `name`, which is opened, with these settings, where it is not open yet. One whose
        browser can't be started is closed again. Raises `SessionExists` where it is open with other settings,
        `SessionNotAllowed`, `SessionUnreachable` where it has limits and the line names another."""
        with self._others.outside():
            self.check_reach(name, line, settings)
            if line.session is not None and self.session_of(name, line) != name:
                return await self._in(None, line, self._none)
            opens = not isinstance(line.command, _OF_NO_SESSION) or name in self._members
            if opens:
                session = self.reach(name, settings)
            else:
                session = self._none if isinstance(line.command, Help) else self._as_it_would_be(name, settings)
            answer = await session.execute(line, json=False)
            if isinstance(answer.error, BrowserError) and not session.has_started:
                await self._close(session)
            return answer

    def session_of(self, name: str, line: Line | None) -> str:
        """The session that a line is for which was given to the session `name`: the one that it names itself, unless
        that is something of the session's own, such as a tab."""
        addressed = line.session if line else None
        if addressed is None:
            return name
        session = self.get(name)
        is_none = addressed not in self._members and addressed not in self.dormant
        if session is not None and is_none and session.addresses(addressed):
            return name
        return name if session is not None and self._keeps_from(session, addressed) else addressed

    def reach(self, name: str, settings: Mapping[str, Any]) -> Session:
        """The session of this name, made where there is none yet, and woken where it is dormant. Raises
        `SessionExists`, `ConfigurationError`, `BackendUnavailable`."""
        member = self._members.get(name)
        if member is None:
            if found := self._others.find(name):
                raise SessionExists(
                    f"the session {name} is open in process {found.process}", f"Send it commands with '@{name} …'."
                )
            if woken := self._woken(name, settings):
                return woken
            session = self._made_with(name, settings)
            self.add(session, settings)
            return session
        _agree(name, "open", member.settings, settings)
        return member.session

    def _woken(self, name: str, settings: Mapping[str, Any]) -> Session | None:
        """The session of this name, where it is dormant: its browser starts, and it is restored, when a command needs
        it. Raises as `reach`."""
        kept = self._keeper.get(name) if self._keeper else None
        if kept is None:
            return None
        _agree(name, "kept", kept.settings, settings)
        session = self._made_with(name, kept.settings)
        if session.browser.mode != kept.backend:
            raise BackendUnavailable(f"the session {name} is in a browser of mode {kept.backend}, which is not here")
        self.add(session, kept.settings)
        return session

    def like(self, session: Session, settings: Mapping[str, Any]) -> Session:
        """A session with the settings of this one, save for some, which is not taken in."""
        member = self._members.get(session.name)
        return self._made_with(session.name, {**(member.settings if member else {}), **settings})

    def _made_with(self, name: str, settings: Mapping[str, Any]) -> Session:
        session = self._make(name, settings)
        session.settings = settings
        return session

    def _as_it_would_be(self, name: str, settings: Mapping[str, Any]) -> Session:
        """The session of this name, or one like it that is not taken in: for what a line asks that opens none."""
        if member := self._members.get(name):
            return member.session
        kept = self._keeper.get(name) if self._keeper else None
        session = self._made_with(name, {**(kept.settings if kept else {}), **settings})
        session.host = self
        return session

    # --- how far a session with limits reaches ---

    def is_limited(self, name: str) -> bool:
        """Whether the session of this name has limits."""
        return self._as_it_would_be(name, {}).options.limited

    def seen_by(self, name: str) -> list[str]:
        """The open sessions that the session of this name may look at."""
        if not self.names:
            return []
        by = self._as_it_would_be(name, {})
        return [each for each in self.names if not self._keeps_from(by, each)]

    def check_reach(self, name: str, line: Line, settings: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Before a line given to the session `name`, which may not be open yet, is sent where it says itself (`@other
        …`). Raises `SessionNotAllowed`, `SessionUnreachable`."""
        if line.session not in (None, name):
            self._check_reach(self._as_it_would_be(name, settings), line)

    def _check_reach(self, by: Session, line: Line) -> None:
        if line.session is not None and not by.addresses(line.session):
            self._check_limits(by, line.session)

    def _check_limits(self, by: Session, name: str) -> None:
        """A session with limits (`by`) names no other than those that it has opened."""
        if name in self._members or name in self.dormant:
            if self._keeps_from(by, name):
                raise SessionNotAllowed(f"the session {name} is not held to the limits of {by.name or 'this one'}")
        elif self.limited or by.options.limited or CALLERS_ROOTS.get() is not None or CONFINED.get():
            if found := self._others.find(name):
                raise _beyond_limits(found)

    def _keeps_from(self, by: Session, name: str) -> bool:
        return by.options.limited and not self.is_kin(name, by)

    def _refused(self, line: Line, error: OrynError, *, json: bool) -> Answer:
        from oryn.sessions.relay import spoken

        return Answer(command=spoken(line), error=error, json=json)

    async def _in(self, session: Session | None, line: Line, otherwise: Session) -> Answer:
        """Run a line in a session, or where there is none in the one that the line names, here or elsewhere, or
        `otherwise`, which may know what is named."""
        if session is None:
            assert line.session is not None
            try:
                session = self.get(line.session) or self._woken(line.session, {})
            except OrynError as error:
                return self._refused(line, error, json=self.json)
        if session is None:
            assert line.session is not None
            if found := self._others.find(line.session):
                from oryn.sessions.relay import relay

                return await relay(found, line, json=self.json, limit=self.current.options.timeout)
            session = otherwise
        return await session.execute(line, json=self.json)

    # --- which there are ---

    def known(self, by: Session | None = None) -> list[Known]:
        from oryn.engine.hosting import Known

        others = [Known(one.name, one.mode, one.started, process=one.process) for one in self._others.listed()]
        own = self.own()
        if by is not None and by.options.limited:  # an endpoint is a way to drive a browser
            own = [one if self.is_kin(one.name, by) else replace(one, profile=None, endpoint=None) for one in own]
        return [*own, *others]

    # --- opening and closing ---

    def add(
        self, session: Session, settings: Mapping[str, Any] = MappingProxyType({}), family: str | None = None
    ) -> None:
        """Take a session in. It is not the current one, unless it is the only one. `family` is that of the session with
        limits whose line has opened it."""
        session.host = self
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        member = Member(session, self._others.register(session.name), started, settings, family or session.name)
        self._enter(member)
        if self._keeper is not None:
            self._keeper.attend(session, settings, started)
        self._others.tell(member)

    async def open(self, name: str, mode: str | None, by: Session | None = None) -> None:
        if name in self._members:
            raise SessionExists(
                f"the session {name} is open already", f"Run 'session {name}' to make it the current one."
            )
        if name in self.dormant:
            raise SessionExists(
                f"there is a session {name}, which is dormant",
                f"Run 'session {name}' to go on with it, or 'session close {name}' to have it forgotten.",
            )
        if found := self._others.find(name):
            raise SessionExists(
                f"the session {name} is open in process {found.process}", f"Send it commands with '@{name} …'."
            )
        session, settings = self._made(name, mode, by or self._none)
        self.add(session, settings, self.family(by) if by is not None and by.options.limited else None)
        try:
            await session.started()
        except BaseException:  # given up, too
            await self._close(session, forget=True)
            raise

    def _made(self, name: str, mode: str | None, by: Session) -> tuple[Session, Mapping[str, Any]]:
        """A session in a browser of this mode, with the limits of the one whose line asks for it, and what it differs
        in. Raises `NotSupported` for a mode that the host has not, `SessionNotAllowed`."""
        inherited = {name: value for name, value in by.settings.items() if name in self.limits}
        session, settings = self._made_with(name, inherited), inherited
        usual = session.browser.mode
        if mode not in (None, usual):
            settings = {**inherited, "backend": mode}
            with suppress(NotSupported):
                session = self._made_with(name, settings)
            if session.browser.mode != mode:
                raise NotSupported(hint=f"Leave --mode out, or say --mode {usual}.")
        if by.options.limited and session.options.limits != by.options.limits:
            raise SessionNotAllowed(f"the session {name} would not be held to the limits of {by.name or 'this one'}")
        return session, settings

    def switch(self, name: str, by: Session | None = None) -> Session:
        if by is not None:
            self._check_limits(by, name)
        session = self.get(name) or self._woken(name, {})
        if session is None:
            if found := self._others.find(name):
                raise SessionNotFound(
                    f"the session {name} is in process {found.process}", f"Send it commands with '@{name} …'."
                )
            raise SessionNotFound.among(one.name for one in self.known(by))
        self._to_front(name)
        return session

    async def close_session(self, name: str, by: Session | None = None) -> None:
        if by is not None:
            self._check_close(name, by)
        if (session := self.get(name)) or name in self.dormant:
            if session is not None:
                await self._close(session, forget=True)
            elif self._keeper is not None:
                await self._keeper.forget(name)
        elif found := self._others.find(name):
            from oryn.sessions.relay import relay

            line = parse(f"@{name} session close {name}")
            answer = await relay(found, line, json=False, limit=self.current.options.timeout)
            if answer.error is not None:
                raise answer.error
        else:
            raise SessionNotFound.among(one.name for one in self.known(by))

    def _check_close(self, name: str, by: Session) -> None:
        """Opened again, a session that was closed might have no limits."""
        self._check_limits(by, name)
        if by.options.limited and name in (by.name, self.family(by)):
            raise SessionNotAllowed(
                f"the session {name} has limits, which would end with it", "Only the user can close it: oryn close."
            )

    async def _close(self, session: Session, *, forget: bool = False) -> None:
        """End a session: its browser, what it holds, its entry in the registry, and with `forget` what is kept of it.
        The one that was current before it is again."""
        member = self._leave(session.name)
        if member is None:
            return
        try:
            if self._keeper is not None:
                await (self._keeper.forget if forget else self._keeper.leave)(session.name)
        finally:
            await self._ended(session, member)

    async def _ended(self, session: Session, member: Member) -> None:
        try:
            await session.close()
        finally:
            if member.registration is not None:
                member.registration.end()

    async def close(self) -> None:
        """End every session, and what other processes reach them by. Safe to call twice."""
        await self._others.shut()
        if self._keeper is not None:
            await self._keeper.close()
        await asyncio.gather(*(self._close(member.session) for member in list(self._members.values())))
        await self._others.end()

    def launch(self, starting: asyncio.Task[None]) -> None:
        """The first session's browser is `starting`."""
        self.current.launch(starting)
        starting.add_done_callback(lambda _: self._others.open_door())


def _agree(name: str, state: str, has: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raises `SessionExists` where a session has other settings than those that somebody gives for it."""
    if others := [key for key, value in wanted.items() if has.get(key) != value]:
        raise SessionExists(
            f"the session {name} is {state} with another {' and '.join(others)}",
            "Close it first, or name another session.",
        )


def _beyond_limits(found: Listed) -> SessionUnreachable:
    return SessionUnreachable(
        f"the session {found.name} is another process's: the limits of this one do not hold there",
        "Use a session of this process: 'sessions' lists them.",
    )
