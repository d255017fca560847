"""What a browser must offer for records of a page: paper, its own trace, moving pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oryn.errors import NotSupported

Write = Callable[[bytes], object]
"""Takes the next bytes of something long."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a page is printed on: inches, as the browsers want them."""

    width: float
    height: float
    margin: float
    """On every side."""


@dataclass(frozen=True, slots=True)
class Still:
    """One picture of a moving page."""

    image: bytes
    """A JPEG file."""
    time: float
    """When the page looked so: Unix time in seconds."""


Show = Callable[[Still], None]
"""Takes the next picture of a page."""


class Tracing:
    """The browser's own trace of what it does, in all its tabs. One runs at a time in a browser's process."""

    async def start(self, *, timeout: float = 30) -> None:
        """Raises `AlreadyRunning`, also when another session of the same process traces."""
        raise NotSupported

    async def stop(self, write: Write, *, timeout: float = 30) -> bool:
        """End the trace and write it, as JSON in the Trace Event Format; whether all of it is there (the browser's
        buffer is limited). Raises `BrowserFailed` when the browser that traced is gone."""
        raise NotSupported

    async def discard(self) -> None:
        """End the trace, if there is one, and forget it. Never raises."""
        raise NotSupported
