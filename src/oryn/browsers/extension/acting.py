"""The part of a tab that acts on its page: mouse and keyboard, dialogs, scripts. All of it is better with the debugger,
where the user allows that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import Dialog, DialogPolicy, Frame, Mark
from oryn.browsers.common.error_page import ErrorPage, is_error_page
from oryn.browsers.common.handing import HandedPage
from oryn.browsers.common.happenings import Log
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.dialogs import SILENT, not_told
from oryn.browsers.extension.evaluation import Evaluation
from oryn.browsers.extension.failures import is_restricted, may_open, require_access
from oryn.browsers.extension.features import Debugged, Features
from oryn.browsers.extension.frames import Frames
from oryn.browsers.extension.input import Input

if TYPE_CHECKING:
    from oryn.browsers.extension.tabs import Tabs


class Owner(Protocol):
    """The session's browser that a tab obeys now."""

    def allows_trusted_input(self) -> bool:
        """Whether the user lets the debugger be attached."""

    def may_read_files(self) -> bool:
        """Whether the server may read the files of the browser's computer."""

    @property
    def policy(self) -> DialogPolicy | None:
        """What becomes of dialogs."""

    @property
    def features(self) -> Features:
        """What holds for its tabs while a debugger is attached to them."""


class ActingPage(HandedPage):
    """Half of `ExtensionPage`: `tabs` is what opens the links that scripts may not."""

    _input: Input

    def __init__(self, channel: Channel, frames: Frames, tabs: Tabs) -> None:
        self.channel = channel
        self.frame_tree = frames
        self.tabs = tabs
        self.owner: Owner | None = None
        self.choosers: Log[None] = Log()
        self.debugger = Debugger(
            channel, self._allowed, lambda: self.owner.policy if self.owner else None, lambda: tabs.reaches(channel.tab)
        )
        self.debugger.on_chooser = self.file_chooser_opened
        self.debugger.on_begin = self._debugged
        self.evaluation = Evaluation(channel, self.debugger)
        self._input = Input(self, self.debugger, self, self._pasting, tabs.platform)

    def _allowed(self) -> bool:
        # The browser would let a debugger into the extension's own pages.
        url = self.frame_tree.top.url
        accessible = is_error_page(url) or not is_restricted(url)
        return accessible and self.owner is not None and self.owner.allows_trusted_input()

    def _debugged(self, page: Debugged) -> None:
        if self.owner is not None:
            page.obey(self.owner.features)

    def _pasting(self) -> AbstractAsyncContextManager[None]:
        page = self.debugger.debugged
        return nullcontext() if page is None or self.owner is None else self.owner.features.clipboard.pasting(page)

    def require_access(self) -> None:
        """Raises `CannotAccessPage` where commands do nothing."""
        if self.frame_tree.top.is_error_page:
            raise self.shown_instead().refusal()
        require_access(self.frame_tree.top.url, files=self.reads_files)

    def shown_instead(self) -> ErrorPage:
        """What is known of the error page in the tab."""
        raise NotImplementedError

    async def admit(self, *point: float) -> None:
        # Nothing of those in frames is dangerous, and the events that a scanner dispatches do not get there.
        if self.frame_tree.top.is_error_page:
            raise self.shown_instead().refusal()

    @property
    def reads_files(self) -> bool:
        return self.owner is not None and self.owner.may_read_files()

    # --- trusted input, or what comes near it ---

    @property
    def trusted_input(self) -> bool:
        return self._input.was_trusted

    def take_news(self) -> list[str]:
        news, self.debugger.news = self.debugger.news, []
        return news

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[tuple[float, float]]]) -> None:
        await self.admit(x, y)
        await self._input.drag(x, y, aim)

    # --- what a click wants (`dispatched.Wanted`) ---

    async def open_tab(self, url: str) -> None:
        if not may_open(url):  # the browser refuses it to the page, and would not to the extension
            return
        tab = await self.tabs.create(url, active=False, opener=self.channel.tab)
        self.tabs.opened(self.channel.tab, tab, url)

    def file_chooser_opened(self) -> None:
        self.choosers.note(self.channel.moment, None)
        self.channel.signal.notify()

    def wants_file(self, mark: Mark) -> bool:
        return bool(self.choosers.since(mark))

    # --- scripts ---

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        self.require_access()
        return await self.evaluation.evaluate(expression, self.frame_tree.node(frame), timeout)

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        return self.debugger.dialogs.open

    def late_hint(self) -> str | None:
        return SILENT if self.channel.is_silent and not self.debugger.is_attached else None

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        if not self.debugger.is_attached:
            raise not_told()
        return await self.debugger.dialogs.answer(accept, text)

    def dialogs_since(self, mark: Mark) -> list[Dialog]:
        return [opened.dialog for opened in self.debugger.dialogs.log.since(mark)]
