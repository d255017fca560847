"""The web storage of a session's origins, whether a page of them is open or not. A part of the session's browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oryn.errors import NotSupported

Areas = Mapping[str, Mapping[str, str]]
"""Keys and values by origin (`https://example.org`)."""


class Storage:
    """First-party storage: what an origin keeps as a frame of another site's page is that site's affair.

    Every method raises `Timeout` when it takes longer than `timeout` seconds."""

    def origins(self) -> Sequence[str]:
        """The origins of http and https that the session has shown, the latest last. No round trip."""
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
