"""Choices that look random and are always the same, on every machine and in any order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Choice = TypeVar("Choice")


def number(low: int, high: int, *key: object) -> int:
    """A whole number from `low` to `high`, by the key."""
    digest = hashlib.sha256("\0".join(map(str, key)).encode()).digest()
    return low + int.from_bytes(digest[:8], "big") % (high - low + 1)


def pick(choices: Sequence[Choice], *key: object) -> Choice:
    return choices[number(0, len(choices) - 1, *key)]


def several(choices: Sequence[Choice], count: int, *key: object) -> list[Choice]:
    """That many different ones."""
    left = list(choices)
    return [left.pop(number(0, len(left) - 1, *key, turn)) for turn in range(min(count, len(left)))]
