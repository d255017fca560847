"""Browsers with the extension into which plugins are installed: what looks at the hub of `harbor-plugin/v1` needs of
them, the same for Chromium and Firefox."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol

from oryn.errors import TabNotFound, Timeout
from scripts.extension.bidi import BidiConnection
from scripts.extension.browser import EVERYTHING, ExtendedBrowser, Target
from scripts.extension.firefox import UUID, WAIT, FirefoxBrowser, FirefoxTarget
from scripts.extension.firefox_background import BrowserWindow, FirefoxBackground
from scripts.extension.manifest import FIREFOX_ID

IDLE = "extensions.background.idle.timeout"
"""Firefox's preference: milliseconds without events after which it suspends a background page."""
NEVER_IDLE = 3_600_000
SHORT_IDLE = 1000
CLOSING_SECONDS = 5.0
"""A window that is just closing may not answer at all."""


class Look(Protocol):
    """A page, or a background, that is looked into."""

    async def evaluate(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; a promise is waited for. `AssertionError` if it throws."""

    async def until(self, expression: str) -> Any:
        """The first true value of an expression."""


class Background(Look, Protocol):
    """The background of an extension. `errors` is complete after `detach`."""

    errors: list[str]

    async def detach(self) -> None:
        """Look away."""


class HubBrowser(Protocol):
    """A browser with the extension; `id` is the extension's and `root` the beginning of its URLs."""

    kind: ClassVar[str]
    id: str

    @property
    def root(self) -> str: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def load(self, folder: Path) -> str:
        """Install an unpacked extension; returns its id."""

    async def unload(self, extension_id: str) -> None:
        """Uninstall an extension."""

    async def background(self, extension_id: str) -> Background:
        """The background of an extension, started if need be."""

    async def worker(self) -> Background:
        """The background of Oryn's extension."""

    async def kill_worker(self) -> None:
        """Suspend it; what wakes it starts it."""

    async def open(self, url: str) -> Any:
        """A new tab in front."""

    async def open_behind(self, url: str) -> Any:
        """A new tab behind the one in front."""

    async def close_tab(self, target: Any) -> None: ...

    async def navigate(self, target: Any, url: str) -> None:
        """Begin to load another page in a tab."""

    async def page(self, url: str) -> Any:
        """The first page of which the URL begins so, once there is one."""

    async def count(self, url: str) -> int:
        """How many pages there are of which the URL begins so."""

    async def focus(self, target: Any) -> None:
        """Give a page the focus, as the window in front has it."""

    async def click(self, target: Any, x: float, y: float) -> None:
        """Press the mouse on a point of a page, in CSS pixels."""


class ChromiumHub(ExtendedBrowser):
    """Chromium, as `HubBrowser`."""

    kind: ClassVar[str] = "chromium"

    @property
    def root(self) -> str:
        return f"chrome-extension://{self.id}"

    async def load(self, folder: Path) -> str:
        return str((await self._root("Extensions.loadUnpacked", path=str(folder)))["id"])

    async def unload(self, extension_id: str) -> None:
        await self._root("Extensions.uninstall", id=extension_id)

    async def worker(self) -> Target:
        if await self.has_worker():
            return await super().worker()
        page = await self.open(f"{self.root}/hub/review.html")  # wakes it: the alarm would take a minute
        worker = await super().worker()
        await self.close_tab(page)
        return worker

    async def background(self, extension_id: str) -> Target:
        return await self._first(f"chrome-extension://{extension_id}/", "service_worker")

    async def page(self, url: str) -> Target:
        return await self._first(url, "page")

    async def _first(self, url: str, kind: str) -> Target:
        async with asyncio.timeout(WAIT):
            while True:
                for each in (await self._root("Target.getTargets", filter=EVERYTHING))["targetInfos"]:
                    if each["url"].startswith(url) and each["type"] == kind:
                        with suppress(TabNotFound, Timeout):  # it closes: some that do never answer
                            return await self._attach(each["targetId"], CLOSING_SECONDS)
                await asyncio.sleep(0.05)

    async def count(self, url: str) -> int:
        targets = (await self._root("Target.getTargets", filter=EVERYTHING))["targetInfos"]
        return sum(each["url"].startswith(url) and each["type"] == "page" for each in targets)

    async def navigate(self, target: Target, url: str) -> None:
        await target.session.call("Page.navigate", {"url": url})

    async def focus(self, target: Target) -> None:
        await target.session.call("Emulation.setFocusEmulationEnabled", {"enabled": True}, timeout=CLOSING_SECONDS)

    async def click(self, target: Target, x: float, y: float) -> None:
        about = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await target.session.call("Input.dispatchMouseEvent", {"type": "mousePressed", **about})
        # Not waited for: a window that closes when it is pressed may take the answer with it.
        target.session.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **about})


