"""What needs the element itself, and not only its number: the frame that it holds, the files that it takes.

https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-setFileInputFiles
"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.browsers.base import FileChooser, Frame
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.cdp.scanning import Scanning
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.tree import describe
from oryn.errors import ElementNotFound, FrameNotFound
from oryn.records import Record


async def frame_of(channel: Channel, scanning: Scanning, frames: Frames, element_id: int, frame: Frame | None) -> Frame:
    """The frame that the element numbered `element_id` holds. Raises `FrameNotFound` when it holds none."""
    node = frames.node(frame)
    described = await channel.call(
        "DOM.describeNode", {"objectId": await _object(scanning, node, element_id)}, session=node.session
    )
    # A frame in a process of its own is known by its id, which the element carries as well.
    found = frames.get(described["node"].get("frameId", ""))
    if found is None or found is node:
        raise FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
    return describe(found)


async def set_files(channel: Channel, scanning: Scanning, node: Node, element_id: int, paths: Sequence[str]) -> None:
    """Choose files in a file input, as a person would in the dialog that it opens."""
    params = {"files": list(paths), "objectId": await _object(scanning, node, element_id)}
    await channel.call("DOM.setFileInputFiles", params, session=node.session)


# --- what takes files without being a file input ---


class Opened(Record, frozen=False):
    """A file chooser that a page has opened, as it is told; it is never shown."""

    session: Session
    mode: str
    node: int | None
    """The browser's id of the input, or None for one that a script opened without any."""
    answered: bool = False

    @property
    def id(self) -> str:
        return f"{self.session.id} {self.node}" if self.node is not None else ""


async def describe_chooser(channel: Channel, opened: Opened) -> FileChooser:
    multiple = opened.mode == "selectMultiple"
    if opened.node is None:
        return FileChooser(opened.id, multiple)
    params = {"backendNodeId": opened.node}
    described = await channel.call("DOM.describeNode", params, session=opened.session)
    listed = described["node"].get("attributes", [])
    attributes = dict(zip(listed[::2], listed[1::2], strict=True))
    return FileChooser(opened.id, multiple, attributes.get("accept", ""))


async def choose(channel: Channel, opened: Opened, paths: Sequence[str]) -> None:
    opened.answered = True
    params = {"files": list(paths), "backendNodeId": opened.node}
    await channel.call("DOM.setFileInputFiles", params, session=opened.session)


# The element and those around it, up to where a page listens for everything.
_AROUND = """function() {
  const around = [];
  for (let node = this; node && node !== document.body && node !== document.documentElement;
       node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null)) around.push(node);
  return around;
}"""


async def takes_drops(channel: Channel, scanning: Scanning, node: Node, element_id: int) -> bool:
    """Whether somebody listens for `drop` on the element or on one around it."""
    around = await _call_in_page(channel, scanning, node, element_id, _AROUND)
    properties = {"objectId": around, "ownProperties": True}
    listed = await channel.call("Runtime.getProperties", properties, session=node.session)
    for each in listed["result"]:
        if each["name"].isdigit() and "objectId" in each.get("value", {}):
            about = {"objectId": each["value"]["objectId"]}
            told = await channel.call("DOMDebugger.getEventListeners", about, session=node.session)
            if any(listener["type"] == "drop" for listener in told["listeners"]):
                return True
    return False


async def _call_in_page(channel: Channel, scanning: Scanning, node: Node, element_id: int, function: str) -> str:
    """What a function makes of an element in the page's own world, which alone knows the page's listeners."""
    described = await channel.call(
        "DOM.describeNode", {"objectId": await _object(scanning, node, element_id)}, session=node.session
    )
    # Without a context it is the page's own world of the frame that the element is in.
    params = {"backendNodeId": described["node"]["backendNodeId"]}
    resolved = await channel.call("DOM.resolveNode", params, session=node.session)
    call = {"objectId": resolved["object"]["objectId"], "functionDeclaration": function}
    answer = await channel.call("Runtime.callFunctionOn", call, session=node.session)
    made: str = answer["result"]["objectId"]
    return made


async def _object(scanning: Scanning, node: Node, element_id: int) -> str:
    found = await scanning.element(element_id, node)
    if found is None:
        raise ElementNotFound("element not found", "Run 'observe' to see which elements there are.")
    return found


def frame_gone() -> DocumentGone:
    """Why commands to a frame's process end when the frame leaves it."""
    return DocumentGone("the frame went away")
