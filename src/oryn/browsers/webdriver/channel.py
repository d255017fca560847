"""One tab's commands to the driver. The driver has one current window and frame for all of them, so each command
switches there first, and a lock lets one run at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from oryn import scanner
from oryn.browsers.common.reported_console import with_console_listeners
from oryn.browsers.common.tab_state import AnswerLost, DocumentGone, TabState
from oryn.browsers.webdriver.client import DriverClient, DriverDocument
from oryn.browsers.webdriver.error_mapping import AlertOpen, DriverLost
from oryn.core.error_text import round_up_seconds
from oryn.errors import CannotAccessPage, DialogOpen, FrameNotFound, OrynError, TabNotFound, Timeout

FramePath = tuple[int, ...]
"""The way from the top frame to a frame: at each step the number of the frame in its parent (`window[n]`)."""
MAX_RETRIES = 3
HEARTBEAT_SECONDS = 1.0
INJECTION_SECONDS = 3.0
"""A script that ends at once takes longer only if its document went away meanwhile: the driver does not report it."""

# Answers are texts: the driver makes JSON of them with the page's own functions, which may have been replaced.
_CALL = """const name = arguments[0], done = arguments[arguments.length - 1];
const page = globalThis[Symbol.for('oryn.page')];
if (!page) {
  const source = Function.prototype.toString;
  const { map, push, slice, join, filter, includes, concat } = Array.prototype;
  const needed = [JSON.stringify, JSON.parse, map, push, slice, join, filter, includes, concat];
  let tampered = 'toJSON' in Object.prototype;
  for (const each of needed) tampered ||= !/native code/.test(source.call(each));
  done(tampered ? 'tampered' : 'missing');
} else page.call(name, arguments[1], (value) => done('=' + value));"""
MISSING = "missing"
"""The answer of a script whose counterpart is not in the document yet; others begin with `=`."""
TAMPERED = "tampered"
"""The same, if the page has replaced functions that scripts need (`pristine.js`)."""


_FRAME_SCRIPT = "/* frame.js */ null"


@cache
def page_script() -> str:
    """The script that is put into each document (`page.js`)."""
    script = (files("oryn.browsers.webdriver") / "page.js").read_text(encoding="utf-8")
    assert _FRAME_SCRIPT in script
    return with_console_listeners(script.replace(_FRAME_SCRIPT, scanner.page_script("frame"), 1))


@cache
def _pristine_script() -> str:
    return (files("oryn.browsers.webdriver") / "pristine.js").read_text(encoding="utf-8")


def with_pristine_builtins(script: str, *, hold: bool = True) -> str:
    """A script for a page that has replaced functions of JavaScript. The driver makes a function of a script, evaluates
    that, and only then calls functions of the page; so the text ends that function, puts JavaScript's own functions
    back, and begins another function. With `hold` they stay until a script that takes a while has answered."""
    begin = "globalThis[Symbol.for('oryn.pristine')]"
    take = f"""{_TAKE}
const release = {begin}({str(hold).lower()}), pass = resolve;
resolve = (value) => {{ {f"{begin}()" if not hold else "release()"}; pass(value); }};"""
    return f"}});\n{_pristine_script()}\n(function () {{\n{script.replace(_TAKE, take, 1)}"


def _with_arguments(script: str, arguments: Sequence[Any]) -> str:
    """A call with the arguments as literals: the driver would read them with the page's functions. JSON of ASCII
    characters is JavaScript."""
    return f"return (function () {{ {script}\n }})({', '.join(map(json.dumps, arguments))});"


_TAKE = "let resolve = arguments[arguments.length - 1];"


def _with_callback(script: str, arguments: Sequence[Any]) -> str:
    values = "".join(f"{each}, " for each in map(json.dumps, arguments))
    return f"{_TAKE} (function () {{ {script}\n }})({values}resolve);"


def decode_answer(answer: str) -> Any:
    """The value of an answer that begins with `=`; its shape is not to be trusted. Raises `DocumentGone`."""
    try:
        return json.loads(answer[1:])
    except ValueError:
        raise DocumentGone("the document went away", "Run 'observe' to see what is there now.") from None


class DialogAnswers(Protocol):
    """The dialogs of a tab."""

    @property
    def count(self) -> int:
        """How many dialogs the tab has opened."""
        ...

    async def discovered(self, message: str, count: int) -> bool:
        """The driver says that a dialog is open, to a command that was sent when `count` dialogs were known. Whether
        the command can be repeated, because the dialog is answered by now."""
        ...


class DriverSession:
    """The session of a driver that the tabs of a browser share, and where it is."""

    def __init__(self, client: DriverClient) -> None:
        self.client = client
        self.lock = asyncio.Lock()
        self.scanner_protocol = ""
        """The version of the protocol that the session's first scanner speaks."""
        self._window = ""
        self._path: FramePath = ()

    async def switch(self, window: str, path: FramePath, timeout: float) -> None:
        """Make a window and a frame current; hold the lock. Raises `TabNotFound`, `DocumentGone`."""
        if window != self._window:
            self._window = ""
            await self.client.post("/window", {"handle": window}, timeout=timeout)
            self._window, self._path = window, ()
        if path != self._path or path:
            self._path = (-1,)  # if it fails half-way
            await self.client.post("/frame", {"id": None}, timeout=timeout)
            for index in path:
                await self.client.post("/frame", {"id": index}, timeout=timeout)
            self._path = path

    def forget(self) -> None:
        """The driver may be elsewhere now: a window has closed, or a frame is gone."""
        self._window = ""


