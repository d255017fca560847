"""Notes of a person: what they say about an element or a region of a page that they have pointed at. Pure.

A press on the picture of a page makes a `Mark`, and the words that the person writes make a note of it. The agent reads
notes, answers them and marks them done; the person sees that. Only a person's own interfaces call `mark` and `add`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from oryn.browsers.base import Frame, Rect
from oryn.core.records import Record, field
from oryn.errors import InvalidValue, NoteNotFound, NotesFull

MAX_NOTES = 100
"""Notes that a session keeps. A further one replaces the oldest that is done."""
MAX_NOTE_CHARACTERS = 2_000
"""Maximum length of a note, and of an answer to one."""
MAX_ANSWERS = 10
"""Answers that are kept for one note, the last ones."""
MAX_PENDING_MARKS = 20
"""Marks that wait for their words; of more, the oldest are dropped."""
MAX_PICTURE_BYTES = 300_000
"""Size of a mark's picture above which it is dropped."""
MAX_NAME_CHARACTERS = 200
"""Characters of an element's name, or of a page's title, that a mark keeps."""
MAX_URL_CHARACTERS = 2_000

Author = Literal["agent", "person"]

_ELEMENT_MEMBERS = ("id", "type", "role", "text", "tag", "context", "selector")
"""What a mark keeps of an element's record: how it is called, and what it is found by in another document."""


class Mark(Record, frozen=False):
    """What a person has pointed at: an element, or a region of the page with the elements in it."""

    id: str
    url: str
    title: str
    document: str | None
    """The token of the document in which the element has its number; None after a restart."""
    element: Mapping[str, Any] | None
    """Number, kind, name, and what else identifies the element; None for a region, or if nothing is there."""
    frame: Frame | None
    """The frame of the element, if its document is not the top one."""
    box: Rect | None
    """Its place in CSS pixels of the page when the person pointed at it; of an element, None if it was not visible."""
    elements: Sequence[Mapping[str, Any]] = ()
    """Of a region: the first interactive elements in it."""
    picture: bytes | None = None
    """A cut of the page's picture: a JPEG file, or a PNG file of a browser that makes no other."""
    tab: int | None = None
    """The number of the tab."""
    present: bool = True
    """Whether the element was there when that was last looked at."""

    @property
    def picture_format(self) -> Literal["jpeg", "png"]:
        """The format of the picture."""
        return "png" if self.picture is not None and self.picture.startswith(b"\x89PNG") else "jpeg"

    @property
    def is_region(self) -> bool:
        return self.element is None and self.box is not None


class NoteComment(Record):
    """One answer to a note. `time` is UTC in ISO 8601."""

    author: Author
    text: str
    time: str


class PersonNote(Record, frozen=False):
    """A note: a mark with words. `time` is UTC in ISO 8601."""

    number: int
    text: str
    time: str
    mark: Mark
    done: bool = False
    told: bool = False
    """Whether an answer of the agent's has had it."""
    answers: list[NoteComment] = field(factory=list)


