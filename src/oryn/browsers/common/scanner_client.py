"""Sends requests to a tab's scanner, with hints about the elements that only listen for clicks.

These listeners can be queried only in the page's own world. They are collected separately and cached for each document,
because collecting takes about 10 µs an element."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeGuard

from oryn.browsers.common.frame_tree import AnyNode, ClickListenerHints
from oryn.browsers.common.tab_state import AnswerLost, DocumentGone
from oryn.core.records import Record, field
from oryn.errors import InternalError, NotSupported, OrynError

if TYPE_CHECKING:
    from oryn.scanner import Library
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse

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

ACTS = frozenset(
    (
        *("click", "hover", "type", "clear", "check", "uncheck", "select", "submit", "focus", "scroll"),
        *("pointer", "keys", "insert", "paste", "range_value"),
    )
)
"""Commands that act: a document that goes away has had the act, and the next one must not get it too."""
_STORAGE_READS = ("list", "get")

MAX_REVEALS = 20
"""Searches for closed shadow roots in one request: a root may hold hosts of others."""
MAX_REVEALS_WAITING = 200
"""The same while something is waited for."""

NOT_LOADED, GONE, BLANK, ROOTS, HINTS = "not loaded", "gone", "blank", "roots", "hints"
"""Why a request is sent again; see `ScannerClient._REPAIRS`."""


def acts(request: ScannerRequest) -> bool:
    """Whether a request changes something, so that it may be sent again only if it has not reached the page."""
    if request["cmd"] == "storage":
        return request["action"] not in _STORAGE_READS
    return request["cmd"] in ACTS


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def _decode(response: str) -> ScannerResponse:
    """Decode an answer without collecting garbage: its elements are so many objects that the collector would run dozens
    of times, a third of the whole time, and decoding leaves no cycles to be found."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        found: ScannerResponse = json.loads(response)
    finally:
        if was_enabled:
            gc.enable()
    return found


class Attempt(Record, frozen=False):
    """A request to one frame on its way, which repairs may change."""

    request: Mapping[str, Any]
    node: Any
    began: float
    deadline: float
    """As `began`, in seconds of the event loop's clock."""
    is_first: bool
    """Whether the scanner had no hints about the document before."""
    repeats: dict[str, int] = field(factory=dict)
    """How often it was sent again, by the reason."""

    def remaining(self) -> float:
        return max(0.01, self.deadline - asyncio.get_running_loop().time())


