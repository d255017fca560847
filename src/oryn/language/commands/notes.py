"""*Notes of a person*: what a person who has pointed at the page wants."""

from __future__ import annotations

from oryn.language.command import Command, argument, output_option, overwrite_flag
from oryn.language.kinds import COUNT, PICTURE, TEXT

__all__ = ["NoteAnswer", "NoteDone", "NotePicture", "Notes"]

_FAMILY = "Notes of a person"


class Notes(
    Command,
    path="notes",
    family=_FAMILY,
    result="list[NoteRow]",
    safe=True,
    reads=True,
    help="List the notes that a person has made on the page",
):
    """With the present numbers of the elements that they are about."""


class NoteAnswer(
    Command,
    path="notes answer",
    family=_FAMILY,
    result="NoteRow",
    safe=True,
    help="Answer a person's note",
    example='notes answer 2 "Which green: that of the header?"',
):
    """The person sees the answer at once."""

    number: int = argument(COUNT, "the note's number in notes")
    text: str = argument(TEXT, "the answer")


class NoteDone(
    Command,
    path="notes done",
    family=_FAMILY,
    result="NoteRow",
    safe=True,
    help="Mark a person's note as done",
    example='notes done 2 "It is green now."',
):
    """The person sees it; `text` is a last answer."""

    number: int = argument(COUNT, "the note's number in notes")
    text: str | None = argument(TEXT, "an answer", default=None)


class NotePicture(
    Command,
    path="notes picture",
    family=_FAMILY,
    result="PictureFile",
    safe=True,
    reads=True,
    help="Save the picture of what a person's note is about",
    example="notes picture 2",
):
    """As it looked when the person pointed at it. `output` None leaves the place to the host."""

    number: int = argument(COUNT, "the note's number in notes")
    output: str | None = output_option("the file to write", PICTURE)
    overwrite: bool = overwrite_flag()
