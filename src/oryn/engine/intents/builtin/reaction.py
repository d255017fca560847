"""Detects whether a page reacts to an action that should start something: a key, a button, a submitted form."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oryn.engine.page.context import query_element
from oryn.engine.page.polling import wait_for_change
from oryn.errors import FrameNotFound, NavigationError

if TYPE_CHECKING:
    from oryn.browsers.base import PageEffects
    from oryn.engine.page.scanner import Resolved
    from oryn.engine.session import Session
    from oryn.scanner.protocol import ReactionRequest, ReactionResponse, ReactionStage

TYPING_LIMIT = 1.0
"""Seconds for the effects of typing (suggestions) to settle."""
LATE_LIMIT = 1.0
"""Seconds for delayed effects that a page starts by a timer."""


class Reaction:
    """Watches a page around one field. `typed`: the page changed, apart from suggestions, while the query was typed.

        reaction = await Reaction.watch(session, field)
        …                                          the query is typed
        await reaction.arm()
        await session.page.keyboard.press(["enter"])
        if await reaction.wait_for_reaction(): …

    Call `end` to stop watching."""

    def __init__(self, session: Session, field: Resolved) -> None:
        self._session = session
        self._field = field
        self._begin()
        self.effects: PageEffects | None = None
        """The effects that the browser has reported since `arm`."""
        self.typed = False

    def _begin(self) -> None:
        page = self._session.page
        self._checkpoint, self._document, self._url = page.checkpoint(), page.document, page.url

    @classmethod
    async def watch(cls, session: Session, field: Resolved) -> Reaction:
        """Start to watch the effects of typing."""
        reaction = cls(session, field)
        await query_element(session, field, {"cmd": "reaction", "stage": "watch"})
        return reaction

    async def arm(self) -> bool:
        """Wait until the effects of typing have settled, so that later ones belong to the next action. Return False if
        typing has already led to another document, or to a dialog."""
        page = self._session.page
        self.effects = await self._settle(TYPING_LIMIT)
        if page.document != self._document or page.dialog is not None:
            return False
        self.typed = self._has_left
        self._begin()
        await self._request("arm", restless=self.effects.busy is not None)
        return True

    @property
    def _has_left(self) -> bool:
        """Whether the page has another document or URL."""
        page = self._session.page
        return page.document != self._document or page.url != self._url

    async def wait_for_reaction(self, *, late: bool = True) -> bool:
        """Return whether the page has reacted. With `late` it has up to `LATE_LIMIT` seconds more."""
        page = self._session.page
        self.effects = await self._settle(self._session.options.settle_limit)
        if self._has_reacted(self.effects, await self._status()):
            return True
        loop = asyncio.get_running_loop()
        end = loop.time() + (LATE_LIMIT if late else 0)
        while (left := min(end - loop.time(), self._session.deadline.remaining())) > 0 and page.dialog is None:
            await wait_for_change(self._session, left)
            if self._has_left or self._is_reaction(await self._status()):
                self.effects = await self._settle(self._session.options.settle_limit)
                return True
        return False

    def _has_reacted(self, effects: PageEffects, status: ReactionResponse) -> bool:
        busy = effects.busy is not None and ("request" in effects.busy or "loading" in effects.busy)
        moved = effects.navigation or effects.failed_load or effects.closed or effects.file_chooser
        return bool(
            self._has_left or moved or busy or effects.dialogs or effects.tabs or effects.downloads
        ) or self._is_reaction(status)

    @staticmethod
    def _is_reaction(status: ReactionResponse) -> bool:
        return any(status.get(each) for each in ("reacted", "submitted", "requested"))

    async def _settle(self, limit: float) -> PageEffects:
        return await self._session.page.settle(self._checkpoint, limit=min(limit, self._session.deadline.remaining()))

    async def _status(self) -> ReactionResponse:
        if self._has_left or self._session.page.dialog is not None:
            return {"reacted": True}
        status = await self._request("report")
        self.typed = self.typed or bool(status.get("typed"))
        return status

    async def end(self) -> None:
        """Stop watching."""
        if not self._has_left and self._session.page.dialog is None:
            await self._request("report", end=True)

    async def _request(self, stage: ReactionStage, *, restless: bool = False, end: bool = False) -> ReactionResponse:
        request: ReactionRequest = {"cmd": "reaction", "stage": stage, "restless": restless, "end": end}
        try:
            report: ReactionResponse = await query_element(self._session, self._field, request)
            return report
        except (FrameNotFound, NavigationError):
            return {"reacted": True}  # the document was replaced
