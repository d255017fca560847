"""What of `run` and `define` an answer, a log or a file may have. Which parameters are credentials is not written in
the line, but in the intent that it runs, or in those that this one runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from oryn.engine.execute.registry import masks
from oryn.engine.intents.own.builtin import BUILTIN
from oryn.engine.intents.own.definition import Branch, Definition, Do, Loop, Steps, Try
from oryn.engine.intents.own.library import page_url
from oryn.engine.intents.own.template import Template
from oryn.errors import OrynError
from oryn.language import Define, Run, dots

if TYPE_CHECKING:
    from oryn.engine.session import Session


@masks(Define)
def masked_define(session: Session, command: Define) -> Define:
    """An answer needs no copy of the body, which may hold credentials."""
    return command.replace(body=())


@masks(Run)
def masked_run(session: Session, command: Run) -> Run:
    """Dots for the parameters that the intent keeps secret; where it is not known, for all."""
    return _masked_run(session, command, frozenset())


def _masked_run(session: Session, command: Run, asked: frozenset[str]) -> Run:
    if not command.parameters:
        return command
    open_names = _open_names(session, command.name, asked)
    shown = tuple((name, value if name in open_names else dots(value)) for name, value in command.parameters)
    return command if shown == command.parameters else command.replace(parameters=shown)


def _open_names(session: Session, name: str, asked: frozenset[str]) -> set[str]:
    try:
        found = session.own.find(name, page_url(session))
    except OrynError:
        return set()
    if found is not None:
        return set(found.definition.parameters) - secrets_of(session, found.definition, asked)
    builtin = BUILTIN.get(name)
    if builtin is None:
        return set()
    return {each.name for each in builtin.spec.arguments if not each.kind.secret} | set(builtin.spec.options)


def secrets_of(session: Session, definition: Definition, asked: frozenset[str] = frozenset()) -> frozenset[str]:
    """Its secret parameters, and those that it hands to secret parameters of the intents that it runs.

    `asked` are the intents on the way here, which may run each other in a circle."""
    found = set(definition.secrets)
    if definition.name in asked:
        return frozenset(found)
    types = {name: each.type for name, each in definition.parameters.items()}
    for template in _templates(definition.steps):
        sample = template.sample(types)
        if isinstance(sample, Run):
            found |= template.hidden(sample, _masked_run(session, sample, asked | {definition.name}))
    return frozenset(found)


def _templates(steps: Steps) -> Iterator[Template]:
    for step in steps:
        match step:
            case Do():
                yield step.template
            case Branch():
                yield from _templates(step.then + step.otherwise)
            case Loop():
                yield from _templates(step.steps)
            case Try():
                yield from _templates(step.steps + step.catch)
