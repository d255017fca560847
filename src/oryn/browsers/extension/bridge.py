"""`Bridge`: the extension APIs of the browser, for Python in the service worker. Its other half is
`extension/chrome.ts`.

Everything that crosses is text (JSON), so no JavaScript object ever lives in Python: nothing has to be destroyed, and
the engine's memory can be saved as a snapshot. https://developer.chrome.com/docs/extensions/reference/api
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any, Protocol

from oryn.errors import BrowserFailed

Listener = Callable[..., object]
Responder = Callable[..., Any]
"""Returns JSON data, or None to leave the answer to other responders."""


class BridgeHost(Protocol):
    """What the JavaScript half offers (`extension/chrome.ts`), or a test in its place."""

    def attach(self, deliver: Callable[[str, str], str | None], /) -> None:
        """Call `deliver(event, arguments as JSON)` for each event from now on, first for those that came earlier. Its
        result (JSON) is the answer to an event whose `options` say `asyncBlocking`; None is no answer."""

    def call(self, name: str, arguments: str, /) -> Awaitable[str]:
        """`chrome.<name>(...arguments)`: `{"value": …}` or `{"error": "…"}` as JSON. Never rejects."""

    def listen(self, event: str, options: str, /) -> None:
        """`chrome.<event>.addListener(…, ...options)`. Raises if there is no such event."""

    def unlisten(self, event: str, /) -> None:
        """Remove the listener of `listen`."""

    def open(self, url: str, /) -> int:
        """Open a WebSocket; its number, which is the first argument of its events `socket.onOpen()`,
        `socket.onMessage(text)`, `socket.onClose(code, reason)`."""

    def send(self, socket: int, text: str, /) -> None:
        """Send a text frame through a WebSocket."""

    def close(self, socket: int, code: int, reason: str, /) -> None:
        """Close a WebSocket."""

    def post(self, port: int, message: str, /) -> None:
        """Post a message (JSON) through a port of `runtime.onConnect`. A closed port ignores it."""

    def engine(self) -> str:
        """How the engine started, as JSON: see `Bridge.engine`."""


OnOpen = Callable[[], object]
OnMessage = Callable[[str], object]
OnClose = Callable[[int, str], object]


class ChromeFailed(BrowserFailed):
    """A call of an extension API was rejected; `message` is the browser's."""


