"""Files of this computer for the pages of one tab.

The browser opens no window for a file chooser: it cancels the chooser, or answers it with the files that it was given
before, if the field accepts their types, and reports that. So documents report which file field is clicked
(`scanner/webkit/chosen_files.ts`), whose chooser is opened again. A field of our own gets what is dropped, and files of
a type that the page's field does not accept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from oryn.browsers.base import Checkpoint, FileChooser
from oryn.browsers.common.events import EventLog
from oryn.browsers.webkit.scanner_client import context_of
from oryn.core.records import Record
from oryn.errors import ElementStale, FileError

if TYPE_CHECKING:
    from oryn.browsers.common.synthetic_input import SyntheticMouse
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient
    from oryn.browsers.webkit.session import WebKitSession

CHOOSER_SECONDS = 10.0
"""How long a chooser may take to be answered by the browser."""
ARRIVAL_SECONDS = 0.5
"""How long a field may take to get the files. One that has got the same files before tells nothing."""
# The element and those around it, up to where a page listens for everything.
_LISTENS_FOR_DROPS = """function(getEventListeners) {
  for (let node = this; node && node !== document.body && node !== document.documentElement;
       node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null))
    if (getEventListeners(node).drop) return true;
  return false;
}"""

_locks: WeakKeyDictionary[WebKitSession, asyncio.Lock] = WeakKeyDictionary()
"""The browser has the files for the next chooser of any tab."""


class CancelledChooser(Record, frozen=False):
    """A file chooser that a page has opened, and that was cancelled.

    element: the inspector's id of the file field, or None if no document has reported one."""

    element: str | None
    answered: bool = False


