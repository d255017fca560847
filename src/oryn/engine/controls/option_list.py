"""Lists that a page builds itself: combo boxes, autocompletes, cascades, choosers of several values.

`select` opens the list, and chooses the option with the wanted text. If it is not there, the text is typed into the
field of the list, whose options may come from a server, or the list is scrolled, which may draw only what it shows. The
scanner's `options` knows what belongs to the widget; nothing else is pressed.
https://www.w3.org/WAI/ARIA/apg/patterns/combobox/"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.core.text_safety import quoted
from oryn.engine.page.actionability import ChangeWait, wait_until_accepted
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.resolve import accepted_place, click_element, hit_place
from oryn.engine.page.scanner import FRAME_GONE, Resolved, options_hint, query_scanner
from oryn.engine.postcondition import Postcondition
from oryn.errors import (
    DialogOpen,
    ElementDisabled,
    ElementNotFound,
    ElementNotInteractable,
    ElementNotVisible,
    ElementStale,
    InvalidElementType,
    OptionNotFound,
)

if TYPE_CHECKING:
    from oryn.browsers.base.input import Point
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        FocusRequest,
        LocatePurpose,
        OptionsRequest,
        PrepareRequest,
        ScrollRequest,
        ScrollResponse,
    )

DEBOUNCE_SECONDS = 0.8
"""How long a page may wait after the last key before it looks for options."""
SEARCH_SECONDS = 6.0
"""How long the options for a typed text may take to come."""
PRESS_ATTEMPTS = 3
MAX_SCREENS = 500
"""The most screens that a list is scrolled for one option."""
OPENING_KEYS = (["alt", "arrowdown"], ["arrowdown"])
"""Keys that open the list of what has the focus, by the patterns of ARIA."""
_PATH = re.compile(r"\s*(?:/|>|›|»|→|\\)\s*")
"""What stands between the parts of a path through a cascade."""

DOCUMENT_LEFT = (*FRAME_GONE, DialogOpen, ElementNotFound, ElementStale)
"""Errors of a request about a widget whose choice has led elsewhere."""


class Chosen(Record):
    """A choice that was made: the notes of the answer, and what must be true now."""

    notes: list[str]
    expects: tuple[Postcondition, ...] = ()
    native: bool = False
    """Whether it was entered into a control of HTML's own, without a press."""


