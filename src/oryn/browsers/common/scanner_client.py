"""Sends requests to a tab's scanner, with hints about the elements that only listen for clicks.

These listeners can be queried only in the page's own world. They are collected separately and cached for each document,
because collecting takes about 10 µs an element."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
from typing import Any, Generic, TypeGuard

from oryn.browsers.common.frame_tree import AnyNode, ClickListenerHints
from oryn.browsers.common.tab_state import AnswerLost, DocumentGone
from oryn.errors import InternalError

# About 20 ms of the page's time.
MAX_INLINE_REFRESH_ELEMENTS = 2000
# About 200 ms: a scan that finds other elements than the hints are of is worth it.
MAX_RESCAN_ELEMENTS = 20_000
# A page's scripts may add listeners for some time after they have added elements.
FRESH_SECONDS = 0.05
STALE_SECONDS = 2.0
REFRESH_SECONDS = 5.0

COMMANDS_WITH_HINTS = ("scan", "tree")
"""Scanner commands that use the hints."""

UNREPEATABLE_COMMANDS = ("pointer", "keys", "insert", "paste", "select", "submit", "range_value", "focus")
"""Commands that act: a document that goes away has had the act, and the next one must not get it too."""

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def _decode(response: str) -> dict[str, Any]:
    """Decode an answer without collecting garbage: its elements are so many objects that the collector would run dozens
    of times, a third of the whole time, and decoding leaves no cycles to be found."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        found: dict[str, Any] = json.loads(response)
    finally:
        if was_enabled:
            gc.enable()
    return found


class ScannerClient(Generic[AnyNode]):
    """The scanner of one tab. The backends' subclasses deliver the requests."""

    def __init__(self) -> None:
        self._refreshing: set[asyncio.Task[None]] = set()

    async def run(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        """Send a request; the scanner's response. Raises `DocumentGone` if two documents went away before they
        answered."""
        if request["cmd"] in COMMANDS_WITH_HINTS and "listeners" not in request:
            return await self._run_with_hints(request, node, timeout)
        return await self._run(request, node, timeout)

    async def _run_with_hints(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        """Send a request with the hints. If they turn out to be those of another state of the page, collect them again
        and repeat it, so that its answer has what they are about."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        is_first = _are_first(node.hints)
        response = await self._run(await self._with_hints(request, node, timeout), node, timeout)
        hints, scanned = node.hints, _scanned(response)
        if hints is None or scanned is None or scanned == hints.count:
            self._refresh_if_stale(node)
        elif is_first or scanned <= MAX_RESCAN_ELEMENTS:
            await self.refresh(node, deadline - clock())
            if is_first:  # no answer has shown a number yet: they shall be in the page's order
                request = {**request, "keep_ids": False}
            response = await self._run(await self._with_hints(request, node, deadline - clock()), node, timeout)
        else:
            self._refresh_later(node)
        return response

    async def _run(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        response = await self._request(request, node, timeout)
        if response.get("code") == "FRAME_NOT_FOUND" and request["cmd"] != "switch_frame":
            # A new tab's first document reuses the Window object of the blank one, with its scripts: the first request
            # fails because the scanner's document is gone, the second one succeeds.
            response = await self._request(request, node, timeout)
        return response

    async def _request(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        text = _encode(request)
        try:
            response = await self.call(node, text, timeout)
        except (DocumentGone, AnswerLost):
            if request["cmd"] in UNREPEATABLE_COMMANDS:
                raise
            response = await self.call(node, text, timeout)
        if not isinstance(response, str):
            raise InternalError(f"the scanner answered {request['cmd']} with {type(response).__name__}")
        return _decode(response)

    async def call(self, node: AnyNode, request: str, timeout: float) -> Any:
        """Deliver a request; the scanner's answer. Both are JSON. Raises `DocumentGone` if there is no answer."""
        raise NotImplementedError

    async def is_closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment. False if there is no answer."""
        raise NotImplementedError

    async def listeners(self, node: AnyNode, levels: int, timeout: float) -> Any:
        """Query the listeners of one frame in the page's world (`oryn.scanner.bundle.listeners_script`): `positions`
        among the `count` elements of the walk, which begins `levels` frames above. The shape of the result is
        unchecked; None if the frame does not answer."""
        raise NotImplementedError

    # --- hints about listeners ---

    async def _with_hints(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        hints = node.hints
        if hints is None or (_are_first(hints) and _age(hints) > FRESH_SECONDS):
            await self.refresh(node, timeout)
        hints = node.hints
        if hints is None or hints.used:
            return request
        hints.used = True
        return {**request, "listeners": hints.positions, "listeners_of": hints.count}

    async def refresh(self, node: AnyNode, timeout: float) -> None:
        """Collect the hints of a document again. They stay as they are if the document does not answer.

        Each frame of the same origin answers with its own listeners, as positions in the walk through all of these
        frames."""
        loader = node.loader
        top = node.level()
        frames = node.same_origin_subtree()
        answers = await asyncio.gather(*(self.listeners(each, each.level() - top, timeout) for each in frames))
        hints = [value if _are_hints(value) else None for value in answers]
        own = hints[0]
        if own is None or node.loader != loader:
            return
        agreeing = [each["positions"] for each in hints if each is not None and each["count"] == own["count"]]
        now = asyncio.get_running_loop().time()
        positions = sorted(itertools.chain(*agreeing))
        node.hints = ClickListenerHints(positions, own["count"], now, is_first=_are_first(node.hints))

    async def refresh_soon(self, node: AnyNode) -> None:
        """Collect the hints again: at once if that is cheap, else in the background."""
        if node.hints is None or node.hints.count <= MAX_INLINE_REFRESH_ELEMENTS:
            await self.refresh(node, REFRESH_SECONDS)
        else:
            self._refresh_later(node)

    def _refresh_if_stale(self, node: AnyNode) -> None:
        """Collect the hints again if they are old: a page may add listeners at any time, without an event."""
        if node.hints is not None and _age(node.hints) > STALE_SECONDS:
            self._refresh_later(node)

    def _refresh_later(self, node: AnyNode) -> None:
        task = asyncio.get_running_loop().create_task(self.refresh(node, REFRESH_SECONDS))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)


def _are_first(hints: ClickListenerHints | None) -> bool:
    """Whether the scanner has not got any hints about the document yet."""
    return hints is None or (hints.is_first and not hints.used)


def _age(hints: ClickListenerHints) -> float:
    """Seconds since the hints were collected."""
    return asyncio.get_running_loop().time() - hints.collected


def _scanned(response: dict[str, Any]) -> int | None:
    """How many elements a scan has walked; None for an error."""
    stats = (response.get("data") or {}).get("stats") or {}
    scanned: int | None = stats.get("scanned")
    return scanned


def _are_hints(value: Any) -> TypeGuard[dict[str, Any]]:
    # They come from the page's own world, so their shape is not to be trusted.
    return (
        isinstance(value, dict)
        and isinstance(value.get("count"), int)
        and isinstance(value.get("positions"), list)
        and all(isinstance(position, int) for position in value["positions"])
    )
