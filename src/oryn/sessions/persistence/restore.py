"""Restores a saved session in a browser that was just started.

Each failure to restore something becomes a note, and does not stop the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base import Cookie, LoadState
from oryn.browsers.base.storage import StorageByOrigin
from oryn.core import text_safety
from oryn.core.records import Record, field
from oryn.engine.output.effects import http_notes
from oryn.engine.state.restore import unexpired
from oryn.errors import OrynError
from oryn.sessions.persistence.models import BLANK, SessionRecord, SessionSnapshot, TabSnapshot

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Page
    from oryn.engine import Session

STORAGE_SECONDS = 10.0
"""Maximum seconds for restoring storage."""
BACKGROUND_TABS_SECONDS = 10.0
"""Maximum seconds for the tabs that are not current to begin their documents; after that, they continue to load."""
_ERROR_PAGE = "chrome-error:"
MAX_NOTES = 5
"""Maximum number of notes about failures; further ones are only counted."""


class RestoreReport(Record, frozen=False):
    """The result of a restore: the numbers of the tabs, in their order, and notes about failures."""

    numbers: list[int] = field(factory=list)
    notes: list[str] = field(factory=list)


async def restore_snapshot(
    session: Session, snapshot: SessionSnapshot, *, fill: bool, load: bool = True
) -> RestoreReport:
    """Restore cookies, storage and tabs.

    With `fill`, values of the browser's profile are not replaced. Without `load`, the tabs stay empty. Raises
    `OrynError` if the browser itself fails."""
    browser, restored = session.browser, RestoreReport()
    tabs = await browser.tabs()
    if any(tab.url != BLANK for tab in tabs):  # it is the same browser, which was running meanwhile
        restored.numbers = [tab.number for tab in tabs]
        return restored
    await _restore_cookies(browser, snapshot.cookies, restored, fill)
    await _restore_local_storage(browser, snapshot, restored, fill)
    pages = await _open_tabs(browser, snapshot, restored)
    if pages and load:
        await _load_tabs(session, snapshot, pages, restored)
    if more := restored.notes[MAX_NOTES:]:
        restored.notes[MAX_NOTES:] = [f"{len(more)} more like these"]
    return restored


def loss_notes(record: SessionRecord, numbers: Sequence[int], *, stored: bool) -> list[str]:
    """Notes about parts of a session that could not be saved, or were not saved yet.

    `numbers` are those of its tabs now; `stored`: its cookies and storage were saved."""
    notes = []
    if record.behind and stored:
        notes.append("changes that its last commands made to cookies and storage may be missing")
    for position, number in enumerate(numbers):
        which = "the page" if position == record.current else f"tab {number}"
        url = record.shown[position] if position < len(record.shown) else ""
        if url.startswith(_ERROR_PAGE):
            notes.append(f"{which} showed a browser error: restored at the page before it")
        elif url:
            notes.append(
                f"{which} showed {text_safety.url(url)}, which can't be opened again: restored at the page before it"
            )
        elif position in record.entered:
            notes.append(f"input entered on {which} is lost")
    return notes


# --- cookies and storage ---


async def _restore_cookies(browser: Browser, cookies: Sequence[Cookie], restored: RestoreReport, fill: bool) -> None:
    wanted = unexpired(cookies)
    if fill:
        present = {_key(cookie) for cookie in await browser.cookies()}
        wanted = [cookie for cookie in wanted if _key(cookie) not in present]
    if not wanted or await _try(browser, browser.set_cookies(wanted)):
        return
    for cookie in wanted:  # the browser rejects at least one of them
        if not await _try(browser, browser.set_cookies([cookie])):
            restored.notes.append(f"the cookie {text_safety.quoted(cookie.name)} was not taken")


def _key(cookie: Cookie) -> tuple[object, ...]:
    return cookie.name, cookie.domain, cookie.path, cookie.partition


async def _restore_local_storage(
    browser: Browser, snapshot: SessionSnapshot, restored: RestoreReport, fill: bool
) -> None:
    wanted: StorageByOrigin = snapshot.local
    if not wanted:
        return
    storage = browser.storage
    if fill:
        present = await storage.local(list(wanted), timeout=STORAGE_SECONDS)
        wanted = {
            origin: {key: value for key, value in entries.items() if key not in present.get(origin, {})}
            for origin, entries in wanted.items()
        }
    if await _try(browser, storage.set_local(wanted, merge=True, timeout=STORAGE_SECONDS)):
        return
    for origin, entries in wanted.items():
        if not await _try(browser, storage.set_local({origin: entries}, merge=True, timeout=STORAGE_SECONDS)):
            restored.notes.append(f"the storage of {text_safety.url(origin)} was not taken")


async def _try(browser: Browser, work: Awaitable[None]) -> bool:
    try:
        await work
    except OrynError:
        if browser.lost:
            raise
        return False
    return True


# --- tabs ---


async def _open_tabs(browser: Browser, snapshot: SessionSnapshot, restored: RestoreReport) -> list[Page]:
    """Open empty tabs whose storage is set before their documents load."""
    pages: list[Page] = []
    for position, tab in enumerate(snapshot.tabs):
        if position:
            await browser.new_tab(BLANK, timeout=BACKGROUND_TABS_SECONDS)
        pages.append(browser.page)
        restored.numbers += [row.number for row in await browser.tabs() if row.current]
        if tab.areas:
            await _try(browser, browser.storage.seed(tab.areas, timeout=STORAGE_SECONDS))
    if len(pages) > 1:
        await browser.switch_tab(restored.numbers[snapshot.current])
    return pages


async def _load_tabs(
    session: Session, snapshot: SessionSnapshot, pages: Sequence[Page], restored: RestoreReport
) -> None:
    """Load the current tab first, until a command may run in it; then the others, which continue in the background."""
    current = snapshot.current
    # Half of a command's time, so that the command that waits for this can still run.
    await _load_tab(
        session, pages[current], snapshot.tabs[current], "load", session.options.timeout / 2, "the page", restored
    )
    await asyncio.gather(
        *(
            _load_tab(session, page, tab, "commit", BACKGROUND_TABS_SECONDS, f"tab {number}", restored)
            for page, tab, number in zip(pages, snapshot.tabs, restored.numbers, strict=True)
            if page is not pages[current]
        )
    )


async def _load_tab(
    session: Session, page: Page, tab: TabSnapshot, until: LoadState, limit: float, which: str, restored: RestoreReport
) -> None:
    if tab.url == BLANK:
        return
    from oryn.engine.handlers.navigation import destination

    try:
        # The same check as for `goto`: a page may have navigated the tab to a URL that commands may not open, and the
        # limits may have changed.
        url = await destination(session, tab.url)
    except OrynError as error:
        if session.browser.lost:
            raise
        restored.notes.append(
            f"{which} ({text_safety.url(tab.url)}) was not loaded: {text_safety.one_line(error.message)}"
        )
        return
    try:
        navigation = await page.goto(url, until=until, timeout=limit)
        notes = http_notes(navigation)
        if page.url == BLANK:  # a download, or a response without content
            notes.append("it returned no page")
    except OrynError as error:
        if session.browser.lost:
            raise
        notes = [error.message]
    restored.notes += [f"{which} ({text_safety.url(tab.url)}): {text_safety.one_line(note)}" for note in notes]
