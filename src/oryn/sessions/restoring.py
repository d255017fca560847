"""Bringing a session back to where it stood, in a browser that was just started. What can't be put back becomes a note,
and costs nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base import Cookie, LoadState
from oryn.browsers.base.storage import Areas
from oryn.engine import escape
from oryn.engine.actions import http_notes
from oryn.engine.restoring import unexpired
from oryn.errors import OrynError
from oryn.records import Record, field
from oryn.sessions.kept import BLANK, Kept, OpenTab, Standing

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Page
    from oryn.engine import Session

STORAGE_SECONDS = 10.0
"""What putting storage back takes at most."""
OTHERS_SECONDS = 10.0
"""What the tabs get that are not the current one to begin with their documents; what still loads then goes on."""
_ERROR_PAGE = "chrome-error:"
MOST_TOLD = 5
"""Notes of what could not be put back; more of them are counted."""


class Restored(Record, frozen=False):
    """What became of it: the numbers of the tabs, in their order, and what there is to say of those that failed."""

    numbers: list[int] = field(factory=list)
    notes: list[str] = field(factory=list)


async def bring_back(session: Session, standing: Standing, *, fill: bool, load: bool = True) -> Restored:
    """Put back cookies, storage and tabs; with `fill`, nothing in the place of what the browser's profile has. Without
    `load` the tabs stay empty. Raises `OrynError` where the browser itself fails."""
    browser, restored = session.browser, Restored()
    tabs = await browser.tabs()
    if any(tab.url != BLANK for tab in tabs):  # it is the same browser, which went on meanwhile
        restored.numbers = [tab.number for tab in tabs]
        return restored
    await _put_cookies(browser, standing.cookies, restored, fill)
    await _put_local(browser, standing, restored, fill)
    pages = await _open_tabs(browser, standing, restored)
    if pages and load:
        await _load(session, standing, pages, restored)
    if more := restored.notes[MOST_TOLD:]:
        restored.notes[MOST_TOLD:] = [f"{len(more)} more like these"]
    return restored


def not_kept(kept: Kept, numbers: Sequence[int], *, stored: bool) -> list[str]:
    """What of a session was lost that no file could have, or has not yet. `numbers` are those of its tabs now;
    `stored`: there are cookies and storage of it."""
    notes = []
    if kept.behind and stored:
        notes.append("what its last commands changed of its cookies and storage may be missing")
    for position, number in enumerate(numbers):
        which = "the page" if position == kept.current else f"tab {number}"
        shown = kept.shown[position] if position < len(kept.shown) else ""
        if shown.startswith(_ERROR_PAGE):
            notes.append(f"{which} showed an error of the browser: it is at the page before that")
        elif shown:
            notes.append(
                f"{which} showed {escape.url(shown)}, which can't be opened again: it is at the page before that"
            )
        elif position in kept.entered:
            notes.append(f"what was entered on {which} is gone")
    return notes


# --- cookies and storage ---


async def _put_cookies(browser: Browser, cookies: Sequence[Cookie], restored: Restored, fill: bool) -> None:
    wanted = unexpired(cookies)
    if fill:
        there = {_key(cookie) for cookie in await browser.cookies()}
        wanted = [cookie for cookie in wanted if _key(cookie) not in there]
    if not wanted or await _done(browser, browser.set_cookies(wanted)):
        return
    for cookie in wanted:  # one of them is none to this browser
        if not await _done(browser, browser.set_cookies([cookie])):
            restored.notes.append(f"the cookie {escape.quoted(cookie.name)} was not taken")


def _key(cookie: Cookie) -> tuple[object, ...]:
    return cookie.name, cookie.domain, cookie.path, cookie.partition


async def _put_local(browser: Browser, standing: Standing, restored: Restored, fill: bool) -> None:
    wanted: Areas = standing.local
    if not wanted:
        return
    storage = browser.storage
    if fill:
        there = await storage.local(list(wanted), timeout=STORAGE_SECONDS)
        wanted = {
            origin: {key: value for key, value in entries.items() if key not in there.get(origin, {})}
            for origin, entries in wanted.items()
        }
    if await _done(browser, storage.set_local(wanted, keep=True, timeout=STORAGE_SECONDS)):
        return
    for origin, entries in wanted.items():
        if not await _done(browser, storage.set_local({origin: entries}, keep=True, timeout=STORAGE_SECONDS)):
            restored.notes.append(f"the storage of {escape.url(origin)} was not taken")


async def _done(browser: Browser, work: Awaitable[None]) -> bool:
    try:
        await work
    except OrynError:
        if browser.lost:
            raise
        return False
    return True


# --- tabs ---


async def _open_tabs(browser: Browser, standing: Standing, restored: Restored) -> list[Page]:
    """Empty tabs, each of which knows what its documents begin with."""
    pages: list[Page] = []
    for position, tab in enumerate(standing.tabs):
        if position:
            await browser.new_tab(BLANK, timeout=OTHERS_SECONDS)
        pages.append(browser.page)
        restored.numbers += [row.number for row in await browser.tabs() if row.current]
        if tab.areas:
            await _done(browser, browser.storage.expect(tab.areas, timeout=STORAGE_SECONDS))
    if len(pages) > 1:
        await browser.switch_tab(restored.numbers[standing.current])
    return pages


async def _load(session: Session, standing: Standing, pages: Sequence[Page], restored: Restored) -> None:
    """The current tab first, as far as a command may wait for; then the others, which go on by themselves."""
    here = standing.current
    # Half of a command's time, so that the one that waits for all this can still be done.
    await _arrive(session, pages[here], standing.tabs[here], "load", session.options.timeout / 2, "the page", restored)
    await asyncio.gather(
        *(
            _arrive(session, page, tab, "commit", OTHERS_SECONDS, f"tab {number}", restored)
            for page, tab, number in zip(pages, standing.tabs, restored.numbers, strict=True)
            if page is not pages[here]
        )
    )


async def _arrive(
    session: Session, page: Page, tab: OpenTab, until: LoadState, limit: float, which: str, restored: Restored
) -> None:
    if tab.url == BLANK:
        return
    from oryn.engine.execute.moving import destination

    try:
        # The same gate as `goto`: a page may have led the tab where no command goes, and limits may be others by now.
        url = await destination(session, tab.url)
    except OrynError as error:
        if session.browser.lost:
            raise
        restored.notes.append(f"{which} ({escape.url(tab.url)}) was not loaded: {escape.one_line(error.message)}")
        return
    try:
        navigation = await page.goto(url, until=until, timeout=limit)
        notes = http_notes(navigation)
        if page.url == BLANK:  # a download, or an answer without content
            notes.append("it gave no page")
    except OrynError as error:
        if session.browser.lost:
            raise
        notes = [error.message]
    restored.notes += [f"{which} ({escape.url(tab.url)}): {escape.one_line(note)}" for note in notes]
