"""What the engine asks of an interpreter of programs, which is the host's (`Session.new_interpreter`).

An interpreter runs the text until it calls a function of the session, and waits for what that returns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any, Literal, Protocol

from oryn.core.records import Record

FailureKind = Literal["syntax", "error", "command", "limit", "crash"]
"""Why a program has ended: its text is invalid, it has raised an error of Python, it did not catch the error of a
command, it has reached a limit, or its process has ended."""


class FunctionCall(Record):
    """The program calls a function and waits. `line` and `column` count from 1; None in code that it has made itself
    (`exec`)."""

    name: str
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    line: int | None = None
    column: int | None = None


class ProgramEnd(Record):
    """The program has ended. `value` is that of its last expression."""

    value: Any


class ProgramFailure(Record):
    """The program has ended with an error. `variables` are the short texts of its variables."""

    kind: FailureKind
    message: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    variables: Mapping[str, str] = MappingProxyType({})


ProgramEvent = FunctionCall | ProgramEnd | ProgramFailure


class ProgramObject:
    """Data with its fields as attributes, as a program gets it. Fields that begin with `_` stay in the host."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def fields(self) -> dict[str, Any]:
        """The fields that a program sees."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}


class ProgramState(Record):
    """A program that waits for what a function returns: all that another interpreter needs to go on. `objects` are
    those that the program may pass back, by their identifiers."""

    data: bytes
    text: str
    objects: Mapping[Any, ProgramObject]


class Interpreter(Protocol):
    """Runs one program. `start` and `resume` end at its next call, or with it."""

    async def start(self, text: str, inputs: Mapping[str, Any]) -> ProgramEvent:
        """Run a text from its beginning. `inputs` are variables that it has from the start, of JSON data and
        `ProgramObject`."""

    async def restore(self, state: ProgramState) -> ProgramEvent:
        """Return the call for which a program waited."""

    async def resume(self, value: Any) -> ProgramEvent:
        """Go on: the call returns `value`, of JSON data and `ProgramObject`."""

    async def fail(self, message: str) -> ProgramEvent:
        """Go on: the call raises `OrynError`. The program reads the fields of `last_error`, a function of its own."""

    async def reject(self, kind: Literal["NameError", "AttributeError", "TypeError"], message: str) -> ProgramEvent:
        """Go on: the call raises an error of Python."""

    def state(self) -> ProgramState:
        """Return the state of the program that waits."""

    async def variables(self) -> Mapping[str, str]:
        """End the program that waits, and return the short texts of its variables."""


InterpreterFactory = Callable[[Collection[str], Callable[[str], object]], AbstractAsyncContextManager[Interpreter]]
"""Creates an interpreter of a program that can call the functions of these names, and gives what it prints to the
callback. Raises `NotSupported` if it is not installed."""
