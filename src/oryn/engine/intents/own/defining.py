"""`define`, `undefine`, `intents`, `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine.answer import Answer
from oryn.engine.escape import one_line, plain
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import BUILTIN, builtin_data
from oryn.engine.intents.own.definition import Definition
from oryn.engine.intents.own.library import Found, page_url
from oryn.engine.intents.own.reading import definition_of_lines
from oryn.engine.intents.own.withholding import without_secrets
from oryn.errors import IntentNotFound, InvalidDefinition
from oryn.language import Define, Export, Intents, Undefine
from oryn.language.usage import usage

if TYPE_CHECKING:
    from oryn.engine.session import Session

MOST = 500
"""Intents that a session may define."""


@handles(Define, browser=False)
async def define(session: Session, command: Define) -> Answer:
    """An intent of this session. Without a body it has no steps yet: indented lines after it are its steps."""
    hidden = _hidden(session, command.name)
    if len(session.own.definitions) >= MOST and command.name not in session.own.definitions:
        raise InvalidDefinition(f"a session may define {MOST} intents", "Undefine one of them.")
    definition = definition_of_lines(command.name, command.body)
    session.own.definitions[command.name] = definition
    notes = [f"it comes before the one of {hidden.origin}"] if hidden else []
    if command.name in BUILTIN:
        notes.append("it comes before the built-in one")
    return Answer(lines=[_described(definition)], notes=notes, data=definition.data)


def _hidden(session: Session, name: str) -> Found | None:
    """The intent of another origin that one of the session's comes before."""
    if name in session.own.definitions:
        return None
    try:
        return session.own.find(name, page_url(session))
    except InvalidDefinition:
        return None


def _described(definition: Definition) -> str:
    steps = len(definition.steps)
    if not steps:
        return "no steps yet: indented lines after it are its steps"
    return f"{steps} step{'s' if steps > 1 else ''}: {definition.usage}"


@handles(Undefine, browser=False)
async def undefine(session: Session, command: Undefine) -> Answer:
    own, url = session.own, page_url(session)
    if command.name not in own.definitions:
        found = own.find(command.name, url)
        if found is not None and found.origin == "file":
            raise IntentNotFound(f"{command.name} is kept in a file", "Remove the file to forget it.")
        if found is not None:
            hint = f"Run 'pack unload {found.origin.removeprefix('pack ')}'."
            raise IntentNotFound(f"{command.name} is of {found.origin}", hint)
        raise IntentNotFound(f"this session has defined no {command.name}", "Run 'intents --session' to see its own.")
    del own.definitions[command.name]
    behind = own.find(command.name, url)
    return Answer(notes=[f"{command.name} is the one of {behind.origin} again"] if behind else [])


@handles(Intents, browser=False)
async def intents(session: Session, command: Intents) -> Answer:
    """What `run` may mean on this page, one line each: usage, where it is from, what it does."""
    shown: dict[str, dict[str, Any]] = {}
    for found in session.own.all(page_url(session)):
        if found.origin == "session" or not command.session:
            shown.setdefault(found.definition.name, _row(found))
    if not command.session:
        for name, builtin in BUILTIN.items():
            row = {"name": name, "usage": usage(builtin.spec), "from": "built in", "description": builtin.spec.help}
            shown.setdefault(name, row)
    lines = [f"{row['usage']}  ({row['from']}) {plain(row['description'])}".rstrip() for row in shown.values()]
    notes = [] if command.session else [
        one_line(problem.message) for problem in session.own.library.intents().problems.values()
    ]  # fmt: skip
    return Answer(lines=lines or ["none"], notes=notes, data=list(shown.values()))


def _row(found: Found) -> dict[str, Any]:
    definition = found.definition
    return {
        "name": definition.name,
        "usage": definition.usage,
        "from": found.origin,
        "description": definition.description,
    }


@handles(Export, browser=False)
async def export(session: Session, command: Export) -> Answer:
    """An intent as YAML. A built-in one becomes a definition that does the same; credentials become parameters."""
    found = session.own.find(command.name, page_url(session))
    data = without_secrets(found.definition) if found else builtin_data(command.name)
    if data is None:
        known = command.name in BUILTIN
        message = f"{command.name} is built in and has no definition" if known else f"no intent {command.name}"
        raise IntentNotFound(message, "Define your own of that name." if known else None)
    text = session.own.library.write(data)
    if command.out is None:
        return Answer(block=text.rstrip("\n"), data=data)
    path = session.files.write_bytes(command.out, text.encode("utf-8", "replace"), overwrite=command.overwrite)
    return Answer(lines=[f"saved {path}"], data={"path": str(path)})
