"""`BrowserProvider`: what gives browsers to sessions, and takes them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

from oryn.browsers.base.placement import NO_LABELS, BrowserSource
from oryn.core.records import Record
from oryn.errors import OrynError, ProviderUnavailable

ProviderKind = Literal["local", "cdp", "grid", "playwright"]
ProviderState = Literal["up", "down", "draining"]


class BrowserRequest(Record, frozen=False):
    """A request for a browser.

    arguments: command-line flags that its browser should have, if it is started for the session.
    on_queued: called with the place in the queue and the length of the queue, whenever they change."""

    arguments: tuple[str, ...] = ()
    on_queued: Callable[[int, int], None] = lambda _place, _length: None


class ProvidedBrowser(Record):
    """A browser of a provider. `address` may contain a key; `where` does not."""

    reference: str
    address: str | None
    where: str = ""


class ProviderHealth(Record):
    """A provider at a moment."""

    name: str
    kind: ProviderKind
    labels: Mapping[str, str]
    capacity: int | None
    """Browsers that it can run at once; None if it is not known, or not limited."""
    used: int
    """Browsers that it runs, also those of others if it says so."""
    queue: int
    """Requests that wait for a browser, also those of others if it says so."""
    state: ProviderState
    error: str | None = None
    """Why it is down, or what failed last."""


class BrowserProvider:
    """Gives browsers to sessions.

    name: of letters, digits, `_` and `-`.
    labels: what sessions choose it by.
    release_after: seconds without a command after which a session gives its browser back if others wait; 0 is never."""

    kind: ClassVar[ProviderKind]
    keeps_pages: ClassVar[bool] = False
    """Whether a browser and its pages outlive the connection to it (`BrowserSource.keeps_pages`)."""

    def __init__(self, name: str, *, labels: Mapping[str, str] = NO_LABELS, release_after: float = 0.0) -> None:
        self.name = name
        self.labels = labels
        self.release_after = release_after
        self.draining = False
        self.error: str | None = None
        self.sources: dict[str, BrowserSource] = {}
        """What has opened the browsers that run for this process, by their references."""

    @property
    def capacity(self) -> int | None:
        """Browsers that it can run at once; None if it is not known, or not limited. No round trip."""
        return None

    @property
    def used(self) -> int:
        """Browsers that it runs for this process. No round trip."""
        return len(self.sources)

    @property
    def is_full(self) -> bool:
        """Whether a request would wait, as far as this process knows."""
        return self.capacity is not None and self.used >= self.capacity

    async def open(self, request: BrowserRequest) -> ProvidedBrowser:
        """Open a browser; waits while all places are taken. Who cancels it withdraws the request.

        Raises `ProviderUnavailable`, `QueueTimedOut`."""
        raise NotImplementedError

    def where(self, reference: str) -> str:
        """Where a browser runs, if more is known by now than when it was opened; else empty. No round trip."""
        return ""

    async def renew(self, browser: ProvidedBrowser) -> bool:
        """Keep a browser from being ended because it is idle. Returns whether it still runs."""
        raise NotImplementedError

    async def close(self, reference: str) -> None:
        """End a browser, also one that an earlier process has opened. Idempotent; never raises."""
        raise NotImplementedError

    async def health(self) -> ProviderHealth:
        """How it is now. Never raises."""
        state: ProviderState = "draining" if self.draining else "down" if self.error else "up"
        return ProviderHealth(
            self.name, self.kind, self.labels, self.capacity, self.used, self.queued, state, self.error
        )

    @property
    def queued(self) -> int:
        """Requests of this process that wait. No round trip."""
        return 0

    async def stop(self) -> None:
        """End what runs in the background. Idempotent."""

    def check_accepts(self) -> None:
        """Raise `ProviderUnavailable` while the provider is drained."""
        if self.draining:
            raise ProviderUnavailable(
                f"the provider {self.name} is drained: it gives no browsers", "Name another one with --provider."
            )

    def note_failure(self, error: OrynError) -> None:
        """Remember what failed last, for `health`."""
        self.error = error.message

    def note_attach(self, reference: str, error: OrynError) -> None:
        """Note that a browser which this has opened can't be attached."""
        self.note_failure(error)

    async def release_idle(self, count: int) -> None:
        """Have at most `count` sessions give their browsers back: those without a command for the longest time."""
        if not self.release_after or count < 1:
            return
        holders = [source.holder for source in self.sources.values() if source.holder is not None]
        idle = [(holder.idle_seconds() or 0.0, holder) for holder in holders]
        for seconds, holder in sorted(idle, key=lambda each: -each[0]):
            if count < 1 or seconds < self.release_after:
                return
            count -= await holder.release("another session waited for its browser")
