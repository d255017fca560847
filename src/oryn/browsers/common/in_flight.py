"""Requests in flight: what a tab is still loading."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from oryn.browsers.base import Mark
from oryn.browsers.common.life import Life
from oryn.records import Record

QUIET_SECONDS = 0.5

ENDLESS = frozenset(
    {"WebSocket", "EventSource", "Ping", "Media", "Prefetch", "Preflight", "CSPViolationReport", "Manifest"}
)
"""What a person would not wait for: it lasts as long as the page, or nothing in the page depends on it."""

CHANGES_PAGE = frozenset({"Document", "Script", "XHR", "Fetch", "Stylesheet"})
"""What an action may have started in order to change the page."""


class Request(Record, frozen=False):
    """`kind` is one of the protocol's `Network.ResourceType`, in every backend."""

    kind: str
    frame_id: str
    loader_id: str
    moment: int


Kept = TypeVar("Kept", bound=Request)


class InFlight(Generic[Kept]):
    """The requests of one tab that have begun and not ended."""

    def __init__(self, life: Life, has_frame: Callable[[str], bool]) -> None:
        self._life = life
        self._has_frame = has_frame
        self._requests: dict[str, Kept] = {}
        self._quiet_since = 0.0

    # --- looking ---

    def in_flight(self, since: Mark | None = None) -> int:
        """How many are under way; with `since`, how many of them began then and may change the page."""
        return sum(
            since is None or (request.moment >= since.serial and request.kind in CHANGES_PAGE)
            for request in self._alive()
        )

    async def quiet(self, timeout: float) -> bool:
        """Wait until nothing has been in flight for `QUIET_SECONDS`, at most `timeout` seconds. Whether it was so."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        signal = self._life.signal
        while await signal.until(lambda: not self.in_flight(), deadline - loop.time()):
            rest = self._quiet_since + QUIET_SECONDS - loop.time()
            if rest <= 0:
                return True
            if loop.time() + rest > deadline:
                return False
            await signal.until(lambda: self.in_flight() > 0 or self._life.failure is not None, rest)
            if self._life.failure is not None:
                raise self._life.failure
        return False

    def _alive(self) -> Iterator[Kept]:
        # A frame that leaves the page takes its requests along without a word.
        return (request for request in self._requests.values() if self._has_frame(request.frame_id))

    # --- what becomes of them ---

    def ended(self, request_id: str) -> None:
        if self._requests.pop(request_id, None) is not None:
            self._look()

    def committed(self, frame_id: str, loader: str, *, top: bool) -> None:
        """The old document's requests are cancelled; the browser does not always say so."""
        gone = [
            request_id
            for request_id, request in self._requests.items()
            if (request.frame_id == frame_id or top) and request.loader_id != loader
        ]
        self.drop(gone)

    def drop(self, request_ids: list[str]) -> None:
        for request_id in request_ids:
            del self._requests[request_id]
        self._look()

    def _look(self) -> None:
        if not self.in_flight():
            self._quiet_since = asyncio.get_running_loop().time()
        self._life.signal.notify()
