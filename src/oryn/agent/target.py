"""One target tab: looking at it, and what a model was last told of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from oryn.agent.activity import Activity, ApiCall, activity
from oryn.agent.context import MOST_ELEMENTS, Shown, address, snapshot, unchanged, waiting
from oryn.agent.messages import joined, no_snapshot
from oryn.agent.view import Numbers, TargetView
from oryn.engine import Session
from oryn.engine.elements import Element
from oryn.engine.view import ask
from oryn.errors import FrameNotFound, NavigationError, OrynError, TabNotFound
from oryn.records import Record

Told = Literal["whole", "all", "news"]
"""What a message has of tabs: snapshots of all; of those that have changed, and which have not; of the former alone."""

LOOKS = 3
"""Times that a tab is looked at which shows another document meanwhile."""


class Look(Record):
    """What a look at a tab gave. `text` is its context, `mark` tells one state of the page from another."""

    text: str
    mark: tuple[str, ...]
    url: str


class Target:
    """One tab that the agent controls."""

    def __init__(self, session: Session, numbers: Numbers, shown: Shown, text_limit: int) -> None:
        session.view = self.view = TargetView(numbers=numbers)
        self.session = session
        self.url = "about:blank"
        """The address at the last look."""
        self.shown = shown
        self._text_limit = text_limit
        self._activity = Activity(session)
        self._calls: list[ApiCall] = []
        """Requests that are in no message yet."""
        self._told: Look | None = None

    @property
    def address(self) -> str:
        """Its URL as snapshots have it."""
        return address(self.url, self.shown)

    @property
    def mark(self) -> tuple[str, ...] | None:
        """The state of the page that the model knows."""
        return self._told.mark if self._told else None

    @property
    def is_gone(self) -> bool:
        """Whether the tab is closed, or its browser has died."""
        try:
            self.session.browser.page  # noqa: B018  raises where the tab is gone
        except TabNotFound:
            return True
        return self.session.browser.lost

    def has(self, number: int) -> bool:
        """Whether the model was told of an element with this number, in the document that is there."""
        return number in self.view.told and self.view.elements is not None

    def watch(self) -> None:
        """Something is about to be done: requests of this document are told, too."""
        try:
            self._activity.watch()
        except OrynError:  # it has no page any more, which the next look tells
            return

    async def look(self) -> Look:
        """Scan the tab. Raises `OrynError`."""
        session = self.session
        async with session.turn(session.options.timeout):
            await session.started()
            await session.browser.attend()
            page = session.page
            self.url = page.url
            if dialog := page.dialog:
                said = waiting(self.url, dialog.kind, dialog.message, self.shown)
                return Look(said, (said,), self.url)
            scan = await self.view.look_again(page, session.frame, timeout=session.remaining())
            said, html = await self._ask("text"), await self._ask("html")
            self.url = scan.url
        self.view.show(scan.elements[:MOST_ELEMENTS])
        bases = {number: frame.url for number, frame in self.view.frames.items()}
        text = snapshot(scan.url, scan.elements, self.shown, bases=bases, page_text=said, text_limit=self._text_limit)
        focused = [str(each["id"]) for each in scan.elements if _takes_text(each)]
        return Look(text, (text, said, scan.url, str(hash(html)), *focused), scan.url)

    async def _ask(self, what: Literal["text", "html"]) -> str:
        """All text that the page shows, or its documents, those of its frames too."""
        session, found = self.session, []
        for position, frame in enumerate(session.page.roots(session.frame)):
            request = {"cmd": f"get_{what}", "selector": None}
            try:
                found.append((await ask(session.page, request, frame, session.remaining()))[what])
            except FrameNotFound:
                if position == 0:
                    raise
        return "\n".join(filter(None, found))

    async def told(self, look: Look, told: Told) -> str:
        """The blocks that a message has of a look."""
        self._calls += await self._activity.take()
        is_news = self._told is None or self._told.mark[:3] != look.mark[:3]
        self._told = look
        if is_news or told == "whole":
            context = look.text
        else:
            context = unchanged(look.url, self.shown) if told == "all" else ""
        return joined((context, activity(self._calls, look.url, self.shown)))

    def sent(self) -> None:
        """What was told of it last is in a message."""
        self._calls = []


def _takes_text(element: Element) -> bool:
    """Whether it is a field that has the focus: getting there may be all that a click was for."""
    return element["type"] in ("input", "textarea", "select") and "focused" in (element.get("modifiers") or ())


async def blocks(target: Target, told: Told) -> str:
    """What a message has of a tab now. Never raises: a tab that can't be seen is said to be so."""
    try:
        return await target.told(await _looked(target), told)
    except OrynError as error:
        return no_snapshot(target.url, error.message, target.shown)


async def _looked(target: Target) -> Look:
    for _ in range(LOOKS - 1):
        with suppress(NavigationError, FrameNotFound):  # it went on while it was looked at
            return await target.look()
    return await target.look()
