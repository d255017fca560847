"""The interfaces of a session's web storage, also of origins without an open page, and of its clipboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oryn.core.records import Record
from oryn.errors import NotStored, NotSupported

StorageByOrigin = Mapping[str, Mapping[str, str]]
"""Keys and values by origin (`https://example.org`)."""


class OriginDatabases(Record):
    """IndexedDB of one origin, as JSON data in the format of Playwright's storage state. `skipped` is the number of
    records that it lacks, because the format has no such values."""

    databases: Sequence[Any]
    skipped: int = 0


class OriginStorage(Record):
    """The web storage of `origin` in a tab whose top document is of the origin `top`. Browsers partition the storage of
    a frame by the site around it: https://github.com/privacycg/storage-partitioning."""

    origin: str
    top: str
    session: Mapping[str, str]
    local: Mapping[str, str]


class Storage:
    """First-party web storage; partitions of frames on other sites' pages are not included.

    Every method raises `Timeout` if it takes longer than `timeout` seconds."""

    def origins(self) -> Sequence[str]:
        """The http and https origins that the session has visited, the latest last. No round trip."""
        raise NotSupported

    def origin_versions(self) -> Mapping[str, int]:
        """The origins whose storage may have changed, each with a version, which changes with the origin's next
        document. No round trip."""
        raise NotSupported

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        """`localStorage` of these origins; an origin that can't be visited is left out."""
        raise NotSupported

    async def set_local(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        """Replace the `localStorage` of these origins, or with `merge` add to it. Raises `NotStored` if an origin can't
        be visited or its storage is full; the origins before it have been written."""
        raise NotSupported

    has_databases = False
    """Whether `databases` and `set_databases` are supported."""

    async def databases(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, OriginDatabases]:
        """IndexedDB of these origins; an origin that can't be visited is left out."""
        raise NotSupported

    async def set_databases(self, databases: Mapping[str, Sequence[Any]], *, merge: bool, timeout: float = 30) -> None:
        """Write databases of these origins. Without `merge`, everything else in their IndexedDB is deleted.

        Raises `NotStored` if an origin can't be visited, or a database can't be written."""
        raise NotSupported

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        """`sessionStorage` of the open tabs' pages by origin; the current tab's is preferred."""
        raise NotSupported

    async def set_session(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        """Replace the `sessionStorage` of open tabs with these origins, or with `merge` add to it. For an origin
        without a tab it is written once the current tab visits it and has stored nothing there."""
        raise NotSupported

    # --- tab by tab ---

    async def by_tab(self, *, timeout: float = 30) -> dict[int, list[OriginStorage]]:
        """The web storage of the tabs' documents by the tab's number; a tab that does not answer within `timeout`
        seconds is left out. Has no effect on pages."""
        raise NotSupported

    async def seed(self, areas: Sequence[OriginStorage], *, timeout: float = 30) -> None:
        """Fill the storage of the current tab when its first document of an origin loads, unless it has stored
        something already."""
        raise NotSupported


def unreachable_origin(origin: str) -> NotStored:
    """The error for an origin that can't be visited."""
    return NotStored(f"the browser does not open {origin}", "Remove the origin from the file.")


class Clipboard:
    """A session's clipboard: only its own pages can access it, even if it shares its browser with other sessions."""

    async def read(self) -> str:
        """The text that was copied or written last; empty without one."""
        raise NotSupported

    async def write(self, text: str) -> None:
        """Replace the text for the next paste."""
        raise NotSupported
