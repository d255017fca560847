"""The user of the extension, and the server that they pair it with, as tests play them."""

from __future__ import annotations

import json
from typing import Any

from oryn.extension_server import pairing
from oryn.extension_server.messages import Accepted, Control, ExtensionRegistration, Paired, read_control
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer

NONCE = "fedcba9876543210" * 2


class User:
    """The user, with the popup open in a tab: what they ask, and what they are shown."""

    def __init__(self, page: Target, browser: ExtendedBrowser) -> None:
        self.page = page
        self.browser = browser

    async def asks(self, **message: Any) -> None:
        await self.page.evaluate(f"globalThis.port.postMessage({json.dumps(message)}) || 1")

    async def sees(self, expression: str) -> Any:
        """The state, when this is true of it."""
        return await self.page.until(f"(state => state && ({expression}) && state)(globalThis.seen)")

    @classmethod
    async def at(cls, browser: ExtendedBrowser) -> User:
        """With the popup open, and the engine ready."""
        page = await browser.open("popup")
        await page.evaluate(
            "globalThis.refused = []; globalThis.port = chrome.runtime.connect({name: 'popup'});"
            "port.onMessage.addListener(m => m.type === 'state' ? globalThis.seen = m : refused.push(m.message)) || 1"
        )
        user = cls(page, browser)
        await user.sees("state.engine.state === 'ready'")
        return user


async def control(server: RecordingServer) -> Control:
    frame = await server.next()
    assert frame.startswith("0:")
    found = read_control(frame.removeprefix("0:"))
    assert found is not None
    return found


async def registration(server: RecordingServer) -> ExtensionRegistration:
    found = await control(server)
    assert isinstance(found, ExtensionRegistration)
    return found


async def paired_with(user: User, server: RecordingServer) -> tuple[Any, Paired]:
    """A connection that the user has paired, and the keys of it."""
    await user.asks(type="settings", changes={"endpoint": server.url})
    await user.asks(type="connect")
    connection = await server.connection()
    told = await registration(server)
    state = await user.sees("state.code")
    assert told.nonce is not None
    await connection.send(Accepted(pairing.server_proof(state["code"], told.nonce), NONCE, files=True).frame)
    paired = await control(server)
    assert isinstance(paired, Paired)
    return connection, paired


async def forget(user: User) -> None:
    """Have the extension as it was before anybody was paired, and close the user's tab."""
    await user.asks(type="disconnect")
    await user.asks(type="settings", changes={"allowlist": [], "trusted_input": False})
    await user.sees("state.status === 'disconnected' && !state.settings.allowlist.length")
    for paired in (await user.sees("state.paired"))["paired"]:
        await user.asks(type="revoke", endpoint=paired["endpoint"])
    await user.sees("!state.paired.length && !state.settings.trusted_input")
    await user.browser.close_tab(user.page)
