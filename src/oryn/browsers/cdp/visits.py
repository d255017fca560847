"""Which origins a session has shown, and which of them may have stored something as the site that was visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from oryn.browsers.cdp.frames import Node

MOST_VISITED = 200
"""Origins that a session remembers."""

WEB = ("http://", "https://")


class Visits:
    def __init__(self) -> None:
        self.shown: dict[str, None] = {}
        """Origins, the latest last."""
        self.first_party: dict[str, int] = {}
        """Those that were not only frames on other sites, each with the number of its latest document."""
        self._documents = 0

    def visit(self, frame: Node) -> None:
        """A document has begun in a frame."""
        if not frame.origin.startswith(WEB):
            return
        _last(self.shown, frame.origin, None)
        top = frame
        while top.parent is not None:
            top = top.parent
        if top is frame or may_be_same_site(frame.origin, top.origin):
            self.note(frame.origin)

    def note(self, origin: str) -> None:
        """What the origin stores may be another thing from now on."""
        self._documents += 1
        self.shown.setdefault(origin)
        _last(self.first_party, origin, self._documents)


def _last(known: dict[str, Any], origin: str, value: Any) -> None:
    known.pop(origin, None)
    known[origin] = value
    if len(known) > MOST_VISITED:
        del known[next(iter(known))]


def may_be_same_site(one: str, other: str) -> bool:
    """Whether two origins can be of one site: hosts of one site share two labels at least, whatever the public suffix.
    https://html.spec.whatwg.org/multipage/browsers.html#same-site"""
    first, second = (urlsplit(origin).hostname or "" for origin in (one, other))
    return first == second or first.split(".")[-2:] == second.split(".")[-2:]
