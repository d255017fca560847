"""The tools that pages offer, by functions of the extension in the page's own world (`extension/page_world.ts`).

Where the browser has no `document.modelContext`, the extension's own takes its place (`extension/model_context.ts`).
https://webmachinelearning.github.io/webmcp/"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from oryn.browsers.base import Frame
from oryn.browsers.base.page_tools import MAX_TOOLS, PageTool, PageToolResult, PageTools, may_be_offered, not_offered
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.evaluation import ExtensionEvaluation
from oryn.browsers.extension.frames import ExtensionFrameTree
from oryn.core.listeners import Listeners
from oryn.core.text_safety import quoted
from oryn.errors import OrynError, ToolFailed


class ExtensionPageTools(PageTools):
    """The tools of one tab. They are queried when they are listed, or when content scripts report changes."""

    def __init__(self, evaluation: ExtensionEvaluation, frames: ExtensionFrameTree) -> None:
        self._evaluation = evaluation
        self._frames = frames
        self._listed: tuple[str, list[str]] = ("", [])
        """The top document, and the names of the tools when they were listed last."""
        self._is_stale = False
        self._changes: Listeners[[]] = Listeners()

    def names(self) -> list[str]:
        """Those of the last listing of this document."""
        document, names = self._listed
        return names if document == self._frames.top.document else []

    def on_changed(self) -> None:
        """A document has reported that its tools may have changed."""
        self._is_stale = True
        self._changes.notify()

    def on_committed(self) -> None:
        """The tab has another document: the tools of the last one are gone."""
        if self._listed[1]:
            self._changes.notify()

    def subscribe(self, listener: Callable[[], object]) -> Callable[[], None]:
        return self._changes.subscribe(listener)

    async def refresh(self, *, timeout: float = 30) -> None:
        if self._is_stale:
            try:
                await self.offered(timeout=timeout)
            except OrynError:  # the next listing reports it
                self._is_stale = True

    async def offered(self, *, timeout: float = 30) -> list[PageTool]:
        self._evaluation.check()
        self._is_stale = False
        frames = enumerate(self._frames.all())
        queries = [self._offered_by(frame, timeout, is_top=position == 0) for position, frame in frames]
        found = [tool for tools in await asyncio.gather(*queries) for tool in tools]
        self._listed = self._frames.top.document, [tool.name for tool in found]
        return found

    async def _offered_by(self, frame: Frame, timeout: float, *, is_top: bool) -> list[PageTool]:
        node = self._frames.node(frame)
        if node.is_error_page:
            return []
        try:
            listed = await self._evaluation.call("listTools", [], node, timeout)
        except OrynError:
            if is_top:
                raise
            return []  # the frame is gone, or takes no scripts
        return list(_page_tools(listed, frame))

    async def call(self, tool: PageTool, arguments: dict[str, Any], *, timeout: float = 30) -> PageToolResult:
        node = self._frames.node(tool.frame)
        try:
            answer = await self._evaluation.call("callTool", [tool.name, json.dumps(arguments)], node, timeout)
        except DocumentGone:
            return PageToolResult(is_answered=False)
        if isinstance(answer, dict) and answer.get("left"):
            return PageToolResult(is_answered=False)
        if not isinstance(answer, dict) or answer.get("missing"):
            raise not_offered(tool)
        if "error" in answer:
            raise ToolFailed(f"the tool {quoted(tool.name)} failed: {answer['error']}")
        return PageToolResult(answer.get("value"))


def _page_tools(listed: Any, frame: Frame) -> Iterator[PageTool]:
    """The tools in what the page's own world answered, whose shape is not to be trusted."""
    for each in listed[:MAX_TOOLS] if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str) and may_be_offered(each["name"]):
            schema, description = each.get("inputSchema"), each.get("description")
            yield PageTool(
                each["name"],
                description if isinstance(description, str) else "",
                frame,
                schema if isinstance(schema, dict) else {},
                each.get("readOnly") is True,
            )
