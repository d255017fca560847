"""A call of a plugin's tool by a page, there and back, in both browsers.

usage: python -m benchmarks.plugin_calls [BROWSER …]      (chromium, firefox; default: both)

Medians in milliseconds, of rounds run in turn in the same browser: `agent.tools.call` in a page that may use the tool,
and beside it one bare `runtime.sendMessage` between two extensions with its reply, of which a call needs at least one.
The target is 15 ms for the median of a call."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks._session import row
from scripts.extension import copy
from scripts.extension.hub import HubBrowser
from tests.headless.conftest import Pages
from tests.hub.conftest import ANSWERS, ECHO, HUBS, Plugin, load_plugin

TARGET_MS = 15
ROUNDS = 10
CALLS = 20
"""How many calls a round makes, one after another."""
TIMED = """(async () => {{ const times = []; for (let i = 0; i < {count}; i++) {{
  const start = performance.now(); await {call}; times.push(performance.now() - start) }} return times }})()"""
REPLY = "chrome.runtime.onMessageExternal.addListener((m, s, respond) => { if (m.bare) respond(m) }), 1"


async def measured(browser: HubBrowser, folder: Path, url: str) -> tuple[list[float], list[float]]:
    """The times of a bare message, and of calls."""
    await browser.start()
    try:
        hub = await browser.worker()
        plugins: list[Plugin] = [await load_plugin(browser, folder / name) for name in ("one", "two")]
        called, bare = plugins
        await called.register(ECHO)
        await called.evaluate(f"{ANSWERS}, {REPLY}")
        await hub.evaluate(f"oryn.hub.grants.record({json.dumps(url)}, ['*'], 'always')")
        page = await browser.open(f"{url}/")
        call = f"agent.tools.call('{called.id}::echo', {{message: 'hi'}})"
        message = f"chrome.runtime.sendMessage('{called.id}', {{bare: 'hi'}}, {{}})"
        calls, messages = [], []
        for number in range(ROUNDS + 1):
            first = await bare.evaluate(TIMED.format(count=CALLS, call=message))
            then = await page.evaluate(TIMED.format(count=CALLS, call=call))
            if number:  # the first round is for the browser to warm up
                messages += first
                calls += then
        return messages, calls
    finally:
        await browser.close()


async def main() -> None:
    pages = Pages()
    pages["/"] = "<title>Page</title>"
    row("browser", "message ms", "call ms", "target")
    for kind in sys.argv[1:] or sorted(HUBS):
        with tempfile.TemporaryDirectory() as folder:
            browser = HUBS[kind](
                copy(Path(folder, "extension"), "firefox" if kind == "firefox" else "chromium"), Path(folder)
            )
            messages, calls = await measured(browser, Path(folder), pages.url(""))
        row(kind, f"{statistics.median(messages):.2f}", f"{statistics.median(calls):.2f}", TARGET_MS)


if __name__ == "__main__":
    asyncio.run(main())
