"""The console and the uncaught errors of a session's pages, kept as the browser tells them.

They are made readable when somebody asks (`messages.py`), so a page that logs without end costs little.
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#event-consoleAPICalled
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from oryn.browsers.cdp.features import Feature

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.features import Target

MOST = 1000
"""Messages that are kept, and errors."""
MOST_BYTES = 1_000_000
"""About how much of each is kept."""

Source = Literal["console", "log", "exception"]
# Uncaught errors, and what workers say: both come as what they are.
_TOLD_OTHERWISE = frozenset({"javascript", "worker"})
_SILENT = frozenset({"clear", "endGroup", "profile", "profileEnd"})


class Ring:
    """The latest events, bounded in number and in what they weigh."""

    def __init__(self) -> None:
        self._events: deque[tuple[Source, dict[str, Any], int]] = deque()
        self._weight = 0

    def add(self, source: Source, event: dict[str, Any], weight: int) -> None:
        self._events.append((source, event, weight))
        self._weight += weight
        while len(self._events) > MOST or (self._weight > MOST_BYTES and len(self._events) > 1):
            self._weight -= self._events.popleft()[2]

    def events(self) -> list[tuple[Source, dict[str, Any]]]:
        return [(source, event) for source, event, _ in self._events]

    def clear(self) -> int:
        count = len(self._events)
        self._events.clear()
        self._weight = 0
        return count


class Capture(Feature):
    """Listens to every target from before its first script."""

    def __init__(self) -> None:
        self.messages = Ring()
        self.errors = Ring()
        self._newest: dict[str, float] = {}
        """When the latest event of each tab was: to a new conversation the browser tells the old ones again."""

    def attach(self, page: Target, session: Session) -> None:
        self._listen(session, self._unless_known(page) if session is page.channel.session else lambda _: True)

    def attach_worker(self, page: Target, session: Session) -> None:
        self._listen(session, lambda _: True)

    def detach(self, page: Target, session: Session) -> None:
        if session is page.channel.session:
            self._newest.pop(page.target_id, None)

    def _listen(self, session: Session, is_new: Callable[[float], bool]) -> None:
        def called(event: dict[str, Any]) -> None:
            if event["type"] not in _SILENT and is_new(event["timestamp"]):
                self.messages.add("console", event, sum(map(_weight, event["args"])))

        def logged(event: dict[str, Any]) -> None:
            entry = event["entry"]
            if entry["source"] not in _TOLD_OTHERWISE and is_new(entry["timestamp"]):
                self.messages.add("log", entry, len(entry["text"]))

        def thrown(event: dict[str, Any]) -> None:
            if is_new(event["timestamp"]):
                self.errors.add("exception", event, _weight(event["exceptionDetails"].get("exception", {})))

        session.on("Runtime.consoleAPICalled", called)
        session.on("Runtime.exceptionThrown", thrown)
        session.on("Log.entryAdded", logged)
        session.send("Log.enable")

    def _unless_known(self, page: Target) -> Callable[[float], bool]:
        floor = self._newest.get(page.target_id, 0.0)

        def is_new(moment: float) -> bool:
            if moment <= floor:
                return False
            self._newest[page.target_id] = moment
            return True

        return is_new


def _weight(value: dict[str, Any]) -> int:
    """About how many bytes a remote object holds here."""
    return 200 + len(str(value.get("value", ""))) + len(value.get("description", ""))
