"""More time for a command that waits for what it can't avoid, and for the commands that it is a step of."""

from __future__ import annotations

import asyncio

import pytest

from oryn.engine.deadline import CommandDeadline
from oryn.errors import Timeout


async def test_a_command_gets_more_time() -> None:
    deadline = CommandDeadline()
    async with deadline.limited(0.1, 0):
        deadline.prolong(5)
        assert 5 < deadline.remaining() < 5.2
        await asyncio.sleep(0.2)
    with pytest.raises(Timeout, match=r"not done after 0\.1 s"):
        async with deadline.limited(0.1, 0):
            await asyncio.sleep(5)


async def test_so_do_those_that_it_is_a_step_of() -> None:
    deadline = CommandDeadline()
    async with deadline.limited(0.1, 0):
        async with deadline.step(1):
            with deadline.within(0.05):
                deadline.prolong(5)
                await asyncio.sleep(0.2)
                assert deadline.remaining() > 4
        assert 4 < deadline.remaining() < 5.2
        await asyncio.sleep(0.05)
