"""Writes text into text editors, and reads them whole.

An editor indents, closes brackets and completes words while keys come in. So text of several lines, and text with
characters that an editor reacts to, goes in as one paste, which the page's own scripts handle. What the editor then
holds is read back and compared; the next way is tried if it differs, and a note says how it differs in the end."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.engine.output.text_difference import describe_difference, with_plain_breaks
from oryn.engine.page.context import query_element
from oryn.engine.page.scanner import FRAME_GONE, Resolved, query_scanner
from oryn.errors import DialogOpen, ElementNotFound, ElementStale, NotDone, OrynError

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import (
        GetValueResponse,
        PasteResponse,
        PreparedEditor,
        ReadEditorRequest,
        ScannerRequest,
        SettleRequest,
    )

MAX_KEY_CHARACTERS = 300
"""Longer text is not sent as keys, each of which costs the page some milliseconds."""
SETTLE_MILLISECONDS = 150
"""How long an editor that doesn't yet hold a text may take to show it."""
MIN_SECONDS = 1.0
"""Seconds of a command's time without which no other way is tried."""

# No editor reacts to these by itself; and at the beginning of a line, none of those that begin a list or a heading.
_FOR_KEYS = re.compile(r"(?![-+*#>]|\d+[.)])[^\W]?(?:[\w ,;:!?@#/+%&=]|[.-](?![.-]))*")


class EditorField(Record):
    """An editor that is ready for text, as the scanner's `prepare` reports it."""

    code: bool
    """Whether it is for source code: it holds plain text only, and shows a part of it."""
    mac: bool
    """Whether its shortcuts are those of macOS."""
    empty: bool
    plain: bool
    """Whether it takes no elements."""

    @classmethod
    def from_scanner(cls, ready: PreparedEditor) -> EditorField:
        return cls(code=ready["code"], mac=ready["mac"], empty=ready["empty"], plain=ready["plain"])


class EditorText(Record):
    """The text that an editor holds. `whole` is false if only the lines in view could be read."""

    text: str
    whole: bool = True


async def read_editor(session: Session, target: Resolved, found: GetValueResponse | None = None) -> EditorText:
    """Read an editor. `found` is what the scanner's `get_value` has just returned for it."""
    found = found or await query_element(session, target, {"cmd": "get_value"})
    path = found["editor"]["path"] if "editor" in found else None
    if path is None:
        return EditorText(str(found["value"]))
    request: ReadEditorRequest = {"cmd": "read_editor", "path": path}
    whole = (await query_scanner(session.page, request, target.frame, session.deadline.remaining()))["text"]
    if whole is None:
        whole = await _copy_all(session, target)
    return EditorText(with_plain_breaks(whole)) if whole is not None else EditorText(str(found["value"]), False)


async def _copy_all(session: Session, target: Resolved) -> str | None:
    """Read an editor whose object is out of reach: select all of its text, and let it answer a copy. The cursor is at
    the end then. None if the editor answers none."""
    # Monaco takes a paste a moment later, and drops it if the selection changes before.
    settle: SettleRequest = {"cmd": "settle", "timeout": SETTLE_MILLISECONDS}
    await query_scanner(session.page, settle, target.frame, session.deadline.remaining())
    ready = await query_element(session, target, {"cmd": "prepare", "clear": False})
    field = EditorField.from_scanner(ready)
    await _select(session, field, True)
    copied = (await query_scanner(session.page, {"cmd": "copy"}, target.frame, session.deadline.remaining()))["text"]
    await _select(session, field, False)
    return None if copied is None else str(copied)


async def write_into_editor(
    session: Session, target: Resolved, field: EditorField, text: str, *, append: bool, delay: float
) -> list[str]:
    """Write a text into an editor that `prepare` has focused, in place of its content or (`append`) after it. Returns
    notes: how the blanks in it differ, or that it can't be read whole. Raises `NotDone` if it holds another text."""
    wanted = with_plain_breaks(text)
    before = await read_editor(session, target) if append else EditorText("")
    entry = _Entry(session, target, field, before, wanted, append)
    document = session.page.document
    tried: list[tuple[_Closeness, _Way, str]] = []
    try:
        for way in entry.ways(delay):
            difference = await entry.write(way, again=bool(tried))
            if difference is None or session.page.document != document:
                return []
            tried.append((_closeness(entry.wanted, entry.held.text), way, difference))
            if session.deadline.remaining() < MIN_SECONDS:
                break
        closest = max(tried, key=lambda one: one[0])  # there is always a first way
        difference = closest[2]
        if closest is not tried[-1] and closest[0] != tried[-1][0] and session.deadline.remaining() > MIN_SECONDS:
            difference = await entry.write(closest[1], again=True)
    except (DialogOpen, *FRAME_GONE):  # the answer reports it
        return []
    except (ElementStale, ElementNotFound):  # the page has taken the editor away, or has navigated
        if session.page.document != document:
            return []
        if not tried:
            raise
        difference = tried[-1][2]
    if difference and entry.held.whole and not any(closeness[0] for closeness, _, _ in tried):
        raise NotDone(f"the editor took another text: {difference}", "Run 'observe' to see what it holds.")
    return [f"the editor took another text: {difference}"] if difference else []


