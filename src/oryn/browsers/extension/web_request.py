"""What `webRequest` reports: the requests of a tab that are in flight, and servers that ask for HTTP authentication.

The loader of a request is the id of the document that sends it. For credentials the browser asks its extensions before
it asks its user.
https://developer.chrome.com/docs/extensions/reference/api/webRequest
https://developer.chrome.com/docs/extensions/reference/api/webRequest#event-onAuthRequired"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.browsers.common.inflight import IGNORED_KINDS, InflightRequest, InflightTracker
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.frames import ExtensionFrameTree

if TYPE_CHECKING:
    from oryn.browsers.base.network import HttpCredentials
    from oryn.browsers.extension.bridge import Bridge

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


class ExtensionInflightTracker(InflightTracker[InflightRequest]):
    """Counts the requests in flight of one tab."""

    def __init__(self, channel: ExtensionChannel, frames: ExtensionFrameTree) -> None:
        super().__init__(channel, lambda frame_id: frames.get(frame_id) is not None)

    def on_request(self, event: dict[str, Any]) -> None:
        """A request is sent."""
        kind = _KINDS.get(event["type"], "Other")
        if kind in IGNORED_KINDS or event["url"].startswith(("data:", "blob:")):
            return
        if event["requestId"] not in self._requests:  # else it is the next hop of a redirect
            frame, document = str(event["frameId"]), event.get("documentId", "")
            self._requests[event["requestId"]] = InflightRequest(kind, frame, document, self._tab_state.moment)

    def on_response(self, event: dict[str, Any]) -> None:
        """A response begins; an event stream counts as ended."""
        headers = event.get("responseHeaders", ())
        kinds = [str(each.get("value")) for each in headers if each["name"].lower() == "content-type"]
        if any(kind.startswith("text/event-stream") for kind in kinds):
            self.on_ended(event["requestId"])

    def on_finished(self, event: dict[str, Any]) -> None:
        """A request has ended."""
        self.on_ended(event["requestId"])


AUTH_REQUIRED_EVENT = "webRequest.onAuthRequired"
MAX_ANSWERED_REQUESTS = 1000
_ALL_URLS = {"urls": ["<all_urls>"]}


class HttpAuthHandler:
    """Answers servers that ask for HTTP authentication, for the tabs of one session."""

    def __init__(self, bridge: Bridge, controls: Callable[[int], bool]) -> None:
        """`controls` says whether a tab, by the browser's id, belongs to the session."""
        self._bridge = bridge
        self._controls = controls
        self._credentials: HttpCredentials | None = None
        self._answered: dict[str, None] = {}
        """The ids of requests that were answered with credentials before."""

    def set(self, credentials: HttpCredentials | None) -> None:
        """Answer with `credentials` from now on; None stops listening."""
        if credentials is not None and self._credentials is None:
            self._bridge.add_responder(AUTH_REQUIRED_EVENT, self._on_auth_required, _ALL_URLS, ["asyncBlocking"])
        elif credentials is None and self._credentials is not None:
            self._bridge.remove_responder(AUTH_REQUIRED_EVENT, self._on_auth_required)
        self._credentials = credentials

    def _on_auth_required(self, details: dict[str, Any]) -> dict[str, Any] | None:
        """The answer for the browser; None lets it ask its user."""
        login = self._credentials
        if login is None or details.get("isProxy") or not self._controls(details["tabId"]):
            return None
        if details["requestId"] in self._answered or not _matches_origin(login, details["url"]):
            # The credentials were refused, or are for other servers: the page gets the server's answer.
            return {"cancel": True}
        self._answered[details["requestId"]] = None
        if len(self._answered) > MAX_ANSWERED_REQUESTS:
            del self._answered[next(iter(self._answered))]
        return {"authCredentials": {"username": login.user, "password": login.password}}


def _matches_origin(login: HttpCredentials, url: str) -> bool:
    parts = urlsplit(url)
    return not login.origins or f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower() in login.origins
