"""The interfaces for recordings of a page: PDF files, the browser's own trace, screencasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oryn.errors import NotSupported

ByteWriter = Callable[[bytes], object]
"""Takes the next bytes of a stream."""


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """The paper of a PDF, in inches."""

    width: float
    height: float
    margin: float
    """The margin on every side."""


@dataclass(frozen=True, slots=True)
class ScreencastFrame:
    """One picture of a screencast."""

    image: bytes
    """A JPEG file."""
    time: float
    """When the page was drawn: Unix time in seconds."""


ScreencastCallback = Callable[[ScreencastFrame], None]
"""Takes the next picture of a screencast."""


class Tracing:
    """The browser's own trace, of all tabs. A browser process runs one trace at a time."""

    async def start(self, *, timeout: float = 30) -> None:
        """Start a trace. Raises `AlreadyRunning`, also if another session of the same process traces."""
        raise NotSupported

    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        """End the trace and write it, as JSON in the Trace Event Format; whether it is complete (the browser's buffer
        is limited). Raises `BrowserFailed` if the traced browser has ended."""
        raise NotSupported

    async def discard(self) -> None:
        """End and discard the trace, if there is one. Never raises."""
        raise NotSupported
