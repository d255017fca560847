"""A page of the web that uses `window.agent`, and the user in front of the consent window."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scripts.extension.hub import Background, HubBrowser, Look, answer, consent_window

if TYPE_CHECKING:
    from tests.hub.conftest import Plugin

SETTLED = ".then(value => ({value}), error => ({code: error.code, name: error.name, message: error.message}))"
"""What becomes of a promise of `agent`, as data."""


class Page:
    """A page of the web, and the consent window."""

    def __init__(self, browser: HubBrowser, target: Look, origin: str, plugin: Plugin, hub: Background) -> None:
        self.browser = browser
        self.target = target
        self.origin = origin
        self.plugin = plugin
        self.hub = hub
        self.window_url = f"{browser.root}/hub/consent.html"

    async def agent(self, expression: str) -> Any:
        """What a promise of `agent` becomes."""
        return await self.target.evaluate(f"agent.{expression}{SETTLED}")

    async def begin(self, expression: str, name: str = "later") -> None:
        """Start a request; `later()` waits for it."""
        await self.target.evaluate(f"globalThis.{name} = agent.{expression}{SETTLED}, 1")

    async def later(self, name: str = "later") -> Any:
        return await self.target.evaluate(name)

    async def window(self) -> Look:
        """The consent window with a question and its buttons enabled."""
        return await consent_window(self.browser)

    async def window_of(self, origin: str) -> Look:
        """The same once the question is an origin's."""
        window: Look = await self.browser.page(self.window_url)
        await window.until(f"document.getElementById('origin')?.textContent === {json.dumps(origin)}")
        return await self.window()

    async def press(self, button: str, window: Look | None = None) -> None:
        """Press a button of the window with the mouse, as the user does."""
        await answer(self.browser, window or await self.window(), button)

    async def allow(self, name: str | None = None, choice: str = "always") -> None:
        """Record a decision about a tool, or about all."""
        words = json.dumps([self.origin, name and [name], choice])
        await self.hub.evaluate(f"oryn.hub.grants.record(...{words})")

    def call(self, message: str = "hi", tool: str = "echo") -> str:
        return f"tools.call('{self.plugin.id}::{tool}', {{message: '{message}'}})"
