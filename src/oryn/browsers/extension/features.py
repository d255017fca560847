"""What holds for all tabs of a session, as far as a debugger is attached to them: parts that speak the protocol.

They are those of `oryn headless`. Only the tab's top document has a session: frames in processes of their own, and
workers, are out of their reach.
https://developer.chrome.com/docs/extensions/reference/api/debugger
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from oryn.browsers.cdp.calls import Calls

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.clipboard import CdpClipboard
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.console import Capture
    from oryn.browsers.cdp.features import Target
    from oryn.browsers.cdp.traffic.conditions import Conditions
    from oryn.browsers.cdp.traffic.log import Log


class Feature(Protocol):
    """As much of `cdp.features.Feature` as is asked for here. It keeps what it was told while no debugger is
    attached."""

    def attach(self, page: Target, session: Session) -> None: ...
    def detach(self, page: Target, session: Session) -> None: ...


Part = TypeVar("Part", bound=Feature)


class Line(Calls):
    """A tab's debugger as long as it is attached this time; `life` is the tab's."""

    def __init__(self, session: Session, life: Calls) -> None:
        self.session = session
        self.sessions = [session]
        self._life = life

    def check(self) -> None:
        self._life.check()

    def check_alive(self) -> None:
        self._life.check_alive()


class Document:
    """The top document of a tab, as the protocol names it."""

    def __init__(self, session: Session) -> None:
        self.loader = ""
        session.on("Page.frameNavigated", self._navigated)
        session.send("Page.getFrameTree").add_done_callback(self._adopt)

    def _navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.loader = event["frame"]["loaderId"]

    def _adopt(self, answer: asyncio.Future[Answer]) -> None:
        if not self.loader and not answer.cancelled() and answer.exception() is None:
            self.loader = answer.result()["frameTree"]["frame"]["loaderId"]


class Tree:
    def __init__(self, top: Document) -> None:
        self.top = top


class Debugged:
    """A tab with a debugger attached: a `cdp.features.Target`, from then until the debugger lets go of it."""

    def __init__(self, session: Session, life: Calls, target_id: str) -> None:
        self.channel = Line(session, life)
        self.frame_tree = Tree(Document(session))
        self.target_id = target_id
        self._known: list[Features] = []

    def obey(self, features: Features) -> None:
        """From now on it is also these that it belongs to."""
        if features not in self._known:
            self._known.append(features)
            features.begin(self)

    def end(self) -> None:
        for features in self._known:
            features.end(self)


class Features:
    """The parts of one session. Kept as long as its browser, which `whole` stands for."""

    def __init__(self, whole: object) -> None:
        self._whole = whole
        self._pages: list[Debugged] = []
        self._parts: list[Feature] = []

    def __iter__(self) -> Iterator[Debugged]:
        """The session's tabs that a debugger is attached to now."""
        return iter(self._pages)

    def made(self, part: Part) -> Part:
        """Take in a part, which is made when it is first asked for: it takes hold of the tabs that are there now, and
        then of every other."""
        self._parts.append(part)
        for page in self._pages:
            part.attach(page, page.channel.session)
        return part

    def begin(self, page: Debugged) -> None:
        # Made with the first tab, so that they know what its next page does from its start.
        assert self.captured and self.log and self.clipboard
        from oryn.browsers.cdp.traffic.log import KEEP_BODIES

        session = page.channel.session
        self._pages.append(page)
        for part in self._parts:
            part.attach(page, session)
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")

    def end(self, page: Debugged) -> None:
        self._pages.remove(page)
        for part in self._parts:
            part.detach(page, page.channel.session)

    @cached_property
    def captured(self) -> Capture:
        from oryn.browsers.extension.console import Heard

        return self.made(Heard())

    @cached_property
    def log(self) -> Log:
        from oryn.browsers.cdp.traffic.log import Log

        return self.made(Log())

    @cached_property
    def clipboard(self) -> CdpClipboard:
        from oryn.browsers.cdp.clipboard import CdpClipboard

        return self.made(CdpClipboard(self._whole))

    @cached_property
    def conditions(self) -> Conditions:
        from oryn.browsers.cdp.traffic.conditions import Conditions

        return self.made(Conditions())
