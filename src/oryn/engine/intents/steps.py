"""What the built-in intents are made of: look for a pattern, write, press."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine.resolve import Resolved, resolve
from oryn.engine.view import Scan
from oryn.errors import ElementNotFound, Timeout
from oryn.language import Role, Text

if TYPE_CHECKING:
    from oryn.browsers.base import Happened
    from oryn.engine.session import Session


async def look(session: Session) -> Scan:
    """The page as it is, numbers kept, with its patterns."""
    return await session.view.look_again(session.page, session.frame, timeout=session.remaining())


def known(session: Session, number: int) -> Resolved:
    """An element that the last look found."""
    return Resolved(number, session.view.frames.get(number), (session.view.elements or {}).get(number))


async def by_role(session: Session, *roles: Any, verb: str = "type") -> Resolved | None:
    """The best visible element of the first of these roles that the page has."""
    for role in roles:
        try:
            found = await resolve(session, Role(role), verb)
        except ElementNotFound:
            continue
        if found.element and found.element["state"]["visible"]:
            return found
    return None


async def by_text(session: Session, *texts: str, verb: str = "click") -> Resolved | None:
    """The best element of the first of these texts that the page has, interactive and visible."""
    for text in texts:
        try:
            found = await resolve(session, Text(text), verb)
        except ElementNotFound:
            continue
        if found.element and found.element["match"]["interactive"] and found.element["state"]["visible"]:
            return found
    return None


async def settle(session: Session, mark: Any) -> Happened:
    limit = min(session.options.settle_limit, session.remaining())
    return await session.page.settle(mark, limit=limit)


async def linger(session: Session, seconds: float | None) -> None:
    """`--wait`: until the page goes elsewhere, at most so long. Staying where it is is no error."""
    if not seconds:
        return
    try:
        await session.page.wait_for_navigation(timeout=min(seconds, session.remaining()))
    except Timeout:
        return
