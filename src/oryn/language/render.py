"""The syntax tree of a line, and canonical text (docs/spec/intent-language.md#steps): of a tree, and of commands
created in code."""

from __future__ import annotations

from typing import Any

from oryn.core.records import Record
from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.kinds import ChoiceKind, ParsedValue
from oryn.language.lexer import quote
from oryn.language.vocabulary import LINE_VOCABULARY


class ParsedArgument(Record):
    """The values written for one argument: one, or several if it may repeat. `value` is their combined meaning."""

    argument: Argument
    texts: tuple[str, ...]
    value: object


class ParsedOption(Record):
    """An option in canonical spelling, and its value unless it is a flag. `option` is None for a parameter of `run`."""

    name: str
    option: Option | None
    value: ParsedValue | None
    start: int


class SyntaxTree(Record):
    """One line. `spec` is None if it has no command. `body` has the lines of a definition."""

    spec: CommandSpec | None = None
    arguments: tuple[ParsedArgument, ...] = ()
    options: tuple[ParsedOption, ...] = ()
    session: str | None = None
    comment: str | None = None
    body: tuple[SyntaxTree, ...] = ()


def render_tree(tree: SyntaxTree) -> str:
    """Return the canonical text of a line as it was written; the body of a definition is on lines of its own."""
    parts = [f"@{tree.session}"] if tree.session else []
    if tree.spec:
        parts += tree.spec.path
        for written in tree.arguments:
            parts += _with_lead(written.argument, list(written.texts))
        for option in tree.options:
            parts.append(f"--{option.name}")
            parts += [option.value.text] if option.value else []
    if tree.comment is not None:
        parts.append(tree.comment)
    return _with_body(" ".join(parts), tuple(render_tree(line) for line in tree.body))


def render_command(command: Command) -> str:
    """Return canonical text of `command`, which parses to an equal command."""
    spec = type(command).spec
    parts = list(spec.path)
    for argument in spec.arguments:
        value = getattr(command, argument.name)
        if value is not None or argument.required:
            parts += _with_lead(argument, _argument_texts(argument, value, spec))
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
    # A choice that comes first already identifies the command.
    ambiguous = len(spec.path) == 1 and not spec.choice and not isinstance(argument.kind, ChoiceKind)
    verb = LINE_VOCABULARY.verbs.get(spec.path[0]) if ambiguous else None
    if verb and text.lower() in verb.chosen:
        # Without quotes it would be the sub-command of that name.
        text = quote(text)
    return [text]


def _with_lead(argument: Argument, texts: list[str]) -> list[str]:
    return [argument.lead, *texts] if argument.lead else texts


def _with_body(head: str, body: tuple[str, ...]) -> str:
    return "\n  ".join((head, *body))
