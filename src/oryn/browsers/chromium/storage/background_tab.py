"""A hidden tab that can show an empty document of any origin.

Local storage is accessible only from a document of its origin. We answer the request for this document ourselves, so
the server gets no request and no script of the site runs. `CdpTargets.open_hidden` creates it.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.connection import CdpSession
from oryn.errors import NavigationError, TabNotFound

END_SECONDS = 2.0

_EMPTY = {
    "responseCode": 200,
    "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
    "body": base64.b64encode(b"<!doctype html>").decode(),
}


class BackgroundTab:
    """A hidden tab whose requests are all answered here."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._origin = ""

    async def prepare(self) -> None:
        """Intercept all requests of the tab."""
        self._session.on("Fetch.requestPaused", self._answer)
        await self._session.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        # A service worker would answer first.
        await self._session.call("Network.setBypassServiceWorker", {"bypass": True})

    def _answer(self, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        if event["request"]["url"].startswith(f"{self._origin}/"):
            self._session.send("Fetch.fulfillRequest", {**request, **_EMPTY})
        else:
            # The browser tries https:// first, and falls back to http:// if it fails.
            self._session.send("Fetch.failRequest", {**request, "errorReason": "ConnectionRefused"})

    async def visit(self, origin: str) -> bool:
        """Open an empty document of `origin`. Returns False if the browser refuses to open such an address."""
        self._origin = origin
        try:
            await self._session.call("Page.navigate", {"url": f"{origin}/"})
        except NavigationError:
            return False
        has_origin: bool = await self.value("location.origin") == origin
        return has_origin

    async def value(self, expression: str) -> Any:
        """The JSON value of an expression; a promise is awaited. Raises `ScriptError` if it throws."""
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = await self._session.call("Runtime.evaluate", params)
        if "exceptionDetails" in answer:
            raise error_mapping.error_from_exception(answer["exceptionDetails"])
        return answer["result"].get("value")

    async def delete_database(self, name: str) -> None:
        """Delete a database in the IndexedDB of the origin; the connections of open pages to it are closed.
        https://chromedevtools.github.io/devtools-protocol/tot/IndexedDB/#method-deleteDatabase"""
        await self._session.call("IndexedDB.deleteDatabase", {"securityOrigin": self._origin, "databaseName": name})


@asynccontextmanager
async def attach_background_tab(root: CdpSession, target_id: str) -> AsyncIterator[BackgroundTab]:
    """Attach a hidden tab for the time of the block, and close it."""
    target = {"targetId": target_id}
    try:
        attached = await root.call("Target.attachToTarget", {**target, "flatten": True})
    except BaseException:  # also when cancelled
        root.send("Target.closeTarget", target)
        raise
    session, closed = root.connection.session(attached["sessionId"]), asyncio.Event()

    def detached(event: dict[str, Any]) -> None:
        if event["sessionId"] == session.id:
            closed.set()

    root.on("Target.detachedFromTarget", detached)
    try:
        tab = BackgroundTab(session)
        await tab.prepare()
        yield tab
    finally:
        root.send("Target.closeTarget", target)
        with suppress(TimeoutError):
            await asyncio.wait_for(closed.wait(), END_SECONDS)
        root.off("Target.detachedFromTarget", detached)
        root.connection.end_session(session, TabNotFound("the hidden tab is closed"))
