"""Runs the scanner in the frames of a tab, with one round trip per request.

WebKit has no isolated worlds. The bootstrap script makes the scanner a realm of its own in each document, before the
page's scripts, and reports a handle of it on the inspector's console, with a token that no page knows. Nothing in the
page's own world leads to it (`webkit/bootstrap.py`, `scanner/webkit/realm.ts`). A document that began before the tab
was attached, such as the first one of a tab that a page opens, gets the scanner when it is first needed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.main_world import error_response
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.scanner_client import REFRESH_SECONDS, ScannerClient
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.closed_roots import WebKitClosedRoots
from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
from oryn.errors import FrameNotFound, InternalError, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.scanner.protocol import EventPathsRequest, ScannerRequest, ScannerResponse

ELEMENT_SECONDS = 30.0
CONTEXT_SECONDS = 2.0
"""How long a document that has just been committed may take to report its execution context."""
GROUP = "oryn"
"""The inspector's name for the objects that Oryn keeps."""

OnReport = Callable[[str, str | None], None]
"""Takes a text and the id of an object, if one came with it."""


class Handles:
    """The handles of one session's documents, by their execution contexts."""

    def __init__(self, session: ProtocolSession) -> None:
        self._session = session
        self._handles: dict[int, asyncio.Future[str]] = {}

    def on_reported(self, collection: str) -> None:
        """A document has reported its handle, in a collection. The first one of a document counts: no script of the
        page has run before it."""
        context = context_of(collection)
        if context not in self._handles:
            self._handles[context] = asyncio.ensure_future(self._take(collection))
            self._handles[context].add_done_callback(_retrieve)

    async def _take(self, collection: str) -> str:
        """The object in a collection, under another name: `console.clear` of the page releases the reported one."""
        params = {"objectId": collection, "objectGroup": GROUP}
        answer = await self._session.send("Runtime.getCollectionEntries", params)
        handle: str = answer["entries"][0]["value"]["objectId"]
        return handle

    def add(self, context: int, handle: str) -> None:
        """The scanner was loaded into a document."""
        self._handles[context] = future = asyncio.get_running_loop().create_future()
        future.set_result(handle)

    async def get(self, context: int) -> str | None:
        """The handle of a document, or None if there is none, or it was released before it was taken."""
        found = self._handles.get(context)
        if found is None:
            return None
        try:
            return await asyncio.shield(found)
        except (OrynError, LookupError):
            if self._handles.get(context) is found:
                del self._handles[context]
            return None


