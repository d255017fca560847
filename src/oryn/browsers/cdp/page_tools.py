"""The tools that pages offer, over the DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/tot/WebMCP/"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from oryn.browsers.base.page_tools import MAX_TOOLS, PageTool, PageToolResult, PageTools, may_be_offered, not_offered
from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.common.events import Deadline
from oryn.core.error_text import round_up_seconds
from oryn.core.listeners import Listeners
from oryn.core.text_safety import quoted
from oryn.errors import InternalError, Timeout, ToolFailed


class CdpPageTools(PageTools):
    """The tools of one tab, as the browser's events report them."""

    def __init__(self, channel: CdpChannel, frames: CdpFrameTree) -> None:
        self._channel = channel
        self._frames = frames
        self._tools: dict[str, dict[str, dict[str, Any]]] = {}
        """The protocol's `Tool` objects by frame id and name."""
        self._responses: dict[str, dict[str, Any]] = {}
        """`WebMCP.toolResponded` events by invocation, until their caller takes them."""
        self._pending = 0
        self._changes: Listeners[[]] = Listeners()
        frames.on_commit.append(self._on_committed)

    def listen(self, session: CdpSession) -> None:
        session.on("WebMCP.toolsAdded", self._on_added)
        session.on("WebMCP.toolsRemoved", self._on_removed)
        session.on("WebMCP.toolResponded", self._on_responded)
        session.send("WebMCP.enable")  # fails in a browser without it, in which pages offer no tools

    def names(self) -> list[str]:
        return [tool.name for tool in self._offered()]

    def subscribe(self, listener: Callable[[], object]) -> Callable[[], None]:
        return self._changes.subscribe(listener)

    async def offered(self, *, timeout: float = 30) -> list[PageTool]:
        return list(self._offered())

    async def call(self, tool: PageTool, arguments: dict[str, Any], *, timeout: float = 30) -> PageToolResult:
        node = self._frames.get(tool.frame.id)
        if node is None or tool.name not in self._tools.get(node.id, {}):
            raise not_offered(tool)
        deadline = Deadline(timeout)
        document = node.loader
        params = {"toolName": tool.name, "frameId": node.id, "input": arguments}
        self._pending += 1
        try:
            invocation = await self._invoke(tool, params, node.session, deadline.left)
            return await self._result(tool, node, document, invocation, deadline)
        finally:
            self._pending -= 1
            if not self._pending:
                self._responses.clear()

    async def _invoke(self, tool: PageTool, params: dict[str, Any], session: CdpSession, timeout: float) -> str:
        try:
            answer = await self._channel.call("WebMCP.invokeTool", params, session=session, timeout=timeout)
        except InternalError as error:  # the protocol has no code for it
            if "not found" in str(error):
                raise not_offered(tool) from None
            raise
        invocation: str = answer["invocationId"]
        return invocation

    async def _result(
        self, tool: PageTool, node: CdpFrameNode, document: str, invocation: str, deadline: Deadline
    ) -> PageToolResult:
        def is_gone() -> bool:
            return self._frames.get(node.id) is not node or node.loader != document

        def has_ended() -> bool:
            channel = self._channel
            return invocation in self._responses or is_gone() or bool(channel.failure or channel.blocked)

        if not await self._channel.signal.until(has_ended, deadline.left):
            node.session.send("WebMCP.cancelInvocation", {"invocationId": invocation})
            seconds = round_up_seconds(deadline.seconds)
            raise Timeout(f"the tool {quoted(tool.name)} did not answer within {seconds:g} s")
        response = self._responses.pop(invocation, None)
        if response is not None:
            return _result_of(tool, response, node.session)
        self._channel.check_alive()
        return PageToolResult(is_answered=False)

    # --- events ---

    def _on_added(self, event: dict[str, Any]) -> None:
        for tool in event["tools"]:
            of_frame = self._tools.setdefault(tool["frameId"], {})
            if len(of_frame) < MAX_TOOLS or tool["name"] in of_frame:
                of_frame[tool["name"]] = tool
        self._changes.notify()

    def _on_removed(self, event: dict[str, Any]) -> None:
        for tool in event["tools"]:
            self._tools.get(tool["frameId"], {}).pop(tool["name"], None)
        self._changes.notify()

    def _on_responded(self, event: dict[str, Any]) -> None:
        if self._pending:
            self._responses[event["invocationId"]] = event
            self._channel.signal.notify()

    def _on_committed(self, node: CdpFrameNode) -> None:
        if self._tools.pop(node.id, None):
            self._changes.notify()

    def _offered(self) -> Iterator[PageTool]:
        for frame in self._frames.all() if self._tools else ():
            for name, tool in self._tools.get(frame.id, {}).items():
                if may_be_offered(name):
                    schema = tool.get("inputSchema")
                    yield PageTool(
                        tool["name"],
                        tool.get("description", ""),
                        frame,
                        schema if isinstance(schema, dict) else {},
                        tool.get("annotations", {}).get("readOnly") is True,
                    )


def _result_of(tool: PageTool, response: dict[str, Any], session: CdpSession) -> PageToolResult:
    """Return the result of a response. Raises `ToolFailed`."""
    status = response["status"]
    if status in ("Completed", "Success"):  # the second one in Chromium before 150
        return PageToolResult(response.get("output"))
    exception = response.get("exception", {})
    if "objectId" in exception:
        session.send("Runtime.releaseObject", {"objectId": exception["objectId"]})
    reason = response.get("errorText") or str(exception.get("description", exception.get("value", "")))
    if status == "Canceled":
        raise ToolFailed(f"the tool {quoted(tool.name)} was cancelled")
    message = reason.split("\n", 1)[0]
    raise ToolFailed(f"the tool {quoted(tool.name)} failed" + (f": {message}" if message else ""))
