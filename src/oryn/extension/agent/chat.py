"""The chat whose model drives the agent: sends messages through its page (`extension/chat/chat.ts`) and reads the
answers.

Only messages of the extension's script in the tab's top frame count, for this run and its last message. `chats.json`
has the CSS selectors of known sites and defaults for all others; if they are missing or match nothing, the script uses
the page's structure (`extension/chat/`)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Protocol, cast
from urllib.parse import urlsplit

from oryn.browsers.extension.bridge import ChromeFailed
from oryn.browsers.extension.error_mapping import from_chrome
from oryn.core.records import Record
from oryn.errors import BrowserFailed, CannotAccessPage

Site = dict[str, Any]
"""How to use the page of a chat.

`box`, `send`, `stop`, `message`, `ignore`: lists of CSS selectors, of which the first that matches counts.
`send_words`, `stop_words`: parts of a button's name, in lower case. Times in milliseconds: an answer is complete once
it has not changed for `settled_ms` if it ends with the keyword, else `quiet_ms` after the model has stopped writing, or
`silent_ms` if no button shows whether it writes. `ready_ms`: limit until a button can be pressed; `wait_ms`: limit for
anything else on the page."""


def site_for(url: str) -> Site:
    """The description of the chat at a URL."""
    about = _chats()
    host = _host(url)
    own: Site = next((site for site in about["sites"] if _matches_host(host, site["hosts"])), {})
    return {**about["generic"], **{key: value for key, value in own.items() if key not in ("name", "hosts")}}


def is_chat_site(url: str) -> bool:
    """Whether a URL is that of a known chat site."""
    host = _host(url)
    return any(_matches_host(host, site["hosts"]) for site in _chats()["sites"])


def is_web_url(url: str) -> bool:
    """Whether a tab that shows this URL can be chosen as the chat."""
    return urlsplit(url).scheme in ("http", "https")


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _matches_host(host: str, hosts: list[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)


@cache
def _chats() -> dict[str, Any]:
    about: dict[str, Any] = json.loads((files("oryn.extension") / "chats.json").read_text(encoding="utf-8"))
    return about


LEAVE_SECONDS = 2.0
SCRIPTS = ("chat/chat.js",)

ChatPhase = Literal["sending", "answer", "draft", "gone", "silent"]
"""What a run waits for: that the message is sent (`sending`); the `answer`; that the user sends or clears their own
`draft`; that the page displays our message again (`gone`); an answer that has not appeared for long (`silent`)."""

_FAILURES = {
    "box": "the chat's page has no box to write in",
    "write": "the chat's box does not take the message: it may be too long for it",
    "send": "the chat does not send the message",
}


TAB_CLOSED = "the chat's tab was closed"


class ChatFailed(BrowserFailed):
    """The conversation can't continue; `message` is the reason, as a part of a sentence."""


class OutgoingMessage(Record):
    """A message to the model. Its first and last lines have a random `token`, by which the script finds it in the page;
    `after` is the token of the previous message, which shows that the page has this conversation."""

    number: int
    token: str
    words: str
    after: str = ""
    sent: bool = False

    @property
    def text(self) -> str:
        """The text for the page."""
        mark = f"Oryn {self.number}:{self.token}"
        return f"[{mark}]\n{self.words}\n[/{mark}]"


