"""`notes`, `notes …`: a person's notes about elements and regions of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.core import text_safety
from oryn.core.text_safety import quoted
from oryn.engine.file_access import Files, new_path
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer, NoteLine
from oryn.engine.page.marks import find_again, numbers_of, page_words, place_words
from oryn.engine.takeover import ANSWERS_AGENT
from oryn.errors import FileError, OrynError
from oryn.language import NoteAnswer, NoteDone, NotePicture, Notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oryn.engine.person_notes import PersonNote
    from oryn.engine.session import Session


@handles(Notes, browser=False)
async def notes(session: Session, command: Notes) -> Answer:
    found = list(session.person_notes)
    document = await refresh_notes(session, found)
    lines = [line for note in found for line in _lines(note, document)]
    if ANSWERS_AGENT.get():
        for note in found:
            note.told = True
    return Answer(lines=lines or ["no notes"], data=[note_row(note, document) for note in found])


@handles(NoteAnswer, browser=False)
async def note_answer(session: Session, command: NoteAnswer) -> Answer:
    return _changed(session, session.person_notes.answer(command.number, command.text, "agent"))


@handles(NoteDone, browser=False)
async def note_done(session: Session, command: NoteDone) -> Answer:
    return _changed(session, session.person_notes.finish(command.number, command.text, "agent"))


def _changed(session: Session, note: PersonNote) -> Answer:
    document = _document(session)
    return Answer(lines=_lines(note, document), data=note_row(note, document))


@handles(NotePicture, browser=False)
async def note_picture(session: Session, command: NotePicture) -> Answer:
    if command.output is not None:
        session.files.writable(command.output, overwrite=command.overwrite)
    note = session.person_notes.get(command.number)
    if note.mark.picture is None:
        raise FileError(f"note {note.number} has no picture", "'screenshot' shows the page as it is now.")
    if command.output is not None:
        path = session.files.write_bytes(command.output, note.mark.picture, overwrite=command.overwrite)
    else:
        new = new_path(session.options.screenshot_folder, f".{note.mark.picture_format}")
        path = Files().write_bytes(str(new), note.mark.picture)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": len(note.mark.picture)})


async def untold_notes(session: Session) -> list[NoteLine]:
    """The notes that no answer has had yet, which this one tells."""
    found = session.person_notes.untold
    document = await refresh_notes(session, found)
    told = []
    for note in found:
        note.told = True
        text = note.answers[-1].text if note.answers and note.answers[-1].author == "person" else note.text
        numbers = numbers_of(note.mark, document)
        number = numbers[0] if numbers and note.mark.element is not None else None
        told.append(
            NoteLine(note.number, text, place_words(note.mark, document), page_words(note.mark, document), number)
        )
    return told


async def refresh_notes(session: Session, found: Sequence[PersonNote]) -> str | None:
    """Find the elements of notes again, whose numbers the agent may use from now on. Return the current document."""
    document = _document(session)
    if document is None:
        for note in found:
            note.mark.present = False
        return None
    index = session.element_index
    index.enter(session.page)
    can_ask = True
    for note in found:
        mark = note.mark
        if can_ask:
            try:
                await find_again(session, mark)
            except OrynError:  # a dialog is open, or the page does not answer
                can_ask = False
        numbers = numbers_of(mark, document)
        index.mark_reported(numbers)
        if mark.frame is not None:
            index.frames.update(dict.fromkeys(numbers, mark.frame))
    return document


def _document(session: Session) -> str | None:
    try:
        return session.page.document
    except OrynError:  # there is no page
        return None


def _lines(note: PersonNote, document: str | None) -> list[str]:
    """`2 [12] button "Save": make it green`, `3 done (gone) link "Old": remove it, at example.com/old`, and the answers
    below."""
    mark = note.mark
    state = [*(["done"] if note.done else []), *([] if mark.present else ["(gone)"])]
    subject = " ".join(filter(None, (*state, place_words(mark, document), page_words(mark, document)))) or "the page"
    where = "" if mark.present else f", at {text_safety.location(mark.url)}"
    rows = [f"{note.number} {subject}: {text_safety.one_line(note.text)}{where}"]
    return rows + [f"  {answer.author}: {text_safety.one_line(answer.text)}" for answer in note.answers]


def note_row(note: PersonNote, document: str | None) -> dict[str, Any]:
    """A note as JSON data (`NoteRow`). `document` is the current one, in which numbers are valid."""
    mark = note.mark
    numbers = set(numbers_of(mark, document))

    def element(each: Mapping[str, Any]) -> dict[str, Any]:
        number = each["id"] if each["id"] in numbers else None
        return {"id": number, "type": each["type"], "role": each["role"], "text": each["text"]}

    box = mark.box
    return {
        "number": note.number,
        "text": note.text,
        "time": note.time,
        "state": "done" if note.done else "open",
        "present": mark.present,
        "element": None if mark.element is None else element(mark.element),
        "region": {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
        if box is not None and mark.is_region
        else None,
        "elements": [element(each) for each in mark.elements],
        "url": mark.url,
        "title": mark.title,
        "tab": mark.tab,
        "answers": [answer.values() for answer in note.answers],
    }
