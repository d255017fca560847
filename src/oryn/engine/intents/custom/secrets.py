"""Credentials in custom intents: masks them in `run` and `define`, and removes them from exported definitions.

The parameters of `run` that are credentials are declared by the intent that it runs, or by those that this one runs. In
an exported definition, each literal credential becomes a required parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from oryn.engine.definitions.model import Branch, CommandStep, Definition, Loop, Steps, Try
from oryn.engine.definitions.program_text import ProgramText
from oryn.engine.definitions.schema import DEFINITION
from oryn.engine.definitions.template import PLACEHOLDER, Template
from oryn.engine.handlers.registry import masks
from oryn.engine.intents.builtin_commands import BUILTIN
from oryn.errors import LanguageError, OrynError
from oryn.language import MASK, Define, Run, mask_secret, parse, render

if TYPE_CHECKING:
    from oryn.engine.session import Session


@masks(Define)
def masked_define(session: Session, command: Define) -> Define:
    """Remove the body, which may contain credentials and isn't needed in an answer."""
    return command.replace(body=())


@masks(Run)
def masked_run(session: Session, command: Run) -> Run:
    """Mask the parameters that the intent declares secret; mask all of them if there is no such intent."""
    return _masked_run(session, command, frozenset())


def _masked_run(session: Session, command: Run, visited: frozenset[str]) -> Run:
    if not command.parameters:
        return command
    open_names = _public_names(session, command.name, visited)
    parameters = tuple(
        (name, value if name in open_names else mask_secret(value)) for name, value in command.parameters
    )
    return command if parameters == command.parameters else command.replace(parameters=parameters)


def _public_names(session: Session, name: str, visited: frozenset[str]) -> set[str]:
    try:
        found = session.custom_intents.find(name, session.page_url)
    except OrynError:
        return set()
    if found is not None:
        return set(found.definition.parameters) - secrets_of(session, found.definition, visited)
    builtin = BUILTIN.get(name)
    if builtin is None:
        return set()
    return {each.name for each in builtin.spec.arguments if not each.kind.secret} | set(builtin.spec.options)


def secrets_of(session: Session, definition: Definition, visited: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the secret parameters of a definition, including those that it passes to secret parameters of intents that
    it runs.

    `visited` are the names of the calling intents, which may form a cycle."""
    found = set(definition.secrets)
    if definition.name in visited:
        return frozenset(found)
    types = {name: each.type for name, each in definition.parameters.items()}
    for template in _templates(definition.steps):
        sample = template.sample(types)
        if isinstance(sample, Run):
            found |= template.secret_parameters(sample, _masked_run(session, sample, visited | {definition.name}))
    return frozenset(found)


def _templates(steps: Steps) -> Iterator[Template]:
    for step in steps:
        match step:
            case CommandStep():
                yield step.template
            case Branch():
                yield from _templates(step.then + step.otherwise)
            case Loop():
                yield from _templates(step.steps)
            case Try():
                yield from _templates(step.steps + step.catch)


def without_secrets(definition: Definition) -> dict[str, Any]:
    """Return the definition's data for `export`: each credential in it becomes a parameter."""
    names: list[str] = []
    data = dict(definition.data)

    def mask(line: str) -> str:
        return _mask_line(line, definition, names)

    if definition.program is not None:
        data["program"], names = _masked_program(definition.program, definition)
    else:
        data["steps"] = [_in_step(step, mask) for step in data["steps"]]
    if names:
        secrets = {name: {"secret": True} for name in names}
        data["parameters"] = {**data.get("parameters", {}), **secrets}
    return {key: data[key] for key in DEFINITION.entries if key in data}


def _masked_program(text: str, definition: Definition) -> tuple[str, list[str]]:
    """Return a program without credentials, and the names of the parameters that take their places."""
    program = ProgramText(text)
    names: dict[str, str] = {}
    replaced: dict[ast.expr, str] = {}
    for node, secret, label in program.secret_parts()[1]:
        if secret not in names:
            names[secret] = program.unused_name(label, {*definition.parameters, *names.values()})
        replaced[node] = names[secret]
    return program.with_names(replaced) if replaced else text, list(names.values())


def _in_step(step: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(step, str):
        return mask(step)
    ((kind, inner),) = step.items()
    lists = {
        key: [_in_step(each, mask) for each in inner[key]] for key in ("steps", "then", "else", "catch") if key in inner
    }
    return {kind: {**inner, **lists}}


def _mask_line(line: str, definition: Definition, names: list[str]) -> str:
    try:
        command = parse(line).command
    except LanguageError:
        # The line has a placeholder for a number; credentials in such a line can only be parameters.
        return line
    if command is None:
        return line
    masked = render(command.masked())
    if MASK not in masked or PLACEHOLDER.search(_difference(render(command), masked)):
        return line
    name = "password"
    while name in definition.parameters or name in names:
        name += "_2"
    names.append(name)
    return masked.replace(MASK, f"{{{{{name}}}}}")


def _difference(text: str, masked: str) -> str:
    """Return the part of `text` that `masked` replaces by `MASK`."""
    before, _, after = masked.partition(MASK)
    return text[len(before) : len(text) - len(after)]
