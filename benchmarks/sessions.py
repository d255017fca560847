"""Several sessions in one host: a new one, eight at once beside bare contexts of the protocol, and what many leave.

usage: python -m benchmarks.sessions [--new N] [--times N] [--many N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks._host import FORM, OnePage
from benchmarks._session import run, timed
from benchmarks.memory import held
from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.connection import CdpSession as Target
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.sessions.sessions import Sessions

SESSIONS = 8
NAMES = [f"s{number}" for number in range(SESSIONS)]
LIMIT_NEW = 0.150
LIMIT_RATIO = 1.5
LIMIT_GROWTH = 10.0

BUTTON = "More"
# What a client of the bare protocol needs in order to choose and press an element.
LOOK = """JSON.stringify([...document.querySelectorAll('a,button,input,select,textarea')].map(element => {
  const box = element.getBoundingClientRect();
  return {text: element.innerText || element.name, x: box.x + box.width / 2, y: box.y + box.height / 2}}))"""


@asynccontextmanager
async def hosting() -> AsyncIterator[tuple[Sessions, ChromiumBrowser]]:
    """A host whose browser runs, as `oryn headless` has it."""
    with tempfile.TemporaryDirectory() as runtime:
        first = ChromiumBrowser(runtime_dir=Path(runtime))

        def make(name: str, _: Any = None) -> Session:
            return Session(ChromiumBrowser(runtime_dir=Path(runtime), shared_with=first), name, Options(timeout=60))

        sessions = Sessions(make, Session(first, options=Options(timeout=60)))
        await must(sessions, "goto about:blank")
        try:
            yield sessions, first
        finally:
            await sessions.close()


async def must(sessions: Sessions, line: str) -> None:
    """Run a line, or end the benchmark: a figure over failures is none."""
    answer = await sessions.execute(line)
    if not answer.ok:
        raise SystemExit(answer.render())


async def new_session(count: int) -> None:
    async with hosting() as (sessions, _):
        times = []
        for _ in range(count):
            times.append(await timed(lambda: must(sessions, "session new work")))
            await must(sessions, "session close work")
    median, worst = statistics.median(times) * 1000, max(times) * 1000
    print(f"new session in a running host: median {median:.0f} ms, worst {worst:.0f} ms (limit {LIMIT_NEW * 1000:.0f})")


# --- eight at once ---


async def in_session(sessions: Sessions, name: str, url: str, times: int) -> None:
    for _ in range(times):
        for line in (f"goto {url}", "observe", f'click "{BUTTON}"'):
            await must(sessions, f"@{name} {line}")


async def bare_context(connection: CdpConnection) -> Target:
    """A tab in a context of its own, over nothing but the protocol."""
    root = connection.root
    context = await root.call("Target.createBrowserContext", {"disposeOnDetach": True})
    made = await root.call("Target.createTarget", {"url": "about:blank", **context})
    attached = await root.call("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True})
    target = connection.session(attached["sessionId"])
    await target.call("Page.enable")
    await target.call("Runtime.enable")
    return target


async def in_bare_context(target: Target, url: str, times: int) -> None:
    loaded = asyncio.Event()
    target.on("Page.loadEventFired", lambda _: loaded.set())
    for _ in range(times):
        loaded.clear()
        await target.call("Page.navigate", {"url": url})
        await loaded.wait()
        place = next(one for one in await looked(target) if one["text"] == BUTTON)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            params = {"type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1}
            await target.call("Input.dispatchMouseEvent", params)
        await looked(target)  # what the click has changed, which the answer of a session carries


async def looked(target: Target) -> list[Any]:
    answer = await target.call("Runtime.evaluate", {"expression": LOOK, "returnByValue": True})
    found: list[Any] = json.loads(answer["result"]["value"])
    return found


async def eight_at_once(times: int) -> None:
    with OnePage(FORM) as page:
        async with hosting() as (sessions, _):
            await asyncio.gather(*(must(sessions, f"session new {name}") for name in NAMES))
            work = [in_session(sessions, name, page.url, times) for name in NAMES]
            ours = await timed(lambda: asyncio.gather(*work))
        bare = await bare_at_once(page.url, times)
    print(
        f"{SESSIONS} sessions, {times} x navigate, observe, click: {ours:.2f} s, bare contexts {bare:.2f} s, "
        f"ratio {ours / bare:.2f} (limit {LIMIT_RATIO})"
    )


async def bare_at_once(url: str, times: int) -> float:
    """Seconds that as many bare contexts in one browser take for the same work."""
    async with hosting() as (_, first):
        connection = first._connection
        connection.root.send("Target.setAutoAttach", {"autoAttach": False, "waitForDebuggerOnStart": False})
        targets = [await bare_context(connection) for _ in NAMES]
        return await timed(lambda: asyncio.gather(*(in_bare_context(target, url, times) for target in targets)))


# --- many, one after the other ---


async def many(count: int) -> None:
    with OnePage(FORM) as page:
        async with hosting() as (sessions, first):
            # Code and caches that come with the first ones are no leak.
            await one_after_the_other(sessions, page.url, 5)
            before, memory = left(first), held(os.getpid())
            await one_after_the_other(sessions, page.url, count)
            grown = {name: value - memory[name] for name, value in held(os.getpid()).items()}
            after = left(first)
    print(f"after {count} sessions: resident {grown['Rss']:+.1f} MB (limit {LIMIT_GROWTH:.0f})")
    for what, number in after.items():
        print(f"  {what} left: {number - before[what]}")


async def one_after_the_other(sessions: Sessions, url: str, count: int) -> None:
    for _ in range(count):
        await must(sessions, "session new work")
        for line in (f"goto {url}", "observe", f'click "{BUTTON}"'):
            await must(sessions, f"@work {line}")
        await must(sessions, "session close work")


def left(first: ChromiumBrowser) -> dict[str, int]:
    connection, folder = first._connection, first._shared.run_folder
    assert folder is not None
    return {
        "targets": len(first._shared.router._owners),
        "protocol sessions": len(connection._sessions),
        "listeners": sum(map(len, connection.root.handlers.values())),
        "tasks": len(asyncio.all_tasks()),
        "files": len(list(folder.folder.iterdir())),
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--new", type=int, default=30, help="how many sessions to time the opening of")
    parser.add_argument("--times", type=int, default=10, help="how often each of the eight does its work")
    parser.add_argument("--many", type=int, default=200, help="how many sessions to open and close")
    chosen = parser.parse_args()
    await new_session(chosen.new)
    await eight_at_once(chosen.times)
    await many(chosen.many)


if __name__ == "__main__":
    run(main)
