"""The file choosers that the pages of a tab open: they are reported, and never displayed. And what takes drops.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-setInterceptFileChooserDialog"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base import Checkpoint, FileChooser
from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.events import EventLog
from oryn.browsers.common.tab_state import TabState
from oryn.core.records import Record

# The element and those around it, up to where a page listens for everything.
_ANCESTORS = """function() {
  const around = [];
  for (let node = this; node && node !== document.body && node !== document.documentElement;
       node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null)) around.push(node);
  return around;
}"""


class OpenedFileChooser(Record, frozen=False):
    """A file chooser that a page has opened."""

    session: CdpSession
    mode: str
    node: int | None
    """The browser's id of the file input, or None if a script opened the chooser without one."""
    answered: bool = False

    @property
    def id(self) -> str:
        return f"{self.session.id} {self.node}" if self.node is not None else ""


class CdpFileChoosers:
    """The file choosers of one tab, whose state is `state`; commands go through `commands`."""

    def __init__(self, state: TabState, commands: TabCommands) -> None:
        self._state = state
        self._commands = commands
        self._log: EventLog[OpenedFileChooser] = EventLog()

    def listen(self, session: CdpSession) -> None:
        """Follow the choosers of a document's session."""
        session.on("Page.fileChooserOpened", lambda event: self._on_opened(session, event))
        session.send("Page.setInterceptFileChooserDialog", {"enabled": True})

    def _on_opened(self, session: CdpSession, event: dict[str, Any]) -> None:
        opened = OpenedFileChooser(session, event["mode"], event.get("backendNodeId"))
        self._log.record(self._state.moment, opened)
        self._state.signal.notify()

    def waits(self, checkpoint: Checkpoint) -> bool:
        """Whether a chooser since a checkpoint has no files yet."""
        return any(not chooser.answered for chooser in self._log.since(checkpoint))

    async def find(self, checkpoint: Checkpoint, timeout: float) -> FileChooser | None:
        """See `browsers.base.Page.file_chooser`."""

        def has_opened() -> bool:
            return bool(self._log.since(checkpoint) or self._state.failure or self._state.blocked)

        await self._state.signal.until(has_opened, timeout)
        choosers = self._log.since(checkpoint)
        if not choosers:
            return None
        opened = choosers[-1]
        multiple = opened.mode == "selectMultiple"
        if opened.node is None:
            return FileChooser(opened.id, multiple)
        described = await self._commands.call(
            "DOM.describeNode", {"backendNodeId": opened.node}, session=opened.session
        )
        listed = described["node"].get("attributes", [])
        attributes = dict(zip(listed[::2], listed[1::2], strict=True))
        return FileChooser(opened.id, multiple, attributes.get("accept", ""))

    def answer(self, chooser: FileChooser) -> OpenedFileChooser:
        """The chooser that `find` has returned, which gets files now."""
        opened = next(one for one in self._log.since(Checkpoint(0)) if one.id == chooser.id)
        opened.answered = True
        return opened


async def accepts_drop(commands: TabCommands, session: CdpSession, object_id: str) -> bool:
    """Whether an element, or one around it, listens for drops. `object_id` is of any world."""

    async def call(method: str, **params: Any) -> Any:
        return await commands.call(method, params, session=session)

    described = await call("DOM.describeNode", objectId=object_id)
    # Without a context it is the page's own world of the frame that the element is in, which has its listeners.
    resolved = await call("DOM.resolveNode", backendNodeId=described["node"]["backendNodeId"])
    around = await call(
        "Runtime.callFunctionOn", objectId=resolved["object"]["objectId"], functionDeclaration=_ANCESTORS
    )
    listed = await call("Runtime.getProperties", objectId=around["result"]["objectId"], ownProperties=True)
    for each in listed["result"]:
        if each["name"].isdigit() and "objectId" in each.get("value", {}):
            found = await call("DOMDebugger.getEventListeners", objectId=each["value"]["objectId"])
            if any(listener["type"] == "drop" for listener in found["listeners"]):
                return True
    return False
