"""`sessions`, `session …`: lists the host's sessions, and opens, closes and selects one
(docs/spec/sessions.md#commands-of-sessions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core import text_safety
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.errors import BrowserError, NotSupported, SessionNotFound
from oryn.language import SessionClose, SessionNew, Sessions, SessionShow, SessionSwitch

if TYPE_CHECKING:
    from oryn.browsers.base import Tab
    from oryn.engine.session import Session
    from oryn.engine.session_host import SessionHost, SessionInfo


def _host(session: Session) -> SessionHost[Session]:
    if session.host is None:
        raise NotSupported
    return session.host


@handles(Sessions, browser=False)
async def sessions(session: Session, command: Sessions) -> Answer:
    found = _host(session).session_infos(session)
    lines = ["# active sessions", *map(_row, found)] if found else ["no session is open"]
    data = [
        {
            "name": one.name,
            "mode": one.mode,
            "started": one.started,
            "current": one.current,
            "process": one.process,
            "profile": one.profile,
            "endpoint": one.endpoint,
            "dormant": one.dormant,
            "daemon": one.daemon,
        }
        for one in found
    ]
    return Answer(lines=lines, data=data)


def _row(one: SessionInfo) -> str:
    if one.process is not None:
        return f"- {one.name} ({one.mode or 'starting'}, process {one.process})"
    if one.daemon is not None:
        return f"- {one.name} (in the daemon {one.daemon})"
    if one.dormant:
        return f"- {one.name} (dormant)"
    return f"- {one.name} (current)" if one.current else f"- {one.name}"


@handles(SessionShow, browser=False)
async def session_show(session: Session, command: SessionShow) -> Answer:
    own = next(
        (one for one in _host(session).session_infos(session) if one.name == session.name and one.process is None), None
    )
    if own is None:
        raise SessionNotFound("no session is open", "Run 'session new <name>'.")
    tabs = await _tabs(session)
    url = next((tab.url for tab in tabs if tab.current), None)
    about = {"name": own.name, "mode": own.mode, "started": own.started, "pages": len(tabs)}
    place = session.browser.info
    storage = {"profile": place.profile, "endpoint": place.endpoint}
    lines = ["# session", *(f"{name}: {value}" for name, value in {**about, **storage}.items() if value is not None)]
    if url is not None:
        lines.append(f"url: {text_safety.url(url)}")
    data = {**about, "url": url, **storage}
    return Answer(lines=lines, data=data)


async def _tabs(session: Session) -> list[Tab]:
    """Return the session's tabs; an empty list if its browser fails, so that the rest of the session is
    still reported."""
    try:
        await session.startup.ensure_started()
        return await session.browser.tabs()
    except BrowserError:
        return []


@handles(SessionSwitch, browser=False)
async def session_switch(session: Session, command: SessionSwitch) -> Answer:
    chosen = _host(session).switch(command.name, session)
    tab = next((tab for tab in await _tabs(chosen) if tab.current), None)
    page = (chosen.mask_text(tab.url), chosen.mask_text(tab.title)) if tab else None
    return Answer(page=page, notes=[chosen.mask_text(note) for note in chosen.take_pending_notes()])


@handles(SessionNew, browser=False)
async def session_new(session: Session, command: SessionNew) -> Answer:
    host = _host(session)
    await host.open(command.name, command.mode, session)
    if any(one.name == command.name and one.current for one in host.session_infos(session)):
        return Answer()
    return Answer(notes=[host.address_hint(command.name)])


@handles(SessionClose, browser=False)
async def session_close(session: Session, command: SessionClose) -> Answer:
    host = _host(session)
    before = _current(host, session)
    await host.close_session(command.name, session)
    after = _current(host, session)
    if after == before:
        return Answer()
    return Answer(
        notes=[f"the current session is {after}" if after else "no session is open: run 'session new <name>'"]
    )


def _current(host: SessionHost[Session], by: Session) -> str | None:
    return next((one.name for one in host.session_infos(by) if one.current), None)
