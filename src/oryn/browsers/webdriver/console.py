"""The console of a session: what `page.js` reports of all tabs' documents. Messages from before the script is in a
document, and those of frames, are missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Literal

from oryn.browsers.base.console import Console, ConsoleMessage, MessageLevel

MAX_MESSAGES = 1000
MAX_TEXT_CHARACTERS = 10_000
_LEVELS: tuple[MessageLevel, ...] = ("log", "info", "warn", "error")


class WebDriverConsole(Console):
    """The latest messages and errors of one session."""

    def __init__(self) -> None:
        self._messages: deque[ConsoleMessage] = deque(maxlen=MAX_MESSAGES)
        self._errors: deque[ConsoleMessage] = deque(maxlen=MAX_MESSAGES)

    def record(self, kind: Literal["console", "error"], event: dict[str, Any]) -> None:
        """Add a message or an uncaught error, whose fields are the page's."""
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
