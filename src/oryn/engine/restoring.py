"""Putting a saved state into the browser, all of it or nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import unreachable
from oryn.engine.actions import require_no_dialog
from oryn.engine.saved_state import OriginState, SavedState, origin_within, within
from oryn.errors import BrowserFailed, OrynError

if TYPE_CHECKING:
    from oryn.engine.session import Session

RESTORE_SECONDS = 10.0
"""What putting back may take, after the command's time or together with what is left of it."""

Areas = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Held:
    """What a browser holds, or shall hold. None is what is not touched."""

    cookies: Sequence[Cookie]
    local: Areas | None
    session: Areas | None


async def held(session: Session, *, storage: bool, tabs: bool, origins: Sequence[str] = ()) -> Held:
    """What is there now: all cookies, with `storage` what the session's origins and `origins` store, with `tabs` what
    open tabs do."""
    browser = session.browser
    known = list(dict.fromkeys([*browser.storage.origins(), *origins])) if storage else []
    return Held(
        await browser.cookies(),
        await browser.storage.local(known, timeout=session.remaining()) if storage else None,
        await browser.storage.session(timeout=session.remaining()) if storage and tabs else None,
    )


async def restore(session: Session, state: SavedState, *, merge: bool) -> None:
    """Load a state. When that fails, or takes longer than the command may, all is put back as it was."""
    sessions = any(each.session is not None for each in state.origins or ())
    if sessions:
        require_no_dialog(session)
    origins = [each.origin for each in state.origins or ()]
    before = await held(session, storage=state.origins is not None, tabs=sessions, origins=origins)
    for origin in origins:
        if before.local is not None and origin not in before.local:
            raise unreachable(origin)
    wanted = _wanted(state, before, merge)
    try:
        await _put(session, wanted, keep=merge, timeout=session.remaining())
    except BaseException as error:  # also when the command's time is over: half a state is worse than a late answer
        await _to_the_end(_put_back(session, before, wanted, error))
        raise


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do it whole, also when we are cancelled meanwhile; that is told afterwards."""
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and task.exception() is None:
        raise cancelled
    task.result()


async def _put_back(session: Session, before: Held, wanted: Held, error: BaseException) -> None:
    """Undo what has been done of `wanted`."""
    undone = Held(
        before.cookies,
        {origin: (before.local or {}).get(origin, {}) for origin in wanted.local or ()},
        {origin: (before.session or {}).get(origin, {}) for origin in wanted.session or ()},
    )
    try:
        await _put(session, undone, keep=False, timeout=RESTORE_SECONDS)
    except OrynError as failure:
        raise BrowserFailed(
            f"the state was loaded in part ({error}), and what was there before could not be put back ({failure})",
            "Run 'goto' and load the state again.",
        ) from error


def unexpired(cookies: Sequence[Cookie]) -> list[Cookie]:
    now = time.time()
    return [cookie for cookie in cookies if cookie.expires is None or cookie.expires > now]


def _wanted(state: SavedState, before: Held, merge: bool) -> Held:
    """What shall be there: a state limited to a domain says nothing of others, and one that is merged nothing of what
    it does not name."""
    cookies = unexpired(state.cookies)
    origins = list(state.origins or ())
    local: dict[str, Mapping[str, str]] = {each.origin: each.local for each in origins}
    sessions: dict[str, Mapping[str, str]] = {each.origin: each.session for each in origins if each.session is not None}
    if not merge:
        cookies = [cookie for cookie in before.cookies if not within(cookie.domain, state.domain)] + cookies
        local = _emptied(before.local, state.domain) | local
        sessions = _emptied(before.session, state.domain) | sessions
    return Held(
        cookies,
        None if before.local is None else local,
        None if before.session is None else sessions,
    )


def _emptied(areas: Areas | None, domain: str | None) -> dict[str, Mapping[str, str]]:
    """Nothing, for each origin of the domain that has something."""
    return {origin: {} for origin, entries in (areas or {}).items() if entries and origin_within(origin, domain)}


async def _put(session: Session, wanted: Held, *, keep: bool, timeout: float) -> None:
    browser = session.browser
    if not keep:
        await browser.clear_cookies()
    if wanted.cookies:
        await browser.set_cookies(wanted.cookies)
    if wanted.local:
        await browser.storage.set_local(wanted.local, keep=keep, timeout=timeout)
    if wanted.session:
        await browser.storage.set_session(wanted.session, keep=keep, timeout=timeout)


def as_origins(now: Held, domain: str | None) -> list[OriginState]:
    """The origins of a domain that store something, for a file."""
    local, sessions = now.local or {}, now.session
    names = [origin for origin in dict.fromkeys([*local, *(sessions or {})]) if origin_within(origin, domain)]
    return [
        OriginState(origin, local.get(origin, {}), None if sessions is None else sessions.get(origin))
        for origin in names
        if local.get(origin) or (sessions or {}).get(origin)
    ]
