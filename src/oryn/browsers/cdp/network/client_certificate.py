"""Requests to servers that require a client certificate: intercepted, sent by us, answered with the response.

Chromium takes client certificates from the system's store and prompts the user for one; the DevTools protocol can't
provide one. So requests to the origins of a certificate are paused, sent from here, and fulfilled with the response:
over HTTP/1.1, with the whole body at once, and without the browser's cache."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.browsers.cdp.network.direct_requests import DirectResponse, fetch
from oryn.errors import ConfigurationError, OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import InterceptedPage


class ClientCertificate:
    """A client certificate and the origins to use it for.

    file: PEM with the certificate, its chain, and its key without a password.
    origins: such as `https://host:port`.
    verify: whether to verify the server's certificate.

    Raises `ConfigurationError` if the file can't be used."""

    def __init__(self, file: Path, origins: Iterable[str], *, verify: bool = True) -> None:
        self.origins = tuple(origins)
        self._context = ssl.create_default_context()
        if not verify:
            self._context.check_hostname = False
            self._context.verify_mode = ssl.CERT_NONE
        try:
            self._context.load_cert_chain(file, password=_no_password)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise ConfigurationError(
                f"client_certificate: {file} can't be used",
                "A PEM file with the certificate and its key, the key without a password.",
            ) from error

    def is_for(self, url: str) -> bool:
        return origin(url) in map(origin, self.origins)

    async def fetch(
        self, method: str, url: str, headers: Mapping[str, str], cookie: str, body: bytes
    ) -> DirectResponse:
        """Send a request and read the whole response. Raises `OSError` (also `ssl.SSLError`, `TimeoutError`)."""
        return await fetch(method, url, headers, cookie=cookie, body=body, context=self._context)


def origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or 443


def _no_password() -> str:
    # Without this, OpenSSL would ask on the terminal.
    return ""


class ClientCertificateHandler:
    """Answers paused requests with responses that it fetches with the certificate, each in a task of its own."""

    def __init__(self, certificate: ClientCertificate) -> None:
        self._certificate = certificate
        self._running: set[asyncio.Task[None]] = set()

    @property
    def patterns(self) -> list[str]:
        """The URL patterns of the certificate's origins, for the Fetch domain."""
        return [f"{each}/*" for each in self._certificate.origins]

    def is_for(self, url: str) -> bool:
        return self._certificate.is_for(url)

    def start(
        self, page: InterceptedPage, session: CdpSession, event: dict[str, Any], headers: Mapping[str, str]
    ) -> None:
        task = asyncio.create_task(self._answer(page, session, event, headers))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answer(
        self, page: InterceptedPage, session: CdpSession, event: dict[str, Any], headers: Mapping[str, str]
    ) -> None:
        request = event["request"]
        try:
            cookie = await _cookie(page, session, event)
            body = await _body(session, event)
            answer = await self._certificate.fetch(request["method"], request["url"], headers, cookie, body)
        except OSError as error:
            session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": _error_reason(error)})
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


async def _body(session: CdpSession, event: dict[str, Any]) -> bytes:
    request = event["request"]
    if "postData" in request or not request.get("hasPostData"):
        return str(request.get("postData", "")).encode("utf-8", "surrogatepass")
    answer = await session.call("Network.getRequestPostData", {"requestId": event["networkId"]})
    text: str = answer["postData"]
    return base64.b64decode(text) if answer.get("base64Encoded") else text.encode("utf-8", "surrogatepass")


async def _cookie(page: InterceptedPage, session: CdpSession, event: dict[str, Any]) -> str:
    """The `Cookie` header of a request. A navigation from a page of another origin carries all cookies but strict ones;
    other requests from there carry none, because only the browser could decide which they may send.

    https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#name-samesite-cookies"""
    url = event["request"]["url"]
    is_navigation = event["resourceType"] == "Document" and event["frameId"] == page.target_id
    is_same_origin = origin(page.url) == origin(url)
    if not is_same_origin and not is_navigation:
        return ""
    from_blank = is_navigation and not page.url.startswith("http")
    answer = await session.call("Network.getCookies", {"urls": [url]})
    return "; ".join(
        f"{cookie['name']}={cookie['value']}"
        for cookie in answer["cookies"]
        if is_same_origin or from_blank or cookie.get("sameSite") != "Strict"
    )


def _error_reason(error: OSError) -> str:
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ErrorReason"""
    if isinstance(error, TimeoutError):
        return "TimedOut"
    if isinstance(error, ssl.SSLError):
        return "AccessDenied"
    return "ConnectionRefused" if isinstance(error, ConnectionRefusedError) else "ConnectionFailed"
