"""A real Chromium with the built extension in it, and nobody between the test and the two: no `Headless`, no scanner of
another session, just a pipe to look in through."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from oryn.browsers.cdp.connection import CdpConnection, CdpSession
from oryn.browsers.cdp.transport import PipeTransport
from oryn.browsers.chromium.launch import prepare_launch
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.process.browser_process import BrowserProcess
from oryn.browsers.process.run_folder import RunFolder
from oryn.errors import OrynError, TabNotFound

WAIT = 60.0
"""Seconds that anything may take on a busy machine."""
EVERYTHING: list[dict[str, str]] = [{}]
ARGUMENTS_VARIABLE = "EXTENDED_BROWSER_ARGUMENTS"
"""The environment variable with more options of Chromium, separated by spaces."""


class Target:
    """One target (a page, the worker) that the test looks into. Looking into the worker keeps it alive: `detach`."""

    def __init__(self, session: CdpSession, target_id: str) -> None:
        self.session = session
        self.id = target_id
        self.errors: list[str] = []
        self.warnings: list[str] = []
        session.on("Runtime.exceptionThrown", lambda event: self.errors.append(_thrown(event["exceptionDetails"])))
        session.on("Runtime.consoleAPICalled", self._said)
        self._isolated: asyncio.Queue[int] = asyncio.Queue()
        session.on("Runtime.executionContextCreated", self._on_context_created)

    def _said(self, event: dict[str, Any]) -> None:
        kept = {"error": self.errors, "assert": self.errors, "warning": self.warnings}.get(event["type"])
        if kept is not None:
            kept.append(" ".join(str(each.get("value", each.get("description", ""))) for each in event["args"]))

    def _on_context_created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context.get("auxData", {}).get("type") == "isolated" and context["name"] == "Oryn":
            self._isolated.put_nowait(context["id"])

    async def evaluate(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; a promise is waited for. `AssertionError` if it throws."""
        params = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = await self.session.call("Runtime.evaluate", params, timeout=WAIT)
        assert "exceptionDetails" not in answer, _thrown(answer["exceptionDetails"])
        return answer["result"].get("value")

    async def evaluate_in_extension(self, expression: str) -> Any:
        """The same in the isolated world of the extension's content scripts."""
        await self.session.call("Runtime.disable", timeout=WAIT)
        await self.session.call("Runtime.enable", timeout=WAIT)  # which tells all contexts again
        async with asyncio.timeout(WAIT):
            context = await self._isolated.get()
        params = {"expression": expression, "awaitPromise": True, "returnByValue": True, "contextId": context}
        answer = await self.session.call("Runtime.evaluate", params, timeout=WAIT)
        assert "exceptionDetails" not in answer, _thrown(answer["exceptionDetails"])
        return answer["result"].get("value")

    async def call(self, name: str, *arguments: Any) -> Any:
        """`await target.call("tabs.query", {})`: an extension API with JSON arguments."""
        return await self.evaluate(f"chrome.{name}(...{json.dumps(arguments)})")

    async def until(self, expression: str) -> Any:
        """The first true value of an expression: looked at again whenever the target has had a turn, also in the next
        document."""
        # From outside, for a worker may be busy or not yet there: nothing tells when its state has changed.
        async with asyncio.timeout(WAIT):
            while True:
                with suppress(DocumentGone):
                    if value := await self.evaluate(expression):
                        return value
                await asyncio.sleep(0.05)

    async def detach(self) -> None:
        """Look away. The target lives on as it would have without us."""
        await self.session.connection.root.call("Target.detachFromTarget", {"sessionId": self.session.id})


