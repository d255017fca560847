"""Running the scanner in the frames of a tab: one round trip a request.

The scanner lives in an isolated world of each frame, from the document's start on, where the page's scripts can't reach
it. Which elements only listen for clicks is known to the page's own world alone; those hints are collected apart and
cached for each document, because collecting costs about 10 µs an element.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any, TypeGuard

from oryn.browsers.cdp import failures
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer, Session
from oryn.browsers.cdp.failures import DocumentGone
from oryn.browsers.cdp.frames import WORLD_NAME, Frames, Hints, Node
from oryn.errors import FrameNotFound, InternalError, OrynError, Timeout
from oryn.records import Record

# About 20 ms of the page's time.
CHEAP_ELEMENTS = 2000
OLD_SECONDS = 2.0
REFRESH_SECONDS = 5.0

HINTED = ("scan", "tree")
"""Scanner commands that want to know which elements only listen."""

_CALL = "function(request){return __oryn_scanner(request)}"
_ELEMENT = "function(id){return __oryn_element(id)}"
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Scripts(Record):
    """What runs in pages (`oryn.scanner`): the scanner itself, and the function that finds listeners."""

    bundle: str
    listeners: str


class Scanning:
    """The scanner of one tab."""

    def __init__(self, channel: Channel, frames: Frames, scripts: Scripts) -> None:
        self._channel = channel
        self._frames = frames
        self._scripts = scripts
        self._refreshing: set[asyncio.Task[None]] = set()

    def install(self, session: Session) -> None:
        """Have the scanner in every document of `session` from its start."""
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": self._scripts.bundle, "worldName": WORLD_NAME, "runImmediately": True},
        )

    async def run(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        """One request; the response as the scanner gave it. Raises `DocumentGone` when there was no answer, twice."""
        if request["cmd"] in HINTED and "listeners" not in request:
            request = await self._with_hints(request, node, timeout)
        response = await self._ask(request, node, timeout)
        if response.get("code") == "FRAME_NOT_FOUND" and request["cmd"] != "switch_frame":
            # A new tab's first document keeps the scripts of the blank one before it (HTML's "reuse the Window
            # object"): the scanner finds its document gone, once, and then is at home in the new one.
            response = await self._ask(request, node, timeout)
        if request["cmd"] in HINTED:
            self._refresh_if_old(node, response)
        return response

    async def _ask(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        text = _encode(request)
        try:
            answer = await self._call(node, _CALL, text, timeout, by_value=True)
        except DocumentGone:
            answer = await self._call(node, _CALL, text, timeout, by_value=True)
        response = answer["result"].get("value")
        if not isinstance(response, str):
            raise InternalError(f"the scanner answered {request['cmd']} with {answer['result'].get('type')}")
        found: dict[str, Any] = json.loads(response)
        return found

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

    # --- hints of listeners ---

    async def _with_hints(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        if node.hints is None:
            await self.refresh(node, timeout)
        hints = node.hints
        if hints is None or hints.used:
            return request
        hints.used = True
        return {**request, "listeners": hints.positions, "listeners_of": hints.count}

    async def refresh(self, node: Node, timeout: float) -> None:
        """Collect the hints of a document anew. A document that can't tell has none.

        Each frame of its origin tells its own listeners, in the positions of the one walk through all of them."""
        loader = node.loader
        top = node.level()
        frames = node.of_one_origin()
        told = await asyncio.gather(*(self._listeners(each, each.level() - top, timeout) for each in frames))
        own = told[0]
        if own is None or node.loader != loader:
            return
        agreeing = [hints["positions"] for hints in told if hints is not None and hints["count"] == own["count"]]
        now = asyncio.get_running_loop().time()
        node.hints = Hints(sorted(itertools.chain(*agreeing)), own["count"], now)

    async def _listeners(self, node: Node, levels: int, timeout: float) -> dict[str, Any] | None:
        """What the page's world of one frame tells, or None: `count` of the walk, which begins `levels` above it, and
        `positions` in it."""
        if node.worlds.page is None:
            return None
        params = {
            "expression": f"{self._scripts.listeners}({levels})",
            "contextId": node.worlds.page,
            "includeCommandLineAPI": True,
            "returnByValue": True,
        }
        try:
            answer = await self._channel.call("Runtime.evaluate", params, session=node.session, timeout=timeout)
        except OrynError:
            return None  # only hints: whatever is wrong, the request that wants them will meet it too
        value = answer["result"].get("value")
        return value if _are_hints(value) else None

    async def refresh_soon(self, node: Node) -> None:
        """Collect the hints anew, at once where that is cheap, else while nobody waits."""
        if node.hints is None or node.hints.count <= CHEAP_ELEMENTS:
            await self.refresh(node, REFRESH_SECONDS)
        else:
            self._refresh_later(node)

    def _refresh_if_old(self, node: Node, response: dict[str, Any]) -> None:
        """A page may begin to listen at any time, and no event tells of it."""
        hints = node.hints
        scanned = ((response.get("data") or {}).get("stats") or {}).get("scanned")
        if hints is not None and (
            scanned != hints.count or asyncio.get_running_loop().time() - hints.collected > OLD_SECONDS
        ):
            self._refresh_later(node)

    def _refresh_later(self, node: Node) -> None:
        task = asyncio.get_running_loop().create_task(self.refresh(node, REFRESH_SECONDS))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)

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


def _are_hints(value: Any) -> TypeGuard[dict[str, Any]]:
    # They come from the page's own world, so their shape is not to be trusted.
    return (
        isinstance(value, dict)
        and isinstance(value.get("count"), int)
        and isinstance(value.get("positions"), list)
        and all(isinstance(position, int) for position in value["positions"])
    )
