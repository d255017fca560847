"""Cookies of one session. https://chromedevtools.github.io/devtools-protocol/tot/Storage/#method-getCookies"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oryn.browsers.base import Cookie
from oryn.browsers.cdp.connection import CdpSession


async def session_cookies(root: CdpSession, context: Mapping[str, str]) -> list[Cookie]:
    """All cookies of a browser context. `context` are the parameters that name it."""
    answer = await root.call("Storage.getCookies", {**context})
    return [_from_protocol(cookie) for cookie in answer["cookies"]]


async def cookies_for_url(page: CdpSession, url: str) -> list[Cookie]:
    """The cookies that a request to `url` would carry."""
    answer = await page.call("Network.getCookies", {"urls": [url]})
    return [_from_protocol(cookie) for cookie in answer["cookies"]]


async def set_cookies(root: CdpSession, context: Mapping[str, str], cookies: Sequence[Cookie], page_url: str) -> None:
    """Add or replace cookies. A cookie without a domain is for the host of `page_url`.

    Raises `InvalidValue` if the browser rejects a cookie."""
    params = {"cookies": [_to_protocol(cookie, page_url) for cookie in cookies], **context}
    await root.call("Storage.setCookies", params)


async def delete_cookies(page: CdpSession, cookies: Sequence[Cookie], page_url: str) -> None:
    for cookie in cookies:
        location: dict[str, Any] = {"domain": cookie.domain} if cookie.domain else {"url": page_url}
        await page.call(
            "Network.deleteCookies", {"name": cookie.name, "path": cookie.path, **location, **_partition(cookie)}
        )


async def clear_cookies(root: CdpSession, context: Mapping[str, str]) -> None:
    await root.call("Storage.clearCookies", {**context})


def _from_protocol(cookie: dict[str, Any]) -> Cookie:
    return Cookie(
        cookie["name"],
        cookie["value"],
        cookie["domain"],
        cookie["path"],
        None if cookie.get("session") else cookie["expires"],
        cookie["secure"],
        cookie["httpOnly"],
        cookie.get("sameSite"),
        cookie.get("priority"),
        cookie.get("sourceScheme"),
        cookie.get("sourcePort"),
        (key["topLevelSite"], key["hasCrossSiteAncestor"]) if (key := cookie.get("partitionKey")) else None,
    )


def _to_protocol(cookie: Cookie, page_url: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value,
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.http_only,
    }
    # Only a domain with a leading dot includes the subdomains; with a URL instead the cookie is host-only.
    if cookie.domain.startswith("."):
        fields["domain"] = cookie.domain
    elif cookie.domain:
        fields["url"] = f"{'https' if cookie.secure else 'http'}://{cookie.domain}/"
    else:
        fields["url"] = page_url
    if cookie.expires is not None:
        fields["expires"] = cookie.expires
    optional = {
        "sameSite": cookie.same_site,
        "priority": cookie.priority,
        "sourceScheme": cookie.source_scheme,
        "sourcePort": cookie.source_port,
    }
    return fields | {name: value for name, value in optional.items() if value is not None} | _partition(cookie)


def _partition(cookie: Cookie) -> dict[str, Any]:
    if cookie.partition is None:
        return {}
    site, cross_site = cookie.partition
    return {"partitionKey": {"topLevelSite": site, "hasCrossSiteAncestor": cross_site}}
