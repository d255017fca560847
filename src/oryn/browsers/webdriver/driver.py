"""The driver's process, which starts the browser."""

from __future__ import annotations

import socket
from pathlib import Path

from oryn.browsers.process.run_folder import RunFolder
from oryn.browsers.process.supervisor import SupervisedLaunch, SupervisedProcess, check_display, launch_supervised
from oryn.browsers.webdriver.engines import WebDriverEngine, find_driver
from oryn.browsers.webkit.engines import browser_environment
from oryn.core.records import Record


class LaunchedDriver(Record):
    """A driver that has just been started.

    url: where it will answer."""

    started: SupervisedLaunch
    url: str


class DriverProcess(SupervisedProcess):
    """A running driver, with a port and a folder of its own. Needs a running event loop."""

    def __init__(self, launched: LaunchedDriver) -> None:
        super().__init__(launched.started)
        self.url = launched.url
        """Where it answers."""


def launch_driver(engine: WebDriverEngine, runtime_dir: Path, *, shader_cache: Path | None = None) -> LaunchedDriver:
    """Start a driver of `engine` on a free port of loopback, and a display that nobody sees if the engine needs one and
    there is none. Needs no event loop. `shader_cache`: see `browser_environment`.

    Raises `BrowserNotFound`, `BrowserFailed`."""
    program = find_driver(engine)
    own_screen = engine.needs_display and check_display(engine.name)
    port = _free_port()
    folder = RunFolder.create(runtime_dir)
    arguments = [program, f"--port={port}", "--host=127.0.0.1"]
    started = launch_supervised(arguments, folder, browser_environment(folder, shader_cache), own_screen=own_screen)
    return LaunchedDriver(started, f"http://127.0.0.1:{port}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
