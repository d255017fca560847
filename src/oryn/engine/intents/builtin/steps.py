"""Steps that the built-in intents share: scan for a pattern, find an element by role or text, settle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine.page.element_index import Scan
from oryn.engine.page.resolve import resolve
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementNotFound, Timeout
from oryn.language import RoleTarget, TextTarget

if TYPE_CHECKING:
    from oryn.browsers.base import PageEffects
    from oryn.engine.session import Session


async def scan_page(session: Session) -> Scan:
    """Scan the page with stable numbers, and return the scan with its patterns."""
    return await session.element_index.rescan(session.page, session.frame, timeout=session.deadline.remaining())


def element_by_number(session: Session, number: int) -> Resolved:
    """Return an element of the last scan."""
    return Resolved(
        number, session.element_index.frames.get(number), (session.element_index.elements or {}).get(number)
    )


async def by_role(session: Session, *roles: Any, verb: str = "type") -> Resolved | None:
    """Return the best visible element of the first of these roles that the page has."""
    for role in roles:
        try:
            found = await resolve(session, RoleTarget(role), verb)
        except ElementNotFound:
            continue
        if found.element and found.element["state"]["visible"]:
            return found
    return None


async def by_text(session: Session, *texts: str, verb: str = "click") -> Resolved | None:
    """Return the best interactive and visible element of the first of these texts that the page has."""
    for text in texts:
        try:
            found = await resolve(session, TextTarget(text), verb)
        except ElementNotFound:
            continue
        if found.element and found.element["match"]["interactive"] and found.element["state"]["visible"]:
            return found
    return None


async def settle(session: Session, checkpoint: Any) -> PageEffects:
    limit = min(session.options.settle_limit, session.deadline.remaining())
    return await session.page.settle(checkpoint, limit=limit)


async def wait_for_departure(session: Session, seconds: float | None) -> None:
    """Wait until the page navigates, at most `seconds` (`--wait`). It is not an error if the page stays."""
    if not seconds:
        return
    try:
        await session.page.wait_for_navigation(timeout=min(seconds, session.deadline.remaining()))
    except Timeout:
        return
