"""Runs the scanner in the frames of a tab, with one round trip per request.

The scanner is in an isolated world of each frame from the document's start on, where the page's scripts can't reach it.
Click listeners are found in the page's own world, with the console's command line API.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate (includeCommandLineAPI)"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.channel import CdpChannel, TabCommands
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.chromium.closed_roots import ClosedRoots
from oryn.browsers.chromium.custom_semantics import CustomSemantics
from oryn.browsers.common.scanner_client import REFRESH_SECONDS, ScannerClient
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record
from oryn.errors import FrameNotFound, InternalError, OrynError, Timeout
from oryn.scanner import library_script

if TYPE_CHECKING:
    from oryn.scanner import Library
    from oryn.scanner.protocol import EventPathsRequest, ScannerRequest, ScannerResponse

# They say themselves whether the scanner is there: an error may come from the scanner, in the middle of an act.
_CALL = "function(request){return typeof __oryn_scanner==='function'?__oryn_scanner(request,true):null}"
_ELEMENT = "function(id){return typeof __oryn_element==='function'?__oryn_element(id):null}"
ELEMENT_SECONDS = 30.0


LOOKS = frozenset(("scan", "tree", "find", "get_state", "verify", "toggle"))
"""Commands that say what elements are and how they stand."""


class ScannerScripts(Record):
    """The scripts of `oryn.scanner` that run in pages: the scanner, and the functions that find listeners."""

    bundle: str
    listeners: str
    path_listeners: str


class CdpScannerClient(ScannerClient[CdpFrameNode]):
    """The scanner of one tab."""

    def __init__(self, channel: CdpChannel, frames: CdpFrameTree, scripts: ScannerScripts) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._scripts = scripts
        self._roots = ClosedRoots(channel)
        self._semantics = CustomSemantics(channel)

    def install(self, session: CdpSession) -> None:
        """Install the scanner in every document of `session`, from the document's start on, and what observes it."""
        for script in (self._scripts.bundle, library_script("vitals")):
            session.send(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": script, "worldName": self._frames.world_name, "runImmediately": True},
            )

    async def run(self, request: ScannerRequest, node: CdpFrameNode, timeout: float) -> ScannerResponse:
        if request["cmd"] in LOOKS and self._semantics.concerns(node):
            await self._refresh_semantics(node, timeout)
        return await super().run(request, node, timeout)

    async def call(self, node: CdpFrameNode, request: str, timeout: float) -> Any:
        if node.worlds.scanner is None:
            await self._create_world(node, timeout)
        params = _call_params(node, _CALL, request, by_value=True)
        answer = await self._channel.call("Runtime.callFunctionOn", params, session=node.session, timeout=timeout)
        if details := answer.get("exceptionDetails"):
            raise InternalError(f"the scanner failed: {error_mapping.error_from_exception(details)}")
        return answer["result"].get("value")

    async def load(self, node: CdpFrameNode, timeout: float) -> None:
        await self._evaluate(self._scripts.bundle, node, timeout)

    async def load_library(self, library: Library, node: CdpFrameNode, timeout: float) -> None:
        if node.worlds.scanner is None:
            await self._create_world(node, timeout)
        await self._evaluate(library_script(library), node, timeout)

    async def _evaluate(self, script: str, node: CdpFrameNode, timeout: float) -> None:
        await self._channel.call(
            "Runtime.evaluate",
            {"expression": script, "contextId": node.worlds.scanner},
            session=node.session,
            timeout=timeout,
        )

    async def reveal(self, node: CdpFrameNode, timeout: float) -> None:
        try:
            await self._roots.reveal(node, timeout)
        except (DocumentGone, KeyError, TimeoutError):
            return  # the request that needs the roots meets the same failure, or another document

    async def element(self, element_id: int, node: CdpFrameNode) -> str | None:
        """The object id of the element with this number in the scanner of `node`, or None."""
        if node.worlds.scanner is None:
            await self._create_world(node, ELEMENT_SECONDS)
        params = _call_params(node, _ELEMENT, element_id, by_value=False)
        answer = await self._channel.call(
            "Runtime.callFunctionOn", params, session=node.session, timeout=ELEMENT_SECONDS
        )
        found: str | None = answer["result"].get("objectId")
        return found

    async def is_closing(self) -> bool:
        node = self._frames.top
        params = {"expression": "closed", "returnByValue": True}
        if node.worlds.scanner is not None:
            params["contextId"] = node.worlds.scanner
        try:
            answer = await self._channel.call("Runtime.evaluate", params, timeout=REFRESH_SECONDS)
        except (DocumentGone, Timeout):
            return False
        return answer["result"].get("value") is True

    async def listeners(self, node: CdpFrameNode, levels: int, timeout: float) -> Any:
        if node.worlds.page is None:
            return None
        script, context = self._scripts.listeners, node.worlds.page
        answer, *_ = await asyncio.gather(
            query_click_listeners(self._channel, script, levels, timeout, session=node.session, context=context),
            self._refresh_closed(node, timeout),
            self._refresh_semantics(node, timeout),
        )
        return answer

    async def path_listeners(self, element_id: int, node: CdpFrameNode, *, pressed: bool, timeout: float) -> str | None:
        """See `browsers.base.Page.path_listeners`."""
        request: EventPathsRequest = {"cmd": "event_paths", "id": element_id, "pressed": pressed}
        try:
            response = await self.run(request, node, timeout)
        except OrynError:
            return None  # the action meets the same failure
        paths = (response.get("data") or {}).get("paths")
        context = node.worlds.page
        if paths is None or context is None:
            return None
        call = f"{self._scripts.path_listeners}({json.dumps(paths)},{json.dumps(pressed)})"
        found = await _query_listeners(self._channel, call, timeout, session=node.session, context=context)
        return found if isinstance(found, str) else None

    async def _refresh_closed(self, node: CdpFrameNode, timeout: float) -> None:
        try:
            await self._roots.refresh_listeners(node, timeout)
        except (OrynError, KeyError, TimeoutError):
            return  # as above: only hints

    async def _refresh_semantics(self, node: CdpFrameNode, timeout: float) -> None:
        try:
            await self._semantics.refresh(node, timeout)
        except (OrynError, KeyError, TimeoutError):
            return  # as above

    async def _create_world(self, node: CdpFrameNode, timeout: float) -> None:
        """Create the scanner's world in a document that was loaded before we attached."""
        if self._frames.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        params = {"frameId": node.id, "worldName": self._frames.world_name}
        created = await self._channel.call("Page.createIsolatedWorld", params, session=node.session, timeout=timeout)
        node.worlds.scanner = created["executionContextId"]


