"""`RemoteBrowser`: the user's own browser, as the host of its session sees it. Its engine is in the extension."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.base import Browser, Page, Tab
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.remote.extensions import Extension

START_SECONDS = 30.0


class RemoteBrowser(Browser):
    """`ask` has a line done by its engine, and gives the answer's JSON form."""

    mode: ClassVar[str] = "remote"
    elsewhere: ClassVar[bool] = True

    def __init__(self, extension: Callable[[], Extension], ask: Callable[[str], Awaitable[dict[str, Any]]]) -> None:
        self._extension = extension
        self._ask = ask

    @property
    def page(self) -> Page:
        raise NotSupported(hint="The pages of the user's own browser are reached by commands only.")

    async def start(self) -> None:
        """Raises `BackendUnavailable`."""
        await self._extension().reached(START_SECONDS)

    async def close(self) -> None:
        pass  # it is its user's

    async def version(self) -> str:
        return (await self._extension().reached(START_SECONDS)).browser

    async def tabs(self) -> list[Tab]:
        rows = (await self._ask("tabs")).get("result")
        return [_tab(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _tab(row: dict[str, Any]) -> Tab:
    number = row.get("number")
    return Tab(
        number if isinstance(number, int) else 0,
        str(row.get("url", "")),
        str(row.get("title", "")),
        row.get("current") is True,
    )
