"""The requests of a tab in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from oryn.browsers.base import Checkpoint
from oryn.browsers.common.tab_state import TabState
from oryn.core.records import Record

QUIET_SECONDS = 0.5

IGNORED_KINDS = frozenset(
    {"WebSocket", "EventSource", "Ping", "Media", "Prefetch", "Preflight", "CSPViolationReport", "Manifest"}
)
"""Kinds of requests that are not waited for: they last as long as the page, or nothing in the page depends on them."""

PAGE_CHANGING_KINDS = frozenset({"Document", "Script", "XHR", "Fetch", "Stylesheet"})
"""Kinds of requests that may change the page."""


class InflightRequest(Record, frozen=False):
    """A request in flight. In every backend `kind` is one of the DevTools protocol's `Network.ResourceType`."""

    kind: str
    frame_id: str
    loader_id: str
    moment: int


AnyRequest = TypeVar("AnyRequest", bound=InflightRequest)


class InflightTracker(Generic[AnyRequest]):
    """The requests of one tab that have begun and not ended."""

    def __init__(self, tab_state: TabState, has_frame: Callable[[str], bool]) -> None:
        """`has_frame` says whether a frame id is in the tab's frame tree."""
        self._tab_state = tab_state
        self._has_frame = has_frame
        self._requests: dict[str, AnyRequest] = {}
        self._quiet_since = 0.0

    # --- queries ---

    def in_flight(self, since: Checkpoint | None = None) -> int:
        """How many requests are in flight; with `since`, only those that began then and may change the page."""
        if not self._requests:
            return 0
        return sum(
            since is None or (request.moment >= since.serial and request.kind in PAGE_CHANGING_KINDS)
            for request in self._requests.values()
            if self._has_frame(request.frame_id)  # those of a frame that has left the page end without an event
        )

    async def wait_until_quiet(self, timeout: float) -> bool:
        """Wait until nothing has been in flight for `QUIET_SECONDS`, at most `timeout` seconds; whether that was
        reached. Raises the tab's failure."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        signal = self._tab_state.signal
        while await signal.until(lambda: not self.in_flight(), deadline - loop.time()):
            rest = self._quiet_since + QUIET_SECONDS - loop.time()
            if rest <= 0:
                return True
            if loop.time() + rest > deadline:
                return False
            await signal.until(lambda: self.in_flight() > 0 or self._tab_state.failure is not None, rest)
            if self._tab_state.failure is not None:
                raise self._tab_state.failure
        return False

    # --- updates ---

    def on_ended(self, request_id: str) -> None:
        """A request has ended."""
        if self._requests.pop(request_id, None) is not None:
            self._update_quiet()

    def on_committed(self, frame_id: str, loader: str, *, top: bool) -> None:
        """Drop the requests of a frame's old document: the browser cancels them, but does not always report it."""
        cancelled = [
            request_id
            for request_id, request in self._requests.items()
            if (request.frame_id == frame_id or top) and request.loader_id != loader
        ]
        self.drop(cancelled)

    def drop(self, request_ids: list[str]) -> None:
        """Remove requests that are in flight."""
        for request_id in request_ids:
            del self._requests[request_id]
        self._update_quiet()

    def _update_quiet(self) -> None:
        if not self.in_flight():
            self._quiet_since = asyncio.get_running_loop().time()
        self._tab_state.signal.notify()
