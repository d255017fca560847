"""`Sessions`: the named sessions of one host, open or dormant, and which of them is current.

A line runs in the current session, and `@name …` in the named one, in this process or in another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn.engine import Answer, Session
from oryn.engine.file_access import CALLER_ROOTS, CONFINED
from oryn.errors import (
    BackendUnavailable,
    BrowserError,
    FileError,
    LanguageError,
    NotSupported,
    OrynError,
    ProviderUnavailable,
    SessionExists,
    SessionLimit,
    SessionNotAllowed,
    SessionNotFound,
    SessionUnreachable,
    VaultError,
)
from oryn.language import Help, Line, Output, SessionClose, SessionNew, parse
from oryn.language import Sessions as ListSessions
from oryn.sessions.browsers import NullBrowser
from oryn.sessions.peers import PeerSessions, SessionEntry

if TYPE_CHECKING:
    from oryn.engine.session_host import SessionInfo
    from oryn.sessions.ownership import SessionOwner
    from oryn.sessions.persistence.store import SessionStore
    from oryn.sessions.registry import RegisteredSession
    from oryn.system.paths import Paths


# Modules that are seldom needed are imported where they are used, as a host should start fast.

_SESSIONLESS_COMMANDS = (Help, ListSessions, SessionNew, SessionClose)
"""Commands that open no session."""

SessionFactory = Callable[[str, Mapping[str, Any]], Session]
"""Creates a session with a name and with settings that override the host's; its browser is not started.

