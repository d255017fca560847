"""Records what pages do, as WebKit's own timeline tells it, in the Trace Event Format.

https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Timeline.json
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format)"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.recording import ByteWriter, Tracing
from oryn.browsers.common.target_feature import TargetFeature
from oryn.browsers.webkit.session import WebKitSession
from oryn.errors import AlreadyRunning, BrowserFailed

if TYPE_CHECKING:
    from oryn.browsers.common.target_feature import InterceptedTarget

MAX_EVENTS = 500_000
"""Events that are stored; a busy page makes some thousand a second."""
_INSTRUMENTS = ["Timeline", "ScriptProfiler"]
_STOP_SECONDS = 5.0
_MICROSECONDS = 1_000_000


class WebKitTracing(TargetFeature[WebKitSession], Tracing):
    """The timeline of all tabs of a session.

    is_lost: whether the browser has ended."""

    def __init__(self, is_lost: Callable[[], bool]) -> None:
        self._is_lost = is_lost
        self._events: list[dict[str, Any]] | None = None
        """The events so far; None while nothing is traced."""
        self._sessions: dict[WebKitSession, tuple[int, str]] = {}
        """The number of each session in the trace, and the URL of its page."""
        self._is_complete = True

    def attach(self, page: InterceptedTarget[WebKitSession], session: WebKitSession) -> None:
        self._sessions[session] = len(self._sessions) + 1, page.url
        session.on("Timeline.eventRecorded", lambda event: self._on_recorded(session, event["record"]))
        if self._events is not None:
            self._start(session)

    def detach(self, page: InterceptedTarget[WebKitSession], session: WebKitSession) -> None:
        self._sessions.pop(session, None)

    async def start(self, *, timeout: float = 30) -> None:
        if self._events is not None:
            raise AlreadyRunning("a trace is running", "Run 'trace stop' first.")
        self._events, self._is_complete = [], True
        for session in self._living():
            self._start(session)

    def _living(self) -> Iterator[WebKitSession]:
        return (session for session in list(self._sessions) if session.ended is None)

    def _start(self, session: WebKitSession) -> None:
        session.send("Timeline.enable")
        session.send("Timeline.setInstruments", {"instruments": _INSTRUMENTS})
        session.send("Timeline.start", {"maxCallStackDepth": 5})
        number, url = self._sessions[session]
        about = {"name": "process_name", "ph": "M", "pid": number, "tid": 1, "args": {"name": url}}
        assert self._events is not None, "a trace runs"
        self._events.append(about)

    def _on_recorded(self, session: WebKitSession, record: dict[str, Any]) -> None:
        if self._events is None or session not in self._sessions:
            return
        if len(self._events) >= MAX_EVENTS:
            self._is_complete = False
            return
        self._events += _events(record, self._sessions[session][0])

    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        events = self._events
        if events is None or self._is_lost():
            self._events = None
            raise BrowserFailed("the browser that was traced is gone", "Run 'goto' to start it again.")
        await self._end(min(timeout, _STOP_SECONDS))
        write(b'{"traceEvents":[')
        for index, event in enumerate(events):
            write((b"," if index else b"") + json.dumps(event, separators=(",", ":")).encode())
        write(b"]}")
        return self._is_complete

    async def discard(self) -> None:
        if self._events is not None:
            await self._end(_STOP_SECONDS)

    async def _end(self, timeout: float) -> None:
        """End the timelines, whose last events come before the answers."""
        sent = [session.send(f"Timeline.{name}") for session in self._living() for name in ("stop", "disable")]
        if sent:
            await asyncio.wait(sent, timeout=timeout)
        self._events = None


def _events(record: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The events of a record of the timeline and of those in it; the outermost have no type, but a name."""
    waiting = [record]
    while waiting:
        each = waiting.pop()
        waiting += each.get("children", ())
        data = each.get("data", {})
        start = each["startTime"]
        yield {
            "name": each.get("type") or data.get("name", "task"),
            "cat": "devtools.timeline",
            "ph": "X",
            "ts": round(start * _MICROSECONDS),
            "dur": round((each.get("endTime", start) - start) * _MICROSECONDS),
            "pid": number,
            "tid": 1,
            "args": {"data": data},
        }
