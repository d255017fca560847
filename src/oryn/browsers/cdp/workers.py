"""The workers of a tab.

The browser holds every target that a tab starts, its workers too, until we let it go: one that nobody attaches to would
never run. https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp import files
from oryn.browsers.cdp.traffic.log import KEEP_BODIES

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.features import Features
    from oryn.browsers.cdp.page import CdpPage

TYPE = "worker"
_WORKERS = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": TYPE}, {"exclude": True}],
}


class Workers:
    """Dedicated workers, and those that they start in turn."""

    def __init__(self, page: CdpPage, features: Features) -> None:
        self._page = page
        self._features = features
        self._sessions: dict[str, Session] = {}

    def attached(self, event: dict[str, Any]) -> None:
        session = self._page.channel.session.connection.session(event["sessionId"])
        self._sessions[session.id] = session
        session.on("Target.attachedToTarget", self.attached)
        session.on("Target.detachedFromTarget", self.detached)
        self._page.requests.listen_worker(session)
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        for feature in self._features:
            feature.attach_worker(self._page, session)
        session.send("Target.setAutoAttach", _WORKERS)
        session.send("Runtime.runIfWaitingForDebugger")

    def detached(self, event: dict[str, Any]) -> None:
        session = self._sessions.pop(event["sessionId"], None)
        if session is not None:
            session.connection.end_session(session, files.frame_gone())
