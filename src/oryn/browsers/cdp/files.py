"""What needs the element itself, and not only its number: the frame that it holds, the files that it takes.

https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-setFileInputFiles
"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.browsers.base import Frame
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.failures import DocumentGone
from oryn.browsers.cdp.frames import Frames, Node, describe
from oryn.browsers.cdp.scanning import Scanning
from oryn.errors import ElementNotFound, FrameNotFound


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


async def _object(scanning: Scanning, node: Node, element_id: int) -> str:
    found = await scanning.element(element_id, node)
    if found is None:
        raise ElementNotFound("element not found", "Run 'observe' to see which elements there are.")
    return found


def frame_gone() -> DocumentGone:
    """Why commands to a frame's process end when the frame leaves it."""
    return DocumentGone("the frame went away")
