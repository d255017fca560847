"""Records the console of a session's pages, from their first line on, and converts what the inspector reports to the
messages of `browsers.base.console`.

https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Console.json"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.console import ConsoleMessage, MessageLevel
from oryn.browsers.common.console_events import RecordedConsole, RingBuffer, estimate_bytes, truncated
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.remote_values import formatted
from oryn.browsers.common.target_feature import FeatureTarget, TargetFeature
from oryn.browsers.webkit.bootstrap import BOOTSTRAP_URL, BootstrapNames

if TYPE_CHECKING:
    from collections.abc import Callable

_LEVELS: dict[str, MessageLevel] = {"warning": "warn", "error": "error", "info": "info"}
_SILENT = frozenset({"clear", "endGroup", "profile", "profileEnd"})
_OWN_BLOCKS = "Web Inspector blocked"
"""What the browser says of a request that Oryn has refused."""
_OWN_LOOKS = ("Blocked a frame with origin", "Sandbox access violation")
"""What it says when the scanner has looked whether it can read a frame; of a page's own script it names the place."""
_REJECTED = "Unhandled Promise Rejection: "
_NO_PAGE = frozenset({BOOTSTRAP_URL, "[native code]", "[native%20code]"})
_ERROR = re.compile(r"[\w$.]*(?:Error|Exception)\b")
_COUNTED = frozenset({"map", "set", "weakmap", "weakset"})


class WebKitConsoleRecorder(TargetFeature[ProtocolSession]):
    """Listens to every target from before its first script."""

    def __init__(self, names: BootstrapNames) -> None:
        self._token = names.token
        self.messages = RingBuffer()
        self.errors = RingBuffer()

    def attach(self, page: FeatureTarget[ProtocolSession], session: ProtocolSession) -> None:
        self._listen(session)

    def attach_worker(self, page: FeatureTarget[ProtocolSession], session: ProtocolSession) -> None:
        self._listen(session)

    def _listen(self, session: ProtocolSession) -> None:
        repeat: Callable[[], None] | None = None

        def added(event: dict[str, Any]) -> None:
            nonlocal repeat
            repeat = self._recording(event["message"])
            if repeat is not None:
                repeat()

        def repeated(_: dict[str, Any]) -> None:
            if repeat is not None:
                repeat()

        session.on("Console.messageAdded", added)
        session.on("Console.messageRepeatCountUpdated", repeated)

    def _recording(self, message: dict[str, Any]) -> Callable[[], None] | None:
        """What records a message once more, or None if it is none of the page."""
        parameters = message.get("parameters") or []
        if parameters and parameters[0].get("value") == self._token:
            return None
        source, text = message["source"], message["text"]
        if message.get("type") in _SILENT or text.startswith(_OWN_BLOCKS):
            return None
        if text.startswith(_OWN_LOOKS) and not _calls(message):
            return None
        if source == "javascript" and message["level"] == "error":
            buffer, source = self.errors, "exception"
        else:
            buffer = self.messages
        size = len(text) + sum(map(estimate_bytes, parameters))

        def record() -> None:
            moment = message.get("timestamp") or time.time()
            buffer.add(source, {**message, "timestamp": moment}, size)

        return record


class WebKitConsole(RecordedConsole):
    """The console of one session."""

    def __init__(self, recorder: WebKitConsoleRecorder) -> None:
        super().__init__(recorder.messages, recorder.errors)

    def to_message(self, source: str, event: dict[str, Any]) -> ConsoleMessage:
        url, line = _location(event)
        level, stack = _LEVELS.get(event["level"], "log"), ""
        parameters = [_as_devtools(each) for each in event.get("parameters") or ()]
        text = formatted(parameters) if parameters else event["text"]
        if source == "exception":
            text, stack = _thrown(event["text"]), _stack(event)
        elif event.get("type") == "assert":
            text = f"Assertion failed: {text}" if text else "Assertion failed"
        elif source == "console-api":
            stack = next(filter(None, map(_stack_of_error, event.get("parameters") or ())), "")
        return ConsoleMessage(level, truncated(text), event["timestamp"], url, line, truncated(stack))


def _thrown(text: str) -> str:
    """What was thrown, as other browsers say it."""
    head = "Uncaught "
    if text.startswith(_REJECTED):
        text, head = text.removeprefix(_REJECTED), "Uncaught (in promise) "
    return text if _ERROR.match(text) else head + text


def _calls(event: dict[str, Any]) -> list[dict[str, Any]]:
    found = (event.get("stackTrace") or {}).get("callFrames") or []
    return [call for call in found if call["url"] and call["url"] not in _NO_PAGE]


def _location(event: dict[str, Any]) -> tuple[str, int | None]:
    """Where a message comes from: the innermost call of the page."""
    for call in _calls(event):
        return call["url"], call["lineNumber"] or None
    return event.get("url", ""), event.get("line") or None


def _stack(event: dict[str, Any]) -> str:
    return "\n".join(
        _call(call["functionName"], f"{call['url']}:{call['lineNumber']}:{call['columnNumber']}")
        for call in _calls(event)
        if call["lineNumber"]
    )


def _call(function: str, place: str) -> str:
    return f"at {function} ({place})" if function and not function.endswith(" code") else f"at {place}"


def _stack_of_error(value: dict[str, Any]) -> str:
    """The stack that the preview of an error has, as far as it is not cut."""
    if value.get("subtype") != "error":
        return ""
    properties = (value.get("preview") or {}).get("properties", ())
    stack = next((str(each.get("value", "")) for each in properties if each["name"] == "stack"), "")
    calls = (line.rpartition("@") for line in stack.split("\n") if "@" in line)
    return "\n".join(_call(function, place) for function, _, place in calls if place and "native code" not in place)


# --- values ---


def _as_devtools(value: dict[str, Any]) -> dict[str, Any]:
    """A remote object in the form that DevTools gives it."""
    kind, subtype, description = value["type"], value.get("subtype"), value.get("description", "")
    if kind == "bigint" or (kind == "number" and (value.get("value") is None or description == "-0")):
        return {**value, "unserializableValue": description}
    if subtype == "node":
        return {**value, "description": description.strip("<>")}
    if (preview := value.get("preview")) is not None:
        return {**value, "preview": _preview(preview)}
    return value


def _preview(preview: dict[str, Any]) -> dict[str, Any]:
    properties = [_property(each) for each in preview.get("properties", ())]
    found = {**preview, "properties": properties}
    if preview.get("subtype") in _COUNTED and "size" in preview:
        size = str(preview["size"])
        found["description"] = f"{preview.get('description', '')}({size})"
        found["properties"] = [{"name": "size", "type": "number", "value": size}, *properties]
    return found


def _property(part: dict[str, Any]) -> dict[str, Any]:
    inner = part.get("valuePreview")
    if inner is None:
        return part
    size = f"({inner['size']})" if "size" in inner else ""
    return {**part, "value": f"{inner.get('description', '')}{size}"}
