"""From a syntax tree to its command, and what the command's options may not say together (intent-language §5)."""

from __future__ import annotations

from typing import Any

from oryn.errors import ConflictingOptions
from oryn.language.command import Command
from oryn.language.render import render_tree
from oryn.language.tree import Tree, WrittenOption


def command_of(tree: Tree) -> Command | None:
    """The command that a tree means: of a repeated option the last, or all of them where its kind
    adds up (`--url A --url B`), of a group of flags the last written."""
    if tree.spec is None:
        return None
    values: dict[str, Any] = {written.argument.name: written.value for written in tree.arguments}
    parameters: dict[str, str] = {}
    for written in tree.options:
        if written.option is None:
            assert written.value is not None
            parameters[written.name] = written.value.value
        else:
            _apply(values, written, tree)
    if parameters:
        values["parameters"] = tuple(parameters.items())
    if tree.body:
        values["body"] = tuple(render_tree(line) for line in tree.body)
    command = tree.spec.type(**values)
    assert isinstance(command, Command)
    return command


def _apply(values: dict[str, Any], written: WrittenOption, tree: Tree) -> None:
    option = written.option
    assert option is not None
    assert tree.spec is not None
    if option.group:
        for other in tree.spec.options.values():
            if other.group == option.group:
                values[other.name] = False
    value: Any = True if written.value is None else written.value.value
    if option.kind is not None and option.kind.adds_up:
        value = (*values.get(option.name, ()), *value)
    values[option.name] = value


def check(command: Command, tree: Tree | None = None) -> None:
    """Raises `ConflictingOptions`; with the tree it knows where the second of them stands."""
    for first, second in type(command).spec.conflicts:
        if getattr(command, first) and getattr(command, second):
            starts = (
                [each.start for each in tree.options if each.option and each.option.name in (first, second)]
                if tree
                else []
            )
            raise ConflictingOptions(
                f"--{first} and --{second} exclude each other", "leave one of them out", max(starts, default=None)
            )
