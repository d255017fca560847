"""Browsers of sessions without a browser in this process.

`NullBrowser` is used while no session is open, `ExtensionSessionBrowser` for the user's own browser, whose engine is in
the extension."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.base import Browser, Page, Tab
from oryn.errors import NotSupported, SessionNotFound

if TYPE_CHECKING:
    from oryn.core.urls import DomainPolicy
    from oryn.engine import Answer
    from oryn.extension_server.extensions import Extension


class NullBrowser(Browser):
    """Stands in for a browser while no session is open.

    Commands that need a browser raise `SessionNotFound`, with the hint to open a session; others (`help`, `exit`) work.
    """

    mode: ClassVar[str] = "none"

    @property
    def page(self) -> Page:
        raise _none_open()

    async def start(self) -> None:
        raise _none_open()

    async def revive(self) -> None:
        raise _none_open()

    async def close(self) -> None:
        pass

    def restrict(self, domains: DomainPolicy) -> None:
        pass  # it sends no requests


def _none_open() -> SessionNotFound:
    return SessionNotFound("no session is open", "Run 'session new <name>'.")


START_SECONDS = 30.0
"""How long the start of a session waits for the user's own browser to connect."""


class ExtensionSessionBrowser(Browser):
    """The user's own browser, whose engine is in the extension. `extension` returns it, connected or not."""

    mode: ClassVar[str] = "remote"
    is_external = True

    def __init__(self, extension: Callable[[], Extension]) -> None:
        self._extension = extension
        self.execute: Callable[..., Awaitable[Answer]] | None = None
        """The session's, which runs lines in the extension's engine."""

    @property
    def page(self) -> Page:
        raise NotSupported(hint="The pages of the user's own browser are reached by commands only.")

    async def start(self) -> None:
        """Wait until the browser has connected. Raises `BackendUnavailable`."""
        await self._extension().wait_for_peer(START_SECONDS)

    async def close(self) -> None:
        pass  # the browser is the user's

    async def version(self) -> str:
        return (await self._extension().wait_for_peer(START_SECONDS)).browser

    async def tabs(self) -> list[Tab]:
        if self.execute is None:
            return []
        answer = await self.execute("tabs", json=True)
        if answer.error is not None:
            raise answer.error
        form = answer.prerendered.form if answer.prerendered else None
        rows = (form or {}).get("result")
        return [_tab(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    @property
    def offers_tools(self) -> bool:
        return self._extension().offers_tools

    def subscribe_tools(self, listener: Callable[[], object]) -> Callable[[], None]:
        return self._extension().subscribe_tools(listener)


def _tab(row: dict[str, Any]) -> Tab:
    number = row.get("number")
    return Tab(
        number if isinstance(number, int) else 0,
        str(row.get("url", "")),
        str(row.get("title", "")),
        row.get("current") is True,
    )
