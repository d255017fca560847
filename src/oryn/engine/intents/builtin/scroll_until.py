"""`scroll until <target>`: scrolls until the element exists and is in view, also in pages and lists that load while
scrolling, or that draw only what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.steps import settle
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.output.elements import Element, label
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.ranking import best
from oryn.engine.page.resolve import matches
from oryn.engine.page.scanner import query_scanner
from oryn.errors import ElementNotFound, ElementStale, Timeout
from oryn.language import RelatedTarget, ScrollUntil, Target, TextTarget

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session
    from oryn.scanner.protocol import ScrollersRequest, ScrollersResponse, ScrollToRequest, ScrollToResponse

STEPS_IN_TURN = 25
"""Screens that one box is scrolled before the next one has its turn, so that a page without an end hides no list."""
SCREEN_SHARE = 0.9


@handles(ScrollUntil)
@overridable
async def scroll_until(session: Session, command: ScrollUntil) -> Answer:
    """Raises `ElementNotFound` if neither the page nor a list in it has the element, `Timeout` if one has no end."""
    require_no_dialog(session)
    action = await Action.begin(session, reacts=False)
    element, frame = await _Search(session, command.target).run()
    await query_scanner(session.page, {"cmd": "scroll", "element": element["id"]}, frame, session.deadline.remaining())
    answer = await action.report()
    answer.lines.append(label(element))
    session.element_index.mark_reported([element["id"]])
    return answer


class _Search:
    """The search for an element in everything that scrolls."""

    def __init__(self, session: Session, target: Target) -> None:
        self._session = session
        self._target = target
        self._loosely = False
        """Whether a part of a word counts: `Person 1` in `Person 17`."""
        self._has_part = False

    async def run(self) -> tuple[Element, Frame | None]:
        """Scroll the page and its boxes in turn until the element is visible; once more for a part of a word."""
        if found := await self._visible():
            return found
        try:
            return await self._scroll_through()
        except ElementNotFound:
            if not self._has_part:
                raise
            self._loosely = True
            return await self._visible() or await self._scroll_through()

    async def _visible(self) -> tuple[Element, Frame | None] | None:
        found = await _visible(self._session, self._target)
        if found is None or self._loosely or _is_whole(found[0], self._target):
            return found
        self._has_part = True
        return None

    async def _scroll_through(self) -> tuple[Element, Frame | None]:
        boxes = await self._boxes()
        left = list(boxes)
        try:
            while left:
                for box in tuple(left):
                    for _ in range(STEPS_IN_TURN):
                        if not await box.step():
                            left.remove(box)
                            await box.restore()
                            break
                        if found := await self._visible():
                            return found
                        self._session.deadline.check()
        except Timeout as error:
            hint = "Narrow it down: scroll until <target> inside <list>, or give more time with --timeout."
            limit = self._session.deadline.seconds
            raise Timeout(f"element not found within {limit:g} s, and the page goes on", hint) from error
        where = "the page's end" if len(boxes) < 2 else "the end of the page and of its lists"
        raise ElementNotFound(f"element not found down to {where}", "Run 'observe' to see what is there.")

    async def _boxes(self) -> list[_ScrollingBox]:
        """Return the page and the boxes that scroll; those of one container if the target is inside one."""
        session = self._session
        request: ScrollersRequest = {"cmd": "scrollers", "next_id": session.element_index.next_id}
        frame = session.frame
        if isinstance(self._target, RelatedTarget) and self._target.relation == "inside":
            container = best([element for element, _ in await matches(session, self._target.to, any=True)], "scroll")
            if container:
                request["id"] = container[0]["id"]
                frame = session.element_index.frames.get(container[0]["id"], frame)
        data: ScrollersResponse = await query_scanner(session.page, request, frame, session.deadline.remaining())
        session.element_index.next_id = data["next_id"]
        return [_ScrollingBox(session, frame, each["id"], each["y"]) for each in data["scrollers"]]


class _ScrollingBox:
    """The page, or a box in it. It is scrolled down to its end, then up from where it was to its beginning."""

    def __init__(self, session: Session, frame: Frame | None, number: int, start: float) -> None:
        self._session = session
        self._frame = frame
        self._number = number
        self._start = start
        self._upwards = False

    async def step(self) -> bool:
        """Scroll by one screen, and wait for what that loads. Return whether it moved."""
        try:
            now = await self._scroll()
            y, screen = now["scroll"]["y"], max(1.0, now["screen"] * SCREEN_SHARE)
            if not self._upwards:
                if await self._go(y, y + screen):
                    return True
                # A list may load more when its end is reached.
                await wait_for_change(self._session, self._session.options.settle_grace)
                if await self._go(y, y + screen):
                    return True
                self._upwards = True
                return await self._go(y, self._start - screen)
            return await self._go(y, y - screen)
        except ElementStale:
            return False

    async def restore(self) -> None:
        """Scroll back to where it was."""
        try:
            await self._scroll(self._start)
        except ElementStale:
            return

    async def _go(self, before: float, y: float) -> bool:
        checkpoint = self._session.page.checkpoint()
        await self._scroll(max(0.0, y))
        await settle(self._session, checkpoint)
        return abs((await self._scroll())["scroll"]["y"] - before) >= 1

    async def _scroll(self, y: float | None = None) -> ScrollToResponse:
        request: ScrollToRequest = {"cmd": "scroll_to", "id": self._number, "y": y}
        left = self._session.deadline.remaining()
        data: ScrollToResponse = await query_scanner(self._session.page, request, self._frame, left)
        return data


def _is_whole(element: Element, target: Target) -> bool:
    """Return whether a match of a text does not end within a word."""
    while isinstance(target, RelatedTarget):
        target = target.subject
    return not isinstance(target, TextTarget) or element["match"]["tier"] != "begins"


async def _visible(session: Session, target: Target) -> tuple[Element, Frame | None] | None:
    try:
        found = await matches(session, target, any=True)
    except ElementStale:  # a number of an element that a list has replaced
        return None
    top = best([element for element, _ in found if element["state"]["visible"]], "scroll")
    return next(((element, frame) for element, frame in found if top and element is top[0]), None)
