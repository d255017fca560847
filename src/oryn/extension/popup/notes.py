"""Notes of the browser's user for the agent: what *Mark* in the bar points at, and the window in which the user writes.

The user types in a window of the extension's own: a page may hear the keys that are typed in its documents, even into
a closed shadow root, if its listeners were there first."""

from __future__ import annotations

import base64
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Rect
from oryn.browsers.extension.bridge import ChromeFailed
from oryn.core.text_safety import shortened
from oryn.engine.page.marks import mark_label, take_mark
from oryn.engine.person_notes import Mark, PersonNotes
from oryn.errors import InvalidValue, OrynError

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.engine.person_notes import PersonNote
    from oryn.extension.popup.indicators import IndicatorBridge

WINDOW = "popup/note.html"
_WIDTH, _HEIGHT = 440, 600
_REMARK_CHARACTERS = 60
_MAX_PIXELS = 100_000.0


class UserNotes:
    """The notes for whoever controls the browser: they go when somebody else does. `session_of` takes the browser's id
    of a tab, and returns the session that controls it, or None; `changed` is called after each change."""

    def __init__(
        self,
        calls: IndicatorBridge,
        session_of: Callable[[int], Awaitable[Session | None]],
        changed: Callable[[], object],
    ) -> None:
        self._calls = calls
        self._session_of = session_of
        self._changed = changed
        self.notes = PersonNotes([changed])
        """The notes, which all sessions of the browser share."""
        self._pending: Mark | None = None
        self._owner = ""
        self._window: int | None = None

    def bind(self, owner: str) -> None:
        """Note who controls the browser, a URL; empty for nobody. What was written for another is removed."""
        if owner and owner != self._owner:
            former, self._owner = self._owner, owner
            if former:
                self._pending = None
                self.notes.clear()

    async def mark(self, message: Any, tab: Any) -> None:
        """Take what the user has pointed at in a tab, given by the browser's id, and open the window for the words. A
        tab that nobody controls has no bar, so a message about it is ignored. Never raises."""
        session = await self._session_of(tab) if isinstance(tab, int) else None
        area = _area(message)
        if session is None or area is None:
            return
        try:
            self._pending = self.notes.mark(await take_mark(session, area, session.command_lock))
        except OrynError:  # nothing is there, or the page has gone
            return
        self._changed()
        await self.open_window()

    async def open_window(self) -> None:
        """Open the window of the notes, or bring it to the front. Never raises."""
        if self._window is not None:
            with suppress(ChromeFailed):  # the user has closed it
                await self._calls.call("windows.update", self._window, {"focused": True})
                return
        about = {"url": WINDOW, "type": "popup", "width": _WIDTH, "height": _HEIGHT}
        with suppress(ChromeFailed):
            self._window = (await self._calls.call("windows.create", about))["id"]

    async def handle(self, message: Any) -> bool:
        """Handle a message of the window; whether it is one. Raises `InvalidValue`, `NotesFull`, `NoteNotFound`."""
        match message:
            case {"type": "note_add", "mark": str(mark), "text": str(text)}:
                self.notes.add(mark, text)
                self._pending = None
            case {"type": "note_answer", "number": int(number), "text": str(text)}:
                self.notes.answer(number, text, "person")
            case {"type": "note_done", "number": int(number)}:
                self.notes.finish(number, None, "person")
            case {"type": "note_remove", "number": int(number)}:
                self.notes.remove(number)
            case {"type": "note_add" | "note_answer" | "note_done" | "note_remove"}:
                raise InvalidValue("this version does not support the window's request")
            case _:
                return False
        self._changed()
        return True

    @property
    def remark(self) -> str:
        """What the bar says of the notes: the agent's last word, or how many are open; empty if there are none."""
        notes = list(self.notes)
        said = [(answer.time, note) for note in notes for answer in note.answers if answer.author == "agent"]
        if said:
            note = max(said, key=lambda each: each[0])[1]
            last = [answer.text for answer in note.answers if answer.author == "agent"][-1]
            return shortened(f"Note {note.number}{' done' if note.done else ''}: {last}", _REMARK_CHARACTERS)
        finished = sum(note.done for note in notes)
        if finished:
            return f"{finished} of {len(notes)} notes done"
        return f"{len(notes)} note{'' if len(notes) == 1 else 's'}" if notes else ""

    def state(self) -> dict[str, Any]:
        """The notes as JSON data, for the window."""
        pending = self._pending
        picture = pending.picture if pending else None
        return {
            "mark": pending
            and {
                "id": pending.id,
                "label": mark_label(pending),
                "picture": base64.b64encode(picture).decode("ascii") if picture else None,
            },
            "rows": [_row(note) for note in self.notes],
        }


def _area(message: Any) -> Rect | None:
    """The area of a message of a content script; None if it is not valid."""
    if not isinstance(message, dict):
        return None
    values: list[Any] = [message.get(name) for name in ("x", "y", "width", "height")]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) or abs(value) > _MAX_PIXELS:
            return None
    return Rect(*map(float, values)) if min(values[2:]) >= 0 else None


def _row(note: PersonNote) -> dict[str, Any]:
    return {
        "number": note.number,
        "label": mark_label(note.mark),
        "text": note.text,
        "state": "done" if note.done else "open",
        "told": note.told,
        "present": note.mark.present,
        "answers": [answer.values() for answer in note.answers],
    }
