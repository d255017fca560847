"""Custom intents take precedence over built-in ones of the same name.

Inside an intent called `login` the command `login` is the built-in one, so that the custom one can use the built-in
one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.language.help import COMMON_OPTIONS
from oryn.language.lexer import number_text

if TYPE_CHECKING:
    from oryn.engine.output.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command

IntentHandler = TypeVar("IntentHandler", bound=Callable[..., Awaitable[Any]])


def overridable(handler: IntentHandler) -> IntentHandler:
    """Decorate the handler of a built-in intent: a custom intent of its name runs instead."""

    @wraps(handler)
    async def chosen(session: Session, command: Command) -> Answer:
        from oryn.engine.intents.custom.runner import run_definition

        name = command.spec.name.replace(" ", "_")
        running = (each.definition.name for each in session.custom_intents.running)
        found = None if name in running else session.custom_intents.find(name, session.page_url)
        if found is None:
            answer: Answer = await handler(session, command)
            return answer
        return await run_definition(session, found, tuple(_parameters(command)), command)

    return chosen  # type: ignore[return-value]


def _parameters(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a command by the names of its fields, in the form that `run` accepts."""
    for name, value in command.values().items():
        if name in COMMON_OPTIONS or value is None or value is False:
            continue
        if isinstance(value, float):
            yield name, number_text(value)
        elif isinstance(value, dict):
            import json

            yield name, json.dumps(value, ensure_ascii=False)
        else:
            yield name, "true" if value is True else str(value)
