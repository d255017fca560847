"""`Extensions`: the user's browsers that are or were connected to a server, each with a stable name."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from oryn.core.listeners import Listeners
from oryn.errors import BackendUnavailable, OrynError
from oryn.extension_server.peer import REPLACED, Peer
from oryn.extension_server.plugin_provider import PluginProvider

if TYPE_CHECKING:
    from oryn.plugins.registry import InstalledPlugins

log = logging.getLogger(__name__)

RECONNECT_SECONDS = 40.0
"""Time in which an extension that has lost its connection is expected back: it tries every 30 s at least."""


class Extension:
    """One browser, connected or not."""

    def __init__(self, name: str, registry: Extensions) -> None:
        self.name = name
        self._registry = registry
        self.key: str | None = None
        """The id of the key that identifies it when it connects again."""
        self.peer: Peer | None = None
        """Its connection, while there is one."""
        self.refusal: OrynError | None = None
        """Why the last browser that has connected was refused."""
        self._tool_changes: Listeners[[]] = Listeners()
        self._served: PluginProvider | None = None
        self._left: float | None = None
        self._connected = asyncio.Event()

    @property
    def browser(self) -> str | None:
        """See `Peer.browser`; None while it is not connected."""
        return self.peer.browser if self.peer else None

    async def wait_for_peer(self, seconds: float) -> Peer:
        """The connection; waits up to `seconds` for it if the browser may connect. Raises `BackendUnavailable`."""
        if self.peer is None and self._may_connect():
            try:
                async with asyncio.timeout(seconds):
                    await self._connected.wait()
            except TimeoutError:
                pass
        if self.peer is None:
            refusal = f"; the last one that came: {self.refusal.message}" if self.refusal else ""
            raise BackendUnavailable(f"no browser is connected{refusal}", self._registry.advice)
        return self.peer

    def _may_connect(self) -> bool:
        return self._registry.waits or (self._left is not None and time.monotonic() - self._left < RECONNECT_SECONDS)

    def attach(self, peer: Peer) -> None:
        """The browser has connected; an earlier connection is closed."""
        before, self.peer, self.key, self.refusal = self.peer, peer, peer.key, None
        self._connected.set()
        peer.on_offer = self._tool_changes.notify
        self._withdraw_plugins()
        if self._registry.plugins is not None:
            self._served = PluginProvider(peer, self._registry.plugins)
        if before is not None:
            before.end(REPLACED, "the browser has connected again")

    def detach(self) -> None:
        """The connection has ended."""
        for_good = self.peer is not None and self.peer.left_for_good
        self.peer, self._left = None, None if for_good else time.monotonic()
        self._connected.clear()
        self._withdraw_plugins()
        self._tool_changes.notify()

    @property
    def offers_tools(self) -> bool:
        """Whether it is connected, and the page in front or its hub has tools."""
        return self.peer is not None and self.peer.offers_tools

    def subscribe_tools(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` after each change of `offers_tools`. Returns a function that ends the subscription."""
        return self._tool_changes.subscribe(listener)

    def _withdraw_plugins(self) -> None:
        if self._served is not None:
            self._served.end()
            self._served = None


ExtensionCallback = Callable[[Extension], None]


def _ignore(extension: Extension) -> None:
    return


class Extensions:
    """The browsers of one server: the `PeerListener` of its connections.

    The first one has a name from the start; others are named after their browsers. A browser with a known key gets its
    earlier entry, another one the first entry without a connection."""

    def __init__(
        self,
        first: str = "default",
        *,
        waits: bool = False,
        advice: str | None = None,
        plugins: InstalledPlugins | None = None,
    ) -> None:
        """`first` is the name of the first browser, `plugins` are those that the hubs of the browsers are offered."""
        self.plugins = plugins
        self.waits = waits
        """Whether `Extension.wait_for_peer` waits even for a browser that has not been connected lately."""
        self.advice = advice
        """The hint about how to connect a browser."""
        self._extensions = [Extension(first, self)]
        self.connected: ExtensionCallback = _ignore
        self.disconnected: ExtensionCallback = _ignore

    def __iter__(self) -> Iterator[Extension]:
        return iter(self._extensions)

    @property
    def any_connected(self) -> bool:
        """Whether a browser is connected."""
        return any(each.peer is not None for each in self._extensions)

    def named(self, name: str) -> Extension:
        """The browser of this name, else the first that is connected, else the first."""
        found = next((each for each in self._extensions if each.name == name), None)
        return found or next((each for each in self._extensions if each.peer is not None), self._extensions[0])

    def on_arrived(self, peer: Peer) -> None:
        extension = self._entry(peer)
        extension.attach(peer)
        log.info("connected: %s as %s", extension.browser, extension.name)
        self.connected(extension)

    def on_refused(self, error: OrynError) -> None:
        # An extension that waits for its code registers again and again.
        if str(error) != str(self._extensions[0].refusal):
            log.warning("a browser was not let in: %s", error)
        for each in self._extensions:
            each.refusal = error

    def on_left(self, peer: Peer) -> None:
        for extension in self._extensions:
            if extension.peer is peer:
                extension.detach()
                log.info("disconnected: %s", extension.name)
                self.disconnected(extension)

    def _entry(self, peer: Peer) -> Extension:
        same_key = [each for each in self._extensions if each.key is not None and each.key == peer.key]
        free = [each for each in self._extensions if each.peer is None]
        if found := [*same_key, *free]:
            return found[0]
        self._extensions.append(Extension(self._name(peer.browser), self))
        return self._extensions[-1]

    def _name(self, browser: str) -> str:
        """A name for another browser, valid for sessions: `chrome`, `chrome-2`, …"""
        word = re.sub(r"[^a-z0-9]+", "-", browser.partition("/")[0].lower()).strip("-")[:30]
        name = word if word[:1].isalpha() else "browser"
        taken = {each.name for each in self._extensions}
        return next(each for each in (name, *(f"{name}-{n}" for n in range(2, 1000))) if each not in taken)

    def end(self) -> None:
        """Close every connection."""
        for each in self._extensions:
            if each.peer is not None:
                each.peer.end()
