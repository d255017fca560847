"""`TargetFeature`: one feature of a session of Oryn, attached to every target of its tabs; a tab as features see it.

For any protocol with sessions (`common.protocol_session`). A feature of both protocols is one of `ProtocolSession`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from oryn.browsers.common.protocol_session import ProtocolSession

if TYPE_CHECKING:
    from oryn.core.urls import DomainRefusal

SessionOut = TypeVar("SessionOut", bound=ProtocolSession, covariant=True)
SessionIn = TypeVar("SessionIn", bound=ProtocolSession, contravariant=True)


class TargetSessions(Protocol[SessionOut]):
    """The protocol's sessions of a tab."""

    @property
    def session(self) -> SessionOut:
        """The session of the top document."""

    @property
    def sessions(self) -> Sequence[SessionOut]:
        """All of them: one for the top document, one for each frame in a process of its own."""


class TargetDocument(Protocol):
    @property
    def loader(self) -> str:
        """The loader id of the document, or an empty string while it is unknown."""


class TargetFrameTree(Protocol):
    @property
    def top(self) -> TargetDocument: ...


class FeatureTarget(Protocol[SessionOut]):
    """A tab, as far as most features need it, over any transport."""

    @property
    def channel(self) -> TargetSessions[SessionOut]: ...
    @property
    def target_id(self) -> str:
        """The browser's id of the tab."""

    @property
    def frame_tree(self) -> TargetFrameTree: ...


class NavigationRefusals(Protocol):
    def refuse(self, loader: str, url: str, refusal: DomainRefusal) -> None:
        """Note that a request of the navigation with this loader id was refused."""


class InterceptedTarget(FeatureTarget[SessionOut], Protocol[SessionOut]):
    """A tab whose requests are intercepted."""

    @property
    def url(self) -> str:
        """The URL of the top document."""

    @property
    def navigations(self) -> NavigationRefusals: ...


class TargetFeature(Generic[SessionIn]):
    """One feature of a session, such as the extra headers or the emulated device.

    It keeps its settings when the browser restarts: the new targets are attached like any others."""

    def attach(self, page: InterceptedTarget[SessionIn], session: SessionIn) -> None:
        """Set up a new target of `page`: the tab itself (`session is page.channel.session`) or a frame in a process of
        its own. The target is paused until this returns, so send commands without waiting for answers."""

    def attach_worker(self, page: InterceptedTarget[SessionIn], session: SessionIn) -> None:
        """Set up a new worker of `page`, paused like any target. Only the Network and Runtime domains are available."""

    def detach(self, page: InterceptedTarget[SessionIn], session: SessionIn) -> None:
        """Forget a target that is gone. Commands can no longer be sent to it."""


AnySession = TypeVar("AnySession", bound=ProtocolSession)
AnyFeature = TypeVar("AnyFeature", bound=TargetFeature[Any])


class SessionFeatures(Generic[AnySession]):
    """The features of one session of Oryn, in the order in which they attach.

    tabs: the session's open tabs, read anew each time a feature is registered."""

    def __init__(self, tabs: Iterable[InterceptedTarget[AnySession]]) -> None:
        self._tabs = tabs
        self._features: list[TargetFeature[AnySession]] = []

    def __iter__(self) -> Iterator[TargetFeature[AnySession]]:
        return iter(self._features)

    def register(self, feature: AnyFeature) -> AnyFeature:
        """Attach a feature to every target that exists now and to every later one. Returns the feature."""
        self._features.append(feature)
        for page in self._tabs:
            for session in page.channel.sessions:
                feature.attach(page, session)
        return feature
