"""Asking a tab's scanner, with hints of which elements only listen for clicks.

Those are known to the page's own world alone; they are collected apart and cached for each document, because collecting
costs about 10 µs an element.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any, Generic, TypeGuard

from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.tree import AnyNode, Hints
from oryn.errors import InternalError

# About 20 ms of the page's time.
CHEAP_ELEMENTS = 2000
OLD_SECONDS = 2.0
REFRESH_SECONDS = 5.0

HINTED = ("scan", "tree")
"""Scanner commands that want to know which elements only listen."""

ONCE = ("pointer", "keys", "insert")
"""Input: a document that goes away has had it, and the next one must not have it too."""

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Asking(Generic[AnyNode]):
    """The scanner of one tab. A backend's own class knows how to reach it."""

    def __init__(self) -> None:
        self._refreshing: set[asyncio.Task[None]] = set()

    async def run(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
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

    async def _ask(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        text = _encode(request)
        try:
            response = await self.call(node, text, timeout)
        except DocumentGone:
            if request["cmd"] in ONCE:
                raise
            response = await self.call(node, text, timeout)
        if not isinstance(response, str):
            raise InternalError(f"the scanner answered {request['cmd']} with {type(response).__name__}")
        found: dict[str, Any] = json.loads(response)
        return found

    async def call(self, node: AnyNode, request: str, timeout: float) -> Any:
        """The scanner's answer to a request (JSON both). Raises `DocumentGone` where there was none."""
        raise NotImplementedError

    async def listeners(self, node: AnyNode, levels: int, timeout: float) -> Any:
        """What the page's world of one frame tells (`oryn.scanner.bundle.listeners_script`), its shape unchecked, or
        None: `count` of the walk, which begins `levels` above it, and `positions` in it."""
        raise NotImplementedError

    # --- hints of listeners ---

    async def _with_hints(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        if node.hints is None:
            await self.refresh(node, timeout)
        hints = node.hints
        if hints is None or hints.used:
            return request
        hints.used = True
        return {**request, "listeners": hints.positions, "listeners_of": hints.count}

    async def refresh(self, node: AnyNode, timeout: float) -> None:
        """Collect the hints of a document anew. A document that can't tell has none.

        Each frame of its origin tells its own listeners, in the positions of the one walk through all of them."""
        loader = node.loader
        top = node.level()
        frames = node.of_one_origin()
        answers = await asyncio.gather(*(self.listeners(each, each.level() - top, timeout) for each in frames))
        told = [value if _are_hints(value) else None for value in answers]
        own = told[0]
        if own is None or node.loader != loader:
            return
        agreeing = [hints["positions"] for hints in told if hints is not None and hints["count"] == own["count"]]
        now = asyncio.get_running_loop().time()
        node.hints = Hints(sorted(itertools.chain(*agreeing)), own["count"], now)

    async def refresh_soon(self, node: AnyNode) -> None:
        """Collect the hints anew, at once where that is cheap, else while nobody waits."""
        if node.hints is None or node.hints.count <= CHEAP_ELEMENTS:
            await self.refresh(node, REFRESH_SECONDS)
        else:
            self._refresh_later(node)

    def _refresh_if_old(self, node: AnyNode, response: dict[str, Any]) -> None:
        """A page may begin to listen at any time, and no event tells of it."""
        hints = node.hints
        scanned = ((response.get("data") or {}).get("stats") or {}).get("scanned")
        if hints is not None and (
            scanned != hints.count or asyncio.get_running_loop().time() - hints.collected > OLD_SECONDS
        ):
            self._refresh_later(node)

    def _refresh_later(self, node: AnyNode) -> None:
        task = asyncio.get_running_loop().create_task(self.refresh(node, REFRESH_SECONDS))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)


def _are_hints(value: Any) -> TypeGuard[dict[str, Any]]:
    # They come from the page's own world, so their shape is not to be trusted.
    return (
        isinstance(value, dict)
        and isinstance(value.get("count"), int)
        and isinstance(value.get("positions"), list)
        and all(isinstance(position, int) for position in value["positions"])
    )