class ChatBridge(Protocol):
    """What `bridge.Bridge` is here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...


class Chat:
    """The conversation in one tab."""

    def __init__(
        self,
        calls: ChatBridge,
        spawn: Callable[[Coroutine[Any, Any, object]], object],
        tab: int,
        url: str,
        run: str,
        keyword: str,
        on_phase: Callable[[ChatPhase], object],
    ) -> None:
        """`tab` and `url` are those of the chat. `spawn` runs a coroutine in the background, `on_phase` is called when
        something else is waited for."""
        self._calls = calls
        self._spawn = spawn
        self.tab = tab
        self.host = urlsplit(url).netloc
        self.closed = asyncio.Event()
        """Set once the chat's tab is closed."""
        self._site = site_for(url)
        self._run = run
        self._keyword = keyword
        self._on_phase = on_phase
        self._message: OutgoingMessage | None = None
        self._answer: asyncio.Future[str] | None = None
        self._sent: Callable[[OutgoingMessage], object] = lambda message: None

    async def send(self, message: OutgoingMessage, sent: Callable[[OutgoingMessage], object]) -> str:
        """Write a message into the page, send it, and wait for the answer, without a limit of time. `sent` is called
        with the message once it is sent; a message that is sent already is not sent again. Raises `ChatFailed`."""
        if self.closed.is_set():
            raise ChatFailed(TAB_CLOSED)
        self._message, self._sent = message, sent
        self._answer = asyncio.get_running_loop().create_future()
        try:
            await self._deliver(message)
            return await self._answer
        finally:
            self._message = self._answer = None

    async def leave(self) -> None:
        """End the script in the page."""
        with suppress(ChromeFailed, TimeoutError):  # the page is gone, or hangs
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._send({"chat": "leave"})

    async def _deliver(self, message: OutgoingMessage) -> None:
        try:
            url = (await self._calls.call("tabs.get", self.tab)).get("url", "")
            if urlsplit(url).netloc != self.host:
                raise ChatFailed(f"the chat's tab shows another site, not {self.host}")
            target = {"target": {"tabId": self.tab}, "files": list(SCRIPTS)}
            await self._calls.call("scripting.executeScript", target)
            about = {"run": self._run, "keyword": self._keyword, "site": self._site, "text": message.text}
            about |= {name: value for name, value in message.values().items() if name != "words"}
            await self._send({"chat": "say", **about})
        except ChromeFailed as error:
            if isinstance(from_chrome(error.message), CannotAccessPage):
                raise ChatFailed("the browser lets no extension into the chat's page") from error
            self._on_phase("gone")  # another document is coming, or the tab closes: both have events

    async def _send(self, message: dict[str, Any]) -> None:
        await self._calls.call("tabs.sendMessage", self.tab, message, {"frameId": 0})

    # --- events of the browser and the page ---

    def on_committed(self, event: dict[str, Any]) -> None:
        """The tab shows another document, without the script: deliver the message again."""
        if event["tabId"] != self.tab or event["frameId"] != 0 or self._message is None:
            return
        if urlsplit(event["url"]).netloc != self.host:
            self._fail(f"the chat's tab shows another site, not {self.host}")
        else:
            self._spawn(self._deliver_again(self._message))

    async def _deliver_again(self, message: OutgoingMessage) -> None:
        try:
            await self._deliver(message)
        except ChatFailed as error:
            self._fail(error.message)

    def on_removed(self, tab: int) -> None:
        """A tab was closed."""
        if tab == self.tab:
            self.closed.set()
            self._fail(TAB_CLOSED)

    def on_replaced(self, new: int, old: int) -> None:
        """The browser has given the tab another id, and has discarded its page."""
        if old == self.tab:
            self.tab = new

    def on_message(self, message: Any, sender: dict[str, Any]) -> None:
        """A content script has sent a message."""
        outgoing, answer = self._message, self._answer
        if outgoing is None or answer is None or answer.done() or not self._is_ours(message, sender, outgoing):
            return
        match message:
            case {"chat": "sent"}:
                self._message = outgoing.replace(sent=True)
                self._sent(self._message)
            case {"chat": "waiting", "why": "sending" | "answer" | "draft" | "gone" | "silent" as why}:
                self._on_phase(cast("ChatPhase", why))
            case {"chat": "answer", "text": str(text)}:
                answer.set_result(text)
            case {"chat": "failed", "why": str(why)}:
                self._fail(_FAILURES.get(why, "the chat's page can't be used"))

    def _is_ours(self, message: Any, sender: dict[str, Any], outgoing: OutgoingMessage) -> bool:
        if not isinstance(message, dict) or sender.get("tab", {}).get("id") != self.tab or sender.get("frameId") != 0:
            return False
        return message.get("run") == self._run and message.get("number") == outgoing.number

    def _fail(self, why: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ChatFailed(why))
