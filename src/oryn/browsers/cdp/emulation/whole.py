"""What emulation asks of a browser that a session has to itself.

https://chromedevtools.github.io/devtools-protocol/tot/Browser/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.cdp.contexts import context_of

if TYPE_CHECKING:
    from oryn.browsers.cdp.tabs import Tabs


class OwnBrowser:
    """`Whole`, by way of the session's current tab."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs

    async def product(self) -> str:
        root = self._tabs.get(None).channel.session.connection.root
        product: str = (await root.call("Browser.getVersion"))["product"]
        return product

    async def permit_place(self, place: tuple[float, float] | None, timeout: float) -> None:
        page = self._tabs.get(None)
        root = page.channel.session.connection.root
        params = {
            "permission": {"name": "geolocation"},
            "setting": "prompt" if place is None else "granted",
            "browserContextId": await context_of(page, timeout),
        }
        await root.call("Browser.setPermission", params, timeout=timeout)
