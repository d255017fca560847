"""Lists that a page builds itself: combo boxes, autocompletes, choosers of several values.

`select` opens the list, and chooses the option with the wanted text. If it is not there, the text is typed into the
field of the list, whose options may come from a server, or the list is scrolled, which may draw only what it shows.
https://www.w3.org/WAI/ARIA/apg/patterns/combobox/"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import Resolved, options_hint, query_scanner
from oryn.errors import ElementDisabled, ElementStale, InvalidElementType, OptionNotFound

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        GetStateRequest,
        GetStateResponse,
        OptionsRequest,
        PrepareRequest,
        ScrollRequest,
        ScrollResponse,
        SelectWidgetRequest,
        SelectWidgetResponse,
    )

DEBOUNCE_SECONDS = 0.8
"""How long a page may wait after the last key before it looks for options."""
SEARCH_SECONDS = 6.0
"""How long the options for a typed text may take to come."""
PRESS_ATTEMPTS = 3
MAX_SCREENS = 500
"""The most screens that a list is scrolled for one option."""


async def choose_options(context: PageContext, target: Resolved, values: tuple[str, ...]) -> list[str]:
    """`OptionList.choose` of one element."""
    widget = OptionList(context, target)
    await widget.mark()
    return await widget.choose(values)


async def find_select_widget(context: PageContext, target: Resolved) -> Resolved | None:
    """Return what the page shows in the place of a hidden `select` element or field; None if the element is visible
    itself, or nothing is."""
    request: GetStateRequest = {"cmd": "get_state", "id": target.id}
    data: GetStateResponse = await query_scanner(context.page, request, target.frame, context.deadline.remaining())
    return None if data["state"]["visible"] else await _find_widget(context, target)


async def _find_widget(context: PageContext, target: Resolved) -> Resolved | None:
    request: SelectWidgetRequest = {"cmd": "select_widget", "id": target.id, "next_id": context.element_index.next_id}
    data: SelectWidgetResponse = await query_scanner(context.page, request, target.frame, context.deadline.remaining())
    context.element_index.next_id = data["next_id"]
    return None if data["widget"] is None else Resolved(data["widget"], target.frame)


class OptionList:
    """The list of one element. `_now` is the scanner's last report (`options` in `scanner.protocol`)."""

    def __init__(self, context: PageContext, target: Resolved) -> None:
        self._context = context
        self._target = target
        self._now: dict[str, Any] = {}
        self._was_open = False
        self.notes: list[str] = []

    async def mark(self) -> Resolved | None:
        """Remember what is visible before the list opens. Return the select, or the field with suggestions, that the
        element is or labels, or None."""
        await self._query(mark=True)
        self._was_open = bool(self._now["count"])
        native = self._now["native"]
        return None if native is None else Resolved(native, self._target.frame)

    async def choose(self, values: tuple[str, ...]) -> list[str]:
        """Choose options by their texts, one after the other; those that are chosen already stay. Return the notes of
        the answer.

        Raises `OptionNotFound` with the options that there are, `ElementDisabled` if the option is disabled,
        `InvalidElementType` for a text field that opens no list, in which nothing is typed."""
        for value in values:
            await self._choose(value)
        if not self._was_open:
            await self.close()
        return self.notes

    async def _choose(self, value: str) -> None:
        """Choose one option."""
        if await self._reach(value):
            await self._take(value)
            return
        texts, count = self._now["texts"], self._now["count"]
        await self.close()
        hint = options_hint(texts, count) if texts else "No list has opened: 'observe' the page."
        raise OptionNotFound(f"no option {quoted(value)}", hint)

    async def _reach(self, value: str) -> bool:
        """Make the option visible, in one way or another. Return whether it is."""
        if await self._find(value) or await self._open(value):
            return True
        if self._now["text_field"]:  # typing would be an input that nobody has asked for
            raise InvalidElementType("a text field has no options", "Use 'type' to fill it in.")
        if not self._now["count"] and self._now["typing"] is None:
            # The target may be the label of the widget.
            widget = await _find_widget(self._context, self._target)
            if widget is not None:
                self._target = widget
                if await self._open(value):
                    return True
        return await self._search(value) or await self._scroll(value)

    async def close(self) -> None:
        """Close the list if it is still open, unless the key for that may close the dialog around it."""
        if self._context.page.dialog is None and not self._now.get("in_dialog") and await self._is_open():
            await self._context.page.keyboard.press(["escape"])

    async def _is_open(self) -> bool:
        await self._settle()
        await self._query()
        return bool(self._now["count"])

    async def _open(self, value: str) -> bool:
        """Press the element, unless its list is open, and look at the options."""
        if not self._now["count"]:
            await click_element(self._context, self._target, purpose="choose")
            await self._settle()
            if await self._find(value):
                return True
            await wait_for_change(self._context, self._context.options.settle_grace)
        return await self._find(value)

    async def _search(self, value: str) -> bool:
        """Type the text, and wait for the options that the page finds for it."""
        field = self._now["typing"]
        if field is None:
            return False
        context, frame = self._context, self._target.frame
        wanted = " ".join(value.split()).removesuffix("…").removesuffix("...")
        request: PrepareRequest = {"cmd": "prepare", "id": field, "clear": True}

        async def prepare() -> None:
            await query_scanner(context.page, request, frame, context.deadline.remaining())

        await wait_until_accepted(context, frame, prepare)
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

    async def _take(self, value: str) -> None:
        match = self._now["match"]
        if match["disabled"]:
            raise ElementDisabled(f"the option {quoted(match['text'])} is disabled", "Choose another one.")
        if match["chosen"]:
            self.notes.append(f"{quoted(match['text'])} was chosen already")
            return
        if match["tier"] in ("prefix", "contains"):
            also = f", also {', '.join(map(quoted, match['others']))}" if match["others"] else ""
            self.notes.append(f"took {quoted(match['text'])} for {quoted(value)}{also}")
        await self._press_match(value)
        await self._settle()
        if match["selected"] and await self._find(value) and not self._now["match"]["selected"]:
            # It was chosen: the press took it away.
            self.notes.append(f"{quoted(match['text'])} was chosen already")
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

    async def _query(self, *, text: str | None = None, mark: bool = False) -> None:
        index = self._context.element_index
        request: OptionsRequest = {"cmd": "options", "id": self._target.id, "text": text, "mark": mark}
        request["next_id"] = index.next_id
        self._now = await query_scanner(
            self._context.page, request, self._target.frame, self._context.deadline.remaining()
        )
        index.next_id = self._now["next_id"]
