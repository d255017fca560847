"""`wait …`: event-driven; nothing here sleeps but `wait <duration>`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from oryn.browsers.base import LoadState
from oryn.browsers.base.patterns import url_pattern
from oryn.engine import escape
from oryn.engine.actions import Action, page_info, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.conditions import until
from oryn.engine.elements import Element
from oryn.engine.execute.asking import selector_count
from oryn.engine.execute.moving import arrived
from oryn.engine.execute.registry import handles
from oryn.engine.resolve import matches
from oryn.engine.view import ask
from oryn.errors import ElementNotFound, ElementStale, Timeout
from oryn.language import (
    Target,
    WaitElement,
    WaitItems,
    WaitLoad,
    WaitSelector,
    WaitTime,
    WaitUntil,
    WaitUrl,
    render,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session

ANSWER_MS = 50
"""Milliseconds that a page's own wait ends before the command's, so that its answer still comes."""


@handles(WaitLoad)
async def wait_load(session: Session, command: WaitLoad) -> Answer:
    require_no_dialog(session)
    if command.state == "navigation":
        return await arrived(session, await session.page.wait_for_navigation(timeout=session.remaining()))
    await session.page.wait_for(cast(LoadState, command.state), timeout=session.remaining())
    return Answer(page=await page_info(session))


@handles(WaitElement)
async def wait_element(session: Session, command: WaitElement) -> Answer:
    """An element that is not there is hidden, and neither enabled nor disabled."""

    async def holds() -> bool:
        found = await _found(session, command.target)
        match command.state:
            case "visible":
                return any(element["state"]["visible"] for element in found)
            case "hidden":
                return not any(element["state"]["visible"] for element in found)
            case "enabled":
                return any(element["state"]["enabled"] for element in found)
            case _:
                return any(not element["state"]["enabled"] for element in found)

    return await _waited(session, holds, lambda: f"{render(command.target)} is not {command.state}")


async def _found(session: Session, target: Target) -> list[Element]:
    try:
        return [element for element, _ in await matches(session, target, any=True)]
    except (ElementNotFound, ElementStale):
        # A number of an element that has left the page.
        return []


@handles(WaitSelector)
async def wait_selector(session: Session, command: WaitSelector) -> Answer:
    async def holds() -> bool:
        return (await selector_count(session, command.selector) > 0) is (command.state == "exists")

    return await _waited(session, holds, lambda: f"{escape.quoted(command.selector)}: not {command.state}")


@handles(WaitItems)
async def wait_items(session: Session, command: WaitItems) -> Answer:
    seen = 0

    async def holds() -> bool:
        nonlocal seen
        seen = await selector_count(session, command.selector)
        return seen >= command.count

    return await _waited(session, holds, lambda: f"{seen} of {command.count} items")


@handles(WaitUrl)
async def wait_url(session: Session, command: WaitUrl) -> Answer:
    wanted = url_pattern(command.pattern)

    async def holds() -> bool:
        return wanted.search(session.page.url) is not None

    return await _waited(session, holds, lambda: f"the URL is {escape.location(session.page.url)}")


@handles(WaitUntil)
async def wait_until(session: Session, command: WaitUntil) -> Answer:
    async def holds() -> bool:
        # The page's world gives no sign of what its variables do: the waiting is done there, frame by frame.
        timeout = max(1, round(session.remaining() * 1000) - ANSWER_MS)
        request = {"cmd": "wait_for", "condition": "custom", "expression": command.expression, "timeout": timeout}
        try:
            await ask(session.page, request, session.frame, session.remaining())
        except Timeout:
            return False
        return True

    return await _waited(session, holds, lambda: "the expression is not true")


@handles(WaitTime)
async def wait_time(session: Session, command: WaitTime) -> Answer:
    action = await Action.begin(session)
    await asyncio.sleep(command.duration)
    return await action.report()


async def _waited(session: Session, holds: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> Answer:
    """Wait, and report what changed meanwhile: what was waited for is then known by its number."""
    require_no_dialog(session)
    action = await Action.begin(session)
    await until(session, holds, what)
    return await action.report()
