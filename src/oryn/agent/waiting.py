"""Waiting for an action to show: pages may take their time (seed 001, Action Timeout)."""

from __future__ import annotations

import asyncio

from oryn.agent.target import Target
from oryn.engine.conditions import CHANGE_LIMIT, next_change
from oryn.errors import OrynError


async def changes_within(target: Target, patience: float) -> bool:
    """Whether the tab looks different within so many seconds from what the model was told of it. It is looked at after
    each sign of change."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while (left := deadline - loop.time()) > 0:
        try:
            async with target.session.turn(left):
                await next_change(target.session, min(left, CHANGE_LIMIT))
            if (await target.look()).mark != target.mark:
                return True
        except OrynError:  # a dialog, a crash, another page: what the next snapshot tells
            return True
    return False
