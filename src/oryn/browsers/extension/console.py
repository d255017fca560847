"""The console of pages that a debugger is attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.cdp.console import Capture

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.features import Target


class Heard(Capture):
    """A debugger may come back to a page that it has let go of. The browser then tells of all that the page has said,
    of which only what is newer than what was heard of it is kept."""

    def detach(self, page: Target, session: Session) -> None:
        pass
