from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from oryn.hosts.process_io import cancel_on_signals, handle_signals


@pytest.fixture(autouse=True)
def restored_handlers() -> Iterator[None]:
    """What the tests' own process does on signals is that again: under `nohup` no hang-up ends it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def end_on(number: signal.Signals, *more: signal.Signals) -> int | None:
    closed = asyncio.Event()
    with cancel_on_signals("SIGTERM", "SIGHUP", "NO_SUCH_SIGNAL") as ending:
        try:
            os.kill(os.getpid(), number)
            await asyncio.Event().wait()
        finally:
            for another in more:
                os.kill(os.getpid(), another)
            asyncio.get_running_loop().call_later(0.05, closed.set)
            await closed.wait()
    return ending.code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_the_block_and_gives_its_exit_code(number: signal.Signals) -> None:
    assert await asyncio.create_task(end_on(number)) == 128 + number


async def test_later_signals_do_not_disturb_the_closing() -> None:
    assert await asyncio.create_task(end_on(signal.SIGTERM, signal.SIGTERM, signal.SIGHUP)) == 128 + signal.SIGTERM


async def test_a_cancellation_that_is_no_signals_goes_on() -> None:
    async def wait() -> None:
        with cancel_on_signals("SIGTERM"):
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    asyncio.get_running_loop().call_soon(task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_hang_up_that_nohup_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with handle_signals(lambda number: pytest.fail("called"), "SIGHUP"):
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
