"""A tab, as far as its requests need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oryn.browsers.common.navigation import NavigationTracker, NavigationWaiter
    from oryn.browsers.webkit.frames import WebKitFrameTree


class LoadedPage(Protocol):
    @property
    def frame_tree(self) -> WebKitFrameTree: ...
    @property
    def navigations(self) -> NavigationTracker: ...
    @property
    def navigator(self) -> NavigationWaiter: ...