May raise `NotSupported` for a backend that the host does not have, and `ConfigurationError`."""


class Sessions:
    """The sessions of one host.

    * `create` creates a session that is to be opened.
    * `first` is open from the start.
    * `paths`: with them the sessions are registered for the user's other processes, which may send them commands.
    * `store`: with one, sessions outlive the host: those saved in it are dormant until their first command.

    The errors of a line are in its answer and not raised. Lines to one session run one after the other, lines to
    several sessions concurrently."""

    def __init__(
        self,
        create: SessionFactory,
        first: Session | None = None,
        paths: Paths | None = None,
        store: SessionStore | None = None,
    ) -> None:
        self._create_session = create
        self._store = store
        self._has_current = first is not None
        """Whether the caller can choose the current session. A host with several callers has none."""
        self._null_session = Session(NullBrowser(), "", first.options if first else None)
        """The current session while no session is open."""
        self._entries: dict[str, SessionEntry] = {}
        self._recent: list[str] = []
        """Names in the order in which they became current; the last one is current now."""
        self.json = first.json if first else False
        """Whether answers are JSON (`output json`). It applies to the whole host, whichever session a line runs in."""
        self._is_draining = False
        self.limited = False
        """Whether the settings limit all sessions (`engine.policy`): no line goes to those of other processes then."""
        self.limits: Collection[str] = ()
        """Names of the settings that limit a session. Sessions that its lines open inherit them."""
        self.allowed_domains: Sequence[str] | None = None
        """The host's setting `allowed_domains`."""
        self.caller: Callable[[], SessionOwner | None] = lambda: None
        """Returns the caller that gives the current command, if it has sessions of its own; None for any other."""
        self.holder_elsewhere: Callable[[str], str | None] = lambda name: None
        """Returns the name of the other host that runs a saved session; None if none does."""
        self._null_session.host = self
        self._peers = PeerSessions(self, self._entries.values, paths)
        if first is not None:
            self.add(first)

    @property
    def current(self) -> Session:
        """The session for lines without an address. If no session is open, it is one without a name or a browser."""
        return self._entries[self._recent[-1]].session if self._recent else self._null_session

    @property
    def names(self) -> list[str]:
        """Names of the open sessions of this host, in the order in which they were opened."""
        return list(self._entries)

    @property
    def dormant(self) -> list[str]:
        """Names of the saved sessions that are not open, here or in another host."""
        saved = self._store.names if self._store else []
        return [name for name in saved if name not in self._entries and self.holder_elsewhere(name) is None]

    def get(self, name: str) -> Session | None:
        """The open session of this name; None if it is not open."""
        entry = self._entries.get(name)
        return entry.session if entry else None

    def settings_of(self, name: str) -> Mapping[str, Any] | None:
        """The settings in which this session differs from the host; None if it is neither open nor dormant."""
        if entry := self._entries.get(name):
            return entry.settings
        saved = self._store.get(name) if self._store else None
        return saved.settings if saved else None

    def mode_of(self, name: str) -> str | None:
        """The mode of the browser of this session, open or dormant; None if it is neither."""
        if entry := self._entries.get(name):
            return entry.session.browser.mode
        saved = self._store.get(name) if self._store else None
        return saved.backend if saved else None

    # --- callers with sessions of their own ---

    def owner_of(self, name: str) -> str | None:
        """The owner of a session, open or saved; None if every caller may use it, or if there is no such session."""
        if entry := self._entries.get(name):
            return entry.session.owner
        with suppress(FileError):  # who asks for the session gets the error
            saved = self._store.get(name) if self._store else None
            return saved.owner if saved else None
        return None

    def is_own(self, name: str) -> bool:
        """Whether the current caller may use the session of this name, which exists."""
        return (caller := self.caller()) is None or self.owner_of(name) == caller.name

    def own_of(self, names: Iterable[str]) -> list[str]:
        """Those of these sessions that the current caller may use."""
        return [name for name in names if self.is_own(name)]

    def get_own(self, name: str) -> Session | None:
        """The open session of this name; None if it is not open, or not the current caller's."""
        return self.get(name) if self.is_own(name) else None

    def require_own(self, name: str) -> None:
        """Raise `SessionNotFound` if there is a session of this name that the current caller may not use."""
        if not self.is_own(name) and self.settings_of(name) is not None:
            raise self._not_own(name)

    def check_own(self, name: str) -> None:
        """As `require_own`; also raise `SessionExists` if the caller may use fewer domains than when it opened the
        session."""
        self.require_own(name)
        if self.caller() is not None and (settings := self.settings_of(name)) is not None:
            _check_settings(name, "open", settings, self.narrowed(settings))

    def _not_own(self, name: str) -> SessionNotFound:
        names = self.own_of([*self.names, *self.dormant])
        listed = f"Your sessions: {', '.join(names)}. " if names else ""
        return SessionNotFound(f"you have no session {name}", f"{listed}A new one needs a name that nobody uses.")

    def narrowed(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """The settings of a new session of the current caller. Raises `ConfigurationError`."""
        caller = self.caller()
        return settings if caller is None else caller.narrow(settings, self.allowed_domains)

    def _check_room(self, caller: SessionOwner) -> None:
        """Raise `SessionLimit` if the caller has as many sessions open as it may."""
        elsewhere = [name for name in self._store.names if self.holder_elsewhere(name)] if self._store else []
        count = sum(self.owner_of(name) == caller.name for name in {*self.names, *elsewhere})
        if caller.sessions and count >= caller.sessions:
            raise SessionLimit(f"{caller.name} has {count} sessions open, and may have no more")

    @property
    def store(self) -> SessionStore | None:
        """Where sessions are saved; None if they are not."""
        return self._store

    # --- lines ---

    async def execute(self, line: str) -> Answer:
        """Run one line, or a request in its place (`language.json_codec`). Its errors are in the answer."""
        with self._peers.deferring_server():
            if line.lstrip().startswith("{"):
                return await self._execute_request(line)
            try:
                parsed = parse(line)
            except LanguageError:
                return await self.current.execute(line, json=self.json)
            return await self._run(parsed, json=self.json)

    async def _execute_request(self, request: str) -> Answer:
        from oryn.language.json_codec import line_of_request

        try:
            answer = await self._run(line_of_request(request), json=False, record=True)
        except LanguageError as error:
            answer = Answer(command="request", error=error)  # the request may contain a secret
        answer.record = True
        return answer

    async def _run(self, line: Line, *, json: bool, record: bool = False) -> Answer:
        if isinstance(line.command, Output):
            json = self.json = line.command.format == "json"
        try:
            self._check_access(self.current, line)
        except OrynError as error:
            return self._error_answer(line, error, json=json)
        session = self.current if line.session is None else None
        return await self._execute_or_relay(session, line, self.current, json=json and not record, record=record)

    async def execute_in(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        """Run a line in the session `name`, which is opened with `settings` if it is not open.

        A new session whose browser can't be started is closed again. Raises `SessionExists` if the session is open with
        other settings. If the session has limits and the line names another session, raises `SessionNotAllowed` or
        `SessionUnreachable`. Also raises what creating a session raises."""
        with self._peers.deferring_server():
            self.check_access(name, line, settings)
            if line.session is not None and self.session_of(name, line) != name:
                return await self._execute_or_relay(None, line, self._null_session, json=self.json)
            is_reachable = name in self._entries and self.is_own(name)
            opens = not isinstance(line.command, _SESSIONLESS_COMMANDS) or is_reachable
            if opens:
                session = self.get_or_open(name, settings)
            else:
                session = self._null_session if isinstance(line.command, Help) else self._preview(name, settings)
            answer = await session.execute(line, json=False)
            if isinstance(answer.error, BrowserError | VaultError) and not session.startup.has_started:
                await self._close(session)
            return answer

    def session_of(self, name: str, line: Line | None) -> str:
        """The name of the session that runs a line which was sent to the session `name`.

        That is the one that the line itself addresses (`@other …`), unless the address is something inside the session,
        such as a tab."""
        addressed = line.session if line else None
        if addressed is None:
            return name
        session = self.get_own(name)
        is_none = addressed not in self._entries and addressed not in self.dormant
        if session is not None and is_none and session.is_addressed_by(addressed):
            return name
        return name if session is not None and self._is_hidden_from(session, addressed) else addressed

    def get_or_open(self, name: str, settings: Mapping[str, Any]) -> Session:
        """The session of this name. It is created if it does not exist, and opened if it is dormant.

        Raises `SessionExists` if it is open with other settings or in another process, `ConfigurationError`,
        `BackendUnavailable`."""
        self.check_own(name)
        if self.settings_of(name) is None or "allowed_domains" in settings:
            settings = self.narrowed(settings)
        entry = self._entries.get(name)
        if entry is None:
            self._check_opens()
            self._check_elsewhere(name)
            if woken := self._wake(name, settings):
                return woken
            session = self._create_with(name, settings)
            self.add(session, settings)
            return session
        _check_settings(name, "open", entry.settings, settings)
        return entry.session

    def _wake(self, name: str, settings: Mapping[str, Any]) -> Session | None:
        """Open the session of this name if it is dormant; None if it is not.

        Its browser starts, and its tabs are restored, when a command needs them. Raises as `get_or_open` does."""
        saved = self._store.get(name) if self._store else None
        if saved is None:
            return None
        _check_settings(name, "kept", saved.settings, settings)
        session = self._create_with(name, saved.settings)
        if session.browser.mode != saved.backend:
            raise BackendUnavailable(f"the session {name} is in a browser of mode {saved.backend}, which is not here")
        session.owner = saved.owner
        self.add(session, saved.settings)
        return session

    def create_like(self, session: Session, settings: Mapping[str, Any]) -> Session:
        """A new session with the settings of this one, overridden by `settings`. It is not added to the host."""
        entry = self._entries.get(session.name)
        return self._create_with(session.name, {**(entry.settings if entry else {}), **settings})

    def _create_with(self, name: str, settings: Mapping[str, Any]) -> Session:
        session = self._create_session(name, settings)
        session.settings = settings
        if (caller := self.caller()) is not None:
            if session.browser.is_external:
                raise NotSupported(f"{caller.name} has sessions of its own, and no access to the user's own browser")
            session.owner = caller.name
        return session

    def _check_elsewhere(self, name: str) -> None:
        """Raise an error if another process of the user has a session of this name."""
        if found := self._peers.find(name):
            raise _elsewhere_error(found) if self.caller() is None else self._not_own(name)

    def _check_opens(self) -> None:
        if self._is_draining:
            raise ProviderUnavailable(
                "this daemon is drained: it opens no sessions", "Use another daemon, or restart this one."
            )
        if (caller := self.caller()) is not None:
            self._check_room(caller)

    def _preview(self, name: str, settings: Mapping[str, Any]) -> Session:
        """The open session of this name, else one with its settings for checks, which is not added to the host."""
        if session := self.get_own(name):
            return session
        saved = self._store.get(name) if self._store and self.is_own(name) else None
        session = self._create_with(name, {**(saved.settings if saved else {}), **self.narrowed(settings)})
        session.host = self
        return session

    # --- limits on access to other sessions ---

    def family(self, session: Session) -> str:
        """A common name for a session with limits and all sessions that were opened by its lines, or by theirs."""
        entry = self._entries.get(session.name)
        return entry.family if entry else session.name

    def is_kin(self, name: str, session: Session) -> bool:
        """Whether `name` is the name of `session`, or of one in the same `family`."""
        entry = self._entries.get(name)
        return name == session.name or (entry is not None and entry.family == self.family(session))

    def is_limited(self, name: str) -> bool:
        """Whether the session of this name has limits."""
        return self._preview(name, {}).options.limited

    def visible_to(self, name: str) -> list[str]:
        """Names of the open sessions that the limits of the session `name` let it see."""
        by = self._preview(name, {}) if self.names else self._null_session
        return self.own_of(each for each in self.names if not self._is_hidden_from(by, each))

    def check_access(self, name: str, line: Line, settings: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Check whether a line that was sent to the session `name` may run in the session that it addresses (`@other
        …`).

        `settings` are those of the session `name` if it is not open yet. Raises `SessionNotAllowed`,
        `SessionUnreachable`."""
        if line.session not in (None, name):
            self._check_access(self._preview(name, settings), line)

    def _check_access(self, by: Session, line: Line) -> None:
        if line.session is not None and not by.is_addressed_by(line.session):
            self._check_limits(by, line.session)

    def _check_limits(self, by: Session, name: str) -> None:
        """Raise an error if the session `by` has limits and did not open the session `name`, or if that is not the
        caller's."""
        self.require_own(name)
        if name in self._entries or name in self.dormant:
            if self._is_hidden_from(by, name):
                raise SessionNotAllowed(f"the session {name} is not held to the limits of {by.name or 'this one'}")
        elif self.limited or by.options.limited or CALLER_ROOTS.get() is not None or CONFINED.get():
            if found := self._peers.find(name):
                raise SessionUnreachable(
                    f"the session {found.name} is another process's: the limits of this one do not hold there",
                    "Use a session of this process: 'sessions' lists them.",
                )

    def _is_hidden_from(self, by: Session, name: str) -> bool:
        return by.options.limited and not self.is_kin(name, by)

    def _error_answer(self, line: Line, error: OrynError, *, json: bool) -> Answer:
        from oryn.sessions.relay import line_without_arguments

        return Answer(command=line_without_arguments(line), error=error, json=json)

    async def _execute_or_relay(
        self, session: Session | None, line: Line, otherwise: Session, *, json: bool, record: bool = False
    ) -> Answer:
        """Run a line in `session`. If that is None, run it in the session that the line addresses, here or in another
        process.

        If that session does not exist, the line runs in `otherwise`, which may have a tab of this name, or else reports
        the error."""
        if session is None:
            assert line.session is not None
            try:
                self.check_own(line.session)
                session = self.get(line.session) or self._wake(line.session, {})
            except OrynError as error:
                return self._error_answer(line, error, json=json)
        if session is None:
            assert line.session is not None
            if self.caller() is None and (found := self._peers.find(line.session)):
                from oryn.sessions.relay import relay

                return await relay(found, line, json=json, record=record, limit=self.current.options.timeout)
            session = otherwise
        return await session.execute(line, json=json)

    # --- lists ---

    def own(self) -> list[SessionInfo]:
        """The sessions of this host, without those of other processes. Reads no file."""
        from oryn.engine.session_host import SessionInfo

        present = self.current.name
        open_ones = [
            SessionInfo(
                name, browser.mode, entry.started, name == present, None, browser.info.profile, browser.info.endpoint
            )
            for name, entry in self._entries.items()
            for browser in [entry.session.browser]
        ]
        return [*open_ones, *self._dormant_infos()]

    def _dormant_infos(self) -> Iterator[SessionInfo]:
        from oryn.engine.session_host import SessionInfo

        for name in self.dormant:
            if self._store and (saved := self._store.get(name)):
                profile, url = saved.profile, saved.listed_url
                yield SessionInfo(name, saved.backend, saved.started, profile=profile, dormant=True, url=url)

    def _elsewhere_infos(self) -> Iterator[SessionInfo]:
        from oryn.engine.session_host import SessionInfo

        for name in self._store.names if self._store else ():
            holder = None if name in self._entries else self.holder_elsewhere(name)
            if holder and self._store and (saved := self._store.get(name)):
                yield SessionInfo(name, saved.backend, saved.started, daemon=holder, url=saved.listed_url)

    def listed(self) -> list[SessionInfo]:
        """The sessions of this host, and those of other hosts with the same records, which the current caller may use.
        Reads no file."""
        return [one for one in (*self.own(), *self._elsewhere_infos()) if self.is_own(one.name)]

    def session_infos(self, by: Session | None = None) -> list[SessionInfo]:
        from oryn.engine.session_host import SessionInfo

        own = self.own()
        if by is not None and by.options.limited:  # an endpoint is a way to drive a browser
            own = [one if self.is_kin(one.name, by) else replace(one, profile=None, endpoint=None) for one in own]
        own += self._elsewhere_infos()
        if self.caller() is not None:
            return [one for one in own if self.is_own(one.name)]
        others = (SessionInfo(one.name, one.mode, one.started, process=one.process) for one in self._peers.listed())
        return [*own, *others]

    # --- opening and closing ---

    def add(
        self, session: Session, settings: Mapping[str, Any] = MappingProxyType({}), family: str | None = None
    ) -> None:
        """Add a session to the host. It becomes the current one only if no other session is open.

        `settings` are those in which it differs from the host. `family` is the family of the session with limits whose
        line has opened it."""
        session.host = self
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        entry = SessionEntry(session, self._peers.register(session.name), started, settings, family or session.name)
        self._entries[session.name] = entry
        self._recent.insert(0, session.name)
        if self._store is not None:
            self._store.start_autosave(session, settings, started)
        self._peers.publish(entry)

    def address_hint(self, name: str) -> str:
        choice = f"'session {name}' makes it the current one, " if self._has_current else ""
        return f"{choice}'@{name} …' runs one line in it"

    async def open(self, name: str, mode: str | None, by: Session | None = None) -> None:
        self.require_own(name)
        self._check_opens()
        if name in self._entries:
            raise SessionExists(f"the session {name} is open already", f"{self.address_hint(name)}.")
        if name in self.dormant:
            raise SessionExists(
                f"there is a session {name}, which is dormant",
                f"{self.address_hint(name)}; 'session close {name}' deletes it.",
            )
        self._check_elsewhere(name)
        session, settings = self._create(name, mode, by or self._null_session)
        self.add(session, settings, self.family(by) if by is not None and by.options.limited else None)
        try:
            await session.startup.ensure_started()
        except BaseException:  # also on cancellation
            await self._close(session, forget=True)
            raise

    def _create(self, name: str, mode: str | None, by: Session) -> tuple[Session, Mapping[str, Any]]:
        """Create a session in a browser of this mode, with the limits of `by`, whose line opens it; return it and its
        settings.

        Raises `NotSupported` for a mode that the host does not have, `SessionNotAllowed`."""
        inherited = self.narrowed({name: value for name, value in by.settings.items() if name in self.limits})
        session, settings = self._create_with(name, inherited), inherited
        usual = session.browser.mode
        if mode not in (None, usual):
            settings = {**inherited, "backend": mode}
            with suppress(NotSupported):
                session = self._create_with(name, settings)
            if session.browser.mode != mode:
                raise NotSupported(hint=f"Leave --mode out, or say --mode {usual}.")
        if by.options.limited and session.options.limits != by.options.limits:
            raise SessionNotAllowed(f"the session {name} would not be held to the limits of {by.name or 'this one'}")
        return session, settings

    def switch(self, name: str, by: Session | None = None) -> Session:
        self.check_own(name)
        if by is not None:
            self._check_limits(by, name)
        session = self.get(name) or self._wake(name, {})
        if session is None:
            if self.caller() is None and (found := self._peers.find(name)):
                raise SessionNotFound(
                    f"the session {name} is in process {found.process}", f"Send it commands with '@{name} …'."
                )
            raise SessionNotFound.among(one.name for one in self.session_infos(by))
        self._recent.remove(name)
        self._recent.append(name)
        return session

    async def close_session(self, name: str, by: Session | None = None) -> None:
        if by is not None:
            self._check_close(name, by)
        self.require_own(name)
        if (session := self.get(name)) or name in self.dormant:
            if session is not None:
                await self._close(session, forget=True)
            elif self._store is not None:
                await self._store.forget(name)
        elif self.caller() is None and (found := self._peers.find(name)):
            from oryn.sessions.relay import relay

            line = parse(f"@{name} session close {name}")
            answer = await relay(found, line, json=False, limit=self.current.options.timeout)
            if answer.error is not None:
                raise answer.error
        else:
            raise SessionNotFound.among(one.name for one in self.session_infos(by))

    async def release(self, name: str) -> None:
        """Close a session here and leave what was saved of it, as another host goes on with it."""
        if session := self.get(name):
            await self._close(session)

    def _check_close(self, name: str, by: Session) -> None:
        """Check whether `by` may close the session `name`: if opened again, that session might have no limits."""
        self._check_limits(by, name)
        if by.options.limited and name in (by.name, self.family(by)):
            raise SessionNotAllowed(
                f"the session {name} has limits, which would end with it", "Only the user can close it: oryn close."
            )

    async def _close(self, session: Session, *, forget: bool = False) -> None:
        """Close a session and its browser, and remove it from the registry; with `forget`, also delete what was saved.

        The session that was current before it becomes current again."""
        entry = self._entries.pop(session.name, None)
        if entry is None:
            return
        self._recent.remove(session.name)
        try:
            if self._store is not None:
                await (self._store.forget if forget else self._store.stop_autosave)(session.name)
        finally:
            await self._release(session, entry)

    async def _release(self, session: Session, entry: SessionEntry) -> None:
        try:
            await session.close()
        finally:
            if entry.registration is not None:
                entry.registration.release()

    async def drain(self) -> int:
        """Open no more sessions. Save and close the open ones, each once its command has ended; returns how many."""
        self._is_draining = True
        entries = list(self._entries.values())
        await asyncio.gather(*(self._suspend(entry.session) for entry in entries))
        return len(entries)

    async def _suspend(self, session: Session) -> None:
        async with session.command_lock:
            if self._store is not None:
                await self._store.finish_autosave(session.name)
            await self._close(session)

    async def close(self) -> None:
        """Close every session and the server for other processes. Safe to call twice."""
        await self._peers.stop_server()
        if self._store is not None:
            await self._store.close()
        await asyncio.gather(*(self._close(entry.session) for entry in list(self._entries.values())))
        await self._peers.close()

    def launch(self, starting: asyncio.Task[None]) -> None:
        """Let the first session wait for `starting`, the task that starts its browser."""
        self.current.startup.launch(starting)
        starting.add_done_callback(lambda _: self._peers.start_server())


def _check_settings(name: str, state: str, has: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise `SessionExists` if a session that is `state` has other values for the `wanted` settings."""
    if others := [key for key, value in wanted.items() if has.get(key) != value]:
        raise SessionExists(
            f"the session {name} is {state} with another {' and '.join(others)}",
            "Close it first, or name another session.",
        )


def _elsewhere_error(found: RegisteredSession) -> SessionExists:
    return SessionExists(
        f"the session {found.name} is open in process {found.process}", f"Send it commands with '@{found.name} …'."
    )
