"""What the user's browser pretends to be in the tabs that a debugger is attached to.

The browser forgets all of it when the debugger lets go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from oryn.browsers.cdp.emulation import Emulation
from oryn.browsers.extension.place import PagesPlace

if TYPE_CHECKING:
    from oryn.browsers.extension.features import Debugged, Features


class DebuggedTabs:
    """A session's tabs that can be told something. `current` raises where the one in hand can't."""

    def __init__(self, features: Features, current: Callable[[], Debugged]) -> None:
        self._features = features
        self._current = current

    def __iter__(self) -> Iterator[Debugged]:
        return iter(self._features)

    def get(self, number: None, /) -> Debugged:
        return self._current()


class UsersBrowser:
    """`cdp.emulation.Whole`: the protocol speaks of tabs here, and not of the browser."""

    def __init__(self, version: Callable[[], Awaitable[str]], place: PagesPlace) -> None:
        self._version = version
        self._place = place

    async def product(self) -> str:
        return await self._version()

    async def permit_place(self, place: tuple[float, float] | None, timeout: float) -> None:
        await self._place.show(place, timeout)


def emulation(features: Features, tabs: DebuggedTabs, version: Callable[[], Awaitable[str]]) -> Emulation:
    place = features.made(PagesPlace(tabs))
    return features.made(Emulation(tabs, None, UsersBrowser(version, place)))
