"""`Nowhere`: the browser of no session, for the time when none is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import Browser, Page
from oryn.errors import SessionNotFound

if TYPE_CHECKING:
    from oryn.domains import Domains


class Nowhere(Browser):
    """Whatever needs a browser is told to open a session first; what needs none (`help`, `exit`) works."""

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

    def restrict(self, domains: Domains) -> None:
        pass  # there is no request to keep back


def _none_open() -> SessionNotFound:
    return SessionNotFound("no session is open", "Run 'session new <name>'.")
