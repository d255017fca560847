"""The process of a browser, and the connection to it, or to a browser that somebody else has started."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from oryn.browsers.common.events import Deadline
from oryn.browsers.process.process_tree import descendants, process_name
from oryn.browsers.process.supervisor import SupervisedProcess
from oryn.browsers.webkit import error_mapping, listener
from oryn.browsers.webkit.connection import AutomationOptions, WebKitConnection
from oryn.browsers.webkit.launch import LaunchedWebKit
from oryn.errors import BrowserFailed, BrowserUnsuitable, ConfigurationError

START_SECONDS = 15.0
"""How long a browser may take until it listens."""
_RETRY_SECONDS = 0.005
_CHECK_SECONDS = 0.1
"""How often the standard error of a browser that starts is read."""
_PAGE_PROCESS = "WebProces"  # of WPEWebProcess, and of the 15 characters of WebKitWebProcess


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
        self._watch: asyncio.Task[None] | None = None

    async def connect(
        self, on_closed: Callable[[], None] | None = None, options: AutomationOptions | None = None
    ) -> WebKitConnection:
        """Connect to the browser as soon as it listens, and start its automation session. See `WebKitConnection`.

        Raises `BrowserUnsuitable` if it does not listen, `BrowserFailed` if it can't start or does not answer, or if
        another program has its port. The connection closes soon after that if another user has connected too."""
        connected = await self._connect()
        connection = WebKitConnection(on_closed)
        try:
            with self._owned(connected) as own:
                await connection.open(connected, options)
                self.is_private = own is not None and listener.shut(own)
        except BaseException as error:
            connection.close()
            connected.close()
            if isinstance(error, BrowserFailed):
                self._check(at_start=False)  # it knows more
            raise
        if listener.can_check():
            self._watch = asyncio.create_task(self._look_for_strangers(connection))
        return connection

    @contextmanager
    def _owned(self, connected: socket.socket) -> Iterator[socket.socket | None]:
        """The listening socket of the browser, if the system lends it. Raises `BrowserFailed` if another program has
        the port."""
        own = listener.borrow(self.pid, self.address)
        if own is None and listener.can_check() and not listener.listens(self.pid, connected.getpeername()):
            raise BrowserFailed("another program has taken the port of the browser", "Try again.")
        with own or nullcontext():
            yield own

    async def _look_for_strangers(self, connection: WebKitConnection) -> None:
        """Leave the browser if another user has connected to it before nobody could any more. It takes a while, and is
        over before the first page has loaded."""
        if await asyncio.to_thread(listener.strangers, self.address):
            hint = "Run 'goto' to start it again."
            connection.close(BrowserFailed("another user of this computer has connected to the browser", hint))

    async def end(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await super().end()

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


async def connect_to(
    address: str,
    on_closed: Callable[[], None] | None = None,
    options: AutomationOptions | None = None,
    *,
    timeout: float = START_SECONDS,
) -> WebKitConnection:
    """Connect to a browser that runs already, on another machine or a device, at `host:port` (`[::1]:port`), and start
    an automation session, which it must allow (`--automation`). At most `timeout` seconds.

    Raises `ConfigurationError` for an address of another form, `BrowserFailed` if no browser answers there, or if it is
    a process of another user of this computer."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise ConfigurationError(f"{address!r} is not the address of a browser", "Give HOST:PORT.")
    connection = WebKitConnection(on_closed)
    deadline = Deadline(timeout)
    try:
        async with asyncio.timeout(timeout):
            connected = await _connect_to(host.strip("[]"), int(port))
    except (OSError, TimeoutError) as error:
        hint = "Start it with WEBKIT_INSPECTOR_SERVER=HOST:PORT and --automation."
        raise BrowserFailed(f"no browser answers at {address}", hint) from error
    try:
        if listener.can_check() and listener.is_of_another_user(connected.getpeername()):
            raise BrowserFailed(f"the browser at {address} is another user's", "Start one of your own.")
        await connection.open(connected, options, timeout=deadline.left)
    except BaseException:
        connection.close()
        connected.close()
        raise
    return connection


async def _connect_to(host: str, port: int) -> socket.socket:
    loop = asyncio.get_running_loop()
    failure: OSError | None = None
    for family, kind, protocol, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        connected = socket.socket(family, kind, protocol)
        connected.setblocking(False)
        try:
            await loop.sock_connect(connected, address)
        except OSError as error:
            connected.close()
            failure = error
        except BaseException:
            connected.close()
            raise
        else:
            return connected
    raise failure or OSError("the host has no address")
