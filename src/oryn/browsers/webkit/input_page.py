"""`WebKitInputPage`: what a tab takes from its user: the mouse and the keyboard, answers to dialogs, files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Checkpoint, DialogPolicy, FileChooser, Frame
from oryn.browsers.common.keyboard import KeySequencer
from oryn.browsers.common.scanned_page import ScannedPage
from oryn.browsers.common.synthetic_input import InputRequests, SyntheticKeyboard, SyntheticMouse
from oryn.browsers.webkit.dialogs import WebKitDialogs
from oryn.browsers.webkit.file_choosers import FileChoosers
from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
from oryn.browsers.webkit.input import Interactions, WebKitKeyboard, WebKitMouse

if TYPE_CHECKING:
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.clipboard import WebKitClipboard
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient


class NoSideEffects:
    """What the scanner does besides trusted input opens no tabs and no choosers."""

    async def open_tab(self, url: str) -> None:
        """See `common.synthetic_input.ClickSideEffects`."""

    def on_file_chooser_opened(self) -> None:
        """See `common.synthetic_input.ClickSideEffects`."""


class WebKitInputPage(ScannedPage[WebKitFrameNode]):
    """A tab, as far as its input goes. `prepare_input` completes it, before its first session is set up."""

    channel: WebKitChannel
    frame_tree: WebKitFrameTree
    scanner_client: WebKitScannerClient
    dialogs: WebKitDialogs

    def prepare_input(self, policy: Callable[[], DialogPolicy | None], clipboard: WebKitClipboard) -> None:
        """Set up the input. The channel, the frames and the scanner's client must be there.

        policy: returns the session's dialog policy at the time of the call."""
        channel, scanner = self.channel, self.scanner_client
        self.dialogs = dialogs = WebKitDialogs(channel, policy)
        channel.on_slow = dialogs.on_slow
        self._choosers = FileChoosers(channel, self.frame_tree, scanner)
        sequencer = KeySequencer()
        interactions = Interactions(channel, self.check_input_allowed)
        requests = InputRequests(self, NoSideEffects())
        self._synthetic_mouse = SyntheticMouse(requests, sequencer)
        self._mouse = WebKitMouse(interactions, sequencer, self._synthetic_mouse)
        self._keyboard = WebKitKeyboard(
            interactions,
            sequencer,
            SyntheticKeyboard(requests, sequencer, ""),
            lambda: clipboard.pasting(self.frame_tree, scanner),
        )
        scanner.on_report |= {
            "dialog": dialogs.on_report,
            "dialog-closed": dialogs.on_closed_report,
            "copied": clipboard.on_copied,
            "copied-other": clipboard.on_other_copied,
            "file-input": self._choosers.on_file_input,
            "files-chosen": self._choosers.on_files_chosen,
            "double-click": self._mouse.on_double_click,
        }

    def on_file_chooser_dismissed(self, event: dict[str, Any]) -> None:
        """The browser reports a file chooser of one of its tabs (`Automation.fileChooserDismissed`)."""
        if event["browsingContextHandle"] == self.channel.handle:
            self._choosers.on_dismissed(event)

    # --- trusted input ---

    @property
    def mouse(self) -> WebKitMouse:
        return self._mouse

    @property
    def keyboard(self) -> WebKitKeyboard:
        return self._keyboard

    # --- files ---

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        await self._choosers.set(element_id, paths, self.require_page(self.frame_tree.node(frame)))

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        await self.check_input_allowed(x, y)
        self.channel.check()
        await self._choosers.drop(x, y, paths, self._synthetic_mouse)

    async def accepts_drop(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        return await self._choosers.accepts_drop(element_id, self.frame_tree.node(frame))

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        return await self._choosers.find(checkpoint, timeout)

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        await self._choosers.choose(chooser, paths)

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        return self._choosers.waits(checkpoint)
