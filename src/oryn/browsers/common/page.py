"""`BasePage`: what the tabs of all engines do in the same way, over the parts that each engine provides."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Generic

from oryn.browsers.base import Checkpoint, Dialog, Frame, FrameArea, LoadState, Navigation, Page, PageEffects, Rect
from oryn.browsers.common.frame_tree import AnyNode, FrameTree
from oryn.browsers.common.main_world import MainWorld
from oryn.browsers.common.network_errors import ErrorPage
from oryn.browsers.common.settle import SettleSource, SettleWaiter
from oryn.errors import NotSupported, PageCrashed


class BasePage(SettleSource, Page, Generic[AnyNode]):
    """One tab, whose state the engine's events keep up to date.

    An engine sets the attributes that have no value here and in `SettleSource`."""

    frame_tree: FrameTree[AnyNode]
    evaluation: MainWorld[AnyNode]

    def __init__(self, load_timeout: float) -> None:
        """`load_timeout` (seconds) limits a navigation that a command has started."""
        super().__init__()
        self.own = True
        """Whether the session has opened the tab."""
        self.title = ""
        """As reported last."""
        self.command_running = False
        """Whether a command has caused what the page does now: a tab that it opens then stays behind this one."""
        self._settle_waiter = SettleWaiter(self, load_timeout)
        self._dialogs_taken = Checkpoint(0)

    # --- location ---

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    @property
    def document(self) -> str:
        return self.frame_tree.top.loader

    @property
    def crashed(self) -> bool:
        return isinstance(self.channel.failure, PageCrashed)

    # --- error pages ---

    @property
    def error_page(self) -> str | None:
        top = self.frame_tree.top
        return str(self.error_page_of(top)) if top.is_error_page else None

    def error_page_of(self, node: AnyNode) -> ErrorPage:
        """The error page in a frame, with what its navigation has reported."""
        attempt = self.navigations.attempt(node.loader) if node is self.frame_tree.top else None
        if attempt is None:
            return ErrorPage(node.unreachable)
        return ErrorPage(attempt.url, attempt.failed or "", attempt.status)

    def require_page(self, node: AnyNode) -> AnyNode:
        """Return `node`. Raises `CannotAccessPage` if it shows an error page."""
        if node.is_error_page:
            raise self.error_page_of(node).access_error()
        return node

    async def check_input_allowed(self, *point: float) -> None:
        """See `common.input.InputCheck`."""
        self.require_page(self.frame_tree.top)

    # --- scripts ---

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        return await self.evaluation.evaluate(expression, node, timeout)

    # --- frames ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        return self.frame_tree.roots(within)

    def frames(self) -> list[Frame]:
        return self.frame_tree.all()

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        self.channel.check()
        return await self.frame_tree.to_viewport(x, y, frame)

    async def frame_area(self, frame: Frame, *, timeout: float = 30) -> tuple[FrameArea, Rect]:
        self.channel.check()
        return await self.frame_tree.area(frame, timeout)

    # --- navigation ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        if headers:
            raise NotSupported
        return await self._finish(self.navigator.goto(url, until, timeout))

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        return await self._finish(self.navigator.history(delta, timeout))

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        return await self._finish(self.navigator.reload(hard, timeout))

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        await self.navigator.wait_for(state, timeout)

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        return await self._finish(self.navigator.wait_for_navigation(timeout))

    async def _finish(self, navigating: Awaitable[Navigation]) -> Navigation:
        navigation = await navigating
        await self.frame_tree.refresh()
        return navigation

    async def wait_until_displayed(self, blank: bool, timeout: float) -> None:
        """Wait until a new tab shows the document that it was opened for; with `blank`, `about:blank` is enough."""
        await self.navigations.wait_until_displayed(blank, timeout)

    # --- effects of an action ---

    def checkpoint(self) -> Checkpoint:
        self.command_running = True
        return self.channel.checkpoint()

    async def settle(self, checkpoint: Checkpoint, *, limit: float = 3, unheard: bool = False) -> PageEffects:
        try:
            return await self._settle_waiter.settle(checkpoint, limit, unheard)
        finally:
            self.command_running = False

    def has_effects(self, checkpoint: Checkpoint) -> bool:
        return self._settle_waiter.has_effects(checkpoint)

    def is_requesting(self) -> bool:
        return self.requests.in_flight(Checkpoint(0)) > 0

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        return self.dialogs.open

    def take_dialogs(self) -> list[Dialog]:
        found = self.dialogs.since(self._dialogs_taken)
        self._dialogs_taken = self.channel.checkpoint()
        return found

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        return await self.dialogs.answer(accept, text)
