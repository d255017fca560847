"""Cookies, of the site of the open page: WebDriver reaches no others. https://www.w3.org/TR/webdriver2/#cookies"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from oryn.browsers.base import Cookie
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.errors import InvalidValue

_SAME_SITE: dict[str, Literal["Strict", "Lax", "None"]] = {"Strict": "Strict", "Lax": "Lax", "None": "None"}


async def page_cookies(channel: WebDriverChannel) -> list[Cookie]:
    """The cookies that a request to the open page's URL would carry, `HttpOnly` ones included."""
    return [_from_protocol(each) for each in await channel.get("/cookie") or []]


async def set_cookies(channel: WebDriverChannel, cookies: Sequence[Cookie], page_url: str) -> None:
    """Set cookies. Raises `InvalidValue` for a cookie of another site than the open page's."""
    host = urlsplit(page_url).hostname or ""
    for cookie in cookies:
        domain = cookie.domain.lstrip(".")
        if domain and host != domain and not host.endswith(f".{domain}"):
            raise InvalidValue(
                f"the cookie {cookie.name!r} is for {domain}, and the page is of {host or 'no site'}",
                "In this mode cookies can be set for the open page alone: 'goto' it first.",
            )
        await channel.post("/cookie", {"cookie": _to_protocol(cookie)})


async def delete_cookies(channel: WebDriverChannel, cookies: Sequence[Cookie]) -> None:
    """Delete cookies of the open page."""
    for cookie in cookies:
        await channel.delete(f"/cookie/{quote(cookie.name, safe='')}")


async def clear_cookies(channel: WebDriverChannel) -> None:
    """Delete the cookies of the open page."""
    await channel.delete("/cookie")


def _from_protocol(cookie: dict[str, Any]) -> Cookie:
    expiry = cookie.get("expiry")
    return Cookie(
        str(cookie["name"]),
        str(cookie["value"]),
        str(cookie.get("domain", "")),
        str(cookie.get("path", "/")),
        float(expiry) if expiry is not None else None,
        bool(cookie.get("secure")),
        bool(cookie.get("httpOnly")),
        # The driver says `None` for a cookie that says nothing, too.
        None
        if not cookie.get("secure") and cookie.get("sameSite") == "None"
        else _SAME_SITE.get(cookie["sameSite"])
        if "sameSite" in cookie
        else None,
    )


def _to_protocol(cookie: Cookie) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": cookie.name, "value": cookie.value, "path": cookie.path or "/"}
    if cookie.domain:
        fields["domain"] = cookie.domain
    if cookie.expires is not None:
        fields["expiry"] = int(cookie.expires)
    if cookie.same_site is not None:
        fields["sameSite"] = cookie.same_site
    return fields | {"secure": cookie.secure, "httpOnly": cookie.http_only}
