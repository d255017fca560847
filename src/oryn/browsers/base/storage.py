"""The web storage of a session's origins, whether a page of them is open or not. A part of the session's browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oryn.errors import NotStored, NotSupported
from oryn.records import Record

Areas = Mapping[str, Mapping[str, str]]
"""Keys and values by origin (`https://example.org`)."""


class Area(Record):
    """What documents of `origin` store in a tab whose top document is of the origin `top`. Browsers keep the storage of
    a frame apart by the site around it: https://github.com/privacycg/storage-partitioning."""

    origin: str
    top: str
    session: Mapping[str, str]
    local: Mapping[str, str]


class Storage:
    """First-party storage: what an origin keeps as a frame of another site's page is that site's affair.

    Every method raises `Timeout` when it takes longer than `timeout` seconds."""

    def origins(self) -> Sequence[str]:
        """The origins of http and https that the session has shown, the latest last. No round trip."""
        raise NotSupported

    def visits(self) -> Mapping[str, int]:
        """The origins that may have changed what they store first-party, each with a number that its next document
        makes another one. No round trip."""
        raise NotSupported

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        """`localStorage` of these origins. One that can't be visited is left out."""
        raise NotSupported

    async def set_local(self, areas: Areas, *, keep: bool, timeout: float = 30) -> None:
        """Replace what these origins store, or with `keep` add to it. Raises `NotStored` where an origin can't be
        visited or takes no more; those before it have been written."""
        raise NotSupported

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        """`sessionStorage` of the open tabs' pages; of two tabs with one origin it is the current tab's."""
        raise NotSupported

    async def set_session(self, areas: Areas, *, keep: bool, timeout: float = 30) -> None:
        """Replace what open tabs' pages of these origins store, or with `keep` add to it. What is for an origin that no
        tab shows is for the current tab, once it comes there and has stored nothing yet."""
        raise NotSupported

    # --- tab by tab ---

    async def of_tabs(self, *, timeout: float = 30) -> dict[int, list[Area]]:
        """What the documents that tabs show store now, by the tab's number; a tab that does not answer within `timeout`
        seconds is left out. It disturbs no page."""
        raise NotSupported

    async def expect(self, areas: Sequence[Area], *, timeout: float = 30) -> None:
        """What documents in the current tab begin with, once the first of such an origin comes, where they have stored
        nothing yet."""
        raise NotSupported


def unreachable(origin: str) -> NotStored:
    return NotStored(f"the browser does not open {origin}", "Remove the origin from the file.")
