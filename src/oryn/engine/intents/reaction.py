"""Whether a page reacts to what should start something: to a key, a button, a form that is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine.conditions import next_change
from oryn.engine.execute.acting import ask_about
from oryn.errors import FrameNotFound, NavigationError

if TYPE_CHECKING:
    from oryn.browsers.base import Happened
    from oryn.engine.resolve import Resolved
    from oryn.engine.session import Session

TYPING_LIMIT = 1.0
"""Seconds for what typing starts (suggestions) to come to rest."""
LATE_LIMIT = 1.0
"""Seconds for what a page does only after a while, by a timer."""


class Reaction:
    """Watches a page around one field. `typed`: it changed, suggestions aside, while the query was typed.

    reaction = await Reaction.to(session, field)
    …                                          the query is typed
    await reaction.arm()
    await session.page.press(["enter"])
    if await reaction.seen(): …
    """

    def __init__(self, session: Session, field: Resolved) -> None:
        self._session = session
        self._field = field
        self._begin()
        self.happened: Happened | None = None
        """What the browser saw since the page was armed."""
        self.typed = False

    def _begin(self) -> None:
        page = self._session.page
        self._mark, self._document, self._url = page.mark(), page.document, page.url

    @classmethod
    async def to(cls, session: Session, field: Resolved) -> Reaction:
        """Watch what typing does."""
        reaction = cls(session, field)
        await ask_about(session, field, {"cmd": "reaction", "stage": "watch"})
        return reaction

    async def arm(self) -> bool:
        """Let what typing has started come to rest: what comes from now on is about what is done now. False where
        typing has led to another document already, or to a dialog."""
        page = self._session.page
        self.happened = await self._settle(TYPING_LIMIT)
        if page.document != self._document or page.dialog is not None:
            return False
        self.typed = self._left
        self._begin()
        await self._ask("arm", restless=self.happened.busy is not None)
        return True

    @property
    def _left(self) -> bool:
        """Whether the page is another one, or shows another place."""
        page = self._session.page
        return page.document != self._document or page.url != self._url

    async def seen(self, *, late: bool = True) -> bool:
        """Whether the page has reacted; it may take its time for it where `late`."""
        self.happened = await self._settle(self._session.options.settle_limit)
        if self._has_reacted(self.happened, await self._tell()):
            return True
        left = LATE_LIMIT if late else 0.0
        while left > 0 and self._session.page.dialog is None:
            left -= await next_change(self._session, min(left, self._session.remaining()))
            if self._left or self._is_reaction(await self._tell()):
                self.happened = await self._settle(self._session.options.settle_limit)
                return True
        return False

    def _has_reacted(self, happened: Happened, told: dict[str, Any]) -> bool:
        busy = happened.busy is not None and ("request" in happened.busy or "loading" in happened.busy)
        moved = happened.navigation or happened.failed_load or happened.closed or happened.file_chooser
        return bool(
            self._left or moved or busy or happened.dialogs or happened.tabs or happened.downloads
        ) or self._is_reaction(told)

    @staticmethod
    def _is_reaction(told: dict[str, Any]) -> bool:
        return any(told.get(each) for each in ("reacted", "submitted", "asked"))

    async def _settle(self, limit: float) -> Happened:
        return await self._session.page.settle(self._mark, limit=min(limit, self._session.remaining()))

    async def _tell(self) -> dict[str, Any]:
        if self._left or self._session.page.dialog is not None:
            return {"reacted": True}
        told = await self._ask("tell")
        self.typed = self.typed or bool(told.get("typed"))
        return told

    async def end(self) -> None:
        """Watch no more."""
        if not self._left and self._session.page.dialog is None:
            await self._ask("tell", end=True)

    async def _ask(self, stage: str, **more: bool) -> dict[str, Any]:
        try:
            return await ask_about(self._session, self._field, {"cmd": "reaction", "stage": stage, **more})
        except (FrameNotFound, NavigationError):
            return {"reacted": True}  # another document has come
