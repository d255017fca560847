"""The frames of a tab: who is whose child, which session speaks to it, and its two script worlds.

A frame whose site differs from its parent's may live in another process; the browser then attaches a session of its own
(`Target.setAutoAttach`). Everything is kept up to date by events, so that looking costs no round trip.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-frameAttached
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.common import tree
from oryn.records import Record, field

WORLD_NAME = "oryn"
_OPAQUE = "://"


class Worlds(Record, frozen=False):
    """Ids of the execution contexts of one document, where they are known."""

    page: int | None = None
    scanner: int | None = None

    @property
    def known(self) -> bool:
        return self.page is not None or self.scanner is not None


class Node(tree.Node, frozen=False):
    """A frame, and who speaks to it."""

    session: Session  # type: ignore[misc]  # a record's own fields come before those that it inherits
    unreachable: str = ""
    """The URL whose load failed, when this is the browser's error page."""
    worlds: Worlds = field(factory=Worlds)

    def reads_parent(self) -> bool:
        """Whether scripts of the parent can reach into this document."""
        if self.parent is None or self.session is not self.parent.session:
            return False  # what shares no process shares no objects
        # https://html.spec.whatwg.org/multipage/browsers.html#same-origin: opaque origins differ from each other, and
        # so do file: URLs in Chromium; but about: documents inherit the origin of their parent, unless a sandbox keeps
        # them from it.
        if self.origin != self.parent.origin:
            return False
        if self.origin.startswith(("http://", "https://")):
            return True
        if not self.url.startswith("about:"):
            return False
        return self.origin != _OPAQUE or self.parent.url.startswith("data:") or self.parent.reads_parent()


class Frames(tree.FrameTree[Node]):
    """The frame tree of one tab. Reacts to events; `on_commit` is told of each new document, `on_move` whenever the tab
    shows another URL, in the same document too."""

    def __init__(self, channel: Channel, top_id: str) -> None:
        super().__init__(Node(id=top_id, parent=None, session=channel.session, url="about:blank"))
        self._channel = channel
        self._contexts: dict[tuple[str, int], tuple[Node, Worlds]] = {}
        self.on_commit: list[Callable[[Node], None]] = []
        self.on_move: list[Callable[[], None]] = []
        self.known = False
        """The browser has told what was there before we listened."""

    # --- reacting ---

    def listen(self, session: Session) -> None:
        """Follow what `session` tells about frames and script worlds."""
        session.on(
            "Page.frameAttached", lambda event: self._attached(session, event["frameId"], event["parentFrameId"])
        )
        session.on("Page.frameNavigated", lambda event: self._navigated(session, event["frame"]))
        session.on("Page.navigatedWithinDocument", self._navigated_within)
        session.on(
            "Page.frameDetached", lambda event: self._detached(session, event["frameId"], event.get("reason", ""))
        )
        session.on("Runtime.executionContextCreated", lambda event: self._context_created(session, event["context"]))
        session.on(
            "Runtime.executionContextDestroyed",
            lambda event: self._context_destroyed(session, event["executionContextId"]),
        )
        session.on("Runtime.executionContextsCleared", lambda _: self._contexts_cleared(session))

    def adopt(self, session: Session, tree: dict[str, Any]) -> None:
        """Take over a frame tree (`Page.getFrameTree`) that was there before we listened."""
        frame = tree["frame"]
        if frame["id"] not in self._nodes and (parent := frame.get("parentId")):
            self._attached(session, frame["id"], parent)
        node = self._nodes.get(frame["id"])
        if node is None:
            return
        if not node.loader:  # an event may already have told of something newer
            self._navigated(session, frame)
        for child in tree.get("childFrames", ()):
            self.adopt(session, child)
        self.known = True
        self._channel.signal.notify()

    def _attached(self, session: Session, frame_id: str, parent_id: str) -> None:
        if known := self._nodes.get(frame_id):
            known.session = session  # back from a process of its own
            self.drop_children(known)
        elif parent := self._nodes.get(parent_id):
            node = Node(id=frame_id, parent=parent, session=session, url="about:blank", origin=parent.origin)
            parent.children.append(node)
            self._nodes[frame_id] = node
        self._channel.signal.notify()

    def moved(self, frame_id: str, session: Session) -> None:
        """The frame now lives in a process of its own, behind `session`."""
        if node := self._nodes.get(frame_id):
            node.session = session
            node.worlds = Worlds()
            self.drop_children(node)

    def _navigated(self, session: Session, frame: dict[str, Any]) -> None:
        node = self._nodes.get(frame["id"])
        if node is None:
            return
        if node.session is not session and node is not self.top:
            node.session = session
        self.drop_children(node)
        node.url = (frame["url"] or "about:blank") + frame.get("urlFragment", "")
        node.name = frame.get("name", "") or node.name
        if not (node.worlds.known and node.url.startswith("about:")):  # else its context has told what it inherits
            node.origin = frame.get("securityOrigin", "")
        node.unreachable = frame.get("unreachableUrl", "")
        if node.loader != frame["loaderId"]:
            node.loader = frame["loaderId"]
            node.hints = None
        for listener in self.on_commit:
            listener(node)
        self._moved(node)
        self._channel.signal.notify()

    def _moved(self, node: Node) -> None:
        if node is self.top:
            for tell in self.on_move:
                tell()

    def _navigated_within(self, event: dict[str, Any]) -> None:
        if node := self._nodes.get(event["frameId"]):
            node.url = event["url"]
            self._moved(node)
            self._channel.signal.notify()

    def _detached(self, session: Session, frame_id: str, reason: str) -> None:
        node = self._nodes.get(frame_id)
        if node is None or node is self.top:
            return
        if reason == "swap" or node.session is not session:
            # It moved to another process; that one's session may be here already.
            if node.session is session:
                self.drop_children(node)
            return
        self.drop(node)
        self._channel.signal.notify()

    def session_ended(self, session: Session) -> None:
        """A frame's own process is gone: the frame has moved back to its parent's, or has left the page."""
        for node in list(self._nodes.values()):
            if node.session is session and node.parent is not None:
                self.drop(node)
        self._contexts_cleared(session)
        self._channel.signal.notify()

    def drop(self, node: Node) -> None:
        for gone in node.below():
            gone.worlds = Worlds()
        super().drop(node)

    # --- script worlds ---

    def _context_created(self, session: Session, context: dict[str, Any]) -> None:
        about = context.get("auxData") or {}
        node = self._nodes.get(about.get("frameId", ""))
        if node is None or node.session is not session:
            return
        if about.get("isDefault"):
            node.worlds.page = context["id"]
        elif context.get("name") == WORLD_NAME:
            node.worlds.scanner = context["id"]
        else:
            return
        # The frame's own `securityOrigin` is that of its URL; this is the document's, inherited or sandboxed.
        node.origin = context["origin"]
        self._contexts[session.id, context["id"]] = node, node.worlds
        self._channel.signal.notify()

    def _context_destroyed(self, session: Session, context_id: int) -> None:
        _, worlds = self._contexts.pop((session.id, context_id), (None, None))
        if worlds is None:
            return
        if worlds.page == context_id:
            worlds.page = None
        if worlds.scanner == context_id:
            worlds.scanner = None

    def _contexts_cleared(self, session: Session) -> None:
        for session_id, context_id in list(self._contexts):
            if session_id == session.id:
                self._context_destroyed(session, context_id)
