"""A hidden tab that can show an empty document of any origin.

The storage and the cookies of an origin are accessible only from a document of it. We answer the requests of this tab
ourselves, so no server gets a request, and no script of a site runs.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Network.json"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.events import Signal
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.error_text import round_up_seconds
from oryn.errors import ScriptError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.webkit.session import WebKitSession
    from oryn.browsers.webkit.target import WebKitTarget

LOAD_SECONDS = 5.0
"""Maximum seconds for an empty document, which no network takes part in."""
IDLE_SECONDS = 2.0
"""How long the tab stays after its last use: opening one takes some 50 ms, and one that stays takes memory."""

_EMPTY = {
    "content": "<!doctype html>",
    "base64Encoded": False,
    "mimeType": "text/html",
    "status": 200,
    "statusText": "OK",
    "headers": {"Content-Type": "text/html; charset=utf-8"},
}

_DELETE_DATABASE = """name => new Promise((done, fail) => {
  const request = indexedDB.deleteDatabase(name);
  request.onsuccess = () => done();
  request.onerror = () => fail(request.error);
  request.onblocked = () => fail(new Error(`an open page uses ${name}`));
})"""


class HiddenTab:
    """A hidden tab whose requests are all answered here.

    target: the tab, which shows an empty page and has not been followed yet."""

    def __init__(self, target: WebKitTarget) -> None:
        self.target = target
        self.has_cookies_of_other_sites: bool | None = None
        """Whether its documents have the cookies of resources of other sites; None until that was tried."""
        self._url = ""
        self._loaded = False
        self._signal = Signal()
        target.follow(self._set_up, lambda session: None)

    def _set_up(self, session: WebKitSession) -> None:
        session.on("Network.requestIntercepted", lambda event: self._answer(session, event))
        session.on("Page.loadEventFired", lambda _: self._on_loaded(session))
        session.send("Page.enable")
        session.send("Runtime.enable")
        session.send("Network.enable")
        session.send("Network.setInterceptionEnabled", {"enabled": True})
        rule = {"url": "^https?:", "stage": "request", "caseSensitive": False, "isRegex": True}
        session.send("Network.addInterception", rule)

    def _answer(self, session: WebKitSession, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        if event["request"]["url"] == self._url:
            session.send("Network.interceptRequestWithResponse", {**request, **_EMPTY})
        else:
            session.send("Network.interceptRequestWithError", {**request, "errorType": "General"})

    def _on_loaded(self, session: WebKitSession) -> None:
        if session is self.target.session:
            self._loaded = True
            self._signal.notify()

    @property
    def session(self) -> WebKitSession:
        """The session of the document that it shows."""
        assert self.target.session is not None, "a hidden tab is opened with its inspector"
        return self.target.session

    async def visit(self, origin: str) -> bool:
        """Open an empty document of `origin`. Returns False if the browser refuses to open such an address."""
        self._url, self._loaded = f"{origin}/", False
        with suppress(DocumentGone):  # the document leaves
            await self.value(f"location.replace({json.dumps(self._url)})", timeout=LOAD_SECONDS)
        await self._signal.until(lambda: self._loaded or self.target.ended is not None, LOAD_SECONDS)
        return self._loaded and await self.value("location.origin") == origin

    async def value(self, expression: str, *, timeout: float = 30) -> Any:
        """The JSON value of an expression; a promise is awaited. Raises `ScriptError` if it throws."""
        answer = await self.session.call("Runtime.evaluate", {"expression": expression}, timeout=timeout)
        result = answer["result"]
        if result.get("className") == "Promise":
            params = {"promiseObjectId": result["objectId"], "returnByValue": True}
            answer = await self.session.call("Runtime.awaitPromise", params, timeout=timeout)
            result = answer["result"]
        if answer.get("wasThrown"):
            raise ScriptError(str(result.get("description", "an error")))
        return result.get("value")

    async def delete_database(self, name: str) -> None:
        """Delete a database in the IndexedDB of the origin. Raises `ScriptError` if an open page keeps it."""
        await self.value(f"({_DELETE_DATABASE})({json.dumps(name)})")


class HiddenTabs:
    """The hidden tab of one session, which is opened on its first use, used by one caller after the other, and closed
    when it is idle.

    open: opens a tab without a page. close: closes it; never raises."""

    def __init__(self, open: Callable[[], Awaitable[WebKitTarget]], close: Callable[[WebKitTarget], object]) -> None:
        self._open = open
        self._close = close
        self._lock = asyncio.Lock()
        self._tab: HiddenTab | None = None
        self._idle: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def use(self, timeout: float, what: str) -> AsyncIterator[HiddenTab]:
        """The tab, for the time of the block. Raises `Timeout` if the block takes longer than `timeout` seconds: "the
        `what` was not done"."""
        try:
            async with asyncio.timeout(timeout), self._lock:
                if self._idle is not None:
                    self._idle.cancel()
                    self._idle = None
                if self._tab is None or self._tab.target.ended is not None:
                    self._tab = HiddenTab(await self._open())
                try:
                    yield self._tab
                except BaseException:
                    self.close()  # it may be anywhere
                    raise
                else:
                    self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.close)
        except TimeoutError:
            raise Timeout(f"the {what} was not done after {round_up_seconds(timeout):g} s") from None

    def close(self) -> None:
        """Close the tab. Idempotent."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        tab, self._tab = self._tab, None
        if tab is not None and tab.target.ended is None:
            self._close(tab.target)
