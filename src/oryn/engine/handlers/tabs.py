"""`tabs`, `tab …`, `frames`, `frame …`, `dialog …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core import text_safety
from oryn.engine.action import Action
from oryn.engine.handlers.navigation import destination, navigation_answer
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.changes import page_line
from oryn.engine.output.effects import dialog_change
from oryn.engine.page import ranking
from oryn.engine.page.context import page_info, require_no_dialog
from oryn.engine.page.resolve import find_in_frames, frames_of_numbers
from oryn.errors import FrameNotFound, NotSupported
from oryn.language import (
    VAULT_REFERENCE,
    DialogAccept,
    DialogAuto,
    DialogDismiss,
    Frames,
    FrameSwitch,
    FrameUp,
    TabClose,
    TabNew,
    TabRelease,
    Tabs,
    TabSwitch,
    TabTake,
    target_json,
)

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session


@handles(Tabs)
async def tabs(session: Session, command: Tabs) -> Answer:
    found = await session.browser.tabs()
    leases = session.browser.leases
    lines, data = [], []
    for tab in found:
        lease = leases.lease(tab.number) if leases is not None else None
        line = f"{tab.number} {page_line(tab.url, tab.title)}{' (current)' if tab.current else ''}"
        row = {"number": tab.number, "url": tab.url, "title": tab.title, "current": tab.current, "own": tab.own}
        if leases is not None and lease is not None:
            row |= {"holder": lease.holder.name, "since": lease.since_text}
            if lease.holder is not leases.holder:
                line += f" (of {lease.holder} since {lease.since_text})"
            elif leases.has_other_sessions:
                line += f" (yours since {lease.since_text})"
        lines.append(line)
        data.append(row)
    return Answer(lines=lines, data=data)


@handles(TabNew)
async def tab_new(session: Session, command: TabNew) -> Answer:
    url = await destination(session, command.url)
    navigation = await session.browser.new_tab(url, timeout=session.deadline.remaining())
    session.lease_guard.begin_act()
    return await navigation_answer(session, navigation)


@handles(TabSwitch)
async def tab_switch(session: Session, command: TabSwitch) -> Answer:
    await session.browser.switch_tab(command.number)
    return await _current_tab_answer(session)


@handles(TabClose)
async def tab_close(session: Session, command: TabClose) -> Answer:
    await session.browser.close_tab(command.number)
    if session.browser.has_foreign_tabs and not any(tab.current for tab in session.browser.open_tabs()):
        session.frame = None
        session.element_index.forget()
        return Answer(notes=["the session has no tab left: 'goto <url>' opens one"])
    return await _current_tab_answer(session)


@handles(TabTake)
async def tab_take(session: Session, command: TabTake) -> Answer:
    leases = session.browser.leases
    if leases is None:
        raise NotSupported("no other session uses this browser", "All its tabs are this session's.")
    await leases.take(command.number, timeout=session.deadline.remaining())
    if any(tab.current and tab.number == command.number for tab in await session.browser.tabs()):
        return Answer(page=await page_info(session))  # its numbers stay: those that others have changed are refused
    await session.browser.switch_tab(command.number)
    return await _current_tab_answer(session)


@handles(TabRelease)
async def tab_release(session: Session, command: TabRelease) -> Answer:
    leases = session.browser.leases
    if leases is None:
        raise NotSupported("no other session uses this browser", "All its tabs are this session's.")
    if not leases.release(command.number):
        return Answer(notes=["it was not this session's"])
    return Answer()


async def _current_tab_answer(session: Session) -> Answer:
    """Return the answer with the tab that is now current."""
    session.frame = None
    session.element_index.forget()
    if dialog := session.page.dialog:
        return Answer(page=(session.page.url, ""), changes=[dialog_change(dialog)])
    return Answer(page=await page_info(session))


@handles(Frames)
async def frames(session: Session, command: Frames) -> Answer:
    found = session.page.frames()
    lines = [f"{'  ' * frame.level}{_frame_line(frame)}" for frame in found]
    data = [{"level": frame.level, "name": frame.name, "url": frame.url} for frame in found]
    return Answer(lines=lines, data=data)


def _frame_line(frame: Frame) -> str:
    name = f" {text_safety.quoted(frame.name)}" if frame.name else ""
    return (
        f"{text_safety.location(frame.url) or 'about:blank'}{name}"
        if frame.level
        else f"main {text_safety.location(frame.url)}"
    )


@handles(FrameSwitch)
async def frame_switch(session: Session, command: FrameSwitch) -> Answer:
    """Later commands only see this frame and its contents, until `frame main`."""
    require_no_dialog(session)
    page = session.enter_page()
    only = frames_of_numbers(session.element_index, command.target)
    answers = await find_in_frames(session, page, target_json(command.target), frames=True, only=only)
    found = [(element, frame) for data, frame in answers for element in data["matches"]]
    if not found:
        raise FrameNotFound("no such frame")
    top = ranking.best([element for element, _ in found], "frame")[0]
    around = next(frame for element, frame in found if element is top)
    session.frame = await session.page.frame_of(top["id"], around)
    return _frame_answer(session)


@handles(FrameUp)
async def frame_up(session: Session, command: FrameUp) -> Answer:
    session.frame = None if command.to == "main" else _parent(session)
    return _frame_answer(session)


def _frame_answer(session: Session) -> Answer:
    session.element_index.forget()
    frame = session.frame or session.page.frames()[0]
    return Answer(lines=[_frame_line(frame)], data={"level": frame.level, "name": frame.name, "url": frame.url})


def _parent(session: Session) -> Frame | None:
    if session.frame is None:
        raise FrameNotFound("this is the main frame")
    parent = next((frame for frame in session.page.frames() if frame.id == session.frame.parent), None)
    return parent if parent is not None and parent.level else None


@handles(DialogAccept)
async def dialog_accept(session: Session, command: DialogAccept) -> Answer:
    text = command.text
    if text is not None and VAULT_REFERENCE.search(text):
        text = (await session.secrets.for_frame(text, None)).text
    return await _answer_dialog(session, True, text)


@handles(DialogDismiss)
async def dialog_dismiss(session: Session, command: DialogDismiss) -> Answer:
    return await _answer_dialog(session, False, None)


async def _answer_dialog(session: Session, accept: bool, text: str | None) -> Answer:
    action = Action(session, session.page)
    was_scanned = session.element_index.elements is not None
    dialog = await session.page.answer_dialog(accept, text)
    answer = await action.report()
    if not was_scanned:
        # The page was never scanned, so every element would count as new.
        answer.changes = [change for change in answer.changes if change.data["change"] not in ("appeared", "returned")]
        answer.more_changes = 0
    answer.lines.append(dialog_change(dialog).text)
    return answer


@handles(DialogAuto)
async def dialog_auto(session: Session, command: DialogAuto) -> Answer:
    session.browser.dialog_policy = command.policy
    return Answer()