class ExtendedBrowser:
    """Chromium, started with an unpacked extension. `id` is the extension's."""

    arguments: ClassVar[tuple[str, ...]] = ()
    """More options of Chromium."""

    def __init__(self, folder: Path, runtime_dir: Path) -> None:
        self.folder = folder
        self._runtime_dir = runtime_dir
        self.connection = CdpConnection()
        self.process: BrowserProcess | None = None
        self._run_folder: RunFolder | None = None
        self.id = ""

    async def start(self) -> None:
        prepared = prepare_launch(
            None,
            headful=False,
            profile=None,
            viewport=(1280, 720),
            runtime_dir=self._runtime_dir,
            extensions=(self.folder,),
            extra_args=(*self.arguments, *os.environ.get(ARGUMENTS_VARIABLE, "").split()),
        )
        started = prepared.launch()
        self.process, self._run_folder = BrowserProcess(started), started.folder
        pipe = PipeTransport(self.connection.receive, self.connection.on_lost, started.pipe)
        self.connection.attach(pipe)
        await pipe.listen()
        await self.install()

    async def install(self) -> None:
        loaded = await self._root("Extensions.loadUnpacked", path=str(self.folder))
        self.id = loaded["id"]

    async def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            await self.process.wait(WAIT)
        self.connection.close()
        if self._run_folder is not None:
            self._run_folder.remove()
            self._run_folder.release()

    async def worker(self) -> Target:
        """The service worker, looked into. Waits until the browser has started it."""
        worker = await self._attach(await self._worker_id())
        await worker.until("typeof chrome === 'object' && typeof oryn === 'object'")
        return worker

    async def awake(self) -> Target:
        """The worker with its engine ready, woken by a page of the extension if it has to be."""
        page = await self.open(f"chrome-extension://{self.id}/engine/built.json")
        await page.evaluate("{ globalThis.port = chrome.runtime.connect({name: 'popup'}); }")
        worker = await self.worker()
        await worker.until("['ready', 'failed'].includes(globalThis.oryn?.engine.state)")
        assert not (error := await worker.evaluate("oryn.engine.error")), error
        await self.close_tab(page)
        return worker

    async def kill_worker(self) -> None:
        """End the worker as the browser does when it has been idle or busy for too long; what wakes it starts it."""
        worker = await self._worker_id()
        with suppress(TabNotFound):  # it has just ended
            attached = await self._root("Target.attachToTarget", targetId=worker, flatten=True)
            await self._end_worker(worker, self.connection.session(attached["sessionId"]))

    async def _end_worker(self, worker: str, session: CdpSession) -> None:
        # Not by its absence from the targets alone: a page that connects again starts it within milliseconds, under
        # the same id if anybody looks into it.
        ended = asyncio.Event()
        session.on("Inspector.targetCrashed", lambda _: ended.set())
        session.send("Inspector.enable", {})
        async with asyncio.timeout(WAIT):
            while not ended.is_set() and worker in await self._workers():
                with suppress(OrynError):  # it has just ended
                    await self._root("Target.closeTarget", targetId=worker)  # again: one that is starting does not hear
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), 0.05)
        with suppress(OrynError):  # it ends with the worker, if nobody else looks into it
            await self._root("Target.detachFromTarget", sessionId=session.id)

    async def has_worker(self) -> bool:
        """Whether the worker runs at all."""
        return bool(await self._workers())

    async def open(self, url: str) -> Target:
        """A new tab in front that shows `url`; "popup" is the extension's, as a page."""
        return await self._open(url, background=False)

    async def open_behind(self, url: str) -> Target:
        """The same behind the tab in front."""
        return await self._open(url, background=True)

    async def _open(self, url: str, background: bool) -> Target:
        if url == "popup":
            url = f"chrome-extension://{self.id}/popup/popup.html"
        made = await self._root("Target.createTarget", url=url, background=background)
        target = await self._attach(made["targetId"])
        shown = "true" if url == "about:blank" else "location.href !== 'about:blank'"
        await target.until(f"document.readyState === 'complete' && {shown}")
        return target

    async def popup(self) -> Target:
        """The popup itself, opened above the page in front as a press on the icon in the toolbar does."""
        worker = await self.worker()
        await worker.until("globalThis.chrome?.action")
        await worker.evaluate("chrome.action.openPopup().then(() => 1)")
        async with asyncio.timeout(WAIT):
            while True:
                for each in (await self._root("Target.getTargets"))["targetInfos"]:
                    if each["url"].endswith("/popup/popup.html"):
                        return await self._attach(each["targetId"])
                await asyncio.sleep(0.05)

    async def close_tab(self, target: Target) -> None:
        await self._root("Target.closeTarget", targetId=target.id)

    async def tab_number(self, target: Target) -> int:
        """The number that the extension knows a tab by."""
        worker = await self.worker()
        targets = "chrome.debugger.getTargets()"
        number = await worker.until(f"{targets}.then((all) => all.find(({{ id }}) => id === '{target.id}')?.tabId)")
        await worker.detach()
        return int(number)

    async def page_in_front(self) -> str:
        """Leave an empty page as the only tab, in the only window; its target's id."""
        others = await self._page_ids()
        made = await self._root("Target.createTarget", url="about:blank")
        await self._root("Target.activateTarget", targetId=made["targetId"])
        for each in others:
            with suppress(TabNotFound):  # a popup closes when another tab is in front
                await self._root("Target.closeTarget", targetId=each)
        async with asyncio.timeout(WAIT):
            while others & await self._page_ids():  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        target_id: str = made["targetId"]
        return target_id

    async def _page_ids(self) -> set[str]:
        found = await self._root("Target.getTargets", filter=[{"type": "page"}])
        return {each["targetId"] for each in found["targetInfos"]}

    async def _worker_id(self) -> str:
        async with asyncio.timeout(WAIT):
            while not (workers := await self._workers()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        return workers[0]

    async def _workers(self) -> list[str]:
        targets = (await self._root("Target.getTargets", filter=EVERYTHING))["targetInfos"]
        return [
            each["targetId"]
            for each in targets
            if each["type"] == "service_worker" and each["url"].startswith(f"chrome-extension://{self.id}/")
        ]

    async def _attach(self, target_id: str, timeout: float = WAIT) -> Target:
        attached = await self._root("Target.attachToTarget", targetId=target_id, flatten=True)
        target = Target(self.connection.session(attached["sessionId"]), target_id)
        await target.session.call("Runtime.enable", timeout=timeout)
        return target

    async def _root(self, method: str, **params: Any) -> dict[str, Any]:
        return await self.connection.root.call(method, params, timeout=WAIT)


def _thrown(details: dict[str, Any]) -> str:
    return str(details.get("exception", {}).get("description") or details["text"])
