"""`Readiness`: whether a daemon should get requests, for `GET /readyz` (docs/spec/daemon-protocol.md#probes)."""

from __future__ import annotations

from collections.abc import Collection

STARTING = "starting"
DRAINING = "draining"
ENDING = "ending"
RECORDS = "records"


class Readiness:
    """The reasons why a daemon should get no requests: without one it is ready. A new daemon is starting."""

    def __init__(self) -> None:
        self._reasons = {STARTING}

    @property
    def ready(self) -> bool:
        return not self._reasons

    @property
    def reasons(self) -> Collection[str]:
        """Why it is not ready, each a word: `starting`, `draining`, `records`, `ending`."""
        return frozenset(self._reasons)

    def hold(self, reason: str) -> None:
        """Be not ready for a reason, until `release`."""
        self._reasons.add(reason)

    def release(self, reason: str) -> None:
        """End a reason; a reason that does not hold changes nothing."""
        self._reasons.discard(reason)
