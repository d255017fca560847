"""`wait …`: event-driven; nothing here sleeps except `wait <duration>`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from oryn.browsers.base import LoadState
from oryn.core import text_safety
from oryn.core.urls import url_pattern
from oryn.engine.action import Action
from oryn.engine.handlers.navigation import navigation_answer
from oryn.engine.handlers.queries import count_present
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.elements import Element
from oryn.engine.page.context import page_info, require_no_dialog
from oryn.engine.page.polling import poll_until
from oryn.engine.page.resolve import matches
from oryn.engine.page.scanner import query_frames, query_scanner
from oryn.errors import ElementNotFound, ElementStale, Timeout
from oryn.language import (
    CssTarget,
    Target,
    WaitElement,
    WaitItems,
    WaitLoad,
    WaitText,
    WaitTime,
    WaitUntil,
    WaitUrl,
    render,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import ExistsRequest, ExistsResponse, WaitForRequest

ANSWER_GRACE_MS = 50
"""Milliseconds by which a page's own wait ends before the command's, so that its answer arrives in time."""


@handles(WaitLoad)
async def wait_load(session: Session, command: WaitLoad) -> Answer:
    require_no_dialog(session)
    if command.state == "navigation":
        return await navigation_answer(
            session, await session.page.wait_for_navigation(timeout=session.deadline.remaining())
        )
    await session.page.wait_for(cast(LoadState, command.state), timeout=session.deadline.remaining())
    return Answer(page=await page_info(session))


_UNMET = {
    "visible": "is not visible",
    "hidden": "is still visible",
    "enabled": "is not enabled",
    "disabled": "is not disabled",
    "exists": "does not exist",
    "gone": "still exists",
}
"""What an element is at the end of the time, by the state that was waited for."""


@handles(WaitElement)
async def wait_element(session: Session, command: WaitElement) -> Answer:
    """A missing element is hidden, and neither enabled nor disabled."""

    async def holds() -> bool:
        if command.state in ("exists", "gone"):
            return (await count_present(session, command.target) > 0) is (command.state == "exists")
        found = await _matching_elements(session, command.target)
        match command.state:
            case "visible":
                return any(element["state"]["visible"] for element in found)
            case "hidden":
                return not any(element["state"]["visible"] for element in found)
            case "enabled":
                return any(element["state"]["enabled"] for element in found)
            case _:
                return any(not element["state"]["enabled"] for element in found)

    return await _wait_and_report(session, holds, lambda: f"{render(command.target)} {_UNMET[command.state]}")


async def _matching_elements(session: Session, target: Target) -> list[Element]:
    try:
        return [element for element, _ in await matches(session, target, any=True)]
    except (ElementNotFound, ElementStale):
        # The target is the number of an element that was removed.
        return []


@handles(WaitItems)
async def wait_items(session: Session, command: WaitItems) -> Answer:
    seen = 0

    async def holds() -> bool:
        nonlocal seen
        seen = await count_present(session, CssTarget(command.selector))
        return seen >= command.count

    return await _wait_and_report(session, holds, lambda: f"{seen} of {command.count} items")


@handles(WaitText)
async def wait_text(session: Session, command: WaitText) -> Answer:
    request: ExistsRequest = {"cmd": "exists", "text": command.pattern}

    async def holds() -> bool:
        data: ExistsResponse
        async for data, _ in query_frames(session.page, session.frame, lambda: request, session.deadline.remaining):
            if data["exists"]:
                return not command.gone
        return command.gone

    state = "still shows" if command.gone else "does not show"
    return await _wait_and_report(session, holds, lambda: f"the page {state} {text_safety.quoted(command.pattern)}")


@handles(WaitUrl)
async def wait_url(session: Session, command: WaitUrl) -> Answer:
    wanted = url_pattern(command.pattern)

    async def holds() -> bool:
        return wanted.search(session.page.url) is not None

    return await _wait_and_report(session, holds, lambda: f"the URL is {text_safety.location(session.page.url)}")


@handles(WaitUntil)
async def wait_until(session: Session, command: WaitUntil) -> Answer:
    async def holds() -> bool:
        # Variables of the page change without an event, so the page itself polls the expression in each frame.
        timeout = max(1, round(session.deadline.remaining() * 1000) - ANSWER_GRACE_MS)
        request: WaitForRequest = {"cmd": "wait_for", "condition": "custom", "expression": command.expression}
        request["timeout"] = timeout
        try:
            await query_scanner(session.page, request, session.frame, session.deadline.remaining())
        except Timeout:
            return False
        return True

    return await _wait_and_report(session, holds, lambda: "the expression is not true")


@handles(WaitTime)
async def wait_time(session: Session, command: WaitTime) -> Answer:
    action = await Action.begin(session, reacts=False)
    await asyncio.sleep(command.duration)
    return await action.report()


async def _wait_and_report(session: Session, holds: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> Answer:
    """Wait, and report what changed meanwhile, so that the awaited element is reported with its number."""
    require_no_dialog(session)
    action = await Action.begin(session, reacts=False)
    await poll_until(session, holds, what)
    return await action.report()
