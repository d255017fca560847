"""Canonical text (intent-language §2): of what was written, and of commands that nobody wrote."""

from __future__ import annotations

from typing import Any

from oryn.language.command import Argument, Command, CommandSpec
from oryn.language.kinds import OneOf
from oryn.language.strings import quote
from oryn.language.tree import Tree
from oryn.language.vocabulary import LINES


def render_tree(tree: Tree) -> str:
    """The canonical text of a line as it was written; the body of a definition on lines of its own."""
    parts = [f"@{tree.session}"] if tree.session else []
    if tree.spec:
        parts += tree.spec.path
        for written in tree.arguments:
            parts += _led(written.argument, list(written.texts))
        for option in tree.options:
            parts.append(f"--{option.name}")
            parts += [option.value.text] if option.value else []
    if tree.comment is not None:
        parts.append(tree.comment)
    return _with_body(" ".join(parts), tuple(render_tree(line) for line in tree.body))


def render_command(command: Command) -> str:
    """Canonical text that means `command`: parsing it gives the command back."""
    spec = type(command).spec
    parts = list(spec.path)
    for argument in spec.arguments:
        value = getattr(command, argument.name)
        if value is not None or argument.required:
            parts += _led(argument, _argument_texts(argument, value, spec))
    for option in spec.options.values():
        value = getattr(command, option.name)
        if option.kind is None:
            parts += [option.written] if value else []
        elif value is not None:
            parts += [option.written, option.kind.write(value)]
    for name, value in getattr(command, "parameters", ()):
        parts += [f"--{name}", quote(value)]
    return _with_body(" ".join(parts), getattr(command, "body", ()))


def _argument_texts(argument: Argument, value: Any, spec: CommandSpec) -> list[str]:
    if argument.many:
        return argument.kind.write_all(value)
    text = argument.kind.write(value)
    # A choice that comes first says already which command it is.
    ambiguous = len(spec.path) == 1 and not spec.choice and not isinstance(argument.kind, OneOf)
    verb = LINES.verbs.get(spec.path[0]) if ambiguous else None
    if verb and text.lower() in verb.chosen:
        # Bare, it would be the sub-command of that name.
        text = quote(text)
    return [text]


def _led(argument: Argument, texts: list[str]) -> list[str]:
    return [argument.lead, *texts] if argument.lead else texts


def _with_body(head: str, body: tuple[str, ...]) -> str:
    return "\n  ".join((head, *body))
