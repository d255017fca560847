"""The syntax tree of a line: what was written, meaning or not."""

from __future__ import annotations

from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.kinds import Written
from oryn.records import Record


class WrittenArgument(Record):
    """The values written for one argument: one, or several where it may repeat; `value` is what they mean together."""

    argument: Argument
    texts: tuple[str, ...]
    value: object


class WrittenOption(Record):
    """An option in canonical spelling, and its value unless it is a flag. `option` is None for a parameter of `run`."""

    name: str
    option: Option | None
    value: Written | None
    start: int


class Tree(Record):
    """One line. `spec` is None when it holds no command. `body` has the lines of a definition."""

    spec: CommandSpec | None = None
    arguments: tuple[WrittenArgument, ...] = ()
    options: tuple[WrittenOption, ...] = ()
    session: str | None = None
    comment: str | None = None
    body: tuple[Tree, ...] = ()
