"""Cookies of all sites that a session has visited.

WebKit 2.54 has commands for them. Browsers before it tell the cookies that belong to the resources of a document: 2.38
whatever their sites, 2.48 not those that other sites are not sent. So they are read from documents of the hidden tab,
with an image for each place where the session has been, which is never loaded; they are set and deleted in a document
of their own site.
https://github.com/WebKit/WebKit/blob/main/Source/WebCore/inspector/agents/InspectorPageAgent.cpp"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from oryn.browsers.base import Cookie
from oryn.browsers.webkit.cookie_places import CookiePlaces, host_of, url_of
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.webkit.hidden_tab import HiddenTab, HiddenTabs
    from oryn.browsers.webkit.page import WebKitPage
    from oryn.browsers.webkit.session import WebKitSession

COOKIE_SECONDS = 30.0
_TRIED_HOST = "tried.invalid"
"""No request reaches it (https://www.rfc-editor.org/rfc/rfc6761#section-6.4)."""
CookieKey = tuple[str, str, str]
"""The name, the domain and the path of a cookie, which make it one."""
_SAME_SITE: dict[str, Literal["Strict", "Lax", "None"]] = {"Strict": "Strict", "Lax": "Lax", "None": "None"}


class WebKitCookies:
    """The cookies of one session.

    hidden: its hidden tab."""

    def __init__(self, hidden: HiddenTabs, places: CookiePlaces) -> None:
        self._hidden = hidden
        self._places = places
        self._has_commands = True
        """Whether the browser may have commands for the cookies of all sites, as from 2.54 on."""

    # --- reading ---

    async def all(self, page: WebKitPage) -> list[Cookie]:
        """All cookies of the session. `page`: any tab."""
        answer = await self._command(page, "getCookies", {})
        if answer is not None:
            return _cookies(answer)
        urls = self._places.urls()
        if not urls:
            return []
        async with self._hidden.use(COOKIE_SECONDS, "reading of cookies") as tab:
            return await _read(tab, urls)

    async def of_url(self, url: str, page: WebKitPage) -> list[Cookie]:
        """The cookies that a request to `url` would carry. `page`: a tab, which is asked if it shows that URL."""
        host = host_of(url)
        if host is None:
            return []
        if (answer := await self._command(page, "getCookies", {})) is not None:
            is_safe = urlsplit(url).scheme in ("https", "wss")
            found = [cookie for cookie in _cookies(answer) if is_safe or not cookie.secure]
        elif page.url == url and not page.frame_tree.top.is_error_page:
            found = _cookies(await page.channel.call("Page.getCookies"))
        else:
            async with self._hidden.use(COOKIE_SECONDS, "reading of cookies") as tab:
                found = await _read(tab, [url])
        return [cookie for cookie in found if _belongs(cookie, host, urlsplit(url).path or "/")]

    # --- changes ---

    async def set(self, cookies: Sequence[Cookie], page: WebKitPage) -> None:
        """Add or replace cookies. A cookie without a domain is for the host that `page` shows."""
        here = host_of(page.url) or ""
        cookies = [each if each.domain else each.replace(domain=here) for each in cookies]
        for cookie in cookies:
            self._places.add(_host(cookie), cookie.path)
        if all(_host(cookie) == here for cookie in cookies):
            await _set(page.channel.session, cookies)
            return
        for cookie in cookies if self._has_commands else ():
            if await self._command(page, "setCookie", _to_protocol(cookie)) is None:
                break
        else:
            if self._has_commands:
                return
        async with self._hidden.use(COOKIE_SECONDS, "setting of cookies") as tab:
            for group in _by_host(cookies):
                await _visit(tab, url_of(_host(group[0])))
                await _set(tab.session, group)

    async def delete(self, cookies: Sequence[Cookie], page: WebKitPage) -> None:
        """Delete cookies. `page`: any tab."""
        if not cookies:
            return
        for cookie in cookies:
            names = {"name": cookie.name, "domain": cookie.domain or host_of(page.url), "path": cookie.path}
            if await self._command(page, "deleteCookies", {"filter": names}) is None:
                break
        else:
            return
        async with self._hidden.use(COOKIE_SECONDS, "deleting of cookies") as tab:
            for group in _by_host(cookies):
                await _visit(tab, url_of(_host(group[0])))
                await _delete(tab, group)

    async def clear(self, page: WebKitPage) -> None:
        """Delete all cookies of the session. `page`: any tab."""
        await self.delete(await self.all(page), page)

    async def _command(self, page: WebKitPage, name: str, params: dict[str, Any]) -> Answer | None:
        """The answer to a command of the domain `Storage`; None in a browser that has none."""
        if not self._has_commands:
            return None
        try:
            return await page.channel.target.inspector.call(f"Storage.{name}", params)
        except NotSupported:
            self._has_commands = False
            return None


async def _set(session: WebKitSession, cookies: Iterable[Cookie]) -> None:
    """Set cookies of the host that the document of a session is of."""
    await _answers([session.send("Page.setCookie", _to_protocol(each)) for each in cookies])


async def _delete(tab: HiddenTab, cookies: Sequence[Cookie]) -> None:
    """Delete cookies of the host that the tab shows. The browser deletes all of a name that an address has: those of
    other domains or paths are set again."""
    urls = [url_of(_host(cookie), cookie.path) for cookie in cookies]
    gone = set(map(_key, cookies))
    names = {cookie.name for cookie in cookies}
    host = _host(cookies[0])
    others = [cookie for cookie in await _read_here(tab, urls) if cookie.name in names and _key(cookie) not in gone]
    await _answers(
        [
            tab.session.send("Page.deleteCookie", {"cookieName": cookie.name, "url": url})
            for cookie, url in zip(cookies, urls, strict=True)
        ]
    )
    await _set(tab.session, [cookie for cookie in others if _belongs(cookie, host, None)])


async def _visit(tab: HiddenTab, url: str) -> None:
    """Show a document of the host of an address. It is loaded twice: one that a document of another site has led to is
    not shown the cookies that are for their own site alone."""
    parts = urlsplit(url)
    for _ in range(2):
        await tab.visit(f"{parts.scheme}://{parts.netloc}")


async def _read(tab: HiddenTab, urls: Sequence[str]) -> list[Cookie]:
    """The cookies that belong to any of these addresses."""
    hosts: dict[str, list[str]] = {}
    for url in urls:
        hosts.setdefault(host_of(url) or "", []).append(url)
    groups = list(hosts.values())
    if len(groups) > 1 and await _has_cookies_of_other_sites(tab):
        groups = [list(urls)]
    found: dict[CookieKey, Cookie] = {}
    for group in groups:
        await _visit(tab, group[0])
        found |= {_key(cookie): cookie for cookie in await _read_here(tab, group)}
    return list(found.values())


async def _has_cookies_of_other_sites(tab: HiddenTab) -> bool:
    """Whether a document has all cookies of its resources: tried with a cookie, once in a tab."""
    if tab.has_cookies_of_other_sites is None:
        tried = Cookie("tried", "1", _TRIED_HOST, expires=time.time() + COOKIE_SECONDS, same_site="Lax")
        await _visit(tab, url_of(_TRIED_HOST))
        await _set(tab.session, [tried])
        await _visit(tab, url_of(f"other-{_TRIED_HOST}"))
        tab.has_cookies_of_other_sites = bool(await _read_here(tab, [url_of(_TRIED_HOST)]))
    return tab.has_cookies_of_other_sites


async def _read_here(tab: HiddenTab, urls: Sequence[str]) -> list[Cookie]:
    """Like `_read`, from the document that the tab shows."""
    await tab.value(f"for (const url of {json.dumps(urls)}) new Image().src = url; 0")
    return _cookies(await tab.session.call("Page.getCookies"))


async def _answers(sent: Iterable[asyncio.Future[Answer]]) -> None:
    """Wait for commands that were sent together. Raises the first failure."""
    await asyncio.gather(*sent)


def _by_host(cookies: Sequence[Cookie]) -> list[list[Cookie]]:
    groups: dict[str, list[Cookie]] = {}
    for cookie in cookies:
        groups.setdefault(_host(cookie), []).append(cookie)
    return list(groups.values())


def _key(cookie: Cookie) -> CookieKey:
    return cookie.name, cookie.domain, cookie.path


def _host(cookie: Cookie) -> str:
    return cookie.domain.removeprefix(".").lower()


def _belongs(cookie: Cookie, host: str, path: str | None) -> bool:
    """Whether a request to `path` (None: any) of `host` carries a cookie.

    https://www.rfc-editor.org/rfc/rfc6265#section-5.1.3 and 5.1.4"""
    domain = _host(cookie)
    if host != domain and not (cookie.domain.startswith(".") and host.endswith(f".{domain}")):
        return False
    above = cookie.path.removesuffix("/")
    return path is None or path == cookie.path or path.startswith(f"{above}/") or above == path


# --- the protocol's cookies ---


def _cookies(answer: Answer) -> list[Cookie]:
    return list({_key(each): each for each in map(_from_protocol, answer["cookies"])}.values())


def _from_protocol(cookie: dict[str, Any]) -> Cookie:
    same_site = _SAME_SITE.get(cookie.get("sameSite", ""))
    return Cookie(
        cookie["name"],
        cookie["value"],
        cookie["domain"],
        cookie["path"],
        None if cookie.get("session") else cookie["expires"] / 1000,
        cookie["secure"],
        cookie["httpOnly"],
        # The browser says `None` for a cookie that says nothing, too.
        None if same_site == "None" and not cookie["secure"] else same_site,
    )


def _to_protocol(cookie: Cookie) -> dict[str, Any]:
    """A cookie that says nothing about other sites is not sent there, as in Chromium."""
    # Only a domain with a leading dot includes the subdomains.
    return {
        "cookie": {
            "name": cookie.name,
            "value": cookie.value,
            "domain": cookie.domain,
            "path": cookie.path or "/",
            "expires": 0 if cookie.expires is None else round(cookie.expires * 1000),
            "session": cookie.expires is None,
            "httpOnly": cookie.http_only,
            "secure": cookie.secure,
            "sameSite": cookie.same_site or "Lax",
        }
    }
