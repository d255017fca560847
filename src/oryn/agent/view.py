"""What a session knows of a tab that is an agent's target: its elements' numbers are those of all targets together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame, Page
from oryn.engine.view import Scan, View
from oryn.records import Record, field
from oryn.scanner.protocol import OBSERVE_FIELDS

FIELDS = (*OBSERVE_FIELDS, "tag", "attributes")
"""What a snapshot shows of an element."""


class Numbers(Record, frozen=False):
    """The next number that no element of any target has had."""

    next: int = 1


class TargetView(View, frozen=False):
    """Numbers go on where another target's ended, also in a new document, so that none ever means two elements."""

    numbers: Numbers = field(factory=Numbers)

    if not TYPE_CHECKING:  # to type checkers a field is no property

        @property
        def next_id(self) -> int:
            return self.numbers.next

        @next_id.setter
        def next_id(self, value: int) -> None:
            self.numbers.next = max(self.numbers.next, value)

    def first_id(self) -> int:
        return self.numbers.next

    async def look_again(self, page: Page, within: Frame | None, *, timeout: float) -> Scan:
        """As every view, with what a snapshot shows: the look after an action serves for it, too."""
        request: dict[str, Any] = {"fields": list(FIELDS), "keep_ids": True, "max_elements": 0}
        scan = await self.look(page, within, request, timeout=timeout)
        self.elements = {element["id"]: element for element in scan.elements}
        return scan
