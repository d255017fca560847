"""Telling whoever records the traffic of each exchange, with its bodies, as soon as it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.browsers.base.network import Transcript
from oryn.browsers.cdp.traffic import bodies

if TYPE_CHECKING:
    from oryn.browsers.cdp.traffic.log import Hop, Log

BODY_SECONDS = 10.0


class Recorded:
    """The exchanges of a `log` that begin while there is a `recorder` (`browsers.base.Network.record`). It is told what
    `shown` makes of each."""

    def __init__(self, log: Log, shown: Callable[[Transcript], Transcript] = lambda told: told) -> None:
        self._log = log
        self._shown = shown
        self.recorder: Callable[[Transcript], None] | None = None
        self._under_way: dict[int, Hop] = {}
        """Hops that the recorder is to be told of."""
        self._asking: set[asyncio.Task[None]] = set()

    async def record(self, recorder: Callable[[Transcript], None] | None, timeout: float) -> None:
        if self.recorder is not None:
            await self._finish(timeout)
        self.recorder = recorder
        self._log.on_begin = self._begun if recorder else None
        self._log.on_end = self._ended if recorder else None

    def _begun(self, hop: Hop) -> None:
        self._under_way[hop.number] = hop

    def _ended(self, hop: Hop) -> None:
        if hop.number in self._under_way:
            self._tell(hop)

    def _tell(self, hop: Hop) -> None:
        """Ask for the bodies while the browser has them, then tell the recorder."""
        del self._under_way[hop.number]
        recorder = self.recorder

        async def ask() -> None:
            told = await bodies.transcript(hop, BODY_SECONDS)
            if recorder is not None:
                recorder(self._shown(told))

        task = asyncio.create_task(ask())
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _finish(self, timeout: float) -> None:
        for hop in list(self._under_way.values()):
            self._tell(hop)
        if self._asking:
            await asyncio.wait(self._asking, timeout=timeout)
