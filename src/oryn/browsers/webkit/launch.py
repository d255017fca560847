"""Start a browser of WebKit's with its inspector socket, and connect to it.

The socket is a TCP port of loopback, nothing else (`RemoteInspectorServer::start` in
Source/JavaScriptCore/inspector/remote/glib/RemoteInspectorServer.cpp), without a password: see `listener`."""

from __future__ import annotations

import asyncio
import mmap
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from oryn.browsers.common.events import Deadline
from oryn.browsers.process.process_tree import descendants, process_name
from oryn.browsers.process.run_folder import RunFolder
from oryn.browsers.process.supervisor import SupervisedLaunch, SupervisedProcess, check_display, launch_supervised
from oryn.browsers.webkit import error_mapping, listener
from oryn.browsers.webkit.connection import AutomationOptions, WebKitConnection
from oryn.browsers.webkit.engines import WebKitEngine, browser_environment, find_browser_program
from oryn.browsers.webkit.listener import Address
from oryn.core.records import Record
from oryn.errors import BrowserFailed, BrowserUnsuitable

START_SECONDS = 15.0
"""How long a browser may take until it listens."""
_RETRY_SECONDS = 0.005
SIZE = (1280, 720)
"""Of the viewport, in CSS pixels."""
_SIZED_BROWSER = "/wpe-webkit-2."
_FORMER_API = "use-legacy-api"
_PAGE_PROCESS = "WebProces"  # of WPEWebProcess, and of the 15 characters of WebKitWebProcess
_CHECK_SECONDS = 0.1
"""How often the standard error of a browser that starts is read."""


class LaunchedWebKit(Record):
    """A browser that has just been started.

    address: where its socket will listen."""

    engine: WebKitEngine
    started: SupervisedLaunch
    address: Address


def launch_webkit(
    engine: WebKitEngine,
    runtime_dir: Path,
    *,
    shader_cache: Path | None = None,
    size: tuple[int, int] = SIZE,
    arguments: Sequence[str] = (),
) -> LaunchedWebKit:
    """Start a browser of `engine`, and a display that nobody sees if it needs one and there is none. Needs no event
    loop.

    shader_cache: see `engines.browser_environment`.
    size: of the viewport in CSS pixels, where the browser can set it at the start.
    arguments: further ones of the browser.

    Raises `BrowserNotFound`, `BrowserFailed`."""
    program = find_browser_program(engine)
    own_screen = engine.needs_display and check_display(engine.name)
    address = _free_address()
    folder = RunFolder.create(runtime_dir)
    environment = browser_environment(folder, shader_cache) | {"WEBKIT_INSPECTOR_SERVER": "{}:{}".format(*address)}
    options = [*engine.arguments, *_version_arguments(program, size), *arguments]
    started = launch_supervised([program, *options], folder, environment, own_screen=own_screen)
    return LaunchedWebKit(engine, started, address)


class WebKitProcess(SupervisedProcess):
    """A running browser. Needs a running event loop."""

    def __init__(self, launched: LaunchedWebKit) -> None:
        super().__init__(launched.started)
        self.engine = launched.engine
        self.address = launched.address
        """Where its socket listens."""
        self.downloads = self.folder.downloads
        """The folder in which the browser stores downloads."""
        self.is_private = False
        """Whether nobody else can connect any more."""

    async def connect(
        self, on_closed: Callable[[], None] | None = None, options: AutomationOptions | None = None
    ) -> WebKitConnection:
        """Connect to the browser as soon as it listens, and start its automation session. See `WebKitConnection`.

        Raises `BrowserUnsuitable` if it does not listen, `BrowserFailed` if it can't start or does not answer, or if a
        process of another user is at the port too."""
        connected = await self._connect()
        connection = WebKitConnection(on_closed)
        try:
            pid = self._owner(connected)
            await connection.open(connected, options)
            if pid is not None:
                self._shut(pid)
        except BaseException as error:
            connection.close()
            connected.close()
            if isinstance(error, BrowserFailed):
                self._check(at_start=False)  # it knows more
            raise
        return connection

    def _owner(self, connected: socket.socket) -> int | None:
        """The process that has the port; None if the system does not tell. Raises `BrowserFailed` if it is not the
        browser."""
        if not listener.can_check():
            return None
        pid = listener.listening_process(self.pid, connected.getpeername())
        if pid is None:
            raise BrowserFailed("another program has taken the port of the browser", "Try again.")
        return pid

    def _shut(self, pid: int) -> None:
        """Keep others from the port. Raises `BrowserFailed` if another user has connected already."""
        self.is_private = listener.shut(pid, self.address)
        if listener.strangers(self.address):
            raise BrowserFailed("another user of this computer has connected to the browser", "Try again.")

    def kill_pages(self) -> None:
        """End the processes of all pages, which may loop. The browser ends the automation session then."""
        for pid in descendants(self.pid):
            if _PAGE_PROCESS in process_name(pid):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    async def _connect(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        deadline, next_check = Deadline(START_SECONDS), 0.0
        while True:
            connected = socket.socket()
            connected.setblocking(False)
            try:
                await loop.sock_connect(connected, self.address)
            except OSError:
                connected.close()
            except BaseException:
                connected.close()
                raise
            else:
                return connected
            if loop.time() >= next_check:
                self._check(at_start=True)
                next_check = loop.time() + _CHECK_SECONDS
            if not deadline.left:
                raise BrowserUnsuitable(
                    f"{self.engine.name} can't be driven: it does not open the socket of its inspector",
                    f"Install {self.engine.packages}.",
                )
            await asyncio.sleep(_RETRY_SECONDS)

    def _check(self, *, at_start: bool) -> None:
        """Raise `BrowserFailed` if the browser has ended, or a library is missing: see `missing_library`."""
        output = self.error_output()
        if library := error_mapping.missing_library(output, at_start=at_start):
            raise BrowserFailed(
                f"the browser can't start: the library {library} is not installed",
                f"{error_mapping.INSTALL_LIBRARY} The engine {self.engine.name} needs {self.engine.packages}.",
            )
        if self.ended:
            hint = output.splitlines()[-1] if output else "Run 'oryn doctor'."
            raise BrowserFailed(f"{self.engine.name} ended as soon as it was started", hint)


def _version_arguments(program: str, size: tuple[int, int]) -> list[str]:
    """The arguments that only some versions of a browser take: it ends at an option that it does not have.

    WPE's MiniBrowser of the API 2.0 can set the size of its viewport; that of 1.1 has `SIZE`. From 2.54 on, WPE has
    another way to its windows, in which the right button of the mouse is the middle one and wheels turn backwards; the
    former way is an option."""
    if _SIZED_BROWSER not in program:
        return []
    with Path(program).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        former_way = [f"--{_FORMER_API}"] if text.find(_FORMER_API.encode()) >= 0 else []
    return ["--size={}x{}".format(*size), *former_way]


def _free_address() -> Address:
    """An address of loopback, and a port that is free there. Linux has 16 million addresses of loopback, so no other
    program takes the port until the browser does."""
    host = "127.0.0.1"
    if sys.platform == "linux":
        host = "127.{}.{}.{}".format(*os.urandom(2), 1 + secrets.randbelow(254))
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return host, port
