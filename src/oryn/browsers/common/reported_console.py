"""The console of a session by what a script in the pages' own world reports, for browsers whose protocol does not.
Messages from before the script is in a document are missing."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from oryn.browsers.base.console import Console, ConsoleMessage, MessageLevel

MAX_MESSAGES = 1000
MAX_TEXT_CHARACTERS = 10_000
_INCLUDED = "/* console_listeners.js */"
_LEVELS: tuple[MessageLevel, ...] = ("log", "info", "warn", "error")


def with_console_listeners(script: str) -> str:
    """A script with the functions that report the console (`console_listeners.js`) where a comment names that file."""
    listeners = files("oryn.browsers.common") / "console_listeners.js"
    assert _INCLUDED in script
    return script.replace(_INCLUDED, listeners.read_text(encoding="utf-8"), 1)


class ReportedConsole(Console):
    """The latest messages and errors of one session."""

    def __init__(self) -> None:
        self._messages: deque[ConsoleMessage] = deque(maxlen=MAX_MESSAGES)
        self._errors: deque[ConsoleMessage] = deque(maxlen=MAX_MESSAGES)

    def record(self, event: dict[str, Any]) -> None:
        """Add what a page reports, a message (`kind` is `console`) or an uncaught error. Its fields are the page's."""
        kind = event.get("kind")
        line = event.get("line")
        level = event.get("level")
        message = ConsoleMessage(
            level=level if kind == "console" and level in _LEVELS else "error",
            text=str(event.get("text", ""))[:MAX_TEXT_CHARACTERS],
            time=float(event["time"]) / 1000 if isinstance(event.get("time"), int | float) else 0.0,
            url=str(event.get("url") or ""),
            line=line if isinstance(line, int) and line > 0 else None,
            stack=str(event.get("stack") or "")[:MAX_TEXT_CHARACTERS],
        )
        (self._messages if kind == "console" else self._errors).append(message)

    def record_texts(self, messages: list[Any]) -> None:
        """The same for what pages may have made up: each message is to be JSON text; others are left out."""
        for each in messages:
            try:
                event = json.loads(each)
            except (TypeError, ValueError, RecursionError):
                continue
            if isinstance(event, dict) and event.get("kind") in ("console", "error"):
                self.record(event)

    def messages(self) -> Sequence[ConsoleMessage]:
        return list(self._messages)

    def errors(self) -> Sequence[ConsoleMessage]:
        return list(self._errors)

    def clear_messages(self) -> int:
        count = len(self._messages)
        self._messages.clear()
        return count

    def clear_errors(self) -> int:
        count = len(self._errors)
        self._errors.clear()
        return count