class PersonNotes:
    """The notes of a session, and its marks without words.

    `on_change` are called after every change of the notes: a new one, an answer, one that is done or removed. `now`
    returns the time in UTC as ISO 8601."""

    def __init__(
        self,
        on_change: Sequence[Callable[[], object]] = (),
        now: Callable[[], str] = lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    ) -> None:
        self._on_change = on_change
        self._now = now
        self._notes: dict[int, PersonNote] = {}
        self._marks: dict[str, Mark] = {}
        self._next = 1

    def __iter__(self) -> Iterator[PersonNote]:
        return iter(tuple(self._notes.values()))

    def __len__(self) -> int:
        return len(self._notes)

    def get(self, number: int) -> PersonNote:
        """Return a note. Raises `NoteNotFound`."""
        if number in self._notes:
            return self._notes[number]
        numbers = ", ".join(map(str, self._notes))
        raise NoteNotFound(f"there is no note {number}", f"There are: {numbers}." if numbers else None)

    # --- the person ---

    def mark(self, mark: Mark) -> Mark:
        """Keep a mark until the person has written its words."""
        self._marks[mark.id] = mark
        while len(self._marks) > MAX_PENDING_MARKS:
            del self._marks[next(iter(self._marks))]
        return mark

    def add(self, mark_id: str, text: str) -> PersonNote:
        """Make a note of a mark. Raises `NoteNotFound` for an unknown mark, and `InvalidValue`, `NotesFull`, after
        which the mark can still be used."""
        mark = self._marks.get(mark_id)
        if mark is None:
            raise NoteNotFound("the mark is no longer known", "Mark the element again.")
        text = checked_text(text)
        if len(self._notes) >= MAX_NOTES:
            finished = next((number for number, note in self._notes.items() if note.done), None)
            if finished is None:
                raise NotesFull(f"{MAX_NOTES} notes are open")
            del self._notes[finished]
        note = PersonNote(self._next, text, self._now(), mark)
        self._next += 1
        self._notes[note.number] = note
        del self._marks[mark_id]
        self._changed()
        return note

    def remove(self, number: int) -> None:
        """Remove a note. Raises `NoteNotFound`."""
        del self._notes[self.get(number).number]
        self._changed()

    def clear(self) -> None:
        """Remove all notes and marks. Numbers are not used again."""
        self._notes.clear()
        self._marks.clear()
        self._changed()

    # --- both ---

    def answer(self, number: int, text: str, author: Author) -> PersonNote:
        """Add an answer to a note. One of the person's opens the note again, and is told to the agent. Raises
        `NoteNotFound`, `InvalidValue`."""
        note = self.get(number)
        note.answers = [*note.answers, NoteComment(author, checked_text(text), self._now())][-MAX_ANSWERS:]
        if author == "person":
            note.done = note.told = False
        self._changed()
        return note

    def finish(self, number: int, text: str | None, author: Author) -> PersonNote:
        """Mark a note done, with a last answer if there is a `text`. Raises `NoteNotFound`, `InvalidValue`."""
        note = self.get(number)
        if text is not None:
            text = checked_text(text)
            note.answers = [*note.answers, NoteComment(author, text, self._now())][-MAX_ANSWERS:]
        note.done = note.told = True
        self._changed()
        return note

    # --- the agent ---

    @property
    def untold(self) -> list[PersonNote]:
        """The notes that no answer has had yet."""
        return [note for note in self._notes.values() if not note.told]

    @property
    def open(self) -> list[PersonNote]:
        """The notes that are not done."""
        return [note for note in self._notes.values() if not note.done]

    def _changed(self) -> None:
        for callback in tuple(self._on_change):
            callback()

    # --- saving ---

    def saved(self) -> list[dict[str, Any]]:
        """The notes as JSON data, without their pictures."""
        return [_note_data(note) for note in self._notes.values()]

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take over saved notes; those that are damaged are left out. Their elements have no numbers until they are
        found again."""
        for row in rows:
            try:
                note = _note_of(row)
            except (KeyError, TypeError, ValueError):
                continue
            self._notes[note.number] = note
            self._next = max(self._next, note.number + 1)


def new_mark_id() -> str:
    """Return an identifier for a mark, which nobody can guess."""
    from secrets import token_urlsafe  # imported late, because it is slow

    return token_urlsafe(12)


def checked_text(text: str) -> str:
    """Return the words of a note without white space around them. Raises `InvalidValue` if there are none, or too
    many."""
    text = text.strip()
    if not text:
        raise InvalidValue("the note is empty", "Write what you want done.")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise InvalidValue(
            f"the note has {len(text):,} characters, and at most {MAX_NOTE_CHARACTERS:,} are possible", "Shorten it."
        )
    return text


def essential_element(element: Mapping[str, Any]) -> dict[str, Any]:
    """What a mark keeps of an element's record."""
    members = {name: element[name] for name in _ELEMENT_MEMBERS if element.get(name) is not None}
    for name in ("text", "context"):
        if len(members.get(name, "")) > MAX_NAME_CHARACTERS:
            members[name] = members[name][: MAX_NAME_CHARACTERS - 1] + "…"
    return members


def _note_data(note: PersonNote) -> dict[str, Any]:
    mark = note.mark
    return {
        "number": note.number,
        "text": note.text,
        "time": note.time,
        "done": note.done,
        "told": note.told,
        "answers": [answer.values() for answer in note.answers],
        "url": mark.url,
        "title": mark.title,
        "element": dict(mark.element) if mark.element else None,
        "elements": [dict(each) for each in mark.elements],
        "box": [mark.box.x, mark.box.y, mark.box.width, mark.box.height] if mark.box else None,
    }


def _note_of(row: Mapping[str, Any]) -> PersonNote:
    box = row["box"]
    mark = Mark(
        new_mark_id(),
        str(row["url"]),
        str(row["title"]),
        None,
        row["element"] and essential_element(row["element"]),
        None,
        Rect(*map(float, box)) if box else None,
        tuple(map(essential_element, row["elements"])),
        present=False,
    )
    answers = [NoteComment(each["author"], str(each["text"]), str(each["time"])) for each in row["answers"]]
    return PersonNote(
        int(row["number"]),
        checked_text(row["text"]),
        str(row["time"]),
        mark,
        bool(row["done"]),
        bool(row["told"]),
        answers,
    )
