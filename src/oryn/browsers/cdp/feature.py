"""`TargetFeature`: one feature of a session, attached to every target, and the tab as features see it.

https://chromedevtools.github.io/devtools-protocol/tot/Target/"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.core.urls import DomainRefusal


class TargetSessions(Protocol):
    """The DevTools sessions of a tab."""

    @property
    def session(self) -> CdpSession:
        """The session of the top document."""

    @property
    def sessions(self) -> list[CdpSession]:
        """All of them: one for the top document, one for each frame in a process of its own."""


class TargetDocument(Protocol):
    @property
    def loader(self) -> str:
        """The loader id of the document, or an empty string while it is unknown."""


class TargetFrameTree(Protocol):
    @property
    def top(self) -> TargetDocument: ...


class CdpTarget(Protocol):
    """A tab, as far as most features need it, over any transport."""

    @property
    def channel(self) -> TargetSessions: ...
    @property
    def target_id(self) -> str:
        """The id of the target, which is also that of its top frame."""

    @property
    def frame_tree(self) -> TargetFrameTree: ...


class NavigationRefusals(Protocol):
    def refuse(self, loader: str, url: str, refusal: DomainRefusal) -> None:
        """Note that a request of the navigation with this loader id was refused."""


class InterceptedPage(CdpTarget, Protocol):
    """A tab whose requests are intercepted."""

    @property
    def url(self) -> str:
        """The URL of the top document."""

    @property
    def navigations(self) -> NavigationRefusals: ...


class TargetFeature:
    """One feature of a session, such as the extra headers or the emulated device.

    It keeps its settings when the browser restarts: the new targets are attached like any others."""

    def attach(self, page: InterceptedPage, session: CdpSession) -> None:
        """Set up a new target of `page`: the tab itself (`session is page.channel.session`) or a frame in a process of
        its own. The target is paused until this returns, so send commands without waiting for answers."""

    def attach_worker(self, page: InterceptedPage, session: CdpSession) -> None:
        """Set up a new worker of `page`, paused like any target. Only the Network and Runtime domains are available."""

    def detach(self, page: InterceptedPage, session: CdpSession) -> None:
        """Forget a target that is gone. Commands can no longer be sent to it."""
