"""Servers of browsers that a test may kill and start again at the same address: those of Playwright, and a browser with
a debugging port."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from oryn.browsers.chromium.discovery import find_browser
from tests.headless.attached_browser import RunningChromium
from tests.process_groups import await_end

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


def children_of(pid: int) -> set[int]:
    """The child processes of a process; none of one that has ended."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            found.update(map(int, (task / "children").read_text().split()))
        except OSError:
            continue  # the thread has ended meanwhile
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class BrowserServer:
    """A server that starts browsers. `start` it; `kill` ends it without notice, with all that it has started."""

    ends_its_browsers = True
    """Whether its browsers end by themselves when it is killed: those with a pipe to it do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"ws://127.0.0.1:{self.port}/here"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Returns when it listens."""
        self._process = process = await asyncio.create_subprocess_exec(
            *self.command(), stdout=asyncio.subprocess.PIPE, env={**os.environ, **self.environment()}
        )
        assert process.stdout is not None
        assert self.address in (await process.stdout.readline()).decode()

    def command(self) -> tuple[str, ...]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {}

    async def kill(self) -> None:
        """Kill the server. Returns when its browsers have ended."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        groups = {os.getpgid(pid) for pid in children_of(process.pid)}
        process.kill()
        await process.wait()
        for group in groups - {os.getpgid(0)}:
            if not self.ends_its_browsers:
                os.killpg(group, signal.SIGKILL)
            await asyncio.to_thread(await_end, group)


def _playwright(*arguments: str) -> tuple[str, ...]:
    from playwright._impl._driver import compute_driver_executable

    return (*compute_driver_executable(), *arguments)


class LaunchedServer(BrowserServer):
    """`playwright launch-server`: one browser that its clients share."""

    engine = "chromium"

    def command(self) -> tuple[str, ...]:
        program = {"executablePath": find_browser(None), "chromiumSandbox": False}
        if self.engine == "firefox":
            program = {"executablePath": str(FIREFOX), "channel": "moz-firefox"}
        place = {"headless": True, "host": "127.0.0.1", "port": self.port, "wsPath": "/here"}
        options = self.folder / "options.json"
        options.write_text(json.dumps({**place, **program}))
        return _playwright("launch-server", "--browser", self.engine, "--config", str(options))


class LaunchedFirefoxServer(LaunchedServer):
    engine = "firefox"
    ends_its_browsers = False


class RunServer(BrowserServer):
    """`playwright run-server`: starts a browser for each client, from a folder of builds with the system's Chromium."""

    def command(self) -> tuple[str, ...]:
        return _playwright("run-server", "--host", "127.0.0.1", "--port", str(self.port), "--path", "/here")

    def environment(self) -> dict[str, str]:
        import playwright

        builds = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
        name = "chromium-headless-shell"
        revision = next(each["revision"] for each in json.loads(builds.read_text())["browsers"] if each["name"] == name)
        place = self.folder / f"{name.replace('-', '_')}-{revision}" / "chrome-headless-shell-linux64"
        place.mkdir(parents=True, exist_ok=True)
        link = place / "chrome-headless-shell"
        if not link.exists():
            link.symlink_to(find_browser(None))
        return {"PLAYWRIGHT_BROWSERS_PATH": str(self.folder)}


class DebuggingPort(BrowserServer):
    """A browser with an open debugging port, as a person starts one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.address = f"http://127.0.0.1:{self.port}"
        self._running: RunningChromium | None = None

    async def start(self) -> None:
        shutil.rmtree(self.folder / "profile", ignore_errors=True)
        self._running = RunningChromium(self.folder, self.port)
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except OSError:
                    await asyncio.sleep(0.05)  # there is no event for a port that opens
                else:
                    writer.close()
                    return

    async def kill(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            group = running.process.pid
            os.killpg(group, signal.SIGKILL)
            running.process.wait()
            await asyncio.to_thread(await_end, group)


@asynccontextmanager
async def running(server: BrowserServer) -> AsyncIterator[BrowserServer]:
    """Start a server, and kill it at the end."""
    server.folder.mkdir(parents=True, exist_ok=True)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()
