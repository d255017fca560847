"""`WebKitTarget`: a tab's inspector, and the session of its page, which another process may take over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oryn.browsers.common.events import Signal
from oryn.browsers.webkit import error_mapping
from oryn.browsers.webkit.session import InnerSession, InspectorSession
from oryn.errors import OrynError, Timeout

OnSession = Callable[[InnerSession], None]


class WebKitTarget:
    """A tab's inspector, opened by `WebKitConnection.attach`. Its page has a session after `wait_for_session`.

    A page lives in an inner target. If a navigation leads to another process, a second, provisional inner target
    appears, is set up, and either replaces the first one (it is committed) or goes away."""

    def __init__(self, inspector: InspectorSession) -> None:
        self.inspector = inspector
        self._session: InnerSession | None = None
        self._on_session: OnSession = lambda session: None
        self._on_committed: OnSession = lambda session: None
        self._changed = Signal()
        inspector.on("Target.targetCreated", self._on_created)
        inspector.on("Target.didCommitProvisionalTarget", self._on_commit)
        inspector.on("Target.targetDestroyed", self._on_destroyed)

    @property
    def id(self) -> int:
        """The number of the tab in the browser's list (`WebKitConnection.targets`)."""
        return self.inspector.target_id

    @property
    def session(self) -> InnerSession:
        """The session of the page that the tab shows: one object until another process takes the page over. It is there
        after `wait_for_session`."""
        assert self._session is not None, "wait for it"
        return self._session

    @property
    def ended(self) -> OrynError | None:
        """Why the tab can't be used any more, or None."""
        return self.inspector.ended

    async def wait_for_session(self, timeout: float) -> InnerSession:
        """The session of the page, at most `timeout` seconds later. Raises `Timeout`, and why the tab has ended."""
        await self._changed.until(lambda: self._session is not None or self.ended is not None, timeout)
        if self.ended is not None:
            raise self.ended
        if self._session is None:
            raise Timeout("the browser did not open the inspector of the tab", "Run 'goto' to start it again.")
        return self._session

    def follow(self, on_session: OnSession, on_committed: OnSession) -> None:
        """Set up the sessions of this tab.

        on_session: called with each new session, also at once with those that are there. The target of a session that
            comes later is paused until this returns, so send commands without waiting for answers.
        on_committed: called when `session` has become another one. Commands to the former in flight have failed with
            `DocumentGone`."""
        self._on_session, self._on_committed = on_session, on_committed
        for session in list(self.inspector.children.values()):
            assert isinstance(session, InnerSession)
            on_session(session)

    def end(self, reason: OrynError) -> None:
        """The tab has gone: commands to it fail with `reason`. Idempotent."""
        self.inspector.end(reason)
        self._changed.notify()

    # --- events of the inspector ---

    def _on_created(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] == "page":
            session = InnerSession(self.inspector, info["targetId"], provisional=bool(info.get("isProvisional")))
            self._on_session(session)
            if not session.provisional:
                self._commit(session)
        if info.get("isPaused"):
            self.inspector.send("Target.resume", {"targetId": info["targetId"]})

    def _on_commit(self, event: dict[str, Any]) -> None:
        session = self.inspector.children.get(event["newTargetId"])
        if isinstance(session, InnerSession):
            session.provisional = False
            self._commit(session)

    def _commit(self, session: InnerSession) -> None:
        former, self._session = self._session, session
        if former is not None and former is not session:
            former.end(error_mapping.document_gone())
            self._on_committed(session)
        self._changed.notify()

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        session = self.inspector.children.get(event["targetId"])
        if session is not None:
            session.end(error_mapping.document_gone())
