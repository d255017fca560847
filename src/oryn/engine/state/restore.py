"""Restores a saved state in the browser: all of it, or nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import unreachable_origin
from oryn.engine.page.context import require_no_dialog
from oryn.engine.state.state_file import OriginState, SavedState, in_domain, origin_in_domain
from oryn.errors import BrowserFailed, OrynError

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext

RESTORE_SECONDS = 10.0
"""Seconds for the rollback of a failed restore, which may exceed the command's time."""

StorageAreas = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class BrowserState:
    """The present or the wanted state of a browser. None means that a part is not changed."""

    cookies: Sequence[Cookie]
    local: StorageAreas | None
    session: StorageAreas | None
    databases: Mapping[str, Sequence[Any]] | None = None
    skipped_records: int = 0
    """Records of IndexedDB that could not be read as data."""


async def read_browser_state(
    context: PageContext, *, storage: bool, tabs: bool, databases: bool = False, origins: Sequence[str] = ()
) -> BrowserState:
    """Read the current state. It has all cookies, with `storage` the local storage of the session's origins and of
    `origins`, with `databases` also their IndexedDB, and with `tabs` the session storage of open tabs."""
    browser = context.browser
    origins_stored = list(dict.fromkeys([*browser.storage.origins(), *origins])) if storage else []
    found = None
    if storage and databases:
        found = await browser.storage.databases(origins_stored, timeout=context.deadline.remaining())
    return BrowserState(
        await browser.cookies(),
        await browser.storage.local(origins_stored, timeout=context.deadline.remaining()) if storage else None,
        await browser.storage.session(timeout=context.deadline.remaining()) if storage and tabs else None,
        None if found is None else {origin: each.databases for origin, each in found.items()},
        sum(each.skipped for each in (found or {}).values()),
    )


async def restore(context: PageContext, state: SavedState, *, merge: bool) -> None:
    """Load a state. If that fails, or takes longer than the command may, restore the previous state. Raises
    `BrowserFailed` if that fails, too."""
    sessions = any(each.session is not None for each in state.origins or ())
    if sessions:
        require_no_dialog(context)
    origins = [each.origin for each in state.origins or ()]
    before = await read_browser_state(
        context,
        storage=state.origins is not None,
        tabs=sessions,
        databases=any(each.databases is not None for each in state.origins or ()),
        origins=origins,
    )
    for origin in origins:
        if before.local is not None and origin not in before.local:
            raise unreachable_origin(origin)
    wanted = _target_state(state, before, merge)
    try:
        await _apply(context, wanted, merge=merge, timeout=context.deadline.remaining())
    except BaseException as error:  # also after a timeout: a partial state is worse than a late answer
        await _run_to_completion(_roll_back(context, before, wanted, error))
        raise


async def _run_to_completion(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end even if this is cancelled meanwhile; the cancellation is raised afterwards."""
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and task.exception() is None:
        raise cancelled
    task.result()


async def _roll_back(context: PageContext, before: BrowserState, wanted: BrowserState, error: BaseException) -> None:
    """Undo the changes of `wanted`."""
    undone = BrowserState(
        before.cookies,
        {origin: (before.local or {}).get(origin, {}) for origin in wanted.local or ()},
        {origin: (before.session or {}).get(origin, {}) for origin in wanted.session or ()},
        {origin: (before.databases or {}).get(origin, ()) for origin in wanted.databases or ()},
    )
    try:
        await _apply(context, undone, merge=False, timeout=RESTORE_SECONDS)
    except OrynError as failure:
        raise BrowserFailed(
            f"the state was loaded in part ({error}), and the previous state could not be restored ({failure})",
            "Run 'goto' and load the state again.",
        ) from error


def unexpired(cookies: Sequence[Cookie]) -> list[Cookie]:
    now = time.time()
    return [cookie for cookie in cookies if cookie.expires is None or cookie.expires > now]


def _target_state(state: SavedState, before: BrowserState, merge: bool) -> BrowserState:
    """Return the wanted state. A state limited to a domain doesn't change other domains, and a merged one doesn't
    change what it doesn't contain."""
    cookies = unexpired(state.cookies)
    origins = list(state.origins or ())
    local: dict[str, Mapping[str, str]] = {each.origin: each.local for each in origins}
    sessions: dict[str, Mapping[str, str]] = {each.origin: each.session for each in origins if each.session is not None}
    databases: dict[str, Sequence[Any]] = {
        each.origin: each.databases for each in origins if each.databases is not None
    }
    domain = state.domain
    if not merge:
        cookies = [cookie for cookie in before.cookies if not in_domain(cookie.domain, domain)] + cookies
        local = _emptied(before.local, domain) | local
        sessions = _emptied(before.session, domain) | sessions
        databases = {
            origin: () for origin, rows in (before.databases or {}).items() if rows and origin_in_domain(origin, domain)
        } | databases
    return BrowserState(
        cookies,
        None if before.local is None else local,
        None if before.session is None else sessions,
        None if before.databases is None else databases,
    )


def _emptied(areas: StorageAreas | None, domain: str | None) -> dict[str, Mapping[str, str]]:
    """Return empty storage for each origin of the domain that stores something."""
    return {origin: {} for origin, entries in (areas or {}).items() if entries and origin_in_domain(origin, domain)}


async def _apply(context: PageContext, wanted: BrowserState, *, merge: bool, timeout: float) -> None:
    browser = context.browser
    if not merge:
        await browser.clear_cookies()
    if wanted.cookies:
        await browser.set_cookies(wanted.cookies)
    if wanted.local:
        await browser.storage.set_local(wanted.local, merge=merge, timeout=timeout)
    if wanted.databases:
        await browser.storage.set_databases(wanted.databases, merge=merge, timeout=timeout)
    if wanted.session:
        await browser.storage.set_session(wanted.session, merge=merge, timeout=timeout)


def origin_states(now: BrowserState, domain: str | None) -> list[OriginState]:
    """Return the origins of a domain that store something, for a file."""
    local, sessions, databases = now.local or {}, now.session, now.databases
    names = [origin for origin in dict.fromkeys([*local, *(sessions or {})]) if origin_in_domain(origin, domain)]
    return [
        OriginState(
            origin,
            local.get(origin, {}),
            None if sessions is None else sessions.get(origin),
            None if databases is None else databases.get(origin),
        )
        for origin in names
        if local.get(origin) or (sessions or {}).get(origin) or (databases or {}).get(origin)
    ]
