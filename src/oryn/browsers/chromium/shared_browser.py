"""`SharedBrowser`: one browser's process and its connection, shared by the sessions that run in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.transport import PipeTransport, WebSocketTransport
from oryn.browsers.chromium.bootstrap import (
    discover_tabs,
    enable_auto_attach,
    end_auto_attach,
    set_auto_attach,
    set_download_behavior,
)
from oryn.browsers.chromium.launch import PORT_FILE, PreparedLaunch
from oryn.browsers.chromium.machine_limits import start_error
from oryn.browsers.chromium.tab_guard import TabGuard
from oryn.browsers.chromium.target_router import TargetRouter
from oryn.browsers.common.leases import TabLeases
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
    endpoint: the address of a browser that runs already (`browser_url`), or the name of one on this computer. It keeps
        running, and what other clients do there is left alone.
    keeps_connection: whether the connection to a browser that runs already on this computer stays open without a
        session, because the browser may ask its user to allow each one.
    provided: the browser is one that a provider has opened for one session; `endpoint` is then set before each start.
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
        keeps_connection: bool = False,
        provided: bool = False,
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
        self.location = endpoint
        """The address of the browser at `endpoint`, once it is known."""
        self._keeps_connection = keeps_connection
        self._provided = provided
        self._guard: TabGuard | None = None
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
        self._holding_tabs: set[object] = set()
        """Who needs every tab of a browser that runs already to be held until it is set up."""
        self._lock = asyncio.Lock()
        self._users: set[object] = set()
        self.leases = TabLeases()
        """Whose the tabs are that several sessions use, by target id."""
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
                self._prepare_downloads()
                return None
            await self._discard_crashed()
            self.router = router = TargetRouter(foreign=self.endpoint is not None)
            self.connection = connection = CdpConnection(router.on_lost)
            router.on_destroyed.append(self.leases.forget)
            router.listen(connection.root)
            pipe = await self._attach(connection)
            if self.endpoint is None:
                set_download_behavior(connection.root, self.run_folder.downloads if self.run_folder else None)
                first_tab = enable_auto_attach(connection.root, new_tab=new_tab)
            else:
                first_tab = None
                discover_tabs(connection.root)
                await router.fetch_default(connection.root)  # once it is answered, all open tabs are reported
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

    def hold_tabs(self, user: object) -> None:
        """Attach every tab that opens, also those of others for a moment: only so a tab is paused before its first
        request. In a browser that runs already this is for sessions with a context of their own, until they leave."""
        if self.endpoint is not None:
            if not self._holding_tabs:
                set_auto_attach(self.connection.root, pause=True)
            self._holding_tabs.add(user)

    def release_tabs(self, user: object) -> None:
        """End `hold_tabs`. Idempotent."""
        if user in self._holding_tabs:
            self._holding_tabs.remove(user)
            if not self._holding_tabs and self._running:
                end_auto_attach(self.connection.root)

    async def _discard_crashed(self) -> None:
        """Remove the remains of a browser that has crashed or did not start."""
        self._running = False
        self.address = None
        self._holding_tabs.clear()
        self._end_guard()
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

        self.location = await attach(endpoint, connection, provided=self._provided)
        self.is_local = await is_local_browser(self.location, connection)
        self._prepare_downloads()

    def _prepare_downloads(self) -> None:
        """Have a folder for the downloads of a browser that others have started here."""
        if self.endpoint is not None and self.is_local and self.run_folder is None:
            self.run_folder = RunFolder.create(self._runtime_dir)

    def guard_tabs(self) -> None:
        """Close the tabs that sessions open in the browser's default context also if this process is killed."""
        if self._guard is None:
            self._guard = guard = TabGuard(self.connection.descriptor)
            self.router.on_adopted.append(guard.add)
            self.router.on_destroyed.append(guard.remove)

    def _end_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.end()

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
        stays_open = self._keeps_connection and self.endpoint is not None and self.is_local and self._running
        self._running = stays_open and self.connection.closed is None
        if process is not None:
            if self.persistent and not process.ended:
                self.connection.root.send("Browser.close")  # so that the profile is written to the end
                await process.wait(END_SECONDS)
            process.kill()
            await process.wait(END_SECONDS)
        if not self._running:
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

    def disconnect(self) -> None:
        """Close the connection to a browser that is gone, or does not answer: what waits for it fails."""
        self.connection.close()

    async def _disconnect(self) -> None:
        self._end_guard()
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
