"""`sessions`, `session …`: what one session tells of the others, and asks its host to do with them (seed 000 §3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine import escape
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.errors import BrowserError, NotSupported, SessionNotFound
from oryn.language import SessionClose, SessionNew, Sessions, SessionShow, SessionSwitch
from oryn.modes import refuse

if TYPE_CHECKING:
    from oryn.browsers.base import Tab
    from oryn.engine.hosting import Host, Known
    from oryn.engine.session import Session


def _host(session: Session) -> Host:
    if session.host is None:
        raise NotSupported
    return session.host


@handles(Sessions, browser=False)
async def sessions(session: Session, command: Sessions) -> Answer:
    found = _host(session).known(session)
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
        }
        for one in found
    ]
    return Answer(lines=lines, data=data)


def _row(one: Known) -> str:
    if one.process is not None:
        return f"- {one.name} ({one.mode or 'starting'}, process {one.process})"
    if one.dormant:
        return f"- {one.name} (dormant)"
    return f"- {one.name} (current)" if one.current else f"- {one.name}"


@handles(SessionShow, browser=False)
async def session_show(session: Session, command: SessionShow) -> Answer:
    own = next((one for one in _host(session).known(session) if one.name == session.name and one.process is None), None)
    if own is None:
        raise SessionNotFound("no session is open", "Run 'session new <name>'.")
    tabs = await _tabs(session)
    url = next((tab.url for tab in tabs if tab.current), None)
    about = {"name": own.name, "mode": own.mode, "started": own.started, "pages": len(tabs)}
    place = session.browser.place
    kept = {"profile": place.profile, "endpoint": place.endpoint}
    lines = ["# session", *(f"{name}: {value}" for name, value in {**about, **kept}.items() if value is not None)]
    if url is not None:
        lines.append(f"url: {escape.url(url)}")
    data = {**about, "url": url, **kept}
    return Answer(lines=lines, data=data)


async def _tabs(session: Session) -> list[Tab]:
    """The session's tabs; none when its browser is gone, which is no reason to say nothing of the session."""
    try:
        await session.started()
        return await session.browser.tabs()
    except BrowserError:
        return []


@handles(SessionSwitch, browser=False)
async def session_switch(session: Session, command: SessionSwitch) -> Answer:
    chosen = _host(session).switch(command.name, session)
    tab = next((tab for tab in await _tabs(chosen) if tab.current), None)
    page = (chosen.withheld(tab.url), chosen.withheld(tab.title)) if tab else None
    return Answer(page=page, notes=[chosen.withheld(note) for note in chosen.take_news()])


@handles(SessionNew, browser=False)
async def session_new(session: Session, command: SessionNew) -> Answer:
    refuse(command.mode)
    host = _host(session)
    await host.open(command.name, command.mode, session)
    if any(one.name == command.name and one.current for one in host.known(session)):
        return Answer()
    return Answer(notes=[f"'session {command.name}' makes it the current one, '@{command.name} …' runs one line in it"])


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


def _current(host: Host, by: Session) -> str | None:
    return next((one.name for one in host.known(by) if one.current), None)
