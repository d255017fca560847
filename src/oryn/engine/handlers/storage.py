"""`cookies …` and `storage …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.browsers.base import Cookie
from oryn.core.text_safety import plain, quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import query_scanner
from oryn.errors import NameNotFound, NotStored
from oryn.language import (
    VAULT_REFERENCE,
    CookiesClear,
    CookiesDelete,
    CookiesGet,
    CookiesList,
    CookiesSet,
    StorageClear,
    StorageDelete,
    StorageGet,
    StorageList,
    StorageSet,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import StorageAction, StorageArea, StorageRequest, StorageResponse

StorageCommand = StorageList | StorageGet | StorageSet | StorageDelete | StorageClear


async def _page_cookies(session: Session) -> list[Cookie]:
    """Return the cookies of the current page. On a page without a host (`about:blank`) they are all of the session."""
    url = session.page.url
    return await session.browser.cookies(url if urlsplit(url).hostname else None)


@handles(CookiesList)
async def cookies_list(session: Session, command: CookiesList) -> Answer:
    cookies = await _page_cookies(session)
    return Answer(lines=[cookie_line(cookie) for cookie in cookies], data=[cookie_data(cookie) for cookie in cookies])


def cookie_line(cookie: Cookie) -> str:
    """Render a cookie: `theme "dark" example.com / {secure, http-only}`."""
    flags = [name for name, on in (("secure", cookie.secure), ("http-only", cookie.http_only)) if on]
    text = f"{plain(cookie.name)} {quoted(cookie.value)} {plain(cookie.domain)}"
    if cookie.path != "/":
        text += f" {plain(cookie.path)}"
    return text + (f" {{{', '.join(flags)}}}" if flags else "")


def cookie_data(cookie: Cookie) -> dict[str, Any]:
    return cookie.values()


async def _named(session: Session, name: str) -> list[Cookie]:
    """Return the cookies of this name. Raises `NameNotFound` with the available names."""
    cookies = await _page_cookies(session)
    found = [cookie for cookie in cookies if cookie.name == name]
    if not found:
        names = ", ".join(sorted({plain(cookie.name) for cookie in cookies})) or "none"
        raise NameNotFound(f"no cookie {quoted(name)}", f"Cookies of this page: {names}")
    return found


@handles(CookiesGet)
async def cookies_get(session: Session, command: CookiesGet) -> Answer:
    found = await _named(session, command.name)
    return Answer(lines=[quoted(found[0].value)], data=found[0].value)


@handles(CookiesSet)
async def cookies_set(session: Session, command: CookiesSet) -> Answer:
    url = urlsplit(session.page.url)
    if not url.hostname:
        raise NotStored("this page has no host that a cookie could belong to", "Go to the site first.")
    value = command.value
    if VAULT_REFERENCE.search(value):
        value = (await session.secrets.for_frame(value, None)).text
    cookie = Cookie(command.name, value, domain=url.hostname, secure=url.scheme == "https")
    await session.browser.set_cookies([cookie])
    return Answer()


@handles(CookiesDelete)
async def cookies_delete(session: Session, command: CookiesDelete) -> Answer:
    await session.browser.delete_cookies(await _named(session, command.name))
    return Answer()


@handles(CookiesClear)
async def cookies_clear(session: Session, command: CookiesClear) -> Answer:
    await session.browser.clear_cookies()
    return Answer()


async def _storage(
    session: Session,
    command: StorageCommand,
    action: StorageAction,
    *,
    key: str | None = None,
    value: str | None = None,
    origin: str | None = None,
) -> StorageResponse:
    """Send a request about local storage, or session storage with `--session`."""
    require_no_dialog(session)
    area: StorageArea = "session" if command.session else "local"
    request: StorageRequest = {"cmd": "storage", "area": area, "action": action, "key": key, "value": value}
    request["origin"] = origin
    data: StorageResponse = await query_scanner(session.page, request, session.frame, session.deadline.remaining())
    return data


@handles(StorageList)
async def storage_list(session: Session, command: StorageList) -> Answer:
    entries = (await _storage(session, command, "list"))["entries"]
    return Answer(lines=[f"{quoted(key)}: {quoted(value)}" for key, value in entries.items()], data=entries)


@handles(StorageGet)
async def storage_get(session: Session, command: StorageGet) -> Answer:
    value = (await _storage(session, command, "get", key=command.key)).get("value")
    if value is None:
        raise NameNotFound(f"no key {quoted(command.key)}", "Run 'storage list' to see the keys.")
    return Answer(lines=[quoted(value)], data=value)


@handles(StorageSet)
async def storage_set(session: Session, command: StorageSet) -> Answer:
    value, origin = command.value, None
    if VAULT_REFERENCE.search(value):
        filled = await session.secrets.for_frame(value, session.frame)
        value, origin = filled.text, filled.origin
    await _storage(session, command, "set", key=command.key, value=value, origin=origin)
    return Answer()


@handles(StorageDelete)
async def storage_delete(session: Session, command: StorageDelete) -> Answer:
    await _storage(session, command, "delete", key=command.key)
    return Answer()


@handles(StorageClear)
async def storage_clear(session: Session, command: StorageClear) -> Answer:
    await _storage(session, command, "clear")
    return Answer()