class ScannerClient(Generic[AnyNode]):
    """The scanner of one tab. The backends' subclasses deliver the requests."""

    def __init__(self) -> None:
        self._refreshing: set[asyncio.Task[None]] = set()

    async def run(self, request: ScannerRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """Send a request; the scanner's response. Whatever keeps it from being answered is repaired, and the request
        sent again, as often as `_REPAIRS` says; an act only if it has not reached the page. `timeout` is in seconds.

        Raises `DocumentGone` if the document of an act, or two documents in turn, went away before they answered."""
        has_hints = request["cmd"] in COMMANDS_WITH_HINTS and "listeners" not in request
        began = asyncio.get_running_loop().time()
        attempt = Attempt(request, node, began, began + timeout, has_hints and _are_first(node.hints))
        if has_hints:
            attempt.request = await self._with_hints(request, node, timeout)
        while True:
            response: ScannerResponse | None = None
            failure: OrynError | None = None
            try:
                answer = await self.call(node, _encode(attempt.request), attempt.remaining())
            except (DocumentGone, AnswerLost) as error:
                if acts(request):
                    raise
                reason, failure = GONE, error
            else:
                if answer is None:
                    reason = NOT_LOADED
                elif isinstance(answer, str):
                    response = _decode(answer)
                    code = response.get("code")
                    if code == "ROOTS_UNKNOWN":
                        reason = ROOTS
                    elif code == "FRAME_NOT_FOUND" and request["cmd"] != "switch_frame":
                        reason = BLANK
                    elif has_hints and self._needs_other_hints(attempt, response):
                        reason = HINTS
                    else:
                        return response
                else:
                    raise InternalError(f"the scanner answered {request['cmd']} with {type(answer).__name__}")
            limit, repair = self._REPAIRS[reason]
            count = attempt.repeats[reason] = attempt.repeats.get(reason, 0) + 1
            if count > limit:
                if failure is not None:
                    raise failure
                if response is None:
                    raise InternalError(f"the scanner did not answer {request['cmd']}")
                return response
            if repair is not None:
                await repair(self, attempt)

    async def call(self, node: AnyNode, request: str, timeout: float) -> Any:
        """Deliver a request; the scanner's answer. Both are JSON. None if the scanner is not in the document, so that
        the request has not reached it. Raises `DocumentGone` if there is no answer."""
        raise NotImplementedError

    async def load(self, node: AnyNode, timeout: float) -> None:
        """Load the scanner into a document in which it is missing. Backends whose `call` does that don't need it."""
        raise NotImplementedError

    async def load_library(self, library: Library, node: AnyNode, timeout: float) -> None:
        """See `browsers.base.Page.load_library`."""
        raise NotSupported

    async def reveal(self, node: AnyNode, timeout: float) -> None:
        """Look for the closed shadow roots that the scanner needs. Only for backends whose scanner asks for that."""
        raise NotImplementedError

    async def _load(self, attempt: Attempt) -> None:
        await self.load(attempt.node, attempt.remaining())

    async def _reveal(self, attempt: Attempt) -> None:
        await self.reveal(attempt.node, attempt.remaining())
        is_waiting, limit = attempt.request["cmd"] == "wait_for", MAX_REVEALS
        if is_waiting:
            waited = asyncio.get_running_loop().time() - attempt.began
            attempt.request, limit = {**attempt.request, "waited": round(waited * 1000)}, MAX_REVEALS_WAITING
        if attempt.repeats[ROOTS] >= limit:
            attempt.request = {**attempt.request, "skip_roots": True}

    async def path_listeners(self, element_id: int, node: AnyNode, *, pressed: bool, timeout: float) -> str | None:
        """See `browsers.base.Page.path_listeners`. None in a backend that does not report listeners."""
        return None

    async def is_closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment. False if there is no answer."""
        raise NotImplementedError

    async def listeners(self, node: AnyNode, levels: int, timeout: float) -> Any:
        """Query the listeners of one frame in the page's world (the page script `listeners`): `positions`
        among the `count` elements of the walk, which begins `levels` frames above. The shape of the result is
        unchecked; None if the frame does not answer."""
        raise NotImplementedError

    # --- hints about listeners ---

    def _needs_other_hints(self, attempt: Attempt, response: ScannerResponse) -> bool:
        """Whether the hints were those of another state of the page, so that the request is to be repeated with others:
        its answer shall have what they are about."""
        hints, stats = attempt.node.hints, (response.get("data") or {}).get("stats") or {}
        scanned: int | None = stats.get("scanned")  # how many elements a scan has walked; none if it has failed
        if hints is None or scanned is None or scanned == hints.count:
            if hints is not None and _age(hints) > STALE_SECONDS:
                self._refresh_later(attempt.node)  # a page may add listeners at any time, without an event
            return False
        if HINTS in attempt.repeats:
            return False
        if attempt.is_first or scanned <= MAX_RESCAN_ELEMENTS:
            return True
        self._refresh_later(attempt.node)
        return False

    async def _renew_hints(self, attempt: Attempt) -> None:
        await self.refresh(attempt.node, attempt.remaining())
        request = attempt.request
        if attempt.is_first:  # no answer has shown a number yet: they shall be in the page's order
            request = {**request, "keep_ids": False}
        attempt.request = await self._with_hints(request, attempt.node, attempt.remaining())

    _REPAIRS: ClassVar[dict[str, tuple[int, Callable[[Any, Attempt], Awaitable[None]] | None]]] = {
        NOT_LOADED: (1, _load),
        # Of a read: an act may have been done.
        GONE: (1, None),
        # A new tab's first document reuses the Window object of the blank one, with its scripts: the first request
        # fails because the scanner's document is gone, the second one succeeds.
        BLANK: (1, None),
        ROOTS: (MAX_REVEALS_WAITING + 1, _reveal),
        HINTS: (1, _renew_hints),
    }
    """For each reason, how often a request is sent again, and what is done before."""

    async def _with_hints(self, request: Mapping[str, Any], node: AnyNode, timeout: float) -> Mapping[str, Any]:
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


def _are_hints(value: Any) -> TypeGuard[dict[str, Any]]:
    # They come from the page's own world, so their shape is not to be trusted.
    return (
        isinstance(value, dict)
        and isinstance(value.get("count"), int)
        and isinstance(value.get("positions"), list)
        and all(isinstance(position, int) for position in value["positions"])
    )
