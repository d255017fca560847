"""The finding of a check of `oryn doctor`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from oryn.settings import Configuration

State = Literal["ok", "warning", "missing", "wrong"]
FAILED_STATES = ("missing", "wrong")
"""The states in which Oryn does not work: something is missing or wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of a check. `mend` is the remedy: a command, a sentence, or empty if nothing needs to be done."""

    name: str
    state: State
    found: str
    mend: str = ""


CheckResult = tuple[State, str, str]
"""A finding without the name of its check."""

Check = Callable[[Configuration], CheckResult | list[CheckResult]]
