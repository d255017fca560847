"""Runs the scanner in the frames of a tab, with one round trip per request.

The scanner is in an isolated world of each frame from the document's start on, where the page's scripts can't reach it.
Click listeners are found in the page's own world, with the console's command line API.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate (includeCommandLineAPI)"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.channel import CdpChannel, TabCommands
from oryn.browsers.cdp.connection import Answer, CdpSession
from oryn.browsers.cdp.frames import WORLD_NAME, CdpFrameNode, CdpFrameTree
from oryn.browsers.chromium.closed_roots import ClosedRoots
from oryn.browsers.common.scanner_client import REFRESH_SECONDS, ScannerClient
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record
from oryn.errors import FrameNotFound, InternalError, OrynError, Timeout

_CALL = "function(request){return __oryn_scanner(request,true)}"
_ELEMENT = "function(id){return __oryn_element(id)}"

MAX_REVEALS = 20
"""Searches for closed shadow roots in one request: a root may hold hosts of others."""
MAX_REVEALS_WAITING = 200
"""The same while something is waited for."""


class ScannerScripts(Record):
    """The scripts of `oryn.scanner` that run in pages: the scanner, and the function that finds click listeners."""

    bundle: str
    listeners: str


class CdpScannerClient(ScannerClient[CdpFrameNode]):
    """The scanner of one tab."""

    def __init__(self, channel: CdpChannel, frames: CdpFrameTree, scripts: ScannerScripts) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._scripts = scripts
        self._roots = ClosedRoots(channel)

    def install(self, session: CdpSession) -> None:
        """Install the scanner in every document of `session`, from the document's start on."""
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": self._scripts.bundle, "worldName": WORLD_NAME, "runImmediately": True},
        )

    async def _request(self, request: dict[str, Any], node: CdpFrameNode, timeout: float) -> dict[str, Any]:
        """Look for closed shadow roots wherever the scanner asks for that, before it does what it is to do."""
        clock = asyncio.get_running_loop().time
        started = clock()
        response = await super()._request(request, node, timeout)
        is_waiting = request["cmd"] == "wait_for"
        left = MAX_REVEALS_WAITING if is_waiting else MAX_REVEALS
        while response.get("code") == "ROOTS_UNKNOWN":
            await self._reveal(node, timeout - (clock() - started))
            waited = clock() - started
            if is_waiting:
                request = {**request, "waited": round(waited * 1000)}
            left -= 1
            if left <= 0:
                request = {**request, "skip_roots": True}
            response = await super()._request(request, node, max(timeout - waited, 0.01))
        return response

    async def _reveal(self, node: CdpFrameNode, timeout: float) -> None:
        try:
            await self._roots.reveal(node, timeout)
        except (DocumentGone, KeyError, TimeoutError):
            return  # the request that needs the roots meets the same failure, or another document

    async def call(self, node: CdpFrameNode, request: str, timeout: float) -> Any:
        answer = await self._call(node, _CALL, request, timeout, by_value=True)
        return answer["result"].get("value")

    async def element(self, element_id: int, node: CdpFrameNode) -> str | None:
        """The object id of the element with this number in the scanner of `node`, or None."""
        answer = await self._call(node, _ELEMENT, element_id, 30, by_value=False)
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
        answer, _ = await asyncio.gather(
            query_click_listeners(self._channel, script, levels, timeout, session=node.session, context=context),
            self._refresh_closed(node, timeout),
        )
        return answer

    async def _refresh_closed(self, node: CdpFrameNode, timeout: float) -> None:
        try:
            await self._roots.refresh_listeners(node, timeout)
        except (OrynError, KeyError, TimeoutError):
            return  # as above: only hints

    # --- calls ---

    async def _call(
        self, node: CdpFrameNode, function: str, argument: Any, timeout: float, *, by_value: bool
    ) -> Answer:
        context = node.worlds.scanner
        if context is None:
            context = await self._create_world(node, timeout)
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
                raise InternalError(
                    f"the scanner failed: {error_mapping.error_from_exception(answer['exceptionDetails'])}"
                )
            await self._load(node, context, timeout)
            answer = await self._channel.call("Runtime.callFunctionOn", params, session=node.session, timeout=timeout)
            if "exceptionDetails" in answer:
                raise InternalError(
                    f"the scanner failed: {error_mapping.error_from_exception(answer['exceptionDetails'])}"
                )
        return answer

    async def _create_world(self, node: CdpFrameNode, timeout: float) -> int:
        """Create the scanner's world in a document that was loaded before we attached."""
        if self._frames.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        params = {"frameId": node.id, "worldName": WORLD_NAME}
        created = await self._channel.call("Page.createIsolatedWorld", params, session=node.session, timeout=timeout)
        context: int = created["executionContextId"]
        node.worlds.scanner = context
        return context

    async def _load(self, node: CdpFrameNode, context: int, timeout: float) -> None:
        await self._channel.call(
            "Runtime.evaluate",
            {"expression": self._scripts.bundle, "contextId": context},
            session=node.session,
            timeout=timeout,
        )


async def query_click_listeners(
    calls: TabCommands,
    script: str,
    levels: int,
    timeout: float,
    *,
    session: CdpSession | None = None,
    context: int | None = None,
) -> Any:
    """The unchecked result of `script` (`oryn.scanner.LISTENERS_SCRIPT`) in one frame, or None if it fails.

    levels: how many frames the frame is below the one where the search starts.
    context: the execution context of the page's own world (default: that of the top document)."""
    params = {"expression": f"{script}({levels})", "includeCommandLineAPI": True, "returnByValue": True}
    if context is not None:
        params["contextId"] = context
    try:
        answer = await calls.call("Runtime.evaluate", params, session=session, timeout=timeout)
    except OrynError:
        return None  # listeners are only hints; a real failure will also hit the request that needs them
    return answer["result"].get("value")
