"""The tabs of a browser that a session lists without having opened them, and what a session must not do beside them.

A session in the context of the browser's user knows such a tab from the browser's list of targets alone. It attaches
one only while the tab is its current one, without any of its settings, and detaches from it afterwards."""

from __future__ import annotations

from oryn.browsers.cdp.emulation import CdpEmulation
from oryn.core.records import Record
from oryn.errors import NotSupported

_SEPARATE = "Use a context of its own: 'oryn attach --private', or browser_context private."


class ForeignTab(Record):
    """A tab that the session has not opened, as the browser lists it."""

    target_id: str
    url: str
    title: str


class OwnTabsEmulation(CdpEmulation):
    """Emulates a device in the tabs of a session that shares its context, without what would reach the other tabs.

    Permissions are those of the context, and language and time zone those of a process, which may show several tabs."""

    async def set_geolocation(self, position: tuple[float, float] | None, *, timeout: float = 30) -> None:
        raise _reaches_others("a location needs a permission that would hold")

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        raise _reaches_others("a language would hold")

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        raise _reaches_others("a time zone would hold")


def _reaches_others(what: str) -> NotSupported:
    return NotSupported(f"{what} in tabs too that are not this session's", _SEPARATE)


def not_for_whole_browser(what: str) -> NotSupported:
    """The error for a feature that takes in all tabs of a browser."""
    return NotSupported(f"{what} would take in tabs that are not this session's", _SEPARATE)
