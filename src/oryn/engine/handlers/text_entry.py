"""Writes text into a form's field with keys, and in other ways if the field does not hold it then.

Pages do much to keys: they drop the decimal comma, move the cursor later, replace the field, take the focus away. What
the field holds is judged by its kind (`scanner/controls/written_value.ts`). What no way makes right is taken back."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from oryn.core.text_safety import phrase, quoted
from oryn.engine.handlers.editors import MAX_KEY_CHARACTERS, EditorField, write_into_editor
from oryn.engine.output.text_difference import describe_written, form_notes
from oryn.engine.page.actionability import NOT_ACCEPTED, wait_until_accepted
from oryn.engine.page.context import query_element
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import FRAME_GONE, Resolved, query_scanner
from oryn.engine.postcondition import Postcondition, Verdict, verify
from oryn.errors import (
    DialogOpen,
    ElementNotInteractable,
    ElementStale,
    InvalidElementType,
    NotDone,
    OrynError,
    ScannerFailed,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import (
        LocatePurpose,
        PreparedField,
        PrepareRequest,
        PrepareResponse,
        RestoreFieldResponse,
        SettleRequest,
        WrittenValue,
    )

MAX_SLOW_CHARACTERS = 60
"""Longer text is not typed again slowly."""
SLOW_SECONDS = 0.04
"""The pause after each key of a text that is typed again slowly, beside the page's own time."""
SETTLE_MILLISECONDS = 150
"""How long a field may take to show what was written once more."""
NO_LINE_BREAKS = "a field of one line holds no line breaks: enter was pressed instead"
_TAKEN_BACK = "The field has its former content again. "
_PRESSED = frozenset(
    {"button", "link", "checkbox", "radio", "select", "switch", "tab", "menuitem", "option", "combobox", "listbox"}
)
"""Types and roles of elements that a press does something else with than to open a field."""
_NUMBER = re.compile(r"[-+(]?\W{0,2}\d[\d.,' ]*\W{0,3}")
CHECK_FIELD = "Run 'observe' to see the field; the page may want it to be filled in another way."


