"""*Recording*: traces, video, highlights, PDF."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument, flag, option, overwrite_flag
from oryn.language.kinds import DURATION, OUTPUT, TARGET, ChoiceKind, NameKind, NumberKind
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

    path: str | None = argument(OUTPUT, "the file to write", default=None)
    overwrite: bool = overwrite_flag()


class TraceStop(
    Command, path="trace stop", family=_FAMILY, result="TraceFile", safe=True, help="Stop the trace and write it"
):
    """Write to `path`, or where `trace start` said."""

    path: str | None = argument(OUTPUT, "the file to write", default=None)
    overwrite: bool = overwrite_flag()


class RecordStart(
    Command,
    path="record start",
    family=_FAMILY,
    safe=True,
    help="Start recording a video",
    example="record start demo.webm",
):
    """A video of the page."""

    path: str = argument(OUTPUT, "the file to write")
    overwrite: bool = overwrite_flag()
    quality: Quality | None = option(
        ChoiceKind[Quality]("low", "medium", "high"), "the video's quality; default: medium"
    )


class RecordStop(
    Command, path="record stop", family=_FAMILY, result="VideoFile", safe=True, help="Stop the video and write it"
):
    """Write where `record start` said."""


class Highlight(
    TargetCommand, path="highlight", family=_FAMILY, safe=True, acts=True, help="Draw an outline around an element"
):
    """`duration` is in seconds; None until `highlight clear`."""

    target: Target = argument(TARGET, "the element")
    duration: float | None = option(DURATION, "how long; default: until highlight clear")
    color: str | None = option(NameKind("name"), "the outline's colour, such as red or #00aaff; default: red")


class HighlightClear(
    Command,
    path="highlight clear",
    family=_FAMILY,
    acts=True,
    result="HighlightResult",
    safe=True,
    help="Remove the outlines drawn by highlight",
):
    """All of it."""


class Pdf(
    Command,
    path="pdf",
    family=_FAMILY,
    result="WrittenFile",
    safe=True,
    help="Print the page to a PDF file",
    example="pdf page.pdf --format A4",
):
    """`margin` is in centimetres."""

    path: str = argument(OUTPUT, "the file to write")
    overwrite: bool = overwrite_flag()
    format: PaperFormat | None = option(
        ChoiceKind[PaperFormat]("A4", "Letter", "Legal", "Tabloid"), "paper size; default: A4"
    )
    landscape: bool = flag("use landscape orientation")
    margin: float | None = option(NumberKind("n", minimum=0), "margin on every side, in centimetres; default: 1")
