"""Closes one layer over a page as a person would: with its button, with Escape, or with a press beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from oryn.browsers.base import Frame
from oryn.core.records import Record
from oryn.core.text_safety import quoted, shortened
from oryn.engine.intents.builtin.steps import element_by_number, settle
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import FRAME_GONE, query_frames, query_scanner
from oryn.errors import ElementDisabled, ElementNotFound, ElementNotInteractable, ElementNotVisible, ElementStale

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import PopupData, PopupOpenRequest, PopupOpenResponse, PopupsRequest

PopupKind = Literal["popup", "modal", "banner"]

MAX_BUTTONS_PRESSED = 2
"""Maximum number of buttons of one layer that are pressed before Escape."""
MAX_TITLE_LENGTH = 60

_NOT_PRESSED = (ElementNotFound, ElementStale, ElementNotVisible, ElementDisabled, ElementNotInteractable)


class PopupLayer(Record):
    """A layer of the last scan: a dialog, a cookie banner, or a small box that floats over the page."""

    data: PopupData
    frame: Frame | None = None

    @property
    def label(self) -> str:
        return quoted(shortened(self.data["title"], MAX_TITLE_LENGTH))


async def find_popups(session: Session, kind: PopupKind, text: str | None = None) -> list[PopupLayer]:
    """Return the open layers of all frames, the topmost first. `text`: only those that say it. The page must have been
    scanned."""
    page, index = session.page, session.element_index
    found: list[PopupLayer] = []

    def request() -> PopupsRequest:
        return {"cmd": "popups", "kind": kind, "text": text, "next_id": index.next_id}

    async for data, frame in query_frames(page, session.frame, request, session.deadline.remaining):
        index.next_id = data["next_id"]
        found += [PopupLayer(row, frame) for row in data["layers"]]
        if frame is not None:
            index.frames.update((closer["id"], frame) for row in data["layers"] for closer in row["close"])
    return found


async def close_popup(session: Session, layer: PopupLayer) -> tuple[str | None, list[str]]:
    """Close a layer: press its buttons, then Escape, then beside it, until it is gone. Return what has closed it, or
    None, and all that was tried."""
    tried: list[str] = []
    for name, act in _attempts(session, layer):
        checkpoint = session.page.checkpoint()
        try:
            await act()
        except _NOT_PRESSED:
            continue
        tried.append(name)
        document = session.page.document
        await settle(session, checkpoint)
        if session.page.dialog is not None or session.page.document != document or await _is_gone(session, layer):
            return name, tried
    return None, tried


def _attempts(session: Session, layer: PopupLayer) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
    attempts: list[tuple[str, Callable[[], Awaitable[None]]]] = []
    for closer in layer.data["close"][:MAX_BUTTONS_PRESSED]:
        name = f"[{closer['id']}] {quoted(closer['name'])}"
        attempts.append((name, partial(click_element, session, element_by_number(session, closer["id"]))))
    attempts.append(("Escape", lambda: session.page.keyboard.press(["escape"])))
    if layer.data["outside"] is not None:
        attempts.append(("a press beside it", lambda: _press_outside(session, layer)))
    return attempts


async def _press_outside(session: Session, layer: PopupLayer) -> None:
    point = layer.data["outside"]
    assert point is not None
    x, y = point["x"], point["y"]
    if layer.frame is not None:
        x, y = await session.page.to_viewport(x, y, layer.frame)
    await session.page.mouse.move(x, y)
    await session.page.mouse.click(x, y)


async def _is_gone(session: Session, layer: PopupLayer) -> bool:
    """Return whether the layer has gone. It has `Options.settle_grace` for that."""
    loop = asyncio.get_running_loop()
    end = loop.time() + session.options.settle_grace
    request: PopupOpenRequest = {"cmd": "popup_open", "index": layer.data["index"]}
    while True:
        try:
            data: PopupOpenResponse = await query_scanner(
                session.page, request, layer.frame, session.deadline.remaining()
            )
        except FRAME_GONE:
            return True
        left = min(end - loop.time(), session.deadline.remaining())
        if not data["open"] or left <= 0:
            return not data["open"]
        await wait_for_change(session, left)
