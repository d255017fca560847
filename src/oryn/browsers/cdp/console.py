"""Records console messages and uncaught errors of a session's pages, as the protocol sends them.

They are converted to text only on request (`console_messages.py`), so a page that logs without end costs little.
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#event-consoleAPICalled"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from oryn.browsers.cdp.feature import TargetFeature
from oryn.browsers.common.console_events import RingBuffer, estimate_bytes

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import CdpTarget

ConsoleSource = Literal["console", "log", "exception"]
# Uncaught errors and messages of workers also come as events of their own.
_REPORTED_ELSEWHERE = frozenset({"javascript", "worker"})
_SILENT = frozenset({"clear", "endGroup", "profile", "profileEnd"})


class ConsoleRecorder(TargetFeature):
    """Listens to every target from before its first script."""

    def __init__(self) -> None:
        self.messages = RingBuffer()
        self.errors = RingBuffer()
        self._newest: dict[str, float] = {}
        """Timestamp of each tab's latest event, because the browser sends old events again to a new session."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        self._listen(session, self._newer_than_last(page) if session is page.channel.session else lambda _: True)

    def attach_worker(self, page: CdpTarget, session: CdpSession) -> None:
        self._listen(session, lambda _: True)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        if session is page.channel.session:
            self._newest.pop(page.target_id, None)

    def _listen(self, session: CdpSession, is_new: Callable[[float], bool]) -> None:
        def called(event: dict[str, Any]) -> None:
            if event["type"] not in _SILENT and is_new(event["timestamp"]):
                self.messages.add("console", event, sum(map(estimate_bytes, event["args"])))

        def logged(event: dict[str, Any]) -> None:
            entry = event["entry"]
            if entry["source"] not in _REPORTED_ELSEWHERE and is_new(entry["timestamp"]):
                self.messages.add("log", entry, len(entry["text"]))

        def thrown(event: dict[str, Any]) -> None:
            if is_new(event["timestamp"]):
                self.errors.add("exception", event, estimate_bytes(event["exceptionDetails"].get("exception", {})))

        session.on("Runtime.consoleAPICalled", called)
        session.on("Runtime.exceptionThrown", thrown)
        session.on("Log.entryAdded", logged)
        session.send("Log.enable")

    def _newer_than_last(self, page: CdpTarget) -> Callable[[float], bool]:
        floor = self._newest.get(page.target_id, 0.0)

        def is_new(moment: float) -> bool:
            if moment <= floor:
                return False
            self._newest[page.target_id] = moment
            return True

        return is_new


class ReattachingConsoleRecorder(ConsoleRecorder):
    """Records the console of tabs to which a debugger may attach again.

    The browser then sends all events of the page again; those that are recorded already are dropped."""

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        """Remember the latest event of the tab."""

    def ignore_past(self, target_id: str) -> None:
        """Drop what a tab has said until now: nobody but its user was to know of it."""
        self._newest[target_id] = time.time() * 1000
