"""Registry of command handlers. Handlers register themselves; a command without one is not supported yet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from oryn.engine.output.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command

    Handler = Callable[[Session, Any], Awaitable[Answer]]
    Masker = Callable[[Session, Any], Command]

HandlerType = TypeVar("HandlerType", bound=Callable[..., Awaitable[Any]])

_handlers: dict[type, Any] = {}
_without_browser: set[type] = set()
_maskers: dict[type, Masker] = {}


def handles(*commands: type, browser: bool = True) -> Callable[[HandlerType], HandlerType]:
    """Register a handler for command classes. `browser=False` means that they work without a running browser."""

    def register(handler: HandlerType) -> HandlerType:
        for command in commands:
            assert command not in _handlers, f"{command.__name__} has a handler already"
            _handlers[command] = handler
            if not browser:
                _without_browser.add(command)
        return handler

    return register


def handler_of(command: type) -> Handler | None:
    """Return the registered handler; `dispatch.load_handler` imports its module first."""
    return _handlers.get(command)


def needs_browser(command: type) -> bool:
    return command not in _without_browser


def masks(command: type) -> Callable[[Masker], Masker]:
    """Register a function that masks the secrets of a command whose class doesn't declare them."""

    def register(masker: Masker) -> Masker:
        _maskers[command] = masker
        return masker

    return register


def masked(session: Session, command: Command) -> Command:
    """Return the command as an answer, a log or a file may contain it; the command itself if it has no secret."""
    if masker := _maskers.get(type(command)):
        return masker(session, command)
    return command.masked() if command.has_secret else command
