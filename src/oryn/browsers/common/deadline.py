"""The time that a command has."""

from __future__ import annotations

import asyncio
import math


class Deadline:
    """The time that is left of a command's time limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = asyncio.get_running_loop().time() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - asyncio.get_running_loop().time())


def rounded(seconds: float) -> float:
    """A time limit as one tells it: what little of it was spent before the waiting began does not count."""
    return math.ceil(seconds * 10) / 10


def count(number: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
