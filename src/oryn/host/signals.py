"""Signals on the event loop: ending on one as on the end of the input, and giving up a command."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def handled(action: Callable[[int], None], *names: str) -> Iterator[None]:
    """Call `action` with the number of each of these signals (`SIGTERM` …) that comes while the block runs.

    Names that the platform does not have are passed over, and so is a hang-up that is ignored from the start: what
    `nohup` runs goes on when the terminal closes."""
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name) and not _ignored_by_nohup(name)]
    for number in numbers:
        try:
            loop.add_signal_handler(number, action, number)
        except NotImplementedError:  # Windows' event loop
            signal.signal(number, lambda received, _: loop.call_soon_threadsafe(action, received))
    try:
        yield
    finally:
        for number in numbers:
            try:
                loop.remove_signal_handler(number)
            except NotImplementedError:
                signal.signal(number, signal.SIG_DFL)


def _ignored_by_nohup(name: str) -> bool:
    return name == "SIGHUP" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


class Ending:
    """`code` is the exit code that a signal asks for (128 and its number), or None while none came."""

    def __init__(self) -> None:
        self.code: int | None = None


@contextmanager
def ending_on_signals(*names: str) -> Iterator[Ending]:
    """Cancel the current task on the first of these signals, and swallow that at the block's end.

    Later ones are ignored, so that what the block closes is closed."""
    task, ending = asyncio.current_task(), Ending()
    assert task is not None

    def end(number: int) -> None:
        if ending.code is None:
            ending.code = 128 + number
            task.cancel()

    with handled(end, *names):
        try:
            yield ending
        except asyncio.CancelledError:
            if ending.code is None:
                raise
