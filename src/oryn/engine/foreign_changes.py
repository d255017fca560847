"""`check_numbers`: numbers of elements that somebody else has changed since the session last looked.

A page is compared with what the answers so far have shown of it, by the reports that actions make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.core.records import Record, field
from oryn.engine.action import Action
from oryn.engine.output.changes import changed, disappeared, page_line, url_changed
from oryn.engine.output.elements import HIGHLIGHT_MODIFIERS, label, line, signature
from oryn.engine.page.context import page_info
from oryn.engine.page.resolve import matches, numbers_in, printed_numbers_in, printed_references_in, references_in
from oryn.engine.page.scanner import query_scanner
from oryn.errors import ElementChanged
from oryn.language import ReferenceTarget, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oryn.browsers.base.leases import ForeignAct
    from oryn.engine.output.changes import PageChange
    from oryn.engine.output.elements import Element
    from oryn.engine.page.context import PageContext
    from oryn.language import Command
    from oryn.scanner.protocol import DecidedElementsRequest, DecidedElementsResponse

_NEXT = "Run 'observe' to see what is there."


class ForeignChanges(Record, frozen=False):
    """What is known of the changes that others have made on the current page since the session last looked."""

    act: ForeignAct
    """The last act of somebody else."""
    confirmed: set[int] = field(factory=set)
    """Numbers that were compared since then."""
    suspects_numbers: bool = True
    suspects_references: bool = True
    """Whether `@eN` of the last snapshot may stand for something else."""
    meanwhile: list[PageChange] = field(factory=list)
    """What has changed, for the answer of the current command."""

    async def check(self, context: PageContext, command: Command) -> None:
        """Raise `ElementChanged` if an element that the command names is not what the session has seen."""
        index = context.element_index
        targets = [value for value in command.values().values() if isinstance(value, Target)]
        numbers: list[int] = []
        references: list[int] = []
        if self.suspects_numbers:
            named = [number for each in targets for number in (*numbers_in(each), *printed_numbers_in(each))]
            numbers = [each for each in named if each in index.reported_ids and each not in self.confirmed]
        if self.suspects_references:
            named = [number for each in targets for number in (*references_in(each), *printed_references_in(each))]
            references = [each for each in named if each in index.references]
        if not numbers and not references:
            return
        page, by = context.page, f"since {self.act.actor} used the tab at {self.act.at_text}"
        if index.document != page.document:
            context.enter_page()
            raise ElementChanged(f"it is another page {by}: {page_line(*await page_info(context))}", _NEXT)
        seen = index.knowledge
        before = {**(index.elements or {}), **(seen.elements if seen else {})}
        former = seen.url if seen else index.url
        self.meanwhile += (await Action.begin(context, reacts=False)).meanwhile
        if urlsplit(former)[:3] != urlsplit(page.url)[:3]:  # another view of the same document
            index.url, moved = page.url, url_changed(former, page.url)
            index.record_changes([moved])
            raise ElementChanged(f"the page has moved {by}: {moved.text}")
        for reference in references:
            numbers += [element["id"] for element, _ in await matches(context, ReferenceTarget(reference))]
        self.confirmed.update(numbers)
        _compare(context, numbers, before, by)
        await _compare_forms(context, numbers, before, by)


def _compare(context: PageContext, numbers: Sequence[int], before: Mapping[int, Element], by: str) -> None:
    index = context.element_index
    now = index.elements or {}
    for number in numbers:
        was, element = before.get(number), now.get(number)
        if was is None:
            raise ElementChanged(f"[{number}] may have changed {by}")
        if element is None:
            index.record_changes([disappeared(was)])
            raise ElementChanged(f"{label(was)} has gone {by}", _NEXT)
        if _state(was) != _state(element):
            index.record_changes([changed(was, element)])
            raise ElementChanged(f"{label(was)} has changed {by}: it is {line(element)}")


async def _compare_forms(context: PageContext, numbers: Sequence[int], before: Mapping[int, Element], by: str) -> None:
    """Raise `ElementChanged` if a number is that of a button whose form, or dialog, has changed: what a press there
    sends or decides is not what the session has seen."""
    index = context.element_index
    now = index.elements or {}
    differing = [each for each in now if each not in before or _state(before[each]) != _state(now[each])]
    for number in numbers:
        if not differing or now[number]["type"] != "button":
            continue
        request: DecidedElementsRequest = {"cmd": "decided_elements", "subject": number, "elements": differing}
        frame, left = index.frames.get(number, context.frame), context.deadline.remaining()
        data: DecidedElementsResponse = await query_scanner(context.page, request, frame, left)
        for other in data["elements"]:
            if other != number:
                what = line(now[other])
                raise ElementChanged(f"what {label(now[number])} is about has changed {by}: {what}")


def _state(element: Element) -> tuple[Any, ...]:
    return signature(element, HIGHLIGHT_MODIFIERS)