_Way = Callable[[str], Awaitable[None]]
_Closeness = tuple[bool, int, int]


def _closeness(wanted: str, held: str) -> _Closeness:
    """Return how close a text is to the wanted one; larger is closer: the same words, line breaks, length."""
    breaks, lengths = held.count("\n") - wanted.count("\n"), len(held) - len(wanted)
    return held.split() == wanted.split(), -abs(breaks), -abs(lengths)


class _Entry:
    """A text on its way into an editor."""

    def __init__(
        self, session: Session, target: Resolved, field: EditorField, before: EditorText, text: str, append: bool
    ) -> None:
        self.session = session
        self.target = target
        self.field = field
        self.before = before
        self.text = text
        self.append = append
        self.held = EditorText("")
        self.was_taken = False

    @property
    def wanted(self) -> str:
        return self.before.text + self.text

    def ways(self, delay: float) -> Iterator[_Way]:
        """The ways to write, as long as the last one has not succeeded: an iterator, as the next way depends on how the
        last one has failed. What was there before is not written again, unless that loses nothing."""
        if delay or (len(self.text) <= MAX_KEY_CHARACTERS and _FOR_KEYS.fullmatch(self.text)):
            yield lambda text: self.session.page.keyboard.type(text, delay=delay)
            if delay or not self.may_repeat:
                return
        yield self._paste
        if not self.may_repeat:
            return
        held, wanted = self.held.text, self.wanted
        has_words = held.split() == wanted.split()
        if not self.field.code and has_words and held.count("\n") != wanted.count("\n"):
            yield self._paste_lines
        elif self.was_taken and (self.field.code or not has_words):
            yield self._insert  # else only blanks and tabs differ, which other ways lose too

    @property
    def may_repeat(self) -> bool:
        return not self.append or (self.field.code and self.before.whole)

    async def write(self, way: _Way, *, again: bool) -> str | None:
        """Write in this way, and return how the editor's text differs. `again`: in place of all content."""
        text = self.text
        if again:
            ready = await query_element(self.session, self.target, {"cmd": "prepare", "clear": True})
            self.field = EditorField.from_scanner(ready)
            text = self.wanted
        replaces = again or not self.append
        await _select(self.session, self.field, replaces)
        if text:
            await way(text)
        elif replaces:
            await self.session.page.keyboard.press(["delete"])
        return await self._difference()

    async def _difference(self) -> str | None:
        """Read the editor, and again once the page is quiet; return how its text differs."""
        try:
            self.held = await read_editor(self.session, self.target)
            if self.held.text != self.wanted:
                await self._query({"cmd": "settle", "timeout": SETTLE_MILLISECONDS})
                self.held = await read_editor(self.session, self.target)
        except DialogOpen:
            raise
        except OrynError as error:  # the page has navigated, or has taken the editor away
            self.held = EditorText("", False)
            return f"it can't be read back ({error.message})"
        if self.held.whole:
            return describe_difference(self.wanted, self.held.text)
        return None if self.held.text == self.wanted else "only the lines that it shows can be read back"

    async def _paste(self, text: str) -> None:
        answer: PasteResponse = await self._query({"cmd": "paste", "text": text})
        self.was_taken = answer["taken"]
        if not self.was_taken:
            await self._insert(text)

    async def _paste_lines(self, text: str) -> None:
        """Paste line by line, with the line break that sends no message in between."""
        for number, line in enumerate(text.split("\n")):
            if number:
                await self.session.page.keyboard.press(["shift", "enter"])
            if line:
                await self._paste(line)

    async def _insert(self, text: str) -> None:
        """Insert natively. A tab on its own becomes one that HTML does not collapse. An inserted line break becomes an
        element, also where only text may be."""
        keyboard = self.session.page.keyboard
        apart = r"(\n|\t)" if self.field.plain else r"(\t)"
        for piece in [text] if self.field.code else filter(None, re.split(apart, text)):
            if piece == "\n":
                await keyboard.press(["shift", "enter"])
            else:
                await keyboard.insert(piece)

    async def _query(self, request: ScannerRequest) -> Any:
        session = self.session
        return await query_scanner(session.page, request, self.target.frame, session.deadline.remaining())


async def _select(session: Session, field: EditorField, everything: bool) -> None:
    """Select all of the focused editor's text, or put the cursor at its end, with the editor's own shortcut."""
    if field.empty and not field.code:
        return
    if everything:
        await session.page.keyboard.press(["meta" if field.mac else "control", "a"])
    else:
        await session.page.keyboard.press(["meta", "arrowdown"] if field.mac else ["control", "end"])