class WebDriverChannel(TabState):
    """The commands of one tab."""

    def __init__(self, session: DriverSession, window: str) -> None:
        """`window` is the driver's handle of the tab."""
        super().__init__()
        self.session = session
        self.window = window
        self.dialogs: DialogAnswers | None = None
        self.on_lost: Callable[[], None] = lambda: None
        self._waiting: dict[asyncio.Future[Any], bool] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.is_tampered = False
        """The page has replaced functions that scripts need: they get pristine ones."""
        self._is_judged = False

    @property
    def driver_document(self) -> DriverDocument | None:
        """What the driver reports of the top document besides WebDriver; None if it reports nothing."""
        return self.session.client.document(self.window)

    # --- commands ---

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        """A GET command in the tab's top frame."""
        return await self._run(lambda left: self.session.client.get(path, timeout=left), (), timeout, renderer=False)

    async def post(
        self,
        command: str,
        body: dict[str, Any] | None = None,
        *,
        path: FramePath = (),
        timeout: float = 30,
        renderer: bool = False,
    ) -> Any:
        """A POST command in a frame. `renderer` says that a dialog keeps it from being answered."""
        client = self.session.client
        return await self._run(lambda left: client.post(command, body, timeout=left), path, timeout, renderer=renderer)

    async def delete(self, path: str, *, timeout: float = 30) -> Any:
        """A DELETE command in the tab's top frame."""
        return await self._run(lambda left: self.session.client.delete(path, timeout=left), (), timeout, renderer=False)

    async def execute(
        self, script: str, arguments: Sequence[Any] = (), path: FramePath = (), *, timeout: float = 30
    ) -> Any:
        """The result of a script that answers at once. Raises `ScriptError`, `DocumentGone`, `DialogOpen`,
        `Timeout`."""
        return await self._execute("/execute/sync", _with_arguments(script, arguments), path, timeout)

    async def execute_async(
        self, script: str, arguments: Sequence[Any] = (), path: FramePath = (), *, timeout: float = 30
    ) -> Any:
        """The result of a script that calls its last argument with it. Raises what `execute` raises."""
        return await self._execute("/execute/async", _with_callback(script, arguments), path, timeout)

    async def _execute(self, command: str, script: str, path: FramePath, timeout: float) -> Any:
        if not self.is_tampered:
            try:
                return await self._send_script(command, script, path, timeout)
            except AnswerLost:
                self.is_tampered = True
                raise
        return await self._send_script(command, with_pristine_builtins(script), path, timeout)

    async def _send_script(self, command: str, script: str, path: FramePath, timeout: float) -> Any:
        client, body = self.session.client, {"script": script, "args": []}
        return await self._run(lambda left: client.post(command, body, timeout=left), path, timeout, renderer=True)

    async def call(self, name: str, *values: Any, path: FramePath = (), timeout: float = 30) -> Any:
        """Call a function of `page.js` in a frame, which gets the script if it has none."""
        for _ in range(MAX_RETRIES):
            answer = await self.execute_async(_CALL, [name, list(values)], path, timeout=timeout)
            if isinstance(answer, str) and answer.startswith("="):
                return decode_answer(answer)
            if answer in (MISSING, TAMPERED):
                self.is_tampered = self.is_tampered or answer == TAMPERED
                await self.execute(page_script(), (), path, timeout=min(timeout, INJECTION_SECONDS))
            else:
                await self.check_dialog()  # a script that a dialog interrupts has no result
        raise DocumentGone("the document went away", "Run 'observe' to see what is there now.")

    async def watch(self, seen: int, token: str) -> Any:
        """Wait for the next events of the top document, without keeping other commands waiting; their report,
        or None if there is no answer. Raises what `call` raises."""
        client = self.session.client
        async with self.session.lock:
            self._check_failure()
            await self.session.switch(self.window, (), 30)
            was_tampered = self.is_tampered
            script = _with_callback(_CALL, ["watch", [seen, token]])
            body = {"script": with_pristine_builtins(script, hold=False) if was_tampered else script, "args": []}
            running = asyncio.ensure_future(client.post("/execute/async", body, timeout=24 * 3600))
            running.add_done_callback(_ignore_failure)  # if this coroutine is cancelled meanwhile
            await asyncio.wait({running}, timeout=0.005)  # so that it reaches the driver before the next switch
        try:
            answer = await running
        except CannotAccessPage:
            if was_tampered:
                raise
            answer = TAMPERED
        finally:
            running.cancel()
        if answer == TAMPERED:
            self.is_tampered = self._is_judged = True
            return None  # the next call has pristine builtins
        if answer == MISSING and was_tampered and not self._is_judged:
            self.is_tampered = False  # that was another document
            return None
        if answer == MISSING:
            self._is_judged = False
            script = f"{page_script()}\n{_CALL}"  # in one message, as it is the first of each document
            answer = await self.execute_async(script, ["report", []], timeout=INJECTION_SECONDS)
        return decode_answer(answer) if isinstance(answer, str) else None

    async def check_dialog(self) -> None:
        """Raise `DialogOpen` if a dialog is open that waits for an answer."""
        count = self._dialog_count()
        try:
            text = await self.session.client.get("/alert/text", timeout=5)
        except OrynError:
            return
        if self.dialogs is not None:
            await self.dialogs.discovered(text or "", count)
        self.check_alive()

    def _dialog_count(self) -> int:
        return 0 if self.dialogs is None else self.dialogs.count

    # --- their answers ---

    async def _run(
        self, command: Callable[[float], Awaitable[Any]], path: FramePath, timeout: float, *, renderer: bool
    ) -> Any:
        for attempt in range(MAX_RETRIES):
            count = self._dialog_count()
            try:
                return await self._run_once(command, path, timeout, renderer)
            except AlertOpen as error:
                if not error.text:  # as the dialog has gone meanwhile, or has no message
                    await self.check_dialog()
                elif self.dialogs is None or not await self.dialogs.discovered(error.text, count):
                    self.check_alive()
                if attempt == MAX_RETRIES - 1:
                    raise
        raise AssertionError

    async def _run_once(
        self, command: Callable[[float], Awaitable[Any]], path: FramePath, timeout: float, renderer: bool
    ) -> Any:
        self._check_failure()
        future = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(self._locked(command, path, timeout))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._on_answer(done, future))
        self._waiting[future] = renderer
        try:
            async with asyncio.timeout(timeout):
                while not (await asyncio.wait({future}, timeout=HEARTBEAT_SECONDS))[0]:
                    await self._check_driver()
                return await future
        except (TimeoutError, Timeout):
            raise Timeout(
                f"the page did not answer within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None
        finally:
            del self._waiting[future]
            if not task.done() and self.blocked is None:
                task.cancel()  # nobody waits for it

    async def _check_driver(self) -> None:
        """A command takes long: see whether the browser lives, because the driver leaves a command unanswered if the
        browser dies meanwhile."""
        try:
            await self.session.client.get("/window/handles", timeout=HEARTBEAT_SECONDS)
        except DriverLost as error:
            self.fail(error)
            self.on_lost()
        except OrynError:
            pass  # it lives, and is busy

    async def _locked(self, command: Callable[[float], Awaitable[Any]], path: FramePath, timeout: float) -> Any:
        async with self.session.lock:
            try:
                await self.session.switch(self.window, path, timeout)
                answer = await command(timeout)
            except DocumentGone:
                self.session.forget()
                if path:
                    raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.") from None
                raise
            except (TabNotFound, Timeout):
                self.session.forget()
                raise
            return answer

    def _on_answer(self, task: asyncio.Task[Any], future: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, TabNotFound | DriverLost):
            self.fail(error)
            self.on_lost()
        if future.done():
            return
        if task.cancelled():
            future.cancel()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def on_background(self, task: asyncio.Task[Any]) -> None:
        """Keep a task that nobody waits for until it ends."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def interrupt(self, reason: OrynError) -> None:
        for future, renderer in list(self._waiting.items()):
            if not future.done() and (renderer or not isinstance(reason, DialogOpen)):
                future.set_exception(reason)

    def _check_failure(self) -> None:
        if self.failure is not None:
            raise self.failure.with_traceback(None)


def _ignore_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()
