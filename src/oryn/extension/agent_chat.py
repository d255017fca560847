"""The chat whose model the agent has: its page is told what to write (`extension/chat/chat.js`), and says what is
answered.

What comes counts only from the top frame of the one tab, from our own script there, for this run and its last message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal, Protocol, cast
from urllib.parse import urlsplit

from oryn.browsers.extension.failures import from_chrome
from oryn.errors import BrowserFailed, CannotAccessPage
from oryn.extension.agent_sites import site_of
from oryn.extension.bridge import ChromeFailed
from oryn.records import Record

LEAVE_SECONDS = 2.0
SCRIPTS = ("chat/text.js", "chat/composer.js", "chat/thread.js", "chat/chat.js")

Doing = Literal["sending", "answer", "draft", "gone", "silent"]
"""What is waited for: that the message is sent; the answer; that the user sends or clears what they have begun to
write; that the page shows our message again; an answer of which nothing is to be seen for long."""

_WHY = {
    "box": "the chat's page has no box to write in",
    "write": "the chat's box does not take the message: it may be too long for it",
    "send": "the chat does not send the message",
}


class ChatFailed(BrowserFailed):
    """The conversation can't go on; `message` says why, as a part of a sentence."""


class Said(Record):
    """A message of ours. Its first and its last line have a random token, by which our script knows it in the page;
    `after` is that of the message before, which shows that the page has our conversation."""

    number: int
    token: str
    words: str
    after: str = ""
    sent: bool = False

    @property
    def text(self) -> str:
        mark = f"Oryn {self.number}:{self.token}"
        return f"[{mark}]\n{self.words}\n[/{mark}]"


def _without_words(said: Said) -> dict[str, Any]:
    return {name: value for name, value in said.values().items() if name != "words"}


class Calls(Protocol):
    """What `bridge.Bridge` is here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...


class Chat:
    """The chat in `tab`, at `url`. `waits` is told what is waited for, `spawn` has a coroutine done in the
    background."""

    def __init__(
        self,
        calls: Calls,
        spawn: Callable[[Coroutine[Any, Any, object]], object],
        tab: int,
        url: str,
        run: str,
        keyword: str,
        waits: Callable[[Doing], object],
    ) -> None:
        self._calls = calls
        self._spawn = spawn
        self.tab = tab
        self.host = urlsplit(url).netloc
        self._site = site_of(url)
        self._run = run
        self._keyword = keyword
        self._waits = waits
        self._said: Said | None = None
        self._answer: asyncio.Future[str] | None = None
        self._sent: Callable[[Said], object] = lambda said: None

    async def say(self, said: Said, sent: Callable[[Said], object]) -> str:
        """Write a message, send it, and wait for the answer, however long that takes; `sent` is told when it is sent.
        What was said already is not said again. Raises `ChatFailed`."""
        self._said, self._sent = said, sent
        self._answer = asyncio.get_running_loop().create_future()
        try:
            await self._hand(said)
            return await self._answer
        finally:
            self._said = self._answer = None

    async def leave(self) -> None:
        """Nothing more is wanted of the page."""
        with suppress(ChromeFailed, TimeoutError):  # it is gone, and our script with it; or it hangs
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._send({"chat": "leave"})

    async def _hand(self, said: Said) -> None:
        try:
            url = (await self._calls.call("tabs.get", self.tab)).get("url", "")
            if urlsplit(url).netloc != self.host:
                raise ChatFailed(f"the chat's tab shows another site, not {self.host}")
            target = {"target": {"tabId": self.tab}, "files": list(SCRIPTS)}
            await self._calls.call("scripting.executeScript", target)
            about = {"run": self._run, "keyword": self._keyword, "site": self._site, "text": said.text}
            await self._send({"chat": "say", **about, **_without_words(said)})
        except ChromeFailed as error:
            if isinstance(from_chrome(error.message), CannotAccessPage):
                raise ChatFailed("the browser lets no extension into the chat's page") from error
            self._waits("gone")  # another document is coming, or the tab closes: both are told

    async def _send(self, message: dict[str, Any]) -> None:
        await self._calls.call("tabs.sendMessage", self.tab, message, {"frameId": 0})

    # --- what the browser and the page tell ---

    def committed(self, event: dict[str, Any]) -> None:
        """The tab shows another document: our script is gone, and what it was to do with it."""
        if event["tabId"] != self.tab or event["frameId"] != 0 or self._said is None:
            return
        if urlsplit(event["url"]).netloc != self.host:
            self._fail(f"the chat's tab shows another site, not {self.host}")
        else:
            self._spawn(self._again(self._said))

    async def _again(self, said: Said) -> None:
        try:
            await self._hand(said)
        except ChatFailed as error:
            self._fail(error.message)

    def removed(self, tab: int) -> None:
        if tab == self.tab:
            self._fail("the chat's tab was closed")

    def replaced(self, new: int, old: int) -> None:
        """The browser has given the tab another id, and its page up."""
        if old == self.tab:
            self.tab = new

    def hear(self, message: Any, sender: dict[str, Any]) -> None:
        """A content script says something."""
        said, answer = self._said, self._answer
        if said is None or answer is None or answer.done() or not self._is_ours(message, sender, said):
            return
        match message:
            case {"chat": "sent"}:
                self._said = said.replace(sent=True)
                self._sent(self._said)
            case {"chat": "waiting", "why": "sending" | "answer" | "draft" | "gone" | "silent" as why}:
                self._waits(cast("Doing", why))
            case {"chat": "answer", "text": str(text)}:
                answer.set_result(text)
            case {"chat": "failed", "why": str(why)}:
                self._fail(_WHY.get(why, "the chat's page can't be used"))

    def _is_ours(self, message: Any, sender: dict[str, Any], said: Said) -> bool:
        if not isinstance(message, dict) or sender.get("tab", {}).get("id") != self.tab or sender.get("frameId") != 0:
            return False
        return message.get("run") == self._run and message.get("number") == said.number

    def _fail(self, why: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ChatFailed(why))
