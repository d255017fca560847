"""A clipboard for each session of one browser, which itself has only one.

Pages report what they copy, and before a paste the browser's clipboard gets the session's own text. A session that is
alone in its browser pastes what it copied unchanged, with pictures and formatting.
https://www.w3.org/TR/clipboard-apis/"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

from oryn.browsers.base.storage import Clipboard
from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.feature import TargetFeature
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.cdp.feature import CdpTarget

BINDING = "__oryn_copied"
MAX_TEXT_CHARACTERS = 1_000_000
WORLD = "Oryn's clipboard"


class PasteTarget(Protocol):
    """A tab to paste into."""

    @property
    def channel(self) -> TabCommands: ...
    @property
    def target_id(self) -> str: ...


class _SharedClipboard:
    """The state of one browser's clipboard, shared by the sessions in that browser."""

    def __init__(self) -> None:
        self.users: WeakSet[CdpClipboard] = WeakSet()
        self.used = False
        """Whether the browser's clipboard may hold text of a session."""
        self.pasting = asyncio.Lock()


_shared: WeakKeyDictionary[object, _SharedClipboard] = WeakKeyDictionary()


class CdpClipboard(TargetFeature, Clipboard):
    """One session's clipboard.

    browser: identifies the browser if each of its tabs has a connection of its own; None if they share one."""

    def __init__(self, browser: object | None = None) -> None:
        self._browser = browser
        self._text = ""
        self._is_browsers = False
        """Whether the browser's clipboard holds what this session copied last, if no other session uses it."""

    async def read(self) -> str:
        return self._text

    async def write(self, text: str) -> None:
        self._text, self._is_browsers = text, False

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        self._of(session).users.add(self)
        session.on("Runtime.bindingCalled", self._on_binding_called)
        session.send("Runtime.addBinding", {"name": BINDING})
        source = page_call("copy_report", BINDING, MAX_TEXT_CHARACTERS)
        session.send("Page.addScriptToEvaluateOnNewDocument", {"source": source, "runImmediately": True})

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        """Keep the text: what was copied in the target can still be pasted elsewhere."""

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self._text, self._is_browsers = event["payload"], True
            for shared in _shared.values():
                shared.used = shared.used or self in shared.users

    @asynccontextmanager
    async def pasting(self, page: PasteTarget) -> AsyncIterator[str | None]:
        """Put this session's text into the browser's clipboard for the time of the block. If the browser does not take
        it, as while a password field has the focus, the block gets the text, which it must insert itself.

        A clipboard that no session has used yet, which may be the user's own, is left alone until there is text."""
        shared = self._of(page.channel.session)
        async with shared.pasting:
            is_ours = self._is_browsers and len(shared.users) == 1
            written = True
            if not is_ours and (self._text or shared.used):
                shared.used = True
                world = await page.channel.call(
                    "Page.createIsolatedWorld", {"frameId": page.target_id, "worldName": WORLD}
                )
                script = page_call("copy_text", self._text)
                params = {"expression": script, "userGesture": True, "contextId": world["executionContextId"]}
                answer = await page.channel.call("Runtime.evaluate", params)
                written = answer["result"].get("value") is True
            yield None if written else self._text

    def _of(self, session: CdpSession) -> _SharedClipboard:
        return _shared.setdefault(self._browser or session.connection, _SharedClipboard())
