"""What holds for all tabs of a session: parts that take hold of every target before its first script runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.page import CdpPage


class Feature:
    """One part, such as the extra headers or the emulated device. It keeps what it was told over a restart of the
    browser, whose new targets are attached like any others."""

    def attach(self, page: CdpPage, session: Session) -> None:
        """A target of `page` is there: the tab itself (`session is page.channel.session`) or a frame in a process of
        its own. It is held until this returns, so commands are sent and not waited for."""

    def detach(self, page: CdpPage, session: Session) -> None:
        """The target is gone; nothing can be sent to it any more."""


class Features:
    """The parts of one session. Made with the session's browser, and kept as long as it."""

    def __iter__(self) -> Iterator[Feature]:
        """In the order in which they attach."""
        return iter(())
