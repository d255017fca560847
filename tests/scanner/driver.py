"""A minimal Chromium driver over a debugging pipe: just enough of the DevTools protocol to run the scanner.

Standard library only, synchronous, one tab. The product's own browser is `oryn.browsers.cdp`; this one exists so that the
scanner can be tested alone.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Any

from oryn.scanner import LISTENERS_SCRIPT, bundle

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--hide-scrollbars",
    "--window-size=1280,720",
    "--remote-debugging-pipe",
)
WORLD = "oryn-test"


class DriverError(Exception):
    """The browser answered a protocol call with an error, or the page threw."""


class Chromium:
    """One browser with one tab, where the scanner is evaluated on every new document in an isolated world."""

    def __init__(self, binary: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="oryn-scanner-")
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()

        def place_pipe() -> None:
            # Chromium reads descriptor 3 and writes descriptor 4; the copies above 9 survive the renumbering.
            low_read, low_write = os.dup2(command_read, 60), os.dup2(answer_write, 61)
            os.dup2(low_read, 3)
            os.dup2(low_write, 4)

        self._process = subprocess.Popen(
            [binary, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=place_pipe,
            close_fds=False,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)
        self._buffer = b""
        self._serial = 0
        self.events: list[dict[str, Any]] = []
        self._contexts: dict[str, int] = {}
        self._own_worlds: dict[str, int] = {}
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime"):
            self.page(f"{domain}.enable")
        self.page("Emulation.setDeviceMetricsOverride", width=1280, height=720, deviceScaleFactor=1, mobile=False)
        self.page("Page.addScriptToEvaluateOnNewDocument", source=bundle(), worldName=WORLD, runImmediately=True)

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, timeout: float = 60, **params: Any) -> dict[str, Any]:
        self._serial += 1
        serial = self._serial
        message: dict[str, Any] = {"id": serial, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        deadline = time.monotonic() + timeout
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == serial:
                if "error" in answer:
                    raise DriverError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])

    def page(self, method: str, **params: Any) -> dict[str, Any]:
        return self.call(method, self._session, **params)

    def wait_event(self, method: str, timeout: float = 30) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        while True:
            for index, event in enumerate(self.events):
                if event["method"] == method:
                    return dict(self.events.pop(index)["params"])
            self._receive(deadline)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser did not answer in time")
            self._buffer += os.read(self._read, 1 << 20)
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        if "method" in message:
            self._note(message)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event["method"] == "Runtime.executionContextCreated":
            context = params["context"]
            if context["name"] == WORLD:
                self._contexts[context["auxData"]["frameId"]] = context["id"]
            elif context["auxData"]["isDefault"]:
                self._own_worlds[context["auxData"]["frameId"]] = context["id"]
        elif event["method"] == "Runtime.executionContextsCleared":
            self._contexts.clear()
            self._own_worlds.clear()
        elif event["method"] == "Runtime.executionContextDestroyed":
            gone = params["executionContextId"]
            self._own_worlds = {frame: context for frame, context in self._own_worlds.items() if context != gone}
        elif event["method"] in ("Page.loadEventFired", "Page.javascriptDialogOpening"):
            self.events.append(event)

    def goto(self, url: str) -> None:
        self.events.clear()
        answer = self.page("Page.navigate", url=url)
        self._main = answer["frameId"]
        if "loaderId" in answer:
            self.wait_event("Page.loadEventFired")

    def evaluate(self, expression: str, *, world: bool = False, api: bool = False) -> Any:
        """The value of an expression in the page's world, or (`world`) in the scanner's."""
        params: dict[str, Any] = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        if world:
            params["contextId"] = self._contexts[self._main]
        if api:
            params["includeCommandLineAPI"] = True
        answer = self.page("Runtime.evaluate", **params)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise DriverError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def listeners(self) -> dict[str, Any]:
        """The hints of all frames of the main frame's origin, united."""
        hints = dict(self.evaluate(LISTENERS_SCRIPT, api=True) or {})
        for context in self._frame_contexts():
            params = {"expression": LISTENERS_SCRIPT, "returnByValue": True, "includeCommandLineAPI": True, "contextId": context}
            inner = self.page("Runtime.evaluate", **params)["result"].get("value")
            if inner and inner["count"] == hints.get("count"):
                hints["positions"] = sorted({*hints["positions"], *inner["positions"]})
        return hints

    def _frame_contexts(self) -> list[int]:
        return [context for frame, context in self._own_worlds.items() if frame != self._main]

    def scanner(self, command: str, **parameters: Any) -> dict[str, Any]:
        """One scanner command; the whole response."""
        request = json.dumps({"cmd": command, **parameters})
        answer = self.evaluate(f"__oryn_scanner({json.dumps(request)})", world=True)
        return dict(json.loads(answer))
