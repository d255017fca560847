"""What can go wrong with a remote browser, done on purpose: the worker, the tab, the server or the network ends while
commands run. Used by the tests, a few times, and by `benchmarks/remote_faults.py`, often."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Self
from urllib.parse import parse_qs, urlsplit

from oryn.client.engine_process import EngineProcess
from oryn.errors import ConnectionLost
from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port
from tests.headless.conftest import Pages

PAGE = """<!doctype html><title>Counted</title><button onclick="fetch('/done?n=' + n.value)">Count</button>
<input id="n" aria-label="Number"><button>Another</button>"""
BACK_SECONDS = 40.0
"""When the connection has to be back after everything may run again."""


class Wire:
    """A way through to `port` that can be cut, and mended again."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.port = free_port()
        self.passed = 0
        """Connections that have come."""

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)

    async def cut(self) -> None:
        """All that passes is lost, and nobody is let in."""
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self.passed += 1
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._open.add(there_writer)
        await asyncio.gather(_pass(reader, there_writer), _pass(there_reader, writer))
        self._open -= {writer, there_writer}


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.transport.abort()


@dataclass
class Record:
    """What has come of one fault."""

    fault: str
    answer: str
    """Of the command under way: its first line, or the error of the lost engine."""
    back: float
    """Seconds from the moment when every part may run again until a command is answered well."""


@dataclass
class Rig:
    """A paired browser, a server, and a wire between them."""

    folder: Path
    extension: Path
    pages: Pages = field(default_factory=Pages)
    done: Counter[str] = field(default_factory=Counter)
    """How often each numbered command has reached the page's server."""
    promised: set[str] = field(default_factory=set)
    """The numbers of the commands that were answered well."""
    _number: int = 0

    async def __aenter__(self) -> Self:
        self.pages["/"] = PAGE
        self.pages["/done"] = self._count
        self._port = free_port()
        self.wire = Wire(self._port)
        await self.wire.mend()
        self.browser = PairedBrowser(self.extension, self.folder)
        code = await self.browser.asks_for(f"ws://127.0.0.1:{self.wire.port}")
        await self._serve("--pair", code)
        await self._back_within(BACK_SECONDS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engine.end()
        await self.browser.close()
        await self.wire.cut()
        self.pages.server.shutdown()
        self.pages.server.server_close()

    def _count(self, request: object) -> str:
        (number,) = parse_qs(urlsplit(request.path).query)["n"]  # type: ignore[attr-defined]
        self.done[number] += 1
        return "counted"

    async def _serve(self, *more: str) -> None:
        home = f"ORYN_HOME={self.folder}"  # where the kept key is
        command = ["env", home, sys.executable, "-m", "oryn", "remote", "--port", str(self._port), "--timeout", "20s"]
        self._engine = EngineProcess([*command, *more])
        await self._engine.start()

    # --- faults: each leaves every part free to run again ---

    async def _worker(self) -> None:
        await self.browser.kill_worker()

    async def _tab(self) -> None:
        await self.browser.page_in_front()

    async def _server(self) -> None:
        os.kill(self._engine.pid, signal.SIGKILL)
        await self._serve()

    async def _network(self) -> None:
        await self.wire.cut()
        await self.wire.mend()

    @property
    def faults(self) -> dict[str, Callable[[], Awaitable[None]]]:
        return {"worker": self._worker, "tab": self._tab, "server": self._server, "network": self._network}

    async def suffer(self, fault: str, delay: float) -> Record:
        """Let it happen so many seconds after a command was sent, and wait until all is well again."""
        await self._engine.ask(f"goto {self.pages.url()}")
        observed = await self._engine.ask("observe")
        assert '[1] button "Count"' in observed, observed
        asked = asyncio.create_task(self._counted())
        await asyncio.sleep(delay)
        await self.faults[fault]()
        free = monotonic()
        answer = await asked
        # The page and its numbers are gone with it, or as they were; a number never means something else.
        stale = await self.ask("click 3")
        assert stale.startswith(("error ", "ok click 3")), stale
        await self._back_within(BACK_SECONDS)
        return Record(fault, answer.partition("\n")[0], monotonic() - free)

    async def _counted(self) -> str:
        self._number += 1
        number = str(self._number)
        answer = await self.ask(f"eval \"fetch('/done?n={number}').then((each) => each.text())\"")
        if answer.startswith("ok "):
            self.promised.add(number)
        return answer

    async def ask(self, line: str) -> str:
        try:
            return await self._engine.ask(line)
        except ConnectionLost as error:
            return f"lost: {error.message}"

    async def _back_within(self, seconds: float) -> None:
        """A command is answered well again."""
        async with asyncio.timeout(seconds):
            while not (answer := await self.ask(f"goto {self.pages.url()}")).startswith("ok "):
                assert answer.startswith(("error ", "lost: ")), answer

    def check(self) -> None:
        """Nothing was done twice, and what was answered well was done."""
        assert [number for number, times in self.done.items() if times > 1] == []
        assert self.promised <= self.done.keys()


async def inject_faults(rig: Rig, times: int, seed: int) -> list[Record]:
    """So many faults in random order, each at a random moment of a command."""
    chance = random.Random(seed)
    names = [name for _ in range(-(-times // 4)) for name in chance.sample(sorted(rig.faults), 4)]
    records = [await rig.suffer(name, chance.uniform(0, 0.05)) for name in names[:times]]
    rig.check()
    return records
