"""The targets that a tab starts: frames in processes of their own, and workers, each with a session of its own.

The browser holds every target that a tab starts, its workers too, until we release it: one that nobody attaches to
would never run. https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach"""

from __future__ import annotations

from typing import Any, Protocol

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.network.log import KEEP_BODIES

WORKER_TYPE = "worker"


class SubtargetOwner(Protocol):
    """A tab that sets up the targets that it starts. They are paused until the methods return."""

    def begin_frame(self, session: CdpSession, frame_id: str) -> None:
        """A frame has a process of its own. Follow the targets that it starts in turn."""

    def end_frame(self, session: CdpSession) -> None:
        """A frame has gone from its process, or with it."""

    def begin_worker(self, session: CdpSession) -> None:
        """A worker has begun; its `Network` and `Runtime` domains are enabled already."""


class Subtargets:
    """The targets of one tab. `sessions` are those of its documents, which it keeps up to date: the first one is the
    tab's own."""

    def __init__(self, owner: SubtargetOwner, sessions: list[CdpSession]) -> None:
        self._owner = owner
        self._sessions = sessions
        self._workers: dict[str, CdpSession] = {}

    def follow(self, session: CdpSession, *kinds: str) -> None:
        """Attach to the targets of these kinds that a target starts from now on, and to those that it has."""
        session.on("Target.attachedToTarget", lambda event: self._on_attached(session, event))
        session.on("Target.detachedFromTarget", self._on_detached)
        types = [{"type": kind} for kind in kinds or ("iframe", WORKER_TYPE)]
        params = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        session.send("Target.setAutoAttach", {**params, "filter": [*types, {"exclude": True}]})

    def _on_attached(self, parent: CdpSession, event: dict[str, Any]) -> None:
        session, target = parent.connection.session(event["sessionId"]), event["targetInfo"]
        if target["type"] == WORKER_TYPE:
            self._workers[session.id] = session
            session.send("Network.enable", KEEP_BODIES)
            session.send("Runtime.enable")
            self._owner.begin_worker(session)
            self.follow(session, WORKER_TYPE)
        else:
            self._sessions.append(session)
            self._owner.begin_frame(session, target["targetId"])
        session.send("Runtime.runIfWaitingForDebugger")

    def _on_detached(self, event: dict[str, Any]) -> None:
        ended = self._workers.pop(event["sessionId"], None)
        if ended is None:
            ended = next((one for one in self._sessions[1:] if one.id == event["sessionId"]), None)
            if ended is None:
                return
            self.end_frames(ended)
        ended.connection.end_session(ended, error_mapping.frame_gone_error())

    def end_frames(self, session: CdpSession) -> None:
        """End a frame and those within it, innermost first: the browser reports only the outermost."""
        for each in [each for each in reversed(self._sessions) if session in each.lineage()]:
            self._sessions.remove(each)
            self._owner.end_frame(each)
