"""What the extension costs a user who has connected it to nothing: scripts in 50 open pages, and memory.

usage: python -m benchmarks.unconnected_extension [FOLDER] [--tabs N] [--rounds N]      (FOLDER is ignored)

Each round is three new Chromiums with tabs of as many sites: one without an extension, one with an empty extension
(a manifest and a worker that does nothing), and one with Oryn's. The workers sleep before the tabs are opened.
Memory is what the browser's processes have for themselves (`Pss_Anon` and
`Pss_Shmem` of `/proc/PID/smaps_rollup`, Linux; pages of the program's file are shared with other browsers on the
machine), after all pages were loaded again and a garbage collection, as the median of three times. `browser` is the
main process, `page` the median of the pages' processes. Last line: the medians of the rounds, and the range of the
browsers without an extension."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any, NamedTuple, Self

from benchmarks.embedded import descendants
from oryn.browsers.chromium.launch import DISABLED_FEATURES
from scripts.extension import copy
from scripts.extension.browser import ExtendedBrowser, Target

PAGE = (
    b"<!doctype html><title>Shop</title><h1>Plants</h1>" + b"<p><a href=/fern>Boston fern</a> <button>Buy</button>" * 50
)
SLEEP_SECONDS = 90
"""Within these, the browser stops an idle worker; it does so after thirty seconds."""
WORKER_SECONDS = 33
"""How long an idle worker lives: the browser without it gets as old."""
REST_SECONDS = 3
TIMES = 3


class Page(BaseHTTPRequestHandler):
    """One page at every address."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


class BareBrowser(ExtendedBrowser):
    """The browser, which gets the extension later."""

    # The spare process for a next page comes and goes by itself.
    arguments = (f"--disable-features={','.join([*DISABLED_FEATURES, 'SpareRendererForSitePerProcess'])}",)

    async def install(self) -> None:
        """Not yet."""

    async def add(self) -> None:
        """Install the extension, and wait until its worker sleeps."""
        await super().install()
        async with asyncio.timeout(SLEEP_SECONDS):
            for state in (True, False):
                while await self.has_worker() is not state:  # noqa: ASYNC110
                    await asyncio.sleep(0.2)


class Memory(NamedTuple):
    """Megabytes of a browser: of all processes, of the main one, and the median of the pages'."""

    whole: float
    browser: float
    page: float

    @classmethod
    def of(cls, pid: int) -> Self:
        """Of a browser that runs."""
        own = {each: own_megabytes(each) for each in descendants(pid)}
        pages = [size for each, size in own.items() if b"--type=renderer" in Path(f"/proc/{each}/cmdline").read_bytes()]
        return cls(sum(own.values()), own[pid], median(pages))

    @classmethod
    def median(cls, times: list[Self]) -> Self:
        """The median of each figure."""
        return cls(*map(median, zip(*times, strict=True)))

    def __str__(self) -> str:
        return f"{self.whole:.1f} MB (browser {self.browser:.2f}, page {self.page:.3f})"


async def used(browser: BareBrowser, tabs: list[Target]) -> Memory:
    """The browser's memory."""
    assert browser.process is not None
    found = []
    for _ in range(TIMES):
        for tab in tabs:
            await tab.session.call("Page.reload")
            await tab.until("document.readyState === 'complete'")
        await asyncio.sleep(REST_SECONDS)
        for tab in tabs:
            await tab.session.call("HeapProfiler.collectGarbage")
        await asyncio.sleep(REST_SECONDS)
        found.append(Memory.of(browser.process.pid))
    return Memory.median(found)


def own_megabytes(pid: int) -> float:
    """What a process has for itself."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(map(int, re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+) kB", rollup, re.MULTILINE))) / 1024


def extension_processes(browser: BareBrowser) -> int:
    """How many processes run for extensions."""
    assert browser.process is not None
    commands = (Path(f"/proc/{pid}/cmdline").read_bytes() for pid in descendants(browser.process.pid))
    return sum(b"--extension-process" in each for each in commands)


async def scripts_in(browser: BareBrowser, tab: Target) -> int:
    """How many scripts of the extension a page has, and worlds for them."""
    found = []
    own = f"chrome-extension://{browser.id}"
    tab.session.on("Debugger.scriptParsed", lambda event: found.append(event["url"].startswith(own)))
    tab.session.on(
        "Runtime.executionContextCreated", lambda event: found.append(event["context"]["origin"].startswith(own))
    )
    for method in ("Debugger.enable", "Runtime.disable", "Runtime.enable"):
        await tab.session.call(method)
    for method in ("Debugger.disable", "Runtime.disable"):
        await tab.session.call(method)
    return sum(found)


async def measure(folder: Path, extension: Path | None, port: int, count: int) -> tuple[Memory, int]:
    """The memory of a new browser, and the number of the extension's scripts in all pages."""
    folder.mkdir()
    browser = BareBrowser(extension or folder, folder)
    await browser.start()
    try:
        if extension is not None:
            await browser.add()
        else:
            await asyncio.sleep(WORKER_SECONDS)
        tabs = [await browser.open(f"http://site{number}.localhost:{port}/") for number in range(count)]
        memory = await used(browser, tabs)
        if extension is None:
            return memory, 0
        assert not await browser.has_worker(), "pages that are loaded have woken the worker"
        assert not extension_processes(browser)
        return memory, sum([await scripts_in(browser, tab) for tab in tabs])
    finally:
        await browser.close()


def empty_extension(folder: Path) -> Path:
    """What an extension costs that does nothing: Chromium's own share."""
    folder.mkdir()
    (folder / "manifest.json").write_text(
        '{"manifest_version": 3, "name": "Empty", "version": "1", "background": {"service_worker": "worker.js"}}'
    )
    (folder / "worker.js").write_text("chrome.runtime.onStartup.addListener(() => undefined);\n")
    return folder


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--tabs", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    port, scripts = server.server_address[1], 0
    found: dict[str, list[Memory]] = {"none": [], "empty": [], "Oryn": []}
    with tempfile.TemporaryDirectory() as folder:
        extensions = {
            "none": None,
            "empty": empty_extension(Path(folder, "empty")),
            "Oryn": copy(Path(folder, "extension")),
        }
        for number in range(options.rounds):
            for kind in sorted(found, reverse=bool(number % 2)):
                place = Path(folder, f"{number}-{kind}")
                memory, count = await measure(place, extensions[kind], port, options.tabs)
                found[kind].append(memory)
                scripts += count
            print(", ".join(f"{kind}: {times[-1]}" for kind, times in found.items()), f"{scripts} scripts", flush=True)
    server.shutdown()
    bare = [each.whole for each in found["none"]]
    none, empty, oryn = (Memory.median(times) for times in found.values())
    print(f"none: {none}; empty: {empty}; Oryn: {oryn}")
    print(
        f"{options.tabs} tabs: {scripts} scripts in pages, no process, {oryn.whole - none.whole:+.1f} MB, "
        f"{oryn.whole - empty.whole:+.1f} MB against an empty one (without: {min(bare):.1f} to {max(bare):.1f} MB)"
    )


if __name__ == "__main__":
    asyncio.run(main())
