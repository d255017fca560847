"""`Chromium`: one browser's process and the conversation with it, shared by the sessions that live in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oryn.browsers.cdp.cleanup import RunFolder, clean
from oryn.browsers.cdp.connection import Answer, Connection
from oryn.browsers.cdp.contexts import Contexts
from oryn.browsers.cdp.greeting import greet, tell_downloads
from oryn.browsers.cdp.launch import Started
from oryn.browsers.cdp.process import END_SECONDS, START_SECONDS, Process
from oryn.browsers.cdp.transport import PipeTransport, WebSocketTransport
from oryn.errors import BrowserFailed, BrowserNotFound, ConfigurationError, InternalError, OrynError, ProfileInUse

REMOVAL_SECONDS = 0.05
_REMOVALS = 20
ENDING_SECONDS = 0.1
_ENDINGS = 20


class Chromium:
    """It runs from the first session's `start` until the last one has left, and is started again after a crash.

    `begin` starts the process, in the run folder that it is given or in a new one below `runtime_dir`; `started` is one
    that has been started so already. `lasting`: the profile is kept, so the browser ends in its own time. `attachable`:
    it opens a port, too, and `address` is where. `endpoint` is the address of a browser that runs already
    (`browser_url`): it and what others do there are left as they are."""

    def __init__(
        self,
        begin: Callable[[RunFolder | None], Started],
        *,
        runtime_dir: Path,
        lasting: bool = False,
        endpoint: str | None = None,
        started: Started | None = None,
        extensions: Sequence[Path] = (),
        attachable: bool = False,
    ) -> None:
        self._begin = begin
        self._extensions = extensions
        self._runtime_dir = runtime_dir
        self.lasting = lasting
        self.endpoint = endpoint
        self.here = True
        """It runs on this computer, whose files it sees."""
        self._attachable = attachable
        self.address: str | None = None
        """Where others can attach to it too."""
        self._started = started
        self.process: Process | None = None
        self.run_folder: RunFolder | None = None
        self.connection = Connection()
        self.contexts = Contexts(foreign=endpoint is not None)
        self._running = False
        self._changing = asyncio.Lock()
        self._users: set[object] = set()
        self._cleaning: asyncio.Future[Any] | None = None

    async def start(
        self, user: object, listen: Callable[[], None], *, new_tab: bool = False
    ) -> asyncio.Future[Answer] | None:
        """Start the browser unless it runs, for `user`, who shall `leave` it one day.

        `listen` is called before the first event can come. The future of a tab in the default context, where `new_tab`
        asked for one and the browser was started. Raises `BrowserNotFound`, `BrowserFailed`."""
        self._users.add(user)
        async with self._changing:
            if self._running and self.connection.closed is None:
                return None
            await self._bury()
            self.contexts = contexts = Contexts(foreign=self.endpoint is not None)
            self.connection = connection = Connection(contexts.lost)
            contexts.listen(connection.root)
            pipe = await self._attach(connection)
            if self.endpoint is None:
                tell_downloads(connection.root, self.run_folder.downloads if self.run_folder else None)
            made = greet(connection.root, new_tab=new_tab and self.endpoint is None)
            listen()
            if pipe is not None:
                await pipe.listen()
            if self._extensions and pipe is not None:
                from oryn.browsers.cdp.extensions import load

                await load(connection.root, self._extensions)
            if self._attachable and self.process is not None:
                self.address = await self.process.endpoint(START_SECONDS)
                await contexts.tell_apart(connection.root)
            self._running = True
            return made

    async def _bury(self) -> None:
        """Remove what a browser that has crashed, or that did not come up, left behind."""
        self._running = False
        self.address = None
        self.connection.close()
        if self.process is not None:
            self.process.kill()
            await self.process.wait(END_SECONDS)
            if self.run_folder is not None:
                self.run_folder.forget_browser()

    async def _attach(self, connection: Connection) -> PipeTransport | None:
        """Start the process and attach its pipe, which does not listen yet, or its socket."""
        if self.endpoint is not None:
            await self._attach_to(self.endpoint, connection)
            return None
        started, self._started = self._started, None
        started = started or await self._begun()
        self.run_folder = started.folder
        self.process = Process(started)
        if started.pipe is not None:
            pipe = PipeTransport(connection.receive, connection.lost, started.pipe)
            connection.attach(pipe)
            return pipe
        address = await self.process.endpoint(START_SECONDS)
        connection.attach(await WebSocketTransport.open(address, connection.receive, connection.lost))
        return None

    async def _begun(self) -> Started:
        """A new process. Where an owner has died, its browser may still be in the profile for a moment."""
        for _ in range(_ENDINGS):
            try:
                return self._begin(self.run_folder)
            except ProfileInUse as error:
                from oryn.profiles.lock import HeldByBrowser

                if not isinstance(error, HeldByBrowser):
                    raise
                await asyncio.to_thread(clean, self._runtime_dir)
                await asyncio.sleep(ENDING_SECONDS)  # no event tells of the end of somebody's process
        return self._begin(self.run_folder)

    async def _attach_to(self, endpoint: str, connection: Connection) -> None:
        from oryn.browsers.cdp.attaching import attach, is_here

        await attach(endpoint, connection)
        self.here = await is_here(endpoint, connection)
        if self.here and self.run_folder is None:
            self.run_folder = RunFolder.make(self._runtime_dir)  # for downloads

    def clean_up(self) -> None:
        """Remove what dead owners of browsers left, in the background. Not part of `start`, which it would delay."""
        if self._cleaning is None and self.endpoint is None:
            self._cleaning = asyncio.get_running_loop().run_in_executor(None, clean, self._runtime_dir)

    def leave(self, user: object) -> bool:
        """`user` needs the browser no longer, and shall `end_unused` it. Whether others still do."""
        self._users.discard(user)
        return bool(self._users)

    async def end_unused(self) -> None:
        """End the browser unless somebody is in it. Safe to call twice."""
        async with self._changing:
            if not self._users:
                await self._end()

    async def _end(self) -> None:
        process, folder = self.process, self.run_folder
        self.process = self.run_folder = self.address = None
        self._running = False
        if process is not None:
            if self.lasting and not process.ended:
                self.connection.root.send("Browser.close")  # so that the profile is written to the end
                await process.wait(END_SECONDS)
            process.kill()
            await process.wait(END_SECONDS)
        self.connection.close()
        if self._cleaning is not None:
            await self._cleaning
            self._cleaning = None
        if folder is not None:
            for _ in range(_REMOVALS):  # the browser's children end a moment after it, and still write until then
                if folder.remove():
                    break
                await asyncio.sleep(REMOVAL_SECONDS)
            folder.release()

    def not_started(self, error: OrynError) -> OrynError:
        """Why the browser did not start, in its own last words where it left any."""
        if self.endpoint is not None and isinstance(error, InternalError):
            from oryn.browsers.cdp.attaching import cannot_be_driven

            return cannot_be_driven(self.endpoint, error)
        words = self.process.last_words() if self.process else ""
        if isinstance(error, BrowserNotFound | ConfigurationError) or not words:
            return error
        return BrowserFailed(f"the browser did not start: {words}", "Run 'oryn doctor' to see what is wrong.")
