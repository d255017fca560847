"""How long a test may take, and what is told of one that takes longer.

The limit of a test is `LIMIT`, or that of its mark (`@pytest.mark.timeout(600)`); `PYTEST_TIMEOUT` in the environment
or `--timeout` replace `LIMIT`, for slow machines. pytest-timeout knows which of them counts and calls the hooks below,
which take the place of its own: those only raise in the main thread, which leaves a coroutine on the session's loop, or
raises in whichever task runs, which may keep the exception to itself. A teardown has a limit of its own.

A test past its limit is ended in steps, at most `GRACE` seconds apart, each for what withstood the one before:

1. The stacks of all threads and tasks are printed. If a loop runs, the task that the test waits for is cancelled; else
   `Failed` is raised in the main thread.
2. `Failed` is raised in the main thread: the loop is blocked, or the task swallows what cancels it. Other tests go on.
3. The main thread executes no Python. The stacks are printed by C alone and the process ends.

Processes that are left in the end are ended by another process (`tests/reaper.py`), also if this one is killed.
"""

from __future__ import annotations

import asyncio
import faulthandler
import io
import os
import signal
import subprocess
import sys
import threading
import traceback
import uuid
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

import pytest

from tests import reaper

LIMIT = 300.0
GRACE = 20.0

Result = TypeVar("Result")
TERMINAL = pytest.StashKey[int]()
REAPER = pytest.StashKey["subprocess.Popen[bytes]"]()
WATCH = pytest.StashKey["Watch"]()


class Watch:
    """The limit of one test, or of its teardown: what is armed when it begins, and what happens when it is exceeded."""

    any_exceeded = False

    def __init__(self, item: pytest.Item, limit: float) -> None:
        self.item = item
        self.limit = limit
        self.grace = min(limit, GRACE)
        self.exceeded = False

    def arm(self) -> None:
        signal.signal(signal.SIGALRM, self._expired)
        signal.setitimer(signal.ITIMER_REAL, self.limit)
        faulthandler.dump_traceback_later(
            self.limit + 2 * self.grace, exit=True, file=self.item.config.stash.get(TERMINAL, 2)
        )

    def disarm(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def fail(self) -> None:
        __tracebackhide__ = True
        pytest.fail(f"Timeout: it took more than {self.limit:g} s; the stacks are above")

    def _expired(self, number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        from pytest_timeout import is_debugging

        if is_debugging():
            faulthandler.cancel_dump_traceback_later()
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        first = not self.exceeded
        self.exceeded = Watch.any_exceeded = True
        if first:
            self._report(loop)
            if loop is not None:
                signal.setitimer(signal.ITIMER_REAL, self.grace)
                loop.call_soon_threadsafe(_cancel, loop)
                return
        self.fail()

    def _report(self, loop: asyncio.AbstractEventLoop | None) -> None:
        with _uncaptured(self.item.config):
            terminal = self.item.config.get_terminal_writer()
            terminal.line(f"\n{self.item.nodeid}: Timeout: more than {self.limit:g} s\n{stacks(loop)}")
            terminal.flush()


class Runner(asyncio.Runner):
    """The session's event loop, on which nothing is left of a coroutine that was broken off."""

    task: asyncio.Task[Any] | None = None
    """What is waited for just now."""

    def run(self, coro: Coroutine[Any, Any, Result], **context: Any) -> Result:
        __tracebackhide__ = True
        try:
            return super().run(self._noted(coro), **context)
        finally:
            task, Runner.task = Runner.task, None
            if task is not None and not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    super().run(asyncio.wait({task}, timeout=GRACE))

    async def _noted(self, coro: Coroutine[Any, Any, Result]) -> Result:
        __tracebackhide__ = True
        Runner.task = asyncio.current_task()
        return await coro

    def close(self) -> None:
        if Watch.any_exceeded:
            # A thread that still waits for a process would keep the loop's executor, and so this, from ending.
            reaper.end(os.environ.get(reaper.NAME, ""))
        super().close()


def _cancel(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the task that the test waits for; on a loop of its own it is not known which one that is."""
    for task in asyncio.all_tasks(loop) if Runner.task is None else {Runner.task}:
        task.cancel()


def stacks(loop: asyncio.AbstractEventLoop | None) -> str:
    """Where each thread stands, and what each task of the loop waits for."""
    text = io.StringIO()
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        text.write(f"\n--- thread {names.get(number, '?')}\n{''.join(traceback.format_stack(frame))}")
    for task in asyncio.all_tasks(loop) if loop is not None else ():
        steps = traceback.StackSummary.extract(_awaited(task.get_coro()))
        text.write(f"\n--- task {task.get_name()}\n{''.join(steps.format())}")
    return text.getvalue()


def _awaited(waiting: object) -> Iterator[tuple[FrameType, int]]:
    """The frames of a coroutine and of all that it awaits; a task itself tells only the first."""
    while kind := next((kind for kind in ("cr", "ag", "gi") if hasattr(waiting, f"{kind}_frame")), None):
        frame: FrameType | None = getattr(waiting, f"{kind}_frame")
        if frame is not None:
            yield frame, frame.f_lineno
        waiting = getattr(waiting, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")


@contextmanager
def _uncaptured(config: pytest.Config) -> Iterator[None]:
    """Standard output and error are the terminal's in the block, whatever pytest captures."""
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        yield


# --- hooks ---


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("PYTEST_TIMEOUT", f"{LIMIT:g}")
    if not reaper.ENVIRONMENT.is_file():
        return
    mark = uuid.uuid4().hex
    with _uncaptured(config):
        config.stash[TERMINAL] = os.dup(2)
        # In a session of its own: Ctrl-C ends the tests, and this comes after.
        config.stash[REAPER] = subprocess.Popen(
            [sys.executable, "-I", "-S", reaper.__file__, mark], stdin=subprocess.PIPE, start_new_session=True
        )
    os.environ[reaper.NAME] = mark


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if REAPER in config.stash:
        config.stash[REAPER].communicate()
    if Watch.any_exceeded:
        faulthandler.dump_traceback_later(GRACE, exit=True)  # Python's end waits for threads


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None
    item.stash[WATCH] = Watch(item, settings.timeout)
    item.stash[WATCH].arm()
    return True


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> bool | None:
    """Called at the end, and when something has failed, for then somebody may look into it with a debugger."""
    watch = item.stash.get(WATCH, None)
    if watch is None:
        return None
    watch.disarm()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _failing(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _failing(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    watch = item.stash.get(WATCH, None)
    if watch is not None:
        item.stash[WATCH] = Watch(item, watch.limit)
        item.stash[WATCH].arm()
    return (yield from _failing(item))


def _failing(item: pytest.Item) -> Generator[None, Any, Any]:
    """Whatever came of it, a test that was past its limit has failed for that."""
    __tracebackhide__ = True
    try:
        return (yield)
    finally:
        watch = item.stash.get(WATCH, None)
        if watch is not None and watch.exceeded and not isinstance(sys.exc_info()[1], pytest.fail.Exception):
            watch.fail()
