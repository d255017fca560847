"""*Recording*: traces, video, highlights, PDF."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument, flag, option, overwriting
from oryn.language.kinds import DURATION, PATH, TARGET, Name, Number, OneOf
from oryn.language.targets import Target

__all__ = [
    "Highlight",
    "HighlightClear",
    "Pdf",
    "RecordStart",
    "RecordStop",
    "TraceStart",
    "TraceStop",
]

_FAMILY = "Recording"

Quality = Literal["low", "medium", "high"]
PaperFormat = Literal["A4", "Letter", "Legal", "Tabloid"]


class TraceStart(Command, path="trace start", family=_FAMILY, safe=True, help="Start a performance trace"):
    """`path` may also be given at the end."""

    path: str | None = argument(PATH, "the file to write", default=None)
    overwrite: bool = overwriting()


class TraceStop(Command, path="trace stop", family=_FAMILY, safe=True, help="End the trace and write it"):
    """Write to `path`, or where `trace start` said."""

    path: str | None = argument(PATH, "the file to write", default=None)
    overwrite: bool = overwriting()


class RecordStart(
    Command, path="record start", family=_FAMILY, safe=True, help="Start a video", example="record start demo.webm"
):
    """A video of the page."""

    path: str = argument(PATH, "the file to write")
    overwrite: bool = overwriting()
    quality: Quality | None = option(OneOf[Quality]("low", "medium", "high"), "how fine")


class RecordStop(Command, path="record stop", family=_FAMILY, safe=True, help="End the video and write it"):
    """Write where `record start` said."""


class Highlight(TargetCommand, path="highlight", family=_FAMILY, safe=True, help="Draw a frame around an element"):
    """`duration` is in seconds; None until `highlight clear`."""

    target: Target = argument(TARGET, "the element")
    duration: float | None = option(DURATION, "for so long")
    color: str | None = option(Name("name"), "in this colour")


class HighlightClear(Command, path="highlight clear", family=_FAMILY, safe=True, help="Remove what highlight drew"):
    """All of it."""


class Pdf(
    Command,
    path="pdf",
    family=_FAMILY,
    safe=True,
    help="Print the page into a PDF file",
    example="pdf page.pdf --format A4",
):
    """`margin` is in centimetres."""

    path: str = argument(PATH, "the file to write")
    overwrite: bool = overwriting()
    format: PaperFormat | None = option(OneOf[PaperFormat]("A4", "Letter", "Legal", "Tabloid"), "the paper")
    landscape: bool = flag("wider than high")
    margin: float | None = option(Number("n", least=0), "centimetres on every side")