class FileChoosers:
    """The file choosers of one tab. `on_file_input` is for the reports of its pages, `on_dismissed` for the browser's
    event `Automation.fileChooserDismissed` about this tab."""

    def __init__(self, channel: WebKitChannel, frames: WebKitFrameTree, scanner: WebKitScannerClient) -> None:
        self._channel = channel
        self._frames = frames
        self._scanner = scanner
        self._clicked: str | None = None
        self._own: asyncio.Future[bool] | None = None
        """Whether the browser has chosen files, while a chooser is opened here."""
        self._arrival: asyncio.Future[None] | None = None
        """Done once the field has got them."""
        self._log: EventLog[CancelledChooser] = EventLog()

    # --- reports ---

    def on_file_input(self, text: str, object_id: str | None) -> None:
        """A file field was clicked, whose chooser opens unless the page prevents that."""
        self._clicked = object_id

    def on_files_chosen(self, text: str, object_id: str | None) -> None:
        """A field has got the files of a chooser that was opened here."""
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def on_dismissed(self, event: dict[str, Any]) -> None:
        """The browser has answered a chooser, or cancelled it."""
        if self._own is not None:
            if not self._own.done():
                self._own.set_result(not event["selectionCancelled"])
            return
        self._log.record(self._channel.moment, CancelledChooser(self._clicked))
        self._clicked = None
        self._channel.signal.notify()

    def waits(self, checkpoint: Checkpoint) -> bool:
        """Whether a chooser since a checkpoint has no files yet."""
        return any(not opened.answered for opened in self._log.since(checkpoint))

    async def find(self, checkpoint: Checkpoint, timeout: float) -> FileChooser | None:
        """See `browsers.base.Page.file_chooser`."""

        def has_opened() -> bool:
            return bool(self._log.since(checkpoint) or self._channel.failure or self._channel.blocked)

        await self._channel.signal.until(has_opened, timeout)
        choosers = self._log.since(checkpoint)
        if not choosers:
            return None
        opened = choosers[-1]
        if opened.element is None:
            return FileChooser("", False)
        wanted = await self._call(await self._handle_of(opened.element), "wantedFiles", opened.element)
        return FileChooser(opened.element, wanted["multiple"], wanted["accept"])

    # --- files ---

    async def choose(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        """See `browsers.base.Page.choose_files`."""
        for opened in self._log.since(Checkpoint(0)):
            if opened.element == chooser.id:
                opened.answered = True
        await self._put(await self._handle_of(chooser.id), chooser.id, paths)

    async def set(self, element_id: int, paths: Sequence[str], node: WebKitFrameNode) -> None:
        """See `browsers.base.Page.set_files`. Raises `ElementStale`."""
        element = await self._scanner.element(element_id, node)
        if element is None:
            raise ElementStale("the file input has left the page", "Run 'observe' again.")
        await self._put(await self._scanner.handle(node), element, paths)

    async def drop(self, x: float, y: float, paths: Sequence[str], mouse: SyntheticMouse) -> None:
        """See `browsers.base.Page.drop_files`."""
        node = self._frames.node(await mouse.frame_at(x, y))
        handle = await self._scanner.handle(node)
        await self._choose_own(handle, paths)
        await mouse.drop(x, y)

    async def accepts_drop(self, element_id: int, node: WebKitFrameNode) -> bool:
        """See `browsers.base.Page.accepts_drop`."""
        element = await self._scanner.element(element_id, node)
        if element is None:
            return False
        getter = await self._scanner.console_function(node, "getEventListeners", CHOOSER_SECONDS)
        answer = await self._run(element, _LISTENS_FOR_DROPS, getter, by_value=True)
        return answer["result"].get("value") is True

    async def _put(self, handle: str, element: str, paths: Sequence[str]) -> None:
        """Give files to a field of the page."""
        if not await self._open(handle, "openChooser", element, paths):
            # The field does not accept their types, of which the engine tells: pages may take them all the same.
            await self._choose_own(handle, paths)
            await self._call(handle, "giveChosenFiles", element)

    async def _choose_own(self, handle: str, paths: Sequence[str]) -> None:
        if not await self._open(handle, "openOwnChooser", None, paths):
            raise FileError("the browser did not take the files", "Check that they are still there.")

    async def _open(self, handle: str, function: str, element: str | None, paths: Sequence[str]) -> bool:
        """Open a chooser, which the browser answers with the files. Whether it has done so."""
        automation = self._channel.automation
        async with _locks.setdefault(automation, asyncio.Lock()):
            await self._channel.automate("setFilesToSelectForFileUpload", {"filenames": list(paths)})
            loop = asyncio.get_running_loop()
            self._own, self._arrival = loop.create_future(), loop.create_future()
            try:
                await self._call(handle, function, element)
                await asyncio.wait({self._own}, timeout=CHOOSER_SECONDS)
                is_chosen = self._own.done() and self._own.result()
                if is_chosen:
                    await asyncio.wait({self._arrival}, timeout=ARRIVAL_SECONDS)
                return is_chosen
            finally:
                self._own = self._arrival = None
                self._channel.send_automation("setFilesToSelectForFileUpload", {"filenames": []})

    # --- objects of the page ---

    async def _handle_of(self, element: str) -> str:
        """The handle of the document that an object is of. Raises `ElementStale`."""
        node = self._frames.node_of_context(context_of(element))
        if node is None:
            raise ElementStale("the file input has left the page", "Run 'observe' again.")
        return await self._scanner.handle(node)

    async def _call(self, handle: str, function: str, element: str | None) -> Any:
        """Call one of the functions of `scanner/webkit/input_reports.ts`, as if a person had pressed there."""
        arguments = [] if element is None else [{"objectId": element}]
        answer = await self._run(
            handle, f"function(element) {{ return this.input.{function}(element) }}", *arguments, by_value=True
        )
        return answer["result"].get("value")

    async def _run(
        self, object_id: str, function: str, *arguments: dict[str, str], by_value: bool = False
    ) -> dict[str, Any]:
        params = {"objectId": object_id, "functionDeclaration": function, "arguments": list(arguments)}
        return await self._channel.call(
            "Runtime.callFunctionOn", {**params, "emulateUserGesture": True, "returnByValue": by_value}
        )
