"""A real Firefox with the built extension in it, driven over WebDriver BiDi: the browser listens itself, no driver
program is needed. https://firefox-source-docs.mozilla.org/remote/

`FirefoxBrowser` and `FirefoxTarget` are what `scripts.extension.browser` has for Chromium."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from oryn.settings import Settings
from scripts.extension.bidi import BidiConnection, BidiFailed
from scripts.extension.manifest import FIREFOX_ID
from scripts.ports import free_port

PROGRAMS = ("firefox-esr", "firefox")
UUID = "6f72796e-0000-4000-8000-000000000001"
"""The host of the extension's pages, which is random otherwise."""
WAIT = 60.0
"""Seconds that anything may take on a busy machine."""
STOP_SECONDS = 10.0
PREFERENCES: dict[str, Any] = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.webextensions.uuids": json.dumps({FIREFOX_ID: UUID}),
    "app.update.enabled": False,
    "browser.tabs.warnOnClose": False,
    "dom.disable_open_during_load": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "xpinstall.signatures.required": False,
}
_LISTENING = "WebDriver BiDi listening on "


def firefox_program() -> str | None:
    """The path of an installed Firefox, or None."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class FirefoxTarget:
    """One tab that the test looks into, by its browsing context."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        self.connection = connection
        self.context = context

    async def evaluate(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; a promise is waited for. `AssertionError` if it throws."""
        answer = await self.connection.call(
            "script.evaluate",
            expression=expression,
            target={"context": self.context},
            awaitPromise=True,
            userActivation=True,
            timeout=WAIT,
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return _plain(answer["result"])

    async def call(self, name: str, *arguments: Any) -> Any:
        """`await target.call("tabs.query", {})`: an extension API with JSON arguments."""
        return json.loads(
            await self.evaluate(f"chrome.{name}(...{json.dumps(arguments)}).then(v => JSON.stringify(v ?? null))")
        )

    async def until(self, expression: str) -> Any:
        """The first true value of an expression: looked at again until there is one, also in the next document."""
        # From outside, for nothing tells when the state of the extension has changed.
        async with asyncio.timeout(WAIT):
            while True:
                with suppress(BidiFailed):  # the document has just gone
                    if value := await self.evaluate(expression):
                        return value
                await asyncio.sleep(0.05)


class FirefoxBrowser:
    """Firefox with an unpacked extension, or with a packed one (`.xpi`), and with a new profile."""

    def __init__(self, extension: Path, runtime_dir: Path, preferences: dict[str, Any] | None = None) -> None:
        """`runtime_dir` gets the profile; `preferences` are added to `PREFERENCES`."""
        self._extension = extension
        self._runtime_dir = runtime_dir
        self._preferences = {**PREFERENCES, **(preferences or {})}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._profile: Path | None = None
        self.connection = BidiConnection(self._on_event)
        self.errors: list[str] = []
        """What scripts of the extension have logged as errors, in any of its pages and content scripts."""
        self.id = FIREFOX_ID

    async def start(self) -> None:
        """Start the browser, and install the extension. Raises `FileNotFoundError` if there is no Firefox."""
        program = firefox_program()
        if program is None:
            raise FileNotFoundError("there is no Firefox: setup/firefox.sh installs it")
        self._profile = Path(tempfile.mkdtemp(prefix="firefox-", dir=self._runtime_dir))
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in self._preferences.items()]
        (self._profile / "user.js").write_text("".join(lines), "utf-8")
        self._process = await asyncio.create_subprocess_exec(
            program,
            *("--headless", "--no-remote", "--profile", str(self._profile)),
            *("--remote-debugging-port", str(free_port()), "--remote-allow-system-access"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        async with asyncio.timeout(WAIT):
            endpoint = await self._endpoint(self._process)
        await self.connection.open(f"{endpoint}/session")
        await self.connection.call("session.new", capabilities={})
        await self.connection.call("session.subscribe", events=["log.entryAdded"])
        await self.install()
        width, height = Settings().viewport
        size = {"width": width, "height": height}
        await self.connection.call("browsingContext.setViewport", userContexts=["default"], viewport=size)

    async def install(self) -> None:
        """Install the extension, in the place of what is there."""
        kind = "archivePath" if self._extension.is_file() else "path"
        data = {"type": kind, "path": str(self._extension)}
        await self.connection.call("webExtension.install", extensionData=data)

    async def _endpoint(self, process: asyncio.subprocess.Process) -> str:
        assert process.stderr is not None
        said = []
        async for line in process.stderr:
            said.append(line.decode(errors="replace"))
            if _LISTENING in said[-1]:
                self._reading = asyncio.create_task(_drain(process.stderr))
                return said[-1].partition(_LISTENING)[2].strip()
        raise ConnectionError(f"Firefox has ended: {''.join(said)}")

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "log.entryAdded" and params["level"] == "error":
            frames = (params.get("stackTrace") or {}).get("callFrames") or [{"url": ""}]
            if frames[0]["url"].startswith(f"moz-extension://{UUID}/"):
                self.errors.append(f"{params['text']} ({frames[0]['url']}:{frames[0]['lineNumber']})")

    async def close(self) -> None:
        """End the browser and remove its profile; idempotent."""
        if self._process is not None and self._process.returncode is None:
            with suppress(BidiFailed, ConnectionError, TimeoutError):
                await self.connection.call("browser.close", timeout=STOP_SECONDS)
            try:
                await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        await self.connection.close()
        if self._reading is not None:
            await self._reading
        if self._profile is not None:
            shutil.rmtree(self._profile, ignore_errors=True)

    async def open(self, url: str) -> FirefoxTarget:
        """A new tab in front that shows `url`; "popup" is the extension's, as a page."""
        return await self._open(url, background=False)

    async def open_behind(self, url: str) -> FirefoxTarget:
        """The same behind the tab in front."""
        return await self._open(url, background=True)

    async def _open(self, url: str, background: bool) -> FirefoxTarget:
        if url == "popup":
            url = f"moz-extension://{UUID}/popup/popup.html"
        made = await self.connection.call("browsingContext.create", type="tab", background=background)
        await self.connection.call("browsingContext.navigate", context=made["context"], url=url, wait="complete")
        return FirefoxTarget(self.connection, made["context"])

    async def bring_to_front(self, target: FirefoxTarget) -> None:
        """Activate a tab."""
        await self.connection.call("browsingContext.activate", context=target.context)

    async def contexts(self) -> list[dict[str, Any]]:
        """The tabs: `{"context": …, "url": …, "children": […]}`."""
        tree = await self.connection.call("browsingContext.getTree")
        found: list[dict[str, Any]] = tree["contexts"]
        return found

    async def close_tab(self, target: FirefoxTarget) -> None:
        """Close a tab."""
        await self.connection.call("browsingContext.close", context=target.context)

    async def asks_for(self, endpoint: str) -> str:
        """Start, and have the extension connect to `endpoint`, where a server need not listen yet; the code that the
        popup shows for it. An empty page is left as the only tab."""
        await self.start()
        popup = await self.open("popup")
        await popup.until("!document.querySelector('#connect').disabled")
        await popup.evaluate(
            f"{{ const field = document.querySelector('#endpoint'); field.value = {json.dumps(endpoint)};"
            "field.dispatchEvent(new Event('input', {bubbles: true})); document.querySelector('#connect').click(); }"
        )
        code: str = await popup.until("document.querySelector('#code').textContent.trim()")
        before = await self.contexts()
        await self.open("about:blank")
        for each in before:
            await self.connection.call("browsingContext.close", context=each["context"])
        return code.replace(" ", "")


async def _drain(stream: asyncio.StreamReader) -> None:
    """Read what Firefox says, so that it never waits for a reader."""
    while await stream.read(65536):
        pass


def _plain(value: dict[str, Any]) -> Any:
    """JSON data of a remote value. https://w3c.github.io/webdriver-bidi/#type-script-RemoteValue"""
    match value:
        case {"type": "array" | "set", "value": list(values)}:
            return [_plain(each) for each in values]
        case {"type": "object" | "map", "value": list(pairs)}:
            return {key if isinstance(key, str) else _plain(key): _plain(each) for key, each in pairs}
        case {"type": "string" | "number" | "boolean", "value": plain}:
            return plain
    return None
