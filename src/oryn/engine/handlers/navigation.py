"""`goto`, `back`, `forward`, `refresh`, `url`.

After a crash of the tab, its page is loaded again before the next command."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from oryn.browsers.base import Navigation
from oryn.core import text_safety
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.changes import PageChange
from oryn.engine.output.effects import dialog_change, http_notes
from oryn.engine.page.context import page_info, require_no_dialog
from oryn.engine.page.downloads import report_new_downloads
from oryn.engine.page.failures import failure_notes
from oryn.engine.page.polling import NOTHING_YET, wait_for_content
from oryn.engine.policy.urls import check_address, file_path, is_file, require_file_limits
from oryn.errors import (
    FileError,
    NavigationError,
    OrynError,
    PageCrashed,
    ReadOnly,
)
from oryn.language import VAULT_REFERENCE, Back, Forward, Goto, Refresh, Url, resolve_url

if TYPE_CHECKING:
    from oryn.engine.session import Session


async def reload_crashed_tab(session: Session) -> None:
    """Replace the crashed tab by a new one on the same page, and report it in the next answer. Raises the errors of
    loading a page; a page that crashes its tab does it again."""
    url = session.page.url
    try:
        await _load_in_new_tab(session, url)
    except PageCrashed:
        # The browser may have assigned a renderer to the new tab that died with the old one's.
        await _load_in_new_tab(session, url)
    session.frame = None
    session.element_index.forget()
    session.pending_notes.append(
        f"the tab crashed and shows {text_safety.url(url)} again; "
        "element numbers and @e references from before are no longer valid"
    )


async def _load_in_new_tab(session: Session, url: str) -> None:
    await session.browser.revive()
    if url and url != "about:blank":
        url = await destination(session, url)  # commands may not open the URL that the tab displayed
        await session.page.goto(url, timeout=session.deadline.remaining())


async def navigation_answer(session: Session, navigation: Navigation) -> Answer:
    """Return the answer of a command that navigated: the current page, and notes about the navigation."""
    session.frame = None
    session.enter_page()
    notes = http_notes(navigation)
    if navigation.download is not None:
        notes.append("the answer was a download; the page stays")
    if dialog := session.page.dialog:
        notes.append(f"the page waits for a dialog: {dialog.kind} {text_safety.quoted(dialog.message)}")
        return Answer(page=(navigation.url, ""), notes=notes)
    if navigation.download is None and not await wait_for_content(session):
        notes += [NOTHING_YET, *failure_notes(session, session.deadline.began_at)]
    answer = Answer(page=await page_info(session), notes=notes)
    if navigation.download is not None:
        answer.changes, saved = await report_new_downloads(session)
        answer.notes += saved
    return answer


async def destination(session: Session, url: str) -> str:
    """Return the absolute URL that a command opens, after all checks.

    Raises `InvalidValue`, `DomainNotAllowed`, `UrlNotAllowed`, `PathNotAllowed`."""
    whole = resolve_url(url, session.page.url)
    if session.options.policy is not None:
        session.options.policy.check_url(whole)
    check_address(whole, session.files, session.browser.mode)
    if is_file(whole):
        await restrict_files(session)
    return whole


async def restrict_files(session: Session) -> None:
    """Restrict the browser from now on to files that the command's caller may open, whichever page requests them.
    Raises `PathNotAllowed` if the browser can't be restricted: a local page may open Oryn's own files too."""
    require_file_limits(session.browser)
    files, bounds = session.files, session.files.bounds

    def allows(url: str) -> bool:
        try:
            files.check(file_path(url), bounds)
        except FileError:
            return False
        return True

    await session.browser.restrict_files(allows)
    session.restricts_files = True


@handles(Goto)
async def goto(session: Session, command: Goto) -> Answer:
    closed = await _revive(session)
    url = await destination(session, command.url)
    headers = {str(name): str(value) for name, value in command.headers.items()} if command.headers else None
    if headers and any(map(VAULT_REFERENCE.search, headers.values())):
        headers = {name: await session.secrets.for_page(value, url) for name, value in headers.items()}
    if headers:
        from oryn.engine.handlers.headers import check_headers

        check_headers(headers)
    answer = await navigation_answer(session, await _load(session, url, headers))
    answer.changes[:0] = closed
    return answer


async def _revive(session: Session) -> list[PageChange]:
    """Make sure that the tab answers. Return the change of an open dialog, which that closes."""
    dialog = None
    with suppress(OrynError):  # there is no tab
        dialog = session.page.dialog
    await session.browser.revive()
    return [] if dialog is None else [dialog_change(dialog.replace(answer="dismissed"))]


async def _load(session: Session, url: str, headers: dict[str, str] | None) -> Navigation:
    """Load a URL; once more if the server closed the connection without an answer. GET is idempotent, so a client may
    repeat it (https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)."""
    try:
        return await session.page.goto(url, headers=headers, timeout=session.deadline.remaining())
    except NavigationError as error:
        if not error.unanswered:
            raise
    return await session.page.goto(url, headers=headers, timeout=session.deadline.remaining())


@handles(Back)
async def back(session: Session, command: Back) -> Answer:
    require_no_dialog(session)
    return await navigation_answer(session, await session.page.history(-1, timeout=session.deadline.remaining()))


@handles(Forward)
async def forward(session: Session, command: Forward) -> Answer:
    require_no_dialog(session)
    return await navigation_answer(session, await session.page.history(1, timeout=session.deadline.remaining()))


@handles(Refresh)
async def refresh(session: Session, command: Refresh) -> Answer:
    if session.options.policy is not None and session.options.policy.read_only:
        _check_form(session)
    closed = await _revive(session)
    navigation = await session.page.reload(hard=command.hard, timeout=session.deadline.remaining())
    answer = await navigation_answer(session, navigation)
    answer.changes[:0] = closed
    return answer


def _check_form(session: Session) -> None:
    """Raise `ReadOnly` if reloading the page would submit a form again."""
    for each in session.browser.network.exchanges():
        if each.kind == "document" and each.document == session.page.document and each.method not in ("GET", "HEAD"):
            raise ReadOnly(f"refresh would send a form again ({each.method})")


@handles(Url)
async def url(session: Session, command: Url) -> Answer:
    address = session.page.url
    return Answer(lines=[text_safety.url(address)], data=address)