class BridgeSocket:
    """A WebSocket, opened by `Bridge.socket`."""

    def __init__(self, host: BridgeHost, number: int) -> None:
        self._host = host
        self._number = number

    def send(self, text: str) -> None:
        """Send a text frame. Does nothing if the socket is not open; `closed` reports its end."""
        self._host.send(self._number, text)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Close it. `code` is 1000 or 3000-4999, `reason` at most 123 bytes. `closed` is called once in any case."""
        self._host.close(self._number, code, reason)


class Bridge:
    """Calls extension APIs and passes their events to listeners.

    Besides the events of `chrome.*` there are those of ports:
    `runtime.onConnect({"port": n, "name": …, "sender": {…}})`, `port.onMessage(n, message)`, `port.onDisconnect(n)`.
    `hub.list`, `hub.call` and `hub.cancel` are the tools of other extensions (`extension/hub/pages.ts`), `hub.receive`,
    `hub.withdraw` and the event `hub.onMessage(plugin, message)` the plugins of a server (`extension/hub/server.ts`);
    `hub.onChanged()` follows each change of the hub's tools.
    `tabs.sendMessage` to a document (`documentId`) goes through a port that stays open (`extension/conversations.ts`).
    `webRequest.*` are listened to for all addresses unless `options` say otherwise."""

    def __init__(self, host: BridgeHost) -> None:
        self._host = host
        self._listeners: dict[str, list[Listener]] = {}
        self._responders: dict[str, list[Responder]] = {}
        self._sockets: dict[int, dict[str, Listener]] = {}

    def attach(self) -> None:
        """Start the delivery of events, first of those that were queued while the engine was loading. Call it once,
        after every listener that must not miss an event has been registered."""
        self._host.attach(self._deliver)

    async def call(self, name: str, *arguments: Any) -> Any:
        """`await call("tabs.update", 3, {"url": …})` is `await chrome.tabs.update(3, {url: …})`: JSON in and out, and
        None where there is no value. Raises `ChromeFailed` with the browser's message."""
        answer: dict[str, Any] = json.loads(await self._host.call(name, json.dumps(arguments)))
        if "error" in answer:
            raise ChromeFailed(str(answer["error"]))
        return answer.get("value")

    def on(self, event: str, listener: Listener, *options: Any) -> None:
        """Call `listener` with the JSON arguments of each `event` ("tabs.onUpdated"), in the order of arrival.

        `options` are the further arguments of the first `addListener` (a filter, which details to report)."""
        listeners = self._listeners.setdefault(event, [])
        if not listeners:
            self._host.listen(event, json.dumps(options))
        listeners.append(listener)

    def off(self, event: str, listener: Listener) -> None:
        """Stop calling `listener`, which was registered by `on`."""
        self._listeners[event].remove(listener)
        if not self._listeners[event]:
            self._host.unlisten(event)

    def add_responder(self, event: str, responder: Responder, *options: Any) -> None:
        """Let `responder` answer each `event` that waits for an answer, as its `options` say. Of several the first that
        returns an answer counts; without one the browser continues as if there were no listener."""
        responders = self._responders.setdefault(event, [])
        if not responders:
            self._host.listen(event, json.dumps(options))
        responders.append(responder)

    def remove_responder(self, event: str, responder: Responder) -> None:
        """Stop calling `responder`, which was registered by `add_responder`."""
        self._responders[event].remove(responder)
        if not self._responders[event]:
            self._host.unlisten(event)

    def post(self, port: int, message: Any) -> None:
        """Send a JSON message through a port of `runtime.onConnect`."""
        self._host.post(port, json.dumps(message))

    def socket(self, url: str, opened: OnOpen, received: OnMessage, closed: OnClose) -> BridgeSocket:
        """Open a WebSocket to `url` (ws or wss). `closed(code, reason)` is called once, also if it never opened
        (code 1006). Raises `ChromeFailed` if `url` is no such address."""
        try:
            number = self._host.open(url)
        except Exception as error:  # of the host's own kind: a SyntaxError of JavaScript
            raise ChromeFailed(str(error)) from error
        self._sockets[number] = {"socket.onOpen": opened, "socket.onMessage": received, "socket.onClose": closed}
        return BridgeSocket(self._host, number)

    def engine(self) -> dict[str, Any]:
        """How the engine started: `{"state": "ready", "version": …, "how": "snapshot" | "cold", "ms": …,
        "error": None, "browser": "Chrome/156.0.8078.79", "debugger": True, "event_page": False}`, where `ms` counts
        from the worker's start, `debugger` is whether the browser has one for extensions, and `event_page` whether the
        engine runs in one instead of a service worker."""
        state: dict[str, Any] = json.loads(self._host.engine())
        return state

    @cached_property
    def is_firefox(self) -> bool:
        """Whether the browser is Firefox."""
        return str(self.engine().get("browser", "")).startswith("Firefox/")

    def _deliver(self, event: str, arguments: str) -> str | None:
        if event.startswith("socket."):
            number, *values = json.loads(arguments)
            listener = self._sockets[number][event]
            if event == "socket.onClose":
                del self._sockets[number]
            _call_listener(listener, values)
        elif listeners := self._listeners.get(event):
            values = json.loads(arguments)
            for listener in tuple(listeners):
                _call_listener(listener, values)
        elif responders := self._responders.get(event):
            values = json.loads(arguments)
            answers = (_call_listener(responder, values) for responder in tuple(responders))
            found = next((answer for answer in answers if answer is not None), None)
            return None if found is None else json.dumps(found)
        return None


def _call_listener(listener: Callable[..., Any], values: list[Any]) -> Any:
    try:
        return listener(*values)
    except Exception:  # noqa: BLE001 - one listener's bug must neither keep the event from others nor end the engine
        traceback.print_exc(file=sys.stderr)
        return None
