"""What `webNavigation` and `webRequest` tell about navigations of the top frame.

Their events know of each other nothing but the tab, so an attempt is known by a number of ours; its document's id comes
when it is committed. https://developer.chrome.com/docs/extensions/reference/api/webNavigation#event-order
"""

from __future__ import annotations

import itertools
from typing import Any

from oryn.browsers.common.attempts import Attempt, Attempts
from oryn.browsers.common.error_page import ADDRESS
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.frames import NO_DOCUMENT, Frames

STOP = "data:,"
"""Where nothing goes: going there breaks off what is loading. Browsers refuse such URLs here, so the page stays.
https://blog.chromium.org/2017/03/from-chrome-58-data-urls.html"""

_numbers = itertools.count(1)


class Navigations(Attempts):
    """Follows one tab. Every event is that of its top frame."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        super().__init__(channel, lambda: frames.top)
        self._channel = channel
        self._frames = frames
        self._requests: dict[str, Attempt] = {}
        """Attempts by the browser's id of their request."""

    def adopt(self, state: str) -> None:
        """The document that was there before anybody listened is `loading`, `interactive` or `complete`."""
        self.advance(self._frames.top.loader, {"interactive": "ready", "complete": "load"}.get(state, "commit"))

    # --- webNavigation ---

    def before(self, event: dict[str, Any]) -> None:
        if event["url"] != STOP:  # the end of what was under way is told apart
            self.requested = False
            self._start(event["url"])
            self._channel.signal.notify()

    def arrived(self, event: dict[str, Any]) -> None:
        """It has become a document."""
        attempt = self.pending or self._start(event["url"])
        self._show(attempt, event["documentId"], event["url"])

    def broken(self, event: dict[str, Any]) -> None:
        """It has become none, or the browser's error page."""
        if event["url"] == STOP:
            return
        attempt = self.pending or self._start(event["url"])
        self.failed(attempt, event["error"])
        if (document := event.get("documentId", NO_DOCUMENT)) != NO_DOCUMENT:
            self._show(attempt, document, ADDRESS)
            self.advance(attempt.loader, "load")  # nothing more is told of it
        elif attempt.failed is not None:
            self.comes_to_nothing(attempt)

    def come_so_far(self, event: dict[str, Any], state: str) -> None:
        if event["documentId"] == self._frames.top.document:
            self.advance(self._frames.top.loader, state)

    def changed_within(self, event: dict[str, Any]) -> None:
        self._frames.top.url = event["url"]
        self.moved_within(event["url"])

    # --- webRequest ---

    def sent(self, event: dict[str, Any]) -> None:
        if event["requestId"] not in self._requests:  # else it is the next hop of a redirect
            self._requests[event["requestId"]] = self.pending or self._start(event["url"])
            while len(self._requests) > 20:
                self._requests.pop(next(iter(self._requests)))

    def redirected(self, event: dict[str, Any]) -> None:
        if attempt := self._requests.get(event["requestId"]):
            attempt.redirects.append(event["url"])
            attempt.url = event["redirectUrl"]

    def answered(self, event: dict[str, Any]) -> None:
        attempt = self._requests.get(event["requestId"])
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            attempt.url = event["url"]
            attempt.status, attempt.status_text = event["statusCode"], _reason(event["statusLine"])
            self._channel.signal.notify()

    # --- becoming ---

    def _start(self, url: str) -> Attempt:
        return self.begin(f"{self._channel.tab}.{next(_numbers)}", url)

    def _show(self, attempt: Attempt, document: str, url: str) -> None:
        self._frames.top_committed(attempt.loader, document, url)
        self.committed(attempt.loader, url)
        self._channel.signal.notify()


def _reason(status_line: str) -> str:
    """`Not Found` of `HTTP/1.1 404 Not Found`. https://www.rfc-editor.org/rfc/rfc9112#section-4"""
    return status_line.partition(" ")[2].partition(" ")[2]
