"""Converts recorded console events and exceptions to the messages of `browsers.base.console`.

https://console.spec.whatwg.org/#formatter and
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base.console import ConsoleMessage, MessageLevel
from oryn.browsers.cdp.console import ConsoleRecorder
from oryn.browsers.common.console_events import RecordedConsole, truncated
from oryn.browsers.common.remote_values import formatted, is_error, split_stack, text_of

_LEVELS: dict[str, MessageLevel] = {
    "warning": "warn",
    "error": "error",
    "assert": "error",
    "info": "info",
}


class CdpConsole(RecordedConsole):
    """The console of one session."""

    def __init__(self, recorder: ConsoleRecorder) -> None:
        super().__init__(recorder.messages, recorder.errors)

    def to_message(self, source: str, event: dict[str, Any]) -> ConsoleMessage:
        return to_message(source, event)


def to_message(source: str, event: dict[str, Any]) -> ConsoleMessage:
    match source:
        case "console":
            return _from_call(event)
        case "log":
            return _from_log(event)
        case _:
            return _from_exception(event)


def _from_call(event: dict[str, Any]) -> ConsoleMessage:
    text = formatted(event["args"])
    if event["type"] == "assert":
        text = f"Assertion failed: {text}" if text else "Assertion failed"
    url, line = _location(event.get("stackTrace"))
    stack = next((split_stack(each["description"])[1] for each in event["args"] if is_error(each)), "")
    return ConsoleMessage(
        _LEVELS.get(event["type"], "log"), truncated(text), event["timestamp"] / 1000, url, line, truncated(stack)
    )


def _from_log(entry: dict[str, Any]) -> ConsoleMessage:
    line = entry.get("lineNumber")
    return ConsoleMessage(
        _LEVELS.get(entry["level"], "log"),
        truncated(entry["text"]),
        entry["timestamp"] / 1000,
        entry.get("url", ""),
        None if line is None else line + 1,
    )


def _from_exception(event: dict[str, Any]) -> ConsoleMessage:
    details = event["exceptionDetails"]
    thrown = details.get("exception")
    head, stack = details["text"], ""
    if thrown and is_error(thrown):
        head, stack = split_stack(thrown["description"])
    elif thrown:
        head = f"{head} {text_of(thrown)}"
    url, line = _location(details.get("stackTrace"))
    return ConsoleMessage(
        "error",
        truncated(head),
        event["timestamp"] / 1000,
        url or details.get("url", ""),
        details["lineNumber"] + 1 if line is None else line,
        truncated(stack),
    )


def _location(trace: dict[str, Any] | None) -> tuple[str, int | None]:
    """The innermost call that is not of an extension, which may have put a function around the console's."""
    frames = (trace or {}).get("callFrames") or []
    pages = (frame for frame in frames if not frame["url"].startswith("chrome-extension:"))
    frame = next(pages, frames[0] if frames else None)
    return (frame["url"], frame["lineNumber"] + 1) if frame else ("", None)
