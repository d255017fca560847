"""`SharedBrowser`: one browser's process and its connection, shared by the sessions that run in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.transport import PipeTransport, WebSocketTransport
from oryn.browsers.chromium.bootstrap import enable_auto_attach, set_download_behavior
from oryn.browsers.chromium.launch import PORT_FILE, PreparedLaunch
from oryn.browsers.chromium.machine_limits import start_error
from oryn.browsers.chromium.target_router import TargetRouter
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.process.browser_process import END_SECONDS, START_SECONDS, BrowserProcess
from oryn.browsers.process.run_folder import LaunchedProcess, RunFolder, remove_abandoned
from oryn.errors import BrowserFailed, BrowserNotFound, ConfigurationError, InternalError, OrynError, ProfileInUse

REMOVAL_SECONDS = 0.05
_MAX_REMOVALS = 20
RETRY_SECONDS = 0.1
_MAX_START_ATTEMPTS = 20


class SharedBrowser:
    """A browser that runs from the first session's `start` until the last session has left, and restarts after a crash.

    prepare: prepares the start of the process, in the run folder passed to it or in a new one below `runtime_dir`.
    persistent: the profile is saved, so the browser gets time to write it when it ends.
    endpoint: the address of a browser that runs already (`browser_url`). It keeps running, and what other clients do
        there is left alone.
    launched: a process that was started already.
    extensions: folders of unpacked extensions to load.
    attachable: the browser also opens a debugging port; `address` is its address."""

    def __init__(
        self,
        prepare: Callable[[RunFolder | None], PreparedLaunch],
        *,
        runtime_dir: Path,
        persistent: bool = False,
        endpoint: str | None = None,
        launched: LaunchedProcess | None = None,
        extensions: Sequence[Path] = (),
        attachable: bool = False,
    ) -> None:
        self._prepare = prepare
        self._extensions = extensions
        self._takes_extensions = False
        """Whether extensions are loaded by a command, which a browser takes over a pipe alone."""
        self._runtime_dir = runtime_dir
        self.persistent = persistent
        self.endpoint = endpoint
        self.is_local = True
        """Whether the browser runs on this computer and sees its files."""
        self._attachable = attachable
        self.address: str | None = None
        """The endpoint that other clients can attach to, or None."""
        self._launched = launched
        self.process: BrowserProcess | None = None
        self.run_folder: RunFolder | None = None
        self.connection = CdpConnection()
        self.router = TargetRouter(foreign=endpoint is not None)
        self._running = False
        self._lock = asyncio.Lock()
        self._users: set[object] = set()
        self._clean_up_task: asyncio.Future[Any] | None = None

    async def start(
        self, user: object, listen: Callable[[], None], *, new_tab: bool = False
    ) -> asyncio.Future[Answer] | None:
        """Start the browser unless it runs, on behalf of `user`, who must call `leave` later.

        `listen` is called before the first event. Returns the answer to the request for a tab in the default context if
        `new_tab` is set and the browser was started, else None. Raises `BrowserNotFound`, `BrowserFailed`."""
        self._users.add(user)
        async with self._lock:
            if self._running and self.connection.closed is None:
                return None
            await self._discard_crashed()
            self.router = router = TargetRouter(foreign=self.endpoint is not None)
            self.connection = connection = CdpConnection(router.on_lost)
            router.listen(connection.root)
            pipe = await self._attach(connection)
            if self.endpoint is None:
                set_download_behavior(connection.root, self.run_folder.downloads if self.run_folder else None)
            first_tab = enable_auto_attach(connection.root, new_tab=new_tab and self.endpoint is None)
            listen()
            if pipe is not None:
                await pipe.listen()
            if self._extensions and self._takes_extensions:
                from oryn.browsers.chromium.extensions import load_unpacked

                await load_unpacked(connection.root, self._extensions)
            if self._attachable and self.process is not None:
                self.address = await _debugging_endpoint(self.process)
                await router.fetch_default(connection.root)
            self._running = True
            return first_tab

    async def _discard_crashed(self) -> None:
        """Remove the remains of a browser that has crashed or did not start."""
        self._running = False
        self.address = None
        self.connection.close()
        if self.process is not None:
            self.process.kill()
            await self.process.wait(END_SECONDS)
            if self.run_folder is not None:
                self.run_folder.forget_browser()

    async def _attach(self, connection: CdpConnection) -> PipeTransport | None:
        """Start the process and attach its pipe, which is returned and does not listen yet, or its socket."""
        if self.endpoint is not None:
            await self._attach_to(self.endpoint, connection)
            return None
        launched, self._launched = self._launched, None
        launched = launched or (await self._prepare_launch()).launch()
        self.run_folder = launched.folder
        self.process = BrowserProcess(launched)
        if launched.pipe is not None:
            self._takes_extensions = True
            pipe = PipeTransport(connection.receive, connection.on_lost, launched.pipe)
            connection.attach(pipe)
            return pipe
        address = await _debugging_endpoint(self.process)
        connection.attach(await WebSocketTransport.open(address, connection.receive, connection.on_lost))
        return None

    async def _prepare_launch(self) -> PreparedLaunch:
        """Prepare the start of a process. If the last owner of the profile was killed, its browser may hold the profile
        a moment longer, so this tries again."""
        for _ in range(_MAX_START_ATTEMPTS):
            try:
                return self._prepare(self.run_folder)
            except ProfileInUse as error:
                from oryn.profiles.lock import ProfileInUseByBrowser

                if not isinstance(error, ProfileInUseByBrowser):
                    raise
                await asyncio.to_thread(remove_abandoned, self._runtime_dir)
                await asyncio.sleep(RETRY_SECONDS)  # no event reports the end of another process
        return self._prepare(self.run_folder)

    async def _attach_to(self, endpoint: str, connection: CdpConnection) -> None:
        from oryn.browsers.chromium.attach import attach, is_local_browser

        await attach(endpoint, connection)
        self.is_local = await is_local_browser(endpoint, connection)
        if self.is_local and self.run_folder is None:
            self.run_folder = RunFolder.create(self._runtime_dir)  # for downloads

    def clean_up(self) -> None:
        """Remove the remains of browsers whose owners died, in the background. Separate from `start` to keep that
        fast."""
        if self._clean_up_task is None and self.endpoint is None:
            self._clean_up_task = asyncio.get_running_loop().run_in_executor(None, remove_abandoned, self._runtime_dir)

    def leave(self, user: object) -> bool:
        """Note that `user` no longer needs the browser. Returns whether others do; if not, call `end_unused`."""
        self._users.discard(user)
        return bool(self._users)

    async def end_unused(self) -> None:
        """End the browser unless a session uses it. Idempotent."""
        async with self._lock:
            if not self._users:
                await self._end()

    async def _end(self) -> None:
        process, folder = self.process, self.run_folder
        self.process = self.run_folder = self.address = None
        self._running = False
        if process is not None:
            if self.persistent and not process.ended:
                self.connection.root.send("Browser.close")  # so that the profile is written to the end
                await process.wait(END_SECONDS)
            process.kill()
            await process.wait(END_SECONDS)
        await self._disconnect()
        if self._clean_up_task is not None:
            await self._clean_up_task
            self._clean_up_task = None
        if folder is not None:
            for _ in range(_MAX_REMOVALS):  # the browser's children end a moment after it, and still write until then
                if folder.remove():
                    break
                await asyncio.sleep(REMOVAL_SECONDS)
            folder.release()

    async def _disconnect(self) -> None:
        self.connection.close()

    def explain_start_error(self, error: OrynError) -> OrynError:
        """The error that `start` should raise: with the end of the browser's standard error, if it wrote any."""
        if self.endpoint is not None and isinstance(error, InternalError):
            from oryn.browsers.chromium.attach import undrivable_error

            return undrivable_error(self.endpoint, error)
        output = self.process.stderr_tail() if self.process else ""
        if isinstance(error, BrowserNotFound | ConfigurationError) or not output:
            return error
        return start_error(output)


async def _debugging_endpoint(process: BrowserProcess) -> str:
    """The WebSocket endpoint of a browser with a debugging port, which it writes into its profile. Raises
    `BrowserFailed`."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + START_SECONDS
    while loop.time() < deadline and not process.ended:
        try:
            port, path = (process.profile / PORT_FILE).read_text().split()
            return f"ws://127.0.0.1:{port}{path}"
        except (OSError, ValueError):
            await process.wait(0.02)  # no event reports a new file
    raise BrowserFailed("the browser did not open its port", process.stderr_tail() or None)
