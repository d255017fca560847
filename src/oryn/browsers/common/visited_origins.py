"""The web origins that a session has visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from oryn.browsers.common.frame_tree import FrameNode

MAX_ORIGINS = 200
"""Origins that a session remembers."""

WEB = ("http://", "https://")


class VisitedOrigins:
    """The web origins that a session has visited, at most `MAX_ORIGINS`."""

    def __init__(self) -> None:
        self.origins: dict[str, None] = {}
        """All origins, the latest last."""
        self.first_party: dict[str, int] = {}
        """The number of the latest document of each origin that was not only in frames on other sites."""
        self._documents = 0

    def visit(self, frame: FrameNode) -> None:
        """Record a new document in a frame."""
        if not frame.origin.startswith(WEB):
            return
        _move_to_end(self.origins, frame.origin, None)
        top = frame
        while top.parent is not None:
            top = top.parent
        if top is frame or may_be_same_site(frame.origin, top.origin):
            self.note(frame.origin)

    def note(self, origin: str) -> None:
        """Record that the storage of the origin may change from now on."""
        self._documents += 1
        self.origins.setdefault(origin)
        _move_to_end(self.first_party, origin, self._documents)


def _move_to_end(origins: dict[str, Any], origin: str, value: Any) -> None:
    origins.pop(origin, None)
    origins[origin] = value
    if len(origins) > MAX_ORIGINS:
        del origins[next(iter(origins))]


def may_be_same_site(one: str, other: str) -> bool:
    """Whether two origins may be same-site: the hosts of a site share at least two labels, whatever the public suffix.
    https://html.spec.whatwg.org/multipage/browsers.html#same-site"""
    first, second = (urlsplit(origin).hostname or "" for origin in (one, other))
    return first == second or first.split(".")[-2:] == second.split(".")[-2:]
