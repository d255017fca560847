"""HTTP authentication: which servers ask for it, and whether they take the credentials.

A browser without a person answers no challenge: a response with the status 401 never arrives, and no event tells of it.
So servers are asked from here, once for each path, while there are credentials; a request gets them only if its server
has asked for them. Basic authentication alone, as the header of a request is all that can be set.
https://datatracker.ietf.org/doc/html/rfc7617"""

from __future__ import annotations

import asyncio
import base64
import ssl
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from oryn.browsers.cdp.network.direct_requests import DirectResponse, fetch
from oryn.browsers.common.target_feature import TargetFeature
from oryn.browsers.webkit.inflight import resource_kind
from oryn.core.urls import origin_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oryn.browsers.base.network import HttpCredentials
    from oryn.browsers.common.protocol_session import ProtocolSession
    from oryn.browsers.common.target_feature import InterceptedTarget
    from oryn.browsers.webkit.network.loaded_page import LoadedPage

SILENT_SECONDS = 1.0
"""How long a server may take to answer a request for a document before it is asked from here."""
_UNAUTHORIZED = 401
_ASK_SECONDS = 5.0
_MAX_PATHS = 10_000


class HttpChallenges:
    """What servers have answered about credentials.

    verify: whether certificates of servers must be valid."""

    def __init__(self, *, verify: bool = True) -> None:
        self._context = ssl.create_default_context()
        if not verify:
            self._context.check_hostname = False
            self._context.verify_mode = ssl.CERT_NONE
        self.login: HttpCredentials | None = None
        self._accepted: set[str] = set()
        """The origins that have taken the present credentials."""
        self._open: dict[str, None] = {}
        """The addresses, without the query, at which none were asked for."""

    def set_login(self, login: HttpCredentials | None) -> None:
        """Use other credentials from now on, or none."""
        self.login = login
        self._accepted.clear()
        self._open.clear()

    def is_for(self, url: str) -> bool:
        """Whether the server of a URL may get the credentials."""
        origin = origin_of(url)
        return (
            self.login is not None and origin is not None and (not self.login.origins or origin in self.login.origins)
        )

    def headers(self, url: str) -> Mapping[str, str] | None:
        """The headers that a request gets; None if its server must be asked first."""
        if not self.is_for(url) or _path(url) in self._open:
            return {}
        return self._authorization() if origin_of(url) in self._accepted else None

    async def ask(self, url: str, headers: Mapping[str, str]) -> DirectResponse | None:
        """Ask the server of a URL whether it wants credentials, and whether it takes them; the method `headers` tells
        then. Returns the server's response if it has refused them."""
        refused = await self.challenge(url, headers)
        if refused is None:
            self._open[_path(url)] = None
            while len(self._open) > _MAX_PATHS:
                del self._open[next(iter(self._open))]
            return None
        refused = await self.challenge(url, {**headers, **self._authorization()})
        if refused is None and (origin := origin_of(url)) is not None:
            self._accepted.add(origin)
        return refused

    async def challenge(self, url: str, headers: Mapping[str, str]) -> DirectResponse | None:
        """The response of a server that wants (other) credentials, or None."""
        try:
            answer = await fetch(
                "GET", url, headers, context=self._context, body_of=_UNAUTHORIZED, timeout=_ASK_SECONDS
            )
        except OSError:
            return None  # the browser will tell
        return answer if answer.status == _UNAUTHORIZED and _wants_basic(answer) else None

    def _authorization(self) -> dict[str, str]:
        assert self.login is not None
        encoded = base64.b64encode(f"{self.login.user}:{self.login.password}".encode()).decode()
        return {"Authorization": f"Basic {encoded}"}


class SilentDocuments(TargetFeature["ProtocolSession"]):
    """Ends loads of documents that wait for credentials that nobody gives: their servers are asked from here if they
    have not answered for `SILENT_SECONDS`."""

    def __init__(self, challenges: HttpChallenges) -> None:
        self._challenges = challenges
        self._timers: dict[tuple[ProtocolSession, str], asyncio.TimerHandle] = {}
        self._asking: set[asyncio.Task[None]] = set()

    def attach(self, page: InterceptedTarget[ProtocolSession], session: ProtocolSession) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(page, session, event))
        for name in ("Network.responseReceived", "Network.loadingFailed", "Network.loadingFinished"):
            session.on(name, lambda event: self._on_answered(session, event))

    def _on_sent(
        self, page: InterceptedTarget[ProtocolSession], session: ProtocolSession, event: dict[str, Any]
    ) -> None:
        self._on_answered(session, event)
        top = cast("LoadedPage", page).frame_tree.top
        if resource_kind(event) != "Document" or event["frameId"] != top.id:
            return
        if event["request"]["method"] == "GET" and event["request"]["url"].startswith(("http:", "https:")):
            self._timers[session, event["requestId"]] = asyncio.get_running_loop().call_later(
                SILENT_SECONDS, self._on_silent, page, session, event
            )

    def _on_answered(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        timer = self._timers.pop((session, event["requestId"]), None)
        if timer is not None:
            timer.cancel()

    def _on_silent(
        self, page: InterceptedTarget[ProtocolSession], session: ProtocolSession, event: dict[str, Any]
    ) -> None:
        task = asyncio.create_task(self._ask(cast("LoadedPage", page), session, event))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _ask(self, page: LoadedPage, session: ProtocolSession, event: dict[str, Any]) -> None:
        request = event["request"]
        answer = await self._challenges.challenge(request["url"], request["headers"])
        if answer is None or self._timers.pop((session, event["requestId"]), None) is None:
            return  # it is slow, or has answered meanwhile
        attempt = page.navigations.begin(event["loaderId"], request["url"])
        page.navigations.record_failure(attempt, "net::ERR_INVALID_AUTH_CREDENTIALS")
        page.navigations.end_without_document(attempt)
        page.navigator.stop_loading()


def _wants_basic(answer: DirectResponse) -> bool:
    return any(
        name.lower() == "www-authenticate" and value.lower().lstrip().startswith("basic")
        for name, value in answer.fields
    )


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
