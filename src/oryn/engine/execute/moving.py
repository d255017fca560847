"""`goto`, `back`, `forward`, `refresh`, `url`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base import Navigation
from oryn.engine import escape
from oryn.engine.actions import add_downloads, http_notes, page_info, require_no_dialog
from oryn.engine.addresses import check_address, is_file, path_of
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.errors import FileError, NotSupported, PathNotAllowed, ReadOnly
from oryn.language import VAULT_REFERENCE, Back, Forward, Goto, Refresh, Url, resolve_url

if TYPE_CHECKING:
    from oryn.engine.session import Session


async def arrived(session: Session, navigation: Navigation) -> Answer:
    """The answer of a command that moved: the page that is there now, and what was odd on the way."""
    session.frame = None
    session.view.enter(session.page)
    notes = http_notes(navigation)
    if navigation.download is not None:
        notes.append("the answer was a download; the page stays")
    if dialog := session.page.dialog:
        notes.append(f"the page waits for a dialog: {dialog.kind} {escape.quoted(dialog.message)}")
        return Answer(page=(navigation.url, ""), notes=notes)
    answer = Answer(page=await page_info(session), notes=notes)
    if navigation.download is not None:
        await add_downloads(session, answer)
    return answer


async def destination(session: Session, url: str) -> str:
    """The whole URL of where a command shall go. Raises `InvalidValue`, `DomainNotAllowed`, `UrlNotAllowed`,
    `PathNotAllowed`."""
    whole = resolve_url(url, session.page.url)
    if session.options.policy is not None:
        session.options.policy.check_url(whole)
    check_address(whole, session.files, session.browser.mode)
    if is_file(whole):
        await hold_files(session)
    return whole


async def hold_files(session: Session) -> None:
    """From now on the browser loads no file that the command's caller may not open, whatever page asks for it."""
    files, bounds = session.files, session.files.bounds

    def allows(url: str) -> bool:
        try:
            files.check(path_of(url), bounds)
        except FileError:
            return False
        return True

    try:
        await session.browser.hold_files(allows)
    except NotSupported:
        if bounds:
            raise PathNotAllowed("this browser can't be held to the allowed folders, so it opens no file") from None
    else:
        session.holds_files = True


@handles(Goto)
async def goto(session: Session, command: Goto) -> Answer:
    await session.browser.revive()
    url = await destination(session, command.url)
    headers = {str(name): str(value) for name, value in command.headers.items()} if command.headers else None
    if headers and any(map(VAULT_REFERENCE.search, headers.values())):
        headers = {name: await session.secrets.for_page(value, url) for name, value in headers.items()}
    navigation = await session.page.goto(url, headers=headers, timeout=session.remaining())
    return await arrived(session, navigation)


@handles(Back)
async def back(session: Session, command: Back) -> Answer:
    require_no_dialog(session)
    return await arrived(session, await session.page.history(-1, timeout=session.remaining()))


@handles(Forward)
async def forward(session: Session, command: Forward) -> Answer:
    require_no_dialog(session)
    return await arrived(session, await session.page.history(1, timeout=session.remaining()))


@handles(Refresh)
async def refresh(session: Session, command: Refresh) -> Answer:
    if session.options.policy is not None and session.options.policy.read_only:
        _check_form(session)
    await session.browser.revive()
    return await arrived(session, await session.page.reload(hard=command.hard, timeout=session.remaining()))


def _check_form(session: Session) -> None:
    """Raises `ReadOnly` where to load the page again would be to send a form again."""
    for each in session.browser.network.exchanges():
        if each.kind == "document" and each.document == session.page.document and each.method not in ("GET", "HEAD"):
            raise ReadOnly(f"refresh would send a form again ({each.method})")


@handles(Url)
async def url(session: Session, command: Url) -> Answer:
    address = session.page.url
    return Answer(lines=[escape.url(address)], data=address)
