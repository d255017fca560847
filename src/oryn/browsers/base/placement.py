"""Where a session's browser comes from, if not from this process alone: a source opens it, and says where it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from oryn.core.records import Record

if TYPE_CHECKING:
    from oryn.errors import OrynError

NO_LABELS: Mapping[str, str] = MappingProxyType({})


class Placement(Record):
    """Where a browser runs. It is saved with the session, so that who opens the session next can end the browser."""

    provider: str
    """The name of its provider."""
    reference: str = ""
    """The provider's own id of the browser; empty if the provider has nothing to end."""
    where: str = ""
    """The node or the host, without keys."""
    labels: Mapping[str, str] = NO_LABELS


class OpenedBrowser(Record):
    """A browser that a source has opened."""

    address: str | None
    """The address to attach to; None for one that this process starts."""
    resumed: bool = False
    """Whether it is the browser that the source had opened before, with its pages."""


class BrowserHolder(Protocol):
    """The session that has a browser."""

    def idle_seconds(self) -> float | None:
        """Seconds since its last command; None while one runs."""

    async def release(self, reason: str) -> bool:
        """Save the session and give its browser back, to be restored with its next command; whether it did."""


class BrowserSource:
    """Opens one session's browser, one at a time, and ends it."""

    waited: str | None = None
    """What the next answer should say of the last `open`, if that had to wait."""
    holder: BrowserHolder | None = None
    """The session, which may be asked for its browser."""
    on_lost: Callable[[], object] | None = None
    """Called when the provider notices that the browser is gone, while its connection may still be open."""
    keeps_pages: bool = False
    """Whether pages may outlive the connection to the browser: nobody else uses it, and `close` ends it."""

    @property
    def placement(self) -> Placement | None:
        """Where the browser is; None while there is none. No round trip."""
        return None

    @property
    def waiting(self) -> str | None:
        """What `open` waits for: `place 2 of 5 in the queue of grid`. None if it does not wait. No round trip."""
        return None

    async def open(self) -> OpenedBrowser:
        """Open a browser, or find the one that was opened before. Waits while all places are taken; who cancels it
        withdraws the request. Raises `ProviderUnavailable`, `QueueTimedOut`."""
        raise NotImplementedError

    def note_failure(self, error: OrynError) -> None:
        """The browser that was opened can't be attached."""

    async def close(self) -> None:
        """End the browser. Idempotent; never raises."""

    def replace(self, former: Placement) -> None:
        """End the browser that an earlier process has opened for the session, before another one is opened."""
