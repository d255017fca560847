"""What `webRequest` tells about requests in flight; their loader is the id of the document that asks.

https://developer.chrome.com/docs/extensions/reference/api/webRequest
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.common.in_flight import ENDLESS, InFlight, Request
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.frames import Frames

# The browser's resource types, in the words of the DevTools protocol.
_KINDS = {
    "main_frame": "Document",
    "sub_frame": "Document",
    "stylesheet": "Stylesheet",
    "script": "Script",
    "xmlhttprequest": "Fetch",
    "ping": "Ping",
    "csp_report": "CSPViolationReport",
    "media": "Media",
    "websocket": "WebSocket",
    "webtransport": "WebSocket",
}


class Requests(InFlight[Request]):
    """Follows one tab."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        super().__init__(channel, lambda frame_id: frames.get(frame_id) is not None)

    def sent(self, event: dict[str, Any]) -> None:
        kind = _KINDS.get(event["type"], "Other")
        if kind in ENDLESS or event["url"].startswith(("data:", "blob:")):
            return
        if event["requestId"] not in self._requests:  # else it is the next hop of a redirect
            frame, document = str(event["frameId"]), event.get("documentId", "")
            self._requests[event["requestId"]] = Request(kind, frame, document, self._life.moment)

    def answered(self, event: dict[str, Any]) -> None:
        headers = event.get("responseHeaders", ())
        kinds = [str(each.get("value")) for each in headers if each["name"].lower() == "content-type"]
        if any(kind.startswith("text/event-stream") for kind in kinds):
            self.ended(event["requestId"])

    def over(self, event: dict[str, Any]) -> None:
        self.ended(event["requestId"])
