"""The trial of a browser whose version Oryn has not driven yet: no session has to find out what its driver gets wrong.

A press must arrive: the driver of WebKit 2.48.3 accepts each pointer action and performs none
(https://bugs.webkit.org/show_bug.cgi?id=280567). A command must be answered beside one that waits, because a script
waits for the page's next event all the time (`channel.watch`): from WebKit 2.54 on, the driver answers one after the
other, as WebDriver asks (https://www.w3.org/TR/webdriver2/#dfn-request-queue)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.browsers.webdriver.client import DriverClient
from oryn.browsers.webdriver.engines import WebDriverEngine, find_driver
from oryn.browsers.webdriver.input import PRESS
from oryn.errors import BrowserNotFound, BrowserUnsuitable, CannotAccessPage
from oryn.system.paths import write_private

WAIT_SECONDS = (1.0, 5.0)
"""How long the script waits that another command is to overtake: once more if the machine may have been too slow."""
ANSWER_SECONDS = 30.0
MAX_VERSIONS = 50
"""The most versions that are remembered."""

_WAIT = """const done = arguments[arguments.length - 1];
globalThis.waited = false;
globalThis.endTrial = done;
setTimeout(() => { waited = true; done(null); }, 1000 * %s);"""
_END = "globalThis.endTrial?.(null); return globalThis.waited === true;"
_LISTEN = """globalThis.presses = 0;
addEventListener('mousedown', (event) => { if (event.isTrusted) presses++; }, true);"""
_COUNT = "return presses;"


def browser_version(capabilities: Mapping[str, Any]) -> str:
    """A browser as the capabilities of a session name it: `MiniBrowser/2.38.6`."""
    return f"{capabilities.get('browserName', 'WebKit')}/{capabilities.get('browserVersion', '')}"


async def check_browser(client: DriverClient, engine: WebDriverEngine, passed: Path | None) -> None:
    """Try what Oryn needs in the empty page of a new session, once for each version of a browser.

    `passed` is the file with the versions that have passed; None tries each time. Raises `BrowserUnsuitable`."""
    version = f"{engine.name} {browser_version(client.capabilities)} {_driver_time(engine)}"
    versions = _read(passed)
    if version in versions:
        return
    if fault := await _fault(client):
        raise BrowserUnsuitable(
            f"{browser_version(client.capabilities)} of {engine.driver} can't be driven: {fault}",
            "WPE WebKit 2.38, which Debian 12 has, can. Here, use headless mode.",
        )
    if passed is not None:
        write_private(passed, "\n".join([*versions, version][-MAX_VERSIONS:]) + "\n")


def _driver_time(engine: WebDriverEngine) -> int:
    """When the driver was made: cog does not name the version of its WebKit. 0 for a driver elsewhere."""
    try:
        return os.stat(find_driver(engine)).st_mtime_ns
    except (BrowserNotFound, OSError):
        return 0


def _read(file: Path | None) -> list[str]:
    try:
        return [] if file is None else file.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []


async def _fault(client: DriverClient) -> str | None:
    """What is wrong with the browser, or None."""
    try:
        await _execute(client, _LISTEN)
    except CannotAccessPage:
        return "it runs no scripts in its empty page"
    await client.post("/actions", {"actions": [PRESS]}, timeout=ANSWER_SECONDS)
    if not await _execute(client, _COUNT):
        return "its driver drops the presses of the mouse"
    for seconds in WAIT_SECONDS:
        if await _answers_beside(client, seconds):
            return None
    return "its driver answers no command while another one waits"


async def _answers_beside(client: DriverClient, seconds: float) -> bool:
    """Whether a command is answered while a script waits, at most `seconds`."""
    body = {"script": _WAIT % seconds, "args": []}
    waiting = asyncio.ensure_future(client.post("/execute/async", body, timeout=ANSWER_SECONDS))
    await asyncio.wait({waiting}, timeout=0.005)  # so that it is the first one to reach the driver
    has_waited = await _execute(client, _END)
    await waiting
    return not has_waited


async def _execute(client: DriverClient, script: str) -> Any:
    return await client.post("/execute/sync", {"script": script, "args": []}, timeout=ANSWER_SECONDS)