class WebKitScannerClient(ScannerClient[WebKitFrameNode]):
    """The scanner of one tab.

    on_report: by kind, the listeners of what the bootstrap script's other parts report; called at once."""

    def __init__(self, channel: WebKitChannel, frames: WebKitFrameTree, bootstrap: Bootstrap) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._bootstrap = bootstrap
        self._handles: dict[ProtocolSession, Handles] = {}
        self._roots = WebKitClosedRoots(channel, self)
        self._console_functions: dict[tuple[ProtocolSession, int], str] = {}
        self.on_report: dict[str, OnReport] = {}

    def install(self, session: ProtocolSession) -> None:
        """Listen for the handles of the documents of a session of the tab."""
        self._handles = {each: handles for each, handles in self._handles.items() if each.ended is None}
        self._handles[session] = Handles(session)
        session.on("Console.messageAdded", lambda event: self._on_message(session, event["message"]))

    def _on_message(self, session: ProtocolSession, message: dict[str, Any]) -> None:
        token, first, *rest = [*message.get("parameters", ()), {}, {}][:4]
        if token.get("value") != self._bootstrap.names.token:
            return
        if "objectId" in first:
            self._handles[session].on_reported(first["objectId"])
        elif (listener := self.on_report.get(str(first.get("value")))) is not None:
            text, *more = rest
            listener(str(text.get("value", "")), more[0].get("objectId") if more else None)

    # --- handles ---

    async def handle(self, node: WebKitFrameNode, *, timeout: float = ELEMENT_SECONDS) -> str:
        """The object id of the handle (`Handle` in `scanner/webkit/realm.ts`) in a frame's document; the scanner is
        loaded if it is not there. Raises `DocumentGone`, `FrameNotFound`."""
        found = await self._find(node, timeout)
        if found is None:
            await self.load(node, timeout)
            found = await self._find(node, timeout)
        if found is None:
            raise _document_gone()
        return found

    async def _find(self, node: WebKitFrameNode, timeout: float) -> str | None:
        context = await self.context(node, timeout)
        return await self._handles[self._channel.session].get(context)

    async def context(self, node: WebKitFrameNode, timeout: float) -> int:
        """The execution context of a frame's document."""
        if node.context is None:
            if self._frames.get(node.id) is not node:
                raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
            await self._channel.signal.until(lambda: node.context is not None, min(timeout, CONTEXT_SECONDS))
        if node.context is None:
            raise _document_gone()
        return node.context

    async def load(self, node: WebKitFrameNode, timeout: float) -> None:
        context = await self.context(node, timeout)
        session, handles = self._channel.session, self._handles[self._channel.session]
        # The answer comes after all that the document has reported by now.
        await self._channel.call("Runtime.evaluate", {"expression": "0", "contextId": context}, timeout=timeout)
        if session is not self._channel.session or await handles.get(context) is not None:
            return
        async with asyncio.timeout(timeout):
            answer = await self._bootstrap.install_late(session, context, GROUP)
        if answer.get("wasThrown") or "objectId" not in answer["result"]:
            raise InternalError(f"the scanner was not loaded: {answer['result'].get('description')}")
        handles.add(context, answer["result"]["objectId"])

    # --- requests ---

    async def run(self, request: ScannerRequest, node: WebKitFrameNode, timeout: float) -> ScannerResponse:
        """See `ScannerClient.run`. A request for documents of one origin alone goes to those that are, according to the
        browser; the scanner compares with its own document's once more."""
        origin = request.get("origin")
        if origin is not None and node.origin != origin:
            return error_response("ORIGIN_CHANGED", f"the document is not of {origin}: nothing was done")
        return await super().run(request, node, timeout)

    async def call(self, node: WebKitFrameNode, request: str, timeout: float) -> Any:
        handle = await self._find(node, timeout)
        if handle is None:
            return None
        return await self.call_handle(node, handle, "answer", request, timeout=timeout)

    async def call_handle(
        self, node: WebKitFrameNode, handle: str, function: str, *arguments: Any, timeout: float, by_value: bool = True
    ) -> Any:
        """Call a function of a handle with data, and with objects (`{"objectId": …}`); its value, or that of its
        promise, as data or, without `by_value`, as `RemoteObject`."""
        context = node.context
        # The page's own world runs it: parameters one by one, as an iterator there may be the page's.
        names = ",".join(f"a{number}" for number in range(len(arguments)))
        call = {
            "objectId": handle,
            "functionDeclaration": f"function({names}){{return this.{function}({names})}}",
            "arguments": [each if is_object(each) else {"value": each} for each in arguments],
        }
        answer = await self._channel.call("Runtime.callFunctionOn", call, timeout=timeout)
        if answer["result"].get("className") == "Promise":
            promise = {"promiseObjectId": answer["result"]["objectId"], "returnByValue": True}
            waiting = self._channel.call("Runtime.awaitPromise", promise, timeout=timeout)
            answer = await self.until_left(node, context, waiting)
            self._channel.session.send("Runtime.releaseObject", {"objectId": promise["promiseObjectId"]})
        if answer.get("wasThrown"):
            raise InternalError(f"the scanner failed: {answer['result'].get('description')}")
        return answer["result"].get("value") if by_value else answer["result"]

    async def until_left(self, node: WebKitFrameNode, context: int | None, answer: Any) -> Answer:
        """Wait for a promise of a document. If that goes away, the browser never answers. Raises `DocumentGone`."""
        waiting = asyncio.ensure_future(answer)
        left = asyncio.ensure_future(self._channel.signal.until(lambda: node.context != context, ELEMENT_SECONDS * 100))
        try:
            await asyncio.wait((waiting, left), return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise _document_gone()
            return waiting.result()  # type: ignore[no-any-return]
        finally:
            for each in waiting, left:
                each.cancel()
            await asyncio.wait((waiting, left))

    async def reveal(self, node: WebKitFrameNode, timeout: float) -> None:
        try:
            await self._roots.reveal(node, timeout)
        except (DocumentGone, KeyError, TimeoutError):
            return  # the request that needs the roots meets the same failure, or another document

    async def element(self, element_id: int, node: WebKitFrameNode) -> str | None:
        """The object id of the element with this number in the scanner of `node`, or None."""
        handle = await self.handle(node)
        found = await self.call_handle(node, handle, "element", element_id, timeout=ELEMENT_SECONDS, by_value=False)
        element: str | None = found.get("objectId")
        return element

    async def is_closing(self) -> bool:
        node = self._frames.top
        try:
            handle = await self._find(node, REFRESH_SECONDS)
            if handle is None:
                return False
            return await self.call_handle(node, handle, "isClosed", timeout=REFRESH_SECONDS) is True
        except (DocumentGone, FrameNotFound, Timeout):
            return False

    # --- frames ---

    async def frame_operation(
        self, parent: WebKitFrameNode, index: int, operation: str, *numbers: float, timeout: float
    ) -> Any:
        """Run an operation of the page script `frame` on the element of the frame that is `window[index]` in `parent`.
        Raises `FrameNotFound`."""
        x, y = [*numbers, 0, 0][:2]
        handle = await self.handle(parent, timeout=timeout)
        answer = await self.call_handle(parent, handle, "frame", index, operation, x, y, timeout=timeout)
        if answer is None:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return json.loads(answer)

    async def frame_index(self, element_id: int, node: WebKitFrameNode) -> int | None:
        """The index of the frame that the element with this number shows, among those of its document, or None."""
        handle = await self.handle(node)
        index: int = await self.call_handle(node, handle, "frameIndex", element_id, timeout=ELEMENT_SECONDS)
        return None if index < 0 else index

    # --- listeners ---

    async def listeners(self, node: WebKitFrameNode, levels: int, timeout: float) -> Any:
        try:
            handle = await self._find(node, timeout)
            if handle is None:
                return None
            function = await self.console_function(node, "getEventListeners", timeout)
            answer, _ = await asyncio.gather(
                self.call_handle(node, handle, "listeners", function, levels, timeout=timeout),
                self._roots.refresh_listeners(node, timeout),
            )
            return json.loads(answer)
        except (OrynError, KeyError, ValueError, TypeError, TimeoutError):
            return None  # only hints: the request that uses them meets the same failure

    async def path_listeners(
        self, element_id: int, node: WebKitFrameNode, *, pressed: bool, timeout: float
    ) -> str | None:
        """See `browsers.base.Page.path_listeners`."""
        request: EventPathsRequest = {"cmd": "event_paths", "id": element_id, "pressed": pressed}
        try:
            response = await self.run(request, node, timeout)
            paths = (response.get("data") or {}).get("paths")
            if paths is None:
                return None
            function = await self.console_function(node, "getEventListeners", timeout)
            handle = await self.handle(node, timeout=timeout)
            arguments = (function, json.dumps(paths), pressed)
            found = json.loads(await self.call_handle(node, handle, "pathListeners", *arguments, timeout=timeout))
        except (OrynError, KeyError, ValueError, TypeError):
            return None  # the action meets the same failure
        return found if isinstance(found, str) else None

    async def console_function(self, node: WebKitFrameNode, name: str, timeout: float) -> dict[str, str]:
        """A function of the console in a frame's document. A page may have another one of this name: what it answers is
        a hint."""
        session, context = self._channel.session, await self.context(node, timeout)
        found = self._console_functions.get((session, context))
        if found is None:
            params = {"expression": name, "contextId": context, "includeCommandLineAPI": True, "objectGroup": GROUP}
            answer = await self._channel.call("Runtime.evaluate", params, timeout=timeout)
            found = answer["result"]["objectId"]
            present = {key: each for key, each in self._console_functions.items() if key[0] is session}
            self._console_functions = {**present, (session, context): found}
        return {"objectId": found}


def context_of(object_id: str) -> int:
    """The execution context of a remote object."""
    context: int = json.loads(object_id)["injectedScriptId"]
    return context


def is_object(value: Any) -> bool:
    return isinstance(value, dict) and "objectId" in value


def _document_gone() -> DocumentGone:
    return DocumentGone("the document went away", "Run 'observe' to see what is there now.")


def _retrieve(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()
