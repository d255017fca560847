"""What a check of `oryn doctor` tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from oryn.settings import Configuration

State = Literal["ok", "warning", "missing", "wrong"]
FAILED = ("missing", "wrong")
"""What Oryn does not work with: something is not there, or is not as it must be."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`mend` is a command, or a sentence where no command does it; empty where nothing is to be done."""

    name: str
    state: State
    found: str
    mend: str = ""


Found = tuple[State, str, str]
"""A finding without the name of its check."""

Check = Callable[[Configuration], Found | list[Found]]
