"""Converts recorded console events and exceptions to the messages of `browsers.base.console`.

https://console.spec.whatwg.org/#formatter and
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from oryn.browsers.base.console import Console, ConsoleMessage, MessageLevel
from oryn.browsers.cdp.console import ConsoleRecorder, ConsoleSource

MAX_TEXT_CHARACTERS = 10_000
"""Characters of one message."""

_LEVELS: dict[str, MessageLevel] = {
    "warning": "warn",
    "error": "error",
    "assert": "error",
    "info": "info",
}
_FORMAT = re.compile(r"%[sdifoOc%]")
_FRAME = re.compile(r"\n[^\S\n]++at ")


class CdpConsole(Console):
    """The console of one session."""

    def __init__(self, recorder: ConsoleRecorder) -> None:
        self._recorder = recorder

    def messages(self) -> Sequence[ConsoleMessage]:
        return [to_message(source, event) for source, event in self._recorder.messages.events()]

    def errors(self) -> Sequence[ConsoleMessage]:
        return [to_message(source, event) for source, event in self._recorder.errors.events()]

    def clear_messages(self) -> int:
        return self._recorder.messages.clear()

    def clear_errors(self) -> int:
        return self._recorder.errors.clear()


def to_message(source: ConsoleSource, event: dict[str, Any]) -> ConsoleMessage:
    match source:
        case "console":
            return _from_call(event)
        case "log":
            return _from_log(event)
        case "exception":
            return _from_exception(event)


def _from_call(event: dict[str, Any]) -> ConsoleMessage:
    text = _formatted(event["args"])
    if event["type"] == "assert":
        text = f"Assertion failed: {text}" if text else "Assertion failed"
    url, line = _location(event.get("stackTrace"))
    stack = next((_split(each["description"])[1] for each in event["args"] if _is_error(each)), "")
    return ConsoleMessage(
        _LEVELS.get(event["type"], "log"), _truncate(text), event["timestamp"] / 1000, url, line, _truncate(stack)
    )


def _from_log(entry: dict[str, Any]) -> ConsoleMessage:
    line = entry.get("lineNumber")
    return ConsoleMessage(
        _LEVELS.get(entry["level"], "log"),
        _truncate(entry["text"]),
        entry["timestamp"] / 1000,
        entry.get("url", ""),
        None if line is None else line + 1,
    )


def _from_exception(event: dict[str, Any]) -> ConsoleMessage:
    details = event["exceptionDetails"]
    thrown = details.get("exception")
    head, stack = details["text"], ""
    if thrown and _is_error(thrown):
        head, stack = _split(thrown["description"])
    elif thrown:
        head = f"{head} {_text(thrown)}"
    url, line = _location(details.get("stackTrace"))
    return ConsoleMessage(
        "error",
        _truncate(head),
        event["timestamp"] / 1000,
        url or details.get("url", ""),
        details["lineNumber"] + 1 if line is None else line,
        _truncate(stack),
    )


def _is_error(value: dict[str, Any]) -> bool:
    return value.get("subtype") == "error" and "description" in value


def _split(text: str) -> tuple[str, str]:
    """The message of an error, and the lines of its stack."""
    found = _FRAME.search(text)
    if found is None:
        return text, ""
    return text[: found.start()], "\n".join(line.strip() for line in text[found.start() + 1 :].split("\n"))


def _location(trace: dict[str, Any] | None) -> tuple[str, int | None]:
    """The innermost call that is not of an extension, which may have put a function around the console's."""
    frames = (trace or {}).get("callFrames") or []
    pages = (frame for frame in frames if not frame["url"].startswith("chrome-extension:"))
    frame = next(pages, frames[0] if frames else None)
    return (frame["url"], frame["lineNumber"] + 1) if frame else ("", None)


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"


# --- values ---


def _formatted(arguments: list[dict[str, Any]]) -> str:
    """The text of a call: `console.log("%s is %d", "a", 1)` is `a is 1`; values without a placeholder follow it."""
    if not arguments or arguments[0].get("type") != "string":
        return " ".join(map(_text, arguments))
    rest = arguments[1:]

    def replace(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if not rest:
            return found[0]
        value = rest.pop(0)
        return "" if found[0] == "%c" else _text(value)

    head = _FORMAT.sub(replace, arguments[0]["value"]) if rest else arguments[0]["value"]
    return " ".join([head, *map(_text, rest)])


def _text(value: dict[str, Any]) -> str:
    """The text of a remote object."""
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if value["type"] in ("string", "boolean", "number"):
        return _primitive(value["value"])
    if value["type"] == "undefined" or value.get("subtype") == "null":
        return "undefined" if value["type"] == "undefined" else "null"
    if _is_error(value):
        return _split(value["description"])[0]
    preview = value.get("preview")
    if preview is not None and value.get("subtype") not in ("node", "date", "regexp"):
        return _preview(preview)
    return str(value.get("description", value["type"]))


def _primitive(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _preview(preview: dict[str, Any]) -> str:
    """`{a: 1, b: "x"}`, `[1, 2]`, `Map(1) {1 => 2}`; values that the browser left out are `…`."""
    array = preview.get("subtype") in ("array", "typedarray")
    parts = [
        _property(part) if array and part["name"].isdigit() else f"{part['name']}: {_property(part)}"
        for part in preview.get("properties", ())
    ]
    for entry in preview.get("entries", ()):
        key = f"{_entry(entry['key'])} => " if "key" in entry else ""
        parts.append(f"{key}{_entry(entry['value'])}")
    inner = ", ".join([*parts, "…"] if preview.get("overflow") else parts)
    if array:
        return f"[{inner}]"
    name = preview.get("description", "")
    return f"{{{inner}}}" if name in ("Object", "") else f"{name} {{{inner}}}"


def _property(part: dict[str, Any]) -> str:
    if part["type"] == "string":
        return f'"{part.get("value", "")}"'
    if part["type"] == "function":
        return "ƒ"
    if part["type"] == "accessor":
        return "(…)"
    return str(part.get("value") or part["type"])


def _entry(value: dict[str, Any]) -> str:
    if value["type"] == "string":
        return f'"{value.get("description", "")}"'
    return _preview(value) if value.get("properties") else str(value.get("description", value["type"]))
