"""The part of a tab that acts on its page: mouse and keyboard, files, dialogs, scripts; and its pictures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Dialog, FileChooser, Frame, ImageFormat, Mark, Rect
from oryn.browsers.cdp import capture, files, geometry
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.cdp.evaluation import Evaluation
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.cdp.input import Input
from oryn.browsers.cdp.scanning import Scanning
from oryn.browsers.common.error_page import ErrorPage
from oryn.browsers.common.handing import HandedPage
from oryn.browsers.common.happenings import Log

if TYPE_CHECKING:
    from oryn.browsers.base.recording import Paper, Show, Write
    from oryn.browsers.cdp.clipboard import Pasted
    from oryn.browsers.cdp.recording.screencast import Screencast
    from oryn.browsers.cdp.targets import PageSettings


class ActingPage(HandedPage):
    """Half of `CdpPage`, which is `whole`."""

    _input: Input

    def __init__(self, channel: Channel, frames: Frames, settings: PageSettings, whole: Pasted) -> None:
        self.channel = channel
        self.frame_tree = frames
        self.dialogs = Dialogs(channel, settings.policy)
        self.choosers: Log[files.Opened] = Log()
        self.scanning = Scanning(channel, frames, settings.scripts)
        self.evaluation = Evaluation(channel)
        self._input = Input(channel, lambda: settings.features.clipboard.pasting(whole))
        self._screencast: Screencast | None = None

    # --- scripts ---

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        return await self.evaluation.evaluate(expression, node, timeout)

    # --- trusted input ---

    async def admit(self, *point: float) -> None:
        if self.frame_tree.top.is_error_page:
            raise self.shown_instead(self.frame_tree.top).refusal()
        if failed := [node for node in self.frame_tree.top.below() if node.is_error_page]:
            from oryn.browsers.cdp.error_frames import reached

            self.channel.check()
            if (node := await reached(self.channel, failed, point)) is not None:
                raise self.shown_instead(node).refusal()

    def shown_instead(self, node: Node) -> ErrorPage:
        """What is known of the error page in a frame."""
        raise NotImplementedError

    def require_page(self, node: Node) -> Node:
        """The frame itself. Raises `CannotAccessPage` where it shows an error page."""
        if node.is_error_page:
            raise self.shown_instead(node).refusal()
        return node

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[tuple[float, float]]]) -> None:
        from oryn.browsers.common.dragging import drag

        self.channel.check()
        await self.admit(x, y)
        await drag(self._input, (x, y), aim)

    # --- files ---

    def chooser_opened(self, session: Session, event: dict[str, Any]) -> None:
        self.choosers.note(self.channel.moment, files.Opened(session, event["mode"], event.get("backendNodeId")))
        self.channel.signal.notify()

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        await files.set_files(self.channel, self.scanning, node, element_id, paths)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        self.channel.check()
        await self.admit(x, y)
        await self._input.drop_files(x, y, paths)

    async def takes_drops(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        return await files.takes_drops(self.channel, self.scanning, self.frame_tree.node(frame), element_id)

    async def file_chooser(self, mark: Mark, *, timeout: float) -> FileChooser | None:
        def over() -> bool:
            return bool(self.choosers.since(mark) or self.channel.failure or self.channel.blocked)

        await self.channel.signal.until(over, timeout)
        opened = self.choosers.since(mark)
        return await files.describe_chooser(self.channel, opened[-1]) if opened else None

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        everything = self.choosers.since(Mark(0))
        await files.choose(self.channel, next(one for one in everything if one.id == chooser.id), paths)

    # --- pictures ---

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        quality: int | None = None,
        timeout: float = 30,
    ) -> bytes:
        self.channel.check()
        return await capture.screenshot(self.channel, format, full_page, clip, quality, timeout)

    async def frame_place(self, frame: Frame, *, timeout: float = 30) -> tuple[Rect, Rect]:
        self.channel.check()
        return await geometry.frame_place(self.channel, self.frame_tree, frame, timeout)

    async def pdf(self, paper: Paper, write: Write, *, timeout: float = 30) -> None:
        from oryn.browsers.cdp.recording.printing import print_page

        self.channel.check()
        await print_page(self.channel, paper, write, timeout)

    async def start_screencast(self, show: Show, *, frames_per_second: float = 25) -> None:
        from oryn.browsers.cdp.recording.screencast import Screencast

        self.channel.check()
        if self._screencast is None or self._screencast.has_ended:
            self._screencast = Screencast(self.channel.session)
        await self._screencast.start(show, frames_per_second)

    async def stop_screencast(self, show: Show) -> None:
        if self._screencast is not None:
            self._screencast.stop(show)

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        return self.dialogs.open

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        return await self.dialogs.answer(accept, text)
