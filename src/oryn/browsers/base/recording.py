"""The interfaces for recordings of a page: PDF files, the browser's own trace, screencasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

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
    viewport: tuple[float, float] | None = None
    """Width and height of what it shows, in CSS pixels; None if the backend does not report them."""


ScreencastCallback = Callable[[ScreencastFrame], None]
"""Takes the next picture of a screencast."""


class Tracing:
    """The browser's own trace, of all tabs. A browser process runs one trace at a time."""

    is_archive: ClassVar[bool] = False
    """Whether `stop` writes a zip archive of several files, instead of JSON in the Trace Event Format."""

    async def start(self, *, timeout: float = 30) -> None:
        """Start a trace. Raises `AlreadyRunning`, also if another session of the same process traces."""
        raise NotSupported

    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        """End the trace and write it (`is_archive`); whether it is complete (the browser's buffer is limited).

        Raises `BrowserFailed` if the traced browser has ended."""
        raise NotSupported

    async def begin_step(self, name: str) -> None:
        """Mark the begin of a command in the trace, if it has a place for that. Never raises."""

    async def end_step(self) -> None:
        """Mark the end of the command. Never raises."""

    async def discard(self) -> None:
        """End and discard the trace, if there is one. Never raises."""
        raise NotSupported
