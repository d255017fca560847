"""What holds for all tabs of a session: parts that take hold of every target before its first script runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from oryn.browsers.cdp.visits import Visits

if TYPE_CHECKING:
    from oryn.browsers.cdp.access import Access
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.messages import CdpConsole
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.tabs import Tabs
    from oryn.browsers.cdp.traffic.conditions import Conditions
    from oryn.browsers.cdp.traffic.interception import Interception
    from oryn.browsers.cdp.traffic.network import CdpNetwork

Part = TypeVar("Part", bound="Feature")


class Feature:
    """One part, such as the extra headers or the emulated device. It keeps what it was told over a restart of the
    browser, whose new targets are attached like any others."""

    def attach(self, page: CdpPage, session: Session) -> None:
        """A target of `page` is there: the tab itself (`session is page.channel.session`) or a frame in a process of
        its own. It is held until this returns, so commands are sent and not waited for."""

    def attach_worker(self, page: CdpPage, session: Session) -> None:
        """A worker of `page` is there, held like any target. It has the Network and Runtime domains, and no more."""

    def detach(self, page: CdpPage, session: Session) -> None:
        """The target is gone; nothing can be sent to it any more."""


class Sessions(Protocol):
    """What a tab is spoken to by."""

    @property
    def session(self) -> Session:
        """That of the top document."""

    @property
    def sessions(self) -> list[Session]: ...


class Document(Protocol):
    @property
    def loader(self) -> str: ...


class Tree(Protocol):
    @property
    def top(self) -> Document: ...


class Target(Protocol):
    """As much of a tab as most parts need: what the protocol tells of it, however it is spoken to. `CdpPage` is one."""

    @property
    def channel(self) -> Sessions: ...
    @property
    def target_id(self) -> str:
        """That of its top frame, too."""

    @property
    def frame_tree(self) -> Tree: ...


class Features:
    """The parts of one session. Made with the session's browser, and kept as long as it."""

    def __init__(self, tabs: Tabs, access: Access | None = None) -> None:
        # What is to know of the first page from its start is made at once; all else when it is first asked for.
        from oryn.browsers.cdp.clipboard import CdpClipboard
        from oryn.browsers.cdp.console import Capture
        from oryn.browsers.cdp.traffic.log import Log

        self._tabs = tabs
        self._access = access
        self._parts: list[Feature] = []
        self.visits = Visits()
        self.log = self.made(Log())
        self.captured = self.made(Capture())
        self.clipboard = self.made(CdpClipboard())
        if access is not None:
            # Touched, so that they are there from the first request on.
            assert self.conditions and self.interception

    def __iter__(self) -> Iterator[Feature]:
        """In the order in which they attach."""
        return iter(self._parts)

    def made(self, part: Part) -> Part:
        """Take in a part, which is made when it is first asked for: it takes hold of the targets that are there now,
        and then of every other."""
        self._parts.append(part)
        for page in self._tabs:
            for session in page.channel.sessions:
                part.attach(page, session)
        return part

    @cached_property
    def interception(self) -> Interception:
        from oryn.browsers.cdp.traffic.interception import Interception

        access = self._access
        if access is None:
            return self.made(Interception())
        if access.client_certificate is None:
            return self.made(Interception(access.proxy_login))
        from oryn.browsers.cdp.traffic.presenting import Presenting

        return self.made(Interception(access.proxy_login, Presenting(access.client_certificate)))

    @cached_property
    def conditions(self) -> Conditions:
        from oryn.browsers.cdp.traffic.conditions import Conditions

        access = self._access
        if access is None:
            return self.made(Conditions())
        return self.made(Conditions(cache=access.cache, ignore_certificate_errors=access.ignore_certificate_errors))

    @cached_property
    def network(self) -> CdpNetwork:
        from oryn.browsers.cdp.traffic.network import CdpNetwork

        return CdpNetwork(self.log, self.interception, self.conditions)

    @cached_property
    def console(self) -> CdpConsole:
        from oryn.browsers.cdp.messages import CdpConsole

        return CdpConsole(self.captured)
