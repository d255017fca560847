"""`InputWatch`: tells a person's input in a tab from that of sessions.

A script in the page reports all trusted input by its kind (`scanner/dom/trusted_input.ts`), and sessions announce
what they send. What is reported and was not announced is a person's, or another program's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, get_args

InputKind = Literal["press", "key"]
KINDS = get_args(InputKind)

LATE_SECONDS = 1.0
"""How much later than the browser's acknowledgement the page's report of an input may come."""
UNANSWERED_SECONDS = 15.0
"""The same of an input that is never acknowledged: it has opened a dialog."""


class _Announced:
    """An input that a session sends. `until`: its report may come until then, of the loop's clock."""

    def __init__(self, now: float) -> None:
        self.until = now + UNANSWERED_SECONDS


class InputWatch:
    """The input in one tab, whatever sends it.

    on_person: called for each input that no session has announced.
    clock: the loop's by default, in seconds."""

    def __init__(self, on_person: Callable[[], object], clock: Callable[[], float] | None = None) -> None:
        self._on_person = on_person
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._announced: dict[str, deque[_Announced]] = {kind: deque() for kind in KINDS}
        self._reporter: object = None

    def announce(self, kind: InputKind, sent: asyncio.Future[Any]) -> None:
        """A session has just sent an input; `sent` is done when the browser has acknowledged it."""
        announced = _Announced(self._clock())
        self._announced[kind].append(announced)
        sent.add_done_callback(lambda _: self._on_acknowledged(announced))

    def _on_acknowledged(self, announced: _Announced) -> None:
        announced.until = self._clock() + LATE_SECONDS

    def on_reported(self, kind: str, count: int, reporter: object) -> None:
        """The page reports inputs of one kind. Of several sessions in the tab, each with a script of its own, one
        `reporter` counts, until `leave`."""
        if kind not in KINDS or (self._reporter or reporter) is not reporter:
            return
        self._reporter = reporter
        announced, now = self._announced[kind], self._clock()
        while announced and count > 0:
            if announced.popleft().until >= now:
                count -= 1
        if count > 0:
            self._on_person()

    def leave(self, reporter: object) -> None:
        """The session of this script is no longer in the tab."""
        if self._reporter is reporter:
            self._reporter = None
