"""Running the scanner in the frames of a tab: one round trip a request.

The scanner lives in an isolated world of each frame, from the document's start on, where the page's scripts can't reach
it.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
"""

from __future__ import annotations

import json
from typing import Any

from oryn.browsers.cdp import failures
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer, Session
from oryn.browsers.cdp.frames import WORLD_NAME, Frames, Node
from oryn.browsers.cdp.listeners import ask_listeners
from oryn.browsers.common.asking import REFRESH_SECONDS, Asking
from oryn.browsers.common.life import DocumentGone
from oryn.errors import FrameNotFound, InternalError, Timeout
from oryn.records import Record

_CALL = "function(request){return __oryn_scanner(request)}"
_ELEMENT = "function(id){return __oryn_element(id)}"


class Scripts(Record):
    """What runs in pages (`oryn.scanner`): the scanner itself, and the function that finds listeners."""

    bundle: str
    listeners: str


class Scanning(Asking[Node]):
    """The scanner of one tab."""

    def __init__(self, channel: Channel, frames: Frames, scripts: Scripts) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._scripts = scripts

    def install(self, session: Session) -> None:
        """Have the scanner in every document of `session` from its start."""
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": self._scripts.bundle, "worldName": WORLD_NAME, "runImmediately": True},
        )

    async def call(self, node: Node, request: str, timeout: float) -> Any:
        answer = await self._call(node, _CALL, request, timeout, by_value=True)
        return answer["result"].get("value")

    async def element(self, element_id: int, node: Node) -> str | None:
        """The protocol's object id of the element that the scanner of `node` numbered, or None."""
        answer = await self._call(node, _ELEMENT, element_id, 30, by_value=False)
        found: str | None = answer["result"].get("objectId")
        return found

    async def closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment."""
        node = self._frames.top
        params = {"expression": "closed", "returnByValue": True}
        if node.worlds.scanner is not None:
            params["contextId"] = node.worlds.scanner
        try:
            answer = await self._channel.call("Runtime.evaluate", params, timeout=REFRESH_SECONDS)
        except (DocumentGone, Timeout):
            return False
        return answer["result"].get("value") is True

    async def listeners(self, node: Node, levels: int, timeout: float) -> Any:
        if node.worlds.page is None:
            return None
        script, context = self._scripts.listeners, node.worlds.page
        return await ask_listeners(self._channel, script, levels, timeout, session=node.session, context=context)

    # --- calls ---

    async def _call(self, node: Node, function: str, argument: Any, timeout: float, *, by_value: bool) -> Answer:
        context = node.worlds.scanner
        if context is None:
            context = await self._make_world(node, timeout)
        params = {
            "functionDeclaration": function,
            "arguments": ({"value": argument},),
            "executionContextId": context,
            "awaitPromise": True,
            "returnByValue": by_value,
        }
        answer = await self._channel.call("Runtime.callFunctionOn", params, session=node.session, timeout=timeout)
        if "exceptionDetails" in answer:
            if "is not defined" not in json.dumps(answer["exceptionDetails"]):
                raise InternalError(f"the scanner failed: {failures.from_exception(answer['exceptionDetails'])}")
            await self._load(node, context, timeout)
            answer = await self._channel.call("Runtime.callFunctionOn", params, session=node.session, timeout=timeout)
            if "exceptionDetails" in answer:
                raise InternalError(f"the scanner failed: {failures.from_exception(answer['exceptionDetails'])}")
        return answer

    async def _make_world(self, node: Node, timeout: float) -> int:
        """The scanner's world of a document that began without us."""
        if self._frames.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        params = {"frameId": node.id, "worldName": WORLD_NAME}
        made = await self._channel.call("Page.createIsolatedWorld", params, session=node.session, timeout=timeout)
        context: int = made["executionContextId"]
        node.worlds.scanner = context
        return context

    async def _load(self, node: Node, context: int, timeout: float) -> None:
        await self._channel.call(
            "Runtime.evaluate",
            {"expression": self._scripts.bundle, "contextId": context},
            session=node.session,
            timeout=timeout,
        )
