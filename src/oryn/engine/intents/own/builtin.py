"""The built-in intents as `run`, `intents` and `export` see them, and how one's own of the same name comes before them.

Inside an intent called `login` the command `login` is the built-in one, so that the first may be made of the second.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.errors import IntentNotFound, MissingArgument, UnexpectedInput
from oryn.language import (
    COMMANDS,
    AcceptCookies,
    Command,
    Dismiss,
    FillForm,
    Login,
    Logout,
    ScrollUntil,
    Search,
    quote,
)
from oryn.language.command import Argument, Option
from oryn.language.kinds import Duration, OneOf
from oryn.language.strings import number_text
from oryn.language.tokens import Cursor
from oryn.language.usage import COMMON, usage

if TYPE_CHECKING:
    from oryn.engine.answer import Answer
    from oryn.engine.session import Session

Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])

BUILTIN: dict[str, type[Command]] = {
    command.spec.name.replace(" ", "_"): command
    for command in COMMANDS
    if command in (Login, Search, Dismiss, AcceptCookies, ScrollUntil, Logout, FillForm)
}
"""By the name that `run` takes."""

_FLAG_WORDS = ("true", "yes", "on", "1")


def overridable(handler: Handler) -> Handler:
    """A built-in intent's handler, which gives way to an intent of one's own with its name."""

    @wraps(handler)
    async def chosen(session: Session, command: Command) -> Answer:
        from oryn.engine.intents.own.library import page_url
        from oryn.engine.intents.own.run import run_definition

        name = command.spec.name.replace(" ", "_")
        running = (each.definition.name for each in session.own.running)
        found = None if name in running else session.own.find(name, page_url(session))
        if found is None:
            answer: Answer = await handler(session, command)
            return answer
        return await run_definition(session, found, tuple(_parameters(command)), command)

    return chosen  # type: ignore[return-value]


def _parameters(command: Command) -> Iterator[tuple[str, str]]:
    """What a command was given, by the names of its fields, as `run` would give it."""
    for name, value in command.values().items():
        if name in COMMON or value is None or value is False:
            continue
        if isinstance(value, float):
            yield name, number_text(value)
        elif isinstance(value, dict):
            import json

            yield name, json.dumps(value, ensure_ascii=False)
        else:
            yield name, "true" if value is True else str(value)


def builtin_command(name: str, given: Iterable[tuple[str, str]]) -> Command:
    """The built-in command that `run <name> --…` means. Raises `IntentNotFound`, and `LanguageError` for its values."""
    command = BUILTIN.get(name)
    if command is None:
        raise IntentNotFound(f"no intent {name}")
    values = dict(given)
    known: dict[str, Argument | Option] = {each.name: each for each in command.spec.arguments}
    known |= {each.name: each for each in command.spec.options.values()}
    fields: dict[str, Any] = {}
    for written, text in values.items():
        field = known.get(written.replace("-", "_"))
        if field is None or field.name in COMMON:
            raise UnexpectedInput(f"{name} has no parameter --{written}", usage(command.spec))
        if field.kind is None:
            fields[field.name] = text.lower() in _FLAG_WORDS
            continue
        bare = isinstance(field.kind, Duration | OneOf)
        fields[field.name] = field.kind.read(Cursor(text if bare else quote(text))).value
    for argument in command.spec.arguments:
        if argument.required and argument.name not in fields:
            raise MissingArgument(f"{name} needs --{argument.name}", usage(command.spec))
    return command(**fields)


def builtin_data(name: str) -> dict[str, Any] | None:
    """A definition that does what the built-in intent does, to begin one's own with; None where there is no such."""
    command = BUILTIN.get(name)
    if command is None or command is FillForm:
        return None
    spec = command.spec
    words = " ".join([*spec.path, *(quote(f"{{{{{each.name}}}}}") for each in spec.arguments)])
    data: dict[str, Any] = {"name": name, "version": "1", "description": spec.help}
    if spec.arguments:
        data["parameters"] = {
            each.name: {"description": each.help, **({"secret": True} if each.kind.secret else {})}
            for each in spec.arguments
        }
    return {**data, "steps": [words]}