class FirefoxHub(FirefoxBrowser):
    """Firefox, as `HubBrowser`. Backgrounds are suspended after `idle` ms without events, unless `suspend_after` says
    otherwise."""

    kind: ClassVar[str] = "firefox"

    def __init__(self, extension: Path, runtime_dir: Path, idle: int = NEVER_IDLE) -> None:
        super().__init__(extension, runtime_dir, {IDLE: idle})
        self.idle = idle
        self.window = BrowserWindow(self.connection)

    @property
    def root(self) -> str:
        return f"moz-extension://{UUID}"

    async def suspend_after(self, milliseconds: int | None = None) -> None:
        """Set the time without events after which backgrounds are suspended, for all that are started from now on; by
        default the one that the browser was started with."""
        await self.window.set_preference(IDLE, self.idle if milliseconds is None else milliseconds)

    async def load(self, folder: Path) -> str:
        data = {"type": "path", "path": str(folder)}
        return str((await self.connection.call("webExtension.install", extensionData=data))["extension"])

    async def unload(self, extension_id: str) -> None:
        await self.connection.call("webExtension.uninstall", extension=extension_id)

    async def background(self, extension_id: str) -> FirefoxBackground:
        return FirefoxBackground(self.window, extension_id)

    async def worker(self) -> FirefoxBackground:
        worker = FirefoxBackground(self.window, FIREFOX_ID, self.root)
        await worker.until("typeof oryn === 'object'")
        return worker

    async def kill_worker(self) -> None:
        await FirefoxBackground(self.window, FIREFOX_ID).stop()

    async def page(self, url: str) -> FirefoxTarget:
        async with asyncio.timeout(WAIT):
            while True:
                for each in await self.contexts():
                    if each["url"].startswith(url):
                        return FirefoxTarget(self.connection, each["context"])
                await asyncio.sleep(0.05)

    async def count(self, url: str) -> int:
        return sum(each["url"].startswith(url) for each in await self.contexts())

    async def navigate(self, target: FirefoxTarget, url: str) -> None:
        await target.connection.call("browsingContext.navigate", context=target.context, url=url, wait="none")

    async def focus(self, target: FirefoxTarget) -> None:
        await self.bring_to_front(target)

    async def click(self, target: FirefoxTarget, x: float, y: float) -> None:
        await press(target.connection, target.context, x, y)


async def consent_window(browser: HubBrowser) -> Look:
    """The consent window, once it shows a question and its buttons work."""
    while True:
        try:
            window: Look = await browser.page(f"{browser.root}/hub/consent.html")
            await browser.focus(window)
            await window.until("document.getElementById('deny')?.disabled === false")
            return window
        except (TabNotFound, Timeout):
            continue  # that was the window of the question before, which has just closed


async def answer(browser: HubBrowser, window: Look, button: str) -> None:
    """Press a button of the consent window with the mouse, as the user does: `deny`, `once`, `always`, or `all`."""
    found = f"document.getElementById({json.dumps(button)})"
    await window.evaluate(f"{found}.scrollIntoView({{block: 'center'}}), 1")
    x, y = await window.evaluate(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({found}.getBoundingClientRect())")
    await browser.click(window, x, y)


async def press(connection: BidiConnection, context: str, x: float, y: float) -> None:
    """Move the mouse to a point of a page, and press its left button."""
    actions: list[dict[str, Any]] = [
        {"type": "pointerMove", "x": round(x), "y": round(y)},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerUp", "button": 0},
    ]
    mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
    await connection.call("input.performActions", context=context, actions=[mouse])


def manifest_for(kind: str, manifest: dict[str, Any], id: str) -> dict[str, Any]:
    """The manifest of an extension with one script in the background, which Chromium loads, as `kind` loads it."""
    if kind == "chromium":
        return manifest
    scripts = [manifest["background"]["service_worker"]]
    return {**manifest, "background": {"scripts": scripts}, "browser_specific_settings": {"gecko": {"id": id}}}


def write_manifest(file: Path, kind: str, id: str) -> None:
    """Rewrite a manifest for a kind of browser."""
    manifest = manifest_for(kind, json.loads(file.read_text("utf-8")), id)
    file.write_text(json.dumps(manifest), "utf-8")
