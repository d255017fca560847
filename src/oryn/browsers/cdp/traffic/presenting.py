"""Requests that a client certificate is for: stopped, made by us, answered with what came back."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.traffic.client_certificate import ClientCertificate, origin
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.page import CdpPage


class Presenting:
    """Each request is a task of its own; nothing else waits for it."""

    def __init__(self, certificate: ClientCertificate) -> None:
        self._certificate = certificate
        self._running: set[asyncio.Task[None]] = set()

    @property
    def patterns(self) -> list[str]:
        """Of the Fetch domain."""
        return [f"{each}/*" for each in self._certificate.origins]

    def is_for(self, url: str) -> bool:
        return self._certificate.is_for(url)

    def begin(self, page: CdpPage, session: Session, event: dict[str, Any], headers: Mapping[str, str]) -> None:
        task = asyncio.create_task(self._answer(page, session, event, headers))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answer(self, page: CdpPage, session: Session, event: dict[str, Any], headers: Mapping[str, str]) -> None:
        request = event["request"]
        try:
            cookie = await _cookie(page, session, event)
            body = await _body(session, event)
            answer = await self._certificate.fetch(request["method"], request["url"], headers, cookie, body)
        except OSError as error:
            session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": _reason(error)})
            return
        except OrynError:
            return  # the target has gone, and its request with it
        params = {
            "requestId": event["requestId"],
            "responseCode": answer.status,
            "responseHeaders": [{"name": name, "value": value} for name, value in answer.fields],
            "body": base64.b64encode(answer.body).decode(),
        }
        session.send("Fetch.fulfillRequest", params)


async def _body(session: Session, event: dict[str, Any]) -> bytes:
    request = event["request"]
    if "postData" in request or not request.get("hasPostData"):
        return str(request.get("postData", "")).encode("utf-8", "surrogatepass")
    answer = await session.call("Network.getRequestPostData", {"requestId": event["networkId"]})
    text: str = answer["postData"]
    return base64.b64decode(text) if answer.get("base64Encoded") else text.encode("utf-8", "surrogatepass")


async def _cookie(page: CdpPage, session: Session, event: dict[str, Any]) -> str:
    """The cookies that a request carries. From a page of another origin, a link takes those along that are not strict,
    and all else none: whether its page may send them is known to the browser alone.

    https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#name-samesite-cookies"""
    url = event["request"]["url"]
    is_navigation = event["resourceType"] == "Document" and event["frameId"] == page.target_id
    at_home = origin(page.url) == origin(url)
    if not at_home and not is_navigation:
        return ""
    from_blank = is_navigation and not page.url.startswith("http")
    answer = await session.call("Network.getCookies", {"urls": [url]})
    return "; ".join(
        f"{cookie['name']}={cookie['value']}"
        for cookie in answer["cookies"]
        if at_home or from_blank or cookie.get("sameSite") != "Strict"
    )


def _reason(error: OSError) -> str:
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ErrorReason"""
    if isinstance(error, TimeoutError):
        return "TimedOut"
    if isinstance(error, ssl.SSLError):
        return "AccessDenied"
    return "ConnectionRefused" if isinstance(error, ConnectionRefusedError) else "ConnectionFailed"
