"""A tab that nobody sees and that loads nothing: an empty document of whatever origin is asked for.

Local storage is reached from a document of its origin only. This one is answered by us, so no server hears of it and
no script of the site runs.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createTarget (`hidden`)
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from oryn.browsers.cdp import failures
from oryn.browsers.cdp.connection import Session
from oryn.errors import NavigationError, TabNotFound

END_SECONDS = 2.0

_EMPTY = {
    "responseCode": 200,
    "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
    "body": base64.b64encode(b"<!doctype html>").decode(),
}


class HiddenTab:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._origin = ""

    async def prepare(self) -> None:
        self._session.on("Fetch.requestPaused", self._answer)
        await self._session.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        # A service worker would answer in our place.
        await self._session.call("Network.setBypassServiceWorker", {"bypass": True})

    def _answer(self, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        if event["request"]["url"].startswith(f"{self._origin}/"):
            self._session.send("Fetch.fulfillRequest", {**request, **_EMPTY})
        else:
            # A browser tries https:// first, and comes back to http:// when there is none.
            self._session.send("Fetch.failRequest", {**request, "errorReason": "ConnectionRefused"})

    async def visit(self, origin: str) -> bool:
        """Be at a document of `origin`. Whether that is possible: some addresses a browser refuses to open."""
        self._origin = origin
        try:
            await self._session.call("Page.navigate", {"url": f"{origin}/"})
        except NavigationError:
            return False
        there: bool = await self.value("location.origin") == origin
        return there

    async def value(self, expression: str) -> Any:
        """The JSON value of an expression. Raises `ScriptError` with what it threw."""
        answer = await self._session.call("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in answer:
            raise failures.from_exception(answer["exceptionDetails"])
        return answer["result"].get("value")


@asynccontextmanager
async def hidden_tab(root: Session, context: str) -> AsyncIterator[HiddenTab]:
    """A hidden tab in a browser context, for the time of the block."""
    made = await root.call(
        "Target.createTarget", {"url": "about:blank", "background": True, "hidden": True, "browserContextId": context}
    )
    target, gone = {"targetId": made["targetId"]}, asyncio.Event()

    def detached(event: dict[str, Any]) -> None:
        if event.get("targetId") == target["targetId"]:
            gone.set()

    root.on("Target.detachedFromTarget", detached)
    try:
        attached = await root.call("Target.attachToTarget", {**target, "flatten": True})
        session = root.connection.session(attached["sessionId"])
        try:
            tab = HiddenTab(session)
            await tab.prepare()
            yield tab
        finally:
            root.send("Target.closeTarget", target)
            with suppress(TimeoutError):
                await asyncio.wait_for(gone.wait(), END_SECONDS)
            root.connection.end_session(session, TabNotFound("the hidden tab is closed"))
    finally:
        root.handlers["Target.detachedFromTarget"].remove(detached)