class OptionList:
    """The list of one element. `_now` is the scanner's last report (`options` in `scanner.protocol`)."""

    def __init__(self, context: PageContext, target: Resolved) -> None:
        self._context = context
        self._target = target
        self._document = context.page.document
        self._now: dict[str, Any] = {}
        self._was_open = False
        self._typed: tuple[int, str] | None = None
        """The field that a text was typed into, and what it held before."""
        self._notes: list[str] = []
        self._taken: list[str] = []

    async def mark(self) -> Resolved | None:
        """Remember what is visible before the list opens. Return the control of HTML's own, a select or a field with
        suggestions, that the element is or labels; None if it is a list of the page's own."""
        await self._query(mark=True)
        if self._now["id"] != self._target.id:
            element = (self._context.element_index.elements or {}).get(self._now["id"], self._target.element)
            self._target = Resolved(self._now["id"], self._target.frame, element, self._target.notes)
        self._was_open = self._now["open"] or bool(self._now["count"])
        return self._target if self._now["native"] else None

    async def choose(self, values: tuple[str, ...]) -> Chosen:
        """Choose options by their texts, one after the other; those that are chosen already stay.

        Raises `OptionNotFound` with the options that there are, `ElementDisabled` if the option is disabled,
        `InvalidElementType` for a text field that opens no list, in which nothing is typed. What was typed to find an
        option is taken back then, and the list is closed if it was not open before."""
        try:
            for value in values:
                await self._choose(value)
            await self._close()
        except DOCUMENT_LEFT:
            if not self._taken or not self._has_left():
                raise
        except (OptionNotFound, ElementDisabled, InvalidElementType):
            with suppress(*DOCUMENT_LEFT):
                await self._take_back()
                await self._close()
            raise
        postcondition = Postcondition(self._target, {"kind": "chosen", "texts": self._taken}, lasts=True)
        return Chosen(self._notes, (postcondition,))

    def _has_left(self) -> bool:
        """Whether the page is another document, or asks something: a choice may send a form."""
        page = self._context.page
        return page.document != self._document or page.dialog is not None or self._target.frame is not None

    async def _choose(self, value: str) -> None:
        """Choose one option, or the options along a path."""
        await self._query(text=value)
        is_selected = self._now["shown"]
        if self._now["select_state"] and self._now["match"] is None:
            self._note_chosen(value)
        elif await self._open(value):
            await self._take(value)
        elif len(path := _PATH.split(value)) > 1 and await self._find(path[0]):
            for part in path:
                if not await self._reach(part):
                    raise self._not_found(part)
                await self._take(part)
        elif await self._search(value) or await self._scroll(value) or await self._await_option(value):
            await self._take(value)
        elif is_selected:  # many lists leave out what is chosen
            self._note_chosen(value)
        else:
            raise self._not_found(value)

    async def _reach(self, value: str) -> bool:
        """Make the option visible, in one way or another. Return whether it is."""
        return await self._open(value) or await self._scroll(value) or await self._await_option(value)

    def _not_found(self, value: str) -> OptionNotFound:
        texts, count = self._now["texts"], self._now["count"]
        hint = options_hint(texts, count) if texts else "No list has opened: 'observe' the page."
        return OptionNotFound(f"no option {quoted(value)}", hint)

    def _note_chosen(self, text: str) -> None:
        self._notes.append(f"{quoted(text)} was chosen already")
        self._taken.append(text)

    # Opening and closing.

    async def _open(self, value: str) -> bool:
        """Open the list, unless it is open, and look at the options: by a press, by a press on the sign beside the
        field, by the keys for that. Return whether the option is there."""
        if await self._find(value):
            return True
        if not self._has_opened:
            await self._press_opener(self._target, "choose")
            if await self._await_list(value):
                return True
        if not self._has_opened and self._now["opener"] is not None:
            await self._press_opener(Resolved(self._now["opener"], self._target.frame), "open")
            if await self._await_list(value):
                return True
        if not self._has_opened and self._now["expanded"] is False:
            for keys in OPENING_KEYS:
                await self._focus()
                await self._context.page.keyboard.press(keys)
                if await self._await_list(value):
                    return True
                if self._has_opened:
                    break
        if not self._has_opened and self._now["text_field"]:  # typing would be an input that nobody has asked for
            raise InvalidElementType("a text field has no options", "Use 'type' to fill it in.")
        return False

    @property
    def _has_opened(self) -> bool:
        return bool(self._now["open"] or self._now["count"])

    async def _press_opener(self, opener: Resolved, purpose: LocatePurpose) -> None:
        """Press it. The mouse is released elsewhere if the list has opened under it, and would take that for a
        choice."""
        context, mouse = self._context, self._context.page.mouse
        place = await accepted_place(context, opener, purpose=purpose)
        if not place.is_hovered:
            await mouse.move(*place.point)
        place = await accepted_place(context, opener, purpose=purpose, presses=1)
        await mouse.press(*place.point)
        aside: Point | None = None
        try:
            await self._query(pressed=True)
            if self._now["aside"] is not None:
                aside = await self._in_viewport(self._now["aside"])
        finally:
            if aside is not None:
                await mouse.move(*aside)
            await mouse.release(*(aside or place.point))

    async def _in_viewport(self, point: dict[str, float]) -> Point:
        frame = self._target.frame
        return (
            (point["x"], point["y"])
            if frame is None
            else await self._context.page.to_viewport(point["x"], point["y"], frame)
        )

    async def _focus(self) -> None:
        with suppress(ElementNotVisible, ElementDisabled, ElementNotInteractable, InvalidElementType):
            request: FocusRequest = {"cmd": "focus", "id": self._target.id}
            await query_scanner(self._context.page, request, self._target.frame, self._context.deadline.remaining())

    async def _await_list(self, value: str) -> bool:
        """Wait for the first options; for no longer than a reaction may take if typing brings them."""
        await self._settle()
        if await self._find(value):
            return True
        options = self._context.options
        is_waiting = self._now["open"] and not self._now["count"] and self._now["typing"] is None
        wait = ChangeWait(self._context, options.action_wait if is_waiting else options.settle_grace)
        while await wait.for_change():
            if await self._find(value):
                return True
            if self._now["count"]:
                break
        return False

    async def _await_option(self, value: str) -> bool:
        """Wait for an option that comes late: a list that has none or but one yet may be waiting for a server."""
        options = self._context.options
        is_loading = self._now["open"] and self._now["count"] < 2 and self._typed is None
        wait = ChangeWait(self._context, options.action_wait if is_loading else options.presence_wait)
        while await wait.for_change():
            if await self._find(value):
                return True
        return await self._find(value, loosely=True)

    async def _take_back(self) -> None:
        """Restore what the field held before a text was typed into it to find an option."""
        if self._typed is None:
            return
        number, held = self._typed
        self._typed = None
        await self._prepare(number)
        if held:
            await self._context.page.keyboard.type(held)
        else:
            await self._context.page.keyboard.press(["backspace"])
        await self._settle()

    async def _close(self) -> None:
        """Close the list if this command has opened it and it is still open: by Escape, unless that may close the
        dialog around it, else by another press on what has opened it, unless that is a text field."""
        if self._was_open or self._context.page.dialog is not None:
            return
        await self._settle()
        await self._query()
        if self._now["open"] and self._now["expanded"] is None:  # it may be about to fade away
            wait = ChangeWait(self._context, self._context.options.settle_grace)
            while self._now["open"] and await wait.for_change():
                await self._query()
        if self._now["open"] and not self._now["in_dialog"]:
            await self._context.page.keyboard.press(["escape"])
            await self._settle()
            await self._query()
        if self._now["open"] and self._now["typing"] is None:
            with suppress(ElementNotInteractable, ElementNotVisible, ElementDisabled, InvalidElementType):
                place = await hit_place(self._context, self._target, purpose="choose", presses=1)
                await self._context.page.mouse.click(*place.point)

    # Finding the option.

    async def _search(self, value: str) -> bool:
        """Type the text, and wait for the options that the page finds for it."""
        field = self._now["typing"]
        if field is None:
            return False
        context = self._context
        wanted = " ".join(value.split()).removesuffix("…").removesuffix("...")
        if self._typed is None:
            self._typed = field, self._now["typed"] or ""
        await self._prepare(field)
        clock = asyncio.get_running_loop().time
        await context.page.keyboard.type(wanted)
        typed = clock()
        end = typed + min(SEARCH_SECONDS, context.deadline.remaining() - 1)
        while clock() < end:
            await self._settle()
            if await self._find(value):
                return True
            changed = await wait_for_change(context, DEBOUNCE_SECONDS / 2)
            if not changed and clock() > typed + DEBOUNCE_SECONDS and await self._find(value, loosely=True):
                return True
        return await self._find(value, loosely=True)

    async def _prepare(self, field: int) -> None:
        """Focus a field of the list, with what it holds selected."""
        context, frame = self._context, self._target.frame
        request: PrepareRequest = {"cmd": "prepare", "id": field, "clear": True}
        await wait_until_accepted(
            context, frame, partial(query_scanner, context.page, request, frame, context.deadline.remaining())
        )

    async def _scroll(self, value: str) -> bool:
        """Scroll through the list from its beginning, until it shows the option or ends."""
        if await self._find(value, loosely=True):
            return True
        seen: tuple[Any, ...] | None = None
        for _ in range(MAX_SCREENS):
            scroller, before = self._now["scroller"], seen
            if scroller is None:
                return False
            request: ScrollRequest = {"cmd": "scroll", "id": scroller, "direction": "down"}
            if seen is None:
                request |= {"amount": 10_000_000, "direction": "up"}
            page, frame = self._context.page, self._target.frame
            data: ScrollResponse = await query_scanner(page, request, frame, self._context.deadline.remaining())
            await self._settle()
            if await self._find(value):
                return True
            seen = (data["scroll"]["y"], self._now["last"])
            if seen == before:
                return False
        return False

    async def _find(self, value: str, *, loosely: bool = False) -> bool:
        """Return whether an option has that text; loosely: or begins with it, or contains it."""
        await self._query(text=value)
        match = self._now["match"]
        cut = value.rstrip().endswith(("…", "..."))
        return match is not None and (
            loosely or match["tier"] in (("exact", "case", "prefix") if cut else ("exact", "case"))
        )

    # Choosing it.

    async def _take(self, value: str) -> None:
        match = self._now["match"]
        text = match["text"]
        if match["disabled"]:
            raise ElementDisabled(f"the option {quoted(text)} is disabled", "Choose another one.")
        if match["chosen"]:
            self._note_chosen(text)
            return
        if match["tier"] in ("prefix", "contains"):
            also = f", also {', '.join(map(quoted, match['others']))}" if match["others"] else ""
            self._notes.append(f"took {quoted(text)} for {quoted(value)}{also}")
        self._taken.append(text)
        self._typed = None
        await self._press_match(value)
        await self._settle()
        is_taken_away = match["selected"] and await self._find(value) and not self._now["match"]["selected"]
        if not is_taken_away:
            await self._query(text=text, taken=True)
            return
        self._notes.append(f"{quoted(text)} was chosen already")
        await self._press_match(value)

    async def _press_match(self, value: str) -> None:
        """Press the option. A list that draws only what it shows replaces it when it comes into view."""
        for left in reversed(range(PRESS_ATTEMPTS)):
            try:
                option = Resolved(self._now["match"]["id"], self._target.frame)
                await click_element(self._context, option, purpose="choose")
                return
            except ElementStale:
                if not left or not await self._find(value, loosely=True):
                    raise

    async def _settle(self) -> None:
        page = self._context.page
        limit = min(self._context.options.settle_limit, self._context.deadline.remaining())
        await page.settle(page.checkpoint(), limit=limit)

    async def _query(
        self, *, text: str | None = None, mark: bool = False, pressed: bool = False, taken: bool = False
    ) -> None:
        index = self._context.element_index
        request: OptionsRequest = {"cmd": "options", "id": self._target.id, "text": text, "mark": mark}
        request |= {"pressed": pressed, "taken": taken, "next_id": index.next_id}
        self._now = await query_scanner(
            self._context.page, request, self._target.frame, self._context.deadline.remaining()
        )
        index.next_id = self._now["next_id"]