class TextEntry:
    """A text on its way into a field.

    text: with plain line breaks. append: after what the field holds. delay: the pause in seconds after each key.
    compares: whether the field's whole content is compared; else only that no other element got the keys."""

    def __init__(
        self,
        session: Session,
        target: Resolved,
        text: str,
        *,
        append: bool,
        delay: float = 0,
        compares: bool = True,
    ) -> None:
        self.session = session
        self.target = target
        self.text = text
        self.append = append
        self.delay = delay
        self._compares = compares
        self.notes: list[str] = []
        self.error: OrynError | None = None
        """Why the text is not in the field, where the field's content does not say."""
        self.is_checked = not session.page.keyboard.held
        """Whether the field must hold the text: keys that are held change what is typed."""
        self._is_retained = False
        self._may_repeat = True

    def retained(self) -> TextEntry:
        """Return the entry of a text that was written without keys: the field must go on holding what it made of it."""
        self._is_retained, self._may_repeat = True, False
        return self

    def in_editor(self) -> TextEntry:
        """Return the entry of a text that an editor holds: it must go on holding it."""
        self._may_repeat = False
        return self

    @property
    def expected(self) -> Postcondition:
        return Postcondition(self.target, {"kind": "value", "text": None if self._is_retained else self.text})

    async def prepare(self, *, again: bool = False, opened: bool = False) -> PrepareResponse:
        """Focus the field, waiting until it takes text, and select what the text replaces."""
        request: PrepareRequest = {"cmd": "prepare", "clear": again or not self.append, "guards": self._is_guarded}
        request["compares"] = self._compares
        if again:
            request["again"] = True
        if opened:
            request["opened"] = True
        ready: PrepareResponse = await wait_until_accepted(
            self.session, self.target.frame, lambda: query_element(self.session, self.target, request)
        )
        return ready

    @property
    def _is_guarded(self) -> bool:
        """Whether all keys are for the field: those for tabs and line breaks may be meant to leave it."""
        return not re.search(r"[\t\n]", self.text) or len(self.text) > MAX_KEY_CHARACTERS

    async def write(self, ready: PreparedField) -> None:
        """Type the text into the field that `prepare` has focused."""
        if "\n" in self.text and not ready["lines"]:  # each was Enter, which may have sent the form
            self.is_checked = False
            self.notes += [NO_LINE_BREAKS] if ready["control"] else []
        if self.text:
            await self._type(self.text, ready, self.delay)
        elif not self.append and not ready["empty"]:
            await self.session.page.keyboard.press(["delete"])

    async def _type(self, text: str, ready: PreparedField, delay: float) -> None:
        """Type into the focused field. Tabs, and line breaks in a field of several lines, are inserted, as their keys
        may do something else: leave the field, send a message. So is long text, as one piece or line by line."""
        keyboard = self.session.page.keyboard
        if not ready["control"]:
            await keyboard.type(text, delay=delay)
            return
        inserted = r"[^\n]+" if len(text) > MAX_KEY_CHARACTERS and not delay else r"\t+"
        if ready["lines"]:
            inserted = r"(?s:.+)" if inserted == r"[^\n]+" else r"[\n\t]+"
        for piece in filter(None, re.split(f"({inserted})", text)):
            if re.fullmatch(inserted, piece):
                await keyboard.insert(piece)
            else:
                await keyboard.type(piece, delay=delay)

    # --- other ways ---

    async def again(self, verdicts: Sequence[Verdict]) -> bool:
        """Write the text in other ways, as far as it makes sense, and take it back if none is right. Return whether the
        field may have changed."""
        first = verdicts[0].response.get("written") if verdicts else None
        if first is None or first["outcome"] != "other" or not self._may_repeat:
            return False
        if first["frame"]:
            self.error = ElementNotInteractable(
                f"{_lost(first)}: the field holds {first['length']} of {first['wanted']} characters, the others went "
                "there",
                "Run 'observe'. Typed text goes to the element that takes the focus.",
            )
            return False
        if not self._compares:
            self.error = NotDone(f"{_lost(first)}: {self.expected.name} has not got all of it", CHECK_FIELD)
            return False
        last: WrittenValue | None = first
        try:
            for way in self._ways(first):
                with suppress(*NOT_ACCEPTED, InvalidElementType, ElementStale):
                    form = await way()
                    last = await self._look()
                    if last is None or last["outcome"] != "other":
                        self.notes += [f"typed as {quoted(form)}"] if form else []
                        return True
            self.error = await self._refusal(first, last)
        except (DialogOpen, *FRAME_GONE, ScannerFailed):  # the answer reports it
            return True
        return True

    def _ways(self, first: WrittenValue) -> Iterator[Callable[[], Awaitable[str | None]]]:
        """The ways that are left, each of which returns the form that it has typed if that is another than the text."""
        for form in first["forms"]:
            yield partial(self._retype, form)
        if first["unchanged"] and first["attached"] and not first["away"]:
            if not first["taken"]:  # it takes keys only after a press, as titles and cells do that are edited in place
                yield partial(self._retype_pressed, 1)
                yield partial(self._retype_pressed, 2)
            return  # else the page has refused it, or has taken it back
        yield self._insert
        if len(self.text) <= MAX_SLOW_CHARACTERS and not self.append:
            yield self._retype_slowly

    async def _retype(self, text: str) -> str:
        ready = await self.prepare(again=True)
        if ready["mode"] == "keys":
            await self._type(text, ready, 0)
        return text

    async def _retype_slowly(self) -> None:
        """Type key by key, each when the page has done what the one before has led to."""
        ready = await self.prepare(again=True)
        if ready["mode"] == "keys":
            for character in self.text:
                await self._type(character, ready, SLOW_SECONDS)
                await self._settle()

    async def _insert(self) -> None:
        """Put the text in with one step of the page's own script, in which nothing comes between."""
        await wait_until_accepted(
            self.session,
            self.target.frame,
            lambda: query_element(self.session, self.target, {"cmd": "insert", "text": self.text, "again": True}),
        )

    async def _retype_pressed(self, count: int) -> None:
        await self.press(count)
        ready = await self.prepare(again=True, opened=True)
        if ready["mode"] == "keys":
            await self._type(self.text, ready, 0)
        elif ready["mode"] == "editor":
            field = EditorField.from_scanner(ready)
            self.notes += await write_into_editor(
                self.session, self.target, field, self.text, append=self.append, delay=self.delay
            )

    async def press(self, count: int) -> None:
        """Press the element, which may open a field in its place."""
        purpose: LocatePurpose = "choose" if self.session.options.only_clicks_press else "open"
        await click_element(self.session, self.target, count=count, purpose=purpose)
        await self._settle()

    async def open_field(self) -> PrepareResponse | None:
        """Press an element that is no field, as a title or a cell is pressed that is edited in place, and prepare the
        field that this opens. None if it opens none, or is something that a press may do something else with."""
        element = self.target.element
        if element is None or element["type"] in _PRESSED or element.get("role") in _PRESSED:
            return None
        for count in (1, 2):
            with suppress(*NOT_ACCEPTED, InvalidElementType, ElementStale):
                await self.press(count)
                request: PrepareRequest = {"cmd": "prepare", "clear": not self.append, "opened": True}
                ready: PrepareResponse = await query_element(self.session, self.target, request)
                return ready
        return None

    async def _settle(self) -> None:
        settle: SettleRequest = {"cmd": "settle", "timeout": SETTLE_MILLISECONDS}
        await query_scanner(self.session.page, settle, self.target.frame, self.session.deadline.remaining())

    async def _look(self) -> WrittenValue | None:
        """Return what has become of the text; None if nothing can be said of the field any more."""
        await self._settle()
        return (await verify(self.session, self.expected)).response.get("written")

    async def _refusal(self, first: WrittenValue, last: WrittenValue | None) -> OrynError:
        """Take the text back, and return the error."""
        is_back = first["unchanged"] if last is None else last["unchanged"]
        if not is_back:
            restored: RestoreFieldResponse = await query_scanner(
                self.session.page, {"cmd": "restore_field"}, self.target.frame, self.session.deadline.remaining()
            )
            is_back = restored["restored"]
            last = await self._look()
        lost = f"{_lost(first)}: " if first["away"] else ""
        if is_back:
            said = describe_written(self.expected.name, first, past=not first["unchanged"])
            return NotDone(lost + said, _TAKEN_BACK + CHECK_FIELD)
        return NotDone(lost + describe_written(self.expected.name, last or first), CHECK_FIELD)

    async def check(self) -> list[str]:
        """Check the field now, for a command that goes on with something else. Return the notes. Raises `NotDone` if it
        does not hold the text, `ElementNotInteractable` if another frame has got it."""
        if not self.is_checked:
            return self.notes
        verdict = await verify(self.session, self.expected)
        if verdict.is_unmet and await self.again([verdict]) and self.error is None:
            verdict = await verify(self.session, self.expected)
        if self.error is not None:
            raise self.error
        if verdict.is_unmet:
            raise verdict.error
        return [*self.notes, *written_notes(self.text, [verdict])]


def _lost(written: WrittenValue) -> str:
    place = phrase(written["place"] or "")
    return f"the focus went to {place} while the text was typed" if place else "the focus was away for a while"


def written_notes(text: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Return the notes about the form in which a field holds a text."""
    written = verdicts[0].response.get("written") if verdicts else None
    if written is None:
        return []
    held = written["held_text"]
    same = "letters and digits" if held is None or _letters(held) == _letters(text) else "value"
    if held is not None and _NUMBER.fullmatch(text) and _NUMBER.fullmatch(held):
        same = "number"
    return form_notes(written["outcome"], written["length"], written["wanted"], same=same)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