def _call_params(node: CdpFrameNode, function: str, argument: Any, *, by_value: bool) -> dict[str, Any]:
    return {
        "functionDeclaration": function,
        "arguments": ({"value": argument},),
        "executionContextId": node.worlds.scanner,
        "awaitPromise": True,
        "returnByValue": by_value,
    }


async def query_click_listeners(
    calls: TabCommands,
    script: str,
    levels: int,
    timeout: float,
    *,
    session: CdpSession | None = None,
    context: int | None = None,
) -> Any:
    """The unchecked result of `script` (the page script `listeners`) in one frame, or None if it fails.

    levels: how many frames the frame is below the one where the search starts.
    context: the execution context of the page's own world (default: that of the top document)."""
    return await _query_listeners(calls, f"{script}({levels})", timeout, session=session, context=context)


async def _query_listeners(
    calls: TabCommands, expression: str, timeout: float, *, session: CdpSession | None, context: int | None
) -> Any:
    params = {"expression": expression, "includeCommandLineAPI": True, "returnByValue": True}
    if context is not None:
        params["contextId"] = context
    try:
        answer = await calls.call("Runtime.evaluate", params, session=session, timeout=timeout)
    except OrynError:
        return None  # listeners are only hints; a real failure will also hit the request that needs them
    return answer["result"].get("value")
