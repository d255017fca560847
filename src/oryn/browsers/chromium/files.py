"""Operations that need a DOM node rather than an element number: the frame of an element, file inputs and drops.

https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-setFileInputFiles"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.browsers.base import FileChooser, Frame
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.cdp.tab_connection import TabConnection
from oryn.browsers.chromium.scanner_client import CdpScannerClient
from oryn.browsers.common.frame_tree import to_frame
from oryn.core.records import Record
from oryn.errors import ElementNotFound, FrameNotFound


async def frame_of(
    channel: TabConnection, scanner_client: CdpScannerClient, frames: CdpFrameTree, element_id: int, frame: Frame | None
) -> Frame:
    """The frame in the element numbered `element_id`. Raises `FrameNotFound` if it is not a frame element."""
    node = frames.node(frame)
    described = await channel.call(
        "DOM.describeNode", {"objectId": await _object_id(scanner_client, node, element_id)}, session=node.session
    )
    # A frame in a process of its own is known by its id, which the element carries as well.
    found = frames.get(described["node"].get("frameId", ""))
    if found is None or found is node:
        raise FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
    return to_frame(found)


async def set_files(
    channel: TabConnection, scanner_client: CdpScannerClient, node: CdpFrameNode, element_id: int, paths: Sequence[str]
) -> None:
    """Choose files in a file input, as a person would in the dialog that it opens."""
    params = {"files": list(paths), "objectId": await _object_id(scanner_client, node, element_id)}
    await channel.call("DOM.setFileInputFiles", params, session=node.session)


# --- file choosers and drops ---


class OpenedFileChooser(Record, frozen=False):
    """A file chooser that a page has opened. It is reported, but never displayed."""

    session: CdpSession
    mode: str
    node: int | None
    """The browser's id of the file input, or None if a script opened the chooser without one."""
    answered: bool = False

    @property
    def id(self) -> str:
        return f"{self.session.id} {self.node}" if self.node is not None else ""


async def describe_chooser(channel: TabConnection, opened: OpenedFileChooser) -> FileChooser:
    multiple = opened.mode == "selectMultiple"
    if opened.node is None:
        return FileChooser(opened.id, multiple)
    params = {"backendNodeId": opened.node}
    described = await channel.call("DOM.describeNode", params, session=opened.session)
    listed = described["node"].get("attributes", [])
    attributes = dict(zip(listed[::2], listed[1::2], strict=True))
    return FileChooser(opened.id, multiple, attributes.get("accept", ""))


async def choose(channel: TabConnection, opened: OpenedFileChooser, paths: Sequence[str]) -> None:
    opened.answered = True
    params = {"files": list(paths), "backendNodeId": opened.node}
    await channel.call("DOM.setFileInputFiles", params, session=opened.session)


# The element and those around it, up to where a page listens for everything.
_ANCESTORS = """function() {
  const around = [];
  for (let node = this; node && node !== document.body && node !== document.documentElement;
       node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null)) around.push(node);
  return around;
}"""


async def accepts_drop(
    channel: TabConnection, scanner_client: CdpScannerClient, node: CdpFrameNode, element_id: int
) -> bool:
    """Whether the element or one of its ancestors has a listener for `drop`."""
    around = await _call_in_page(channel, scanner_client, node, element_id, _ANCESTORS)
    properties = {"objectId": around, "ownProperties": True}
    listed = await channel.call("Runtime.getProperties", properties, session=node.session)
    for each in listed["result"]:
        if each["name"].isdigit() and "objectId" in each.get("value", {}):
            params = {"objectId": each["value"]["objectId"]}
            found = await channel.call("DOMDebugger.getEventListeners", params, session=node.session)
            if any(listener["type"] == "drop" for listener in found["listeners"]):
                return True
    return False


async def _call_in_page(
    channel: TabConnection, scanner_client: CdpScannerClient, node: CdpFrameNode, element_id: int, function: str
) -> str:
    """The object id of the result of a function, called on an element in the page's own world, which has the page's
    listeners."""
    described = await channel.call(
        "DOM.describeNode", {"objectId": await _object_id(scanner_client, node, element_id)}, session=node.session
    )
    # Without a context it is the page's own world of the frame that the element is in.
    params = {"backendNodeId": described["node"]["backendNodeId"]}
    resolved = await channel.call("DOM.resolveNode", params, session=node.session)
    call = {"objectId": resolved["object"]["objectId"], "functionDeclaration": function}
    answer = await channel.call("Runtime.callFunctionOn", call, session=node.session)
    object_id: str = answer["result"]["objectId"]
    return object_id


async def _object_id(scanner_client: CdpScannerClient, node: CdpFrameNode, element_id: int) -> str:
    found = await scanner_client.element(element_id, node)
    if found is None:
        raise ElementNotFound("element not found", "Run 'observe' to see which elements there are.")
    return found
