"""An intent of one's own as it is run: values that `reading.py` makes of plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oryn.engine.intents.own.table import ROUND_LIMIT
from oryn.engine.intents.own.template import Template


@dataclass(frozen=True, slots=True)
class Parameter:
    """`default` is a text, or a tuple of texts for a list; None where there is none."""

    name: str
    type: str = "text"
    default: str | tuple[str, ...] | None = None
    required: bool = True
    secret: bool = False
    description: str = ""

    @property
    def usage(self) -> str:
        """`--rating <number>`, in brackets where it may be left out."""
        written = f"--{self.name} <{self.type}>"
        return written if self.required else f"[{written}]"


@dataclass(frozen=True, slots=True)
class Condition:
    """`template` is the command that asks it, where there is one; `parts` are the conditions inside it."""

    kind: str
    template: Template | None = None
    texts: tuple[str, ...] = ()
    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Do:
    template: Template


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Condition
    then: Steps
    otherwise: Steps


@dataclass(frozen=True, slots=True)
class Loop:
    """One of `times` (a number, or a parameter's name), `over` (texts, or a parameter's name) and `condition`, which it
    waits for where `until`, and does without otherwise."""

    steps: Steps
    times: int | str | None = None
    over: tuple[str, ...] | str | None = None
    item: str = "item"
    condition: Condition | None = None
    until: bool = False
    limit: int = ROUND_LIMIT


@dataclass(frozen=True, slots=True)
class Try:
    steps: Steps
    catch: Steps


Step = Do | Branch | Loop | Try
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """`data` is what it was made of. `time_limit` is in seconds; None leaves it to the session."""

    name: str
    version: str
    description: str
    parameters: Mapping[str, Parameter]
    steps: Steps
    success: tuple[Condition, ...]
    failure: tuple[Condition, ...]
    step_limit: int
    time_limit: float | None
    data: Mapping[str, Any]

    @property
    def usage(self) -> str:
        """`run review --rating <number> [--text <text>]`."""
        return " ".join(["run", self.name, *(each.usage for each in self.parameters.values())])

    @property
    def secrets(self) -> frozenset[str]:
        return frozenset(name for name, each in self.parameters.items() if each.secret)
