"""Registries of command handlers. Handlers register themselves; a command without one is not supported.

A registry has the commands of one scope of the command table (`CommandSpec.scope`): here those of a session, in
`oryn.daemon.host_commands` those of a host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from oryn.engine.output.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command

    Handler = Callable[..., Awaitable[Answer]]
    Masker = Callable[[Session, Any], Command]

HandlerType = TypeVar("HandlerType", bound=Callable[..., Awaitable[Any]])


class CommandRegistry:
    """The handlers of one scope, by the classes of their commands.

    `modules`: for each family of the command table, the modules that register its handlers. `load` imports them with
    the first command of the family, so that a new host answers its first `goto` without the others."""

    def __init__(self, load: Callable[[str], object], modules: Mapping[str, tuple[str, ...]]) -> None:
        self._load = load
        self._modules = modules
        self._handlers: dict[type, Handler] = {}
        self._without_browser: set[type] = set()
        self._maskers: dict[type, Masker] = {}

    def handles(self, *commands: type, browser: bool = True) -> Callable[[HandlerType], HandlerType]:
        """Register a handler for command classes. `browser=False` means that they work without a running browser."""

        def register(handler: HandlerType) -> HandlerType:
            for command in commands:
                assert command not in self._handlers, f"{command.__name__} has a handler already"
                self._handlers[command] = handler
                if not browser:
                    self._without_browser.add(command)
            return handler

        return register

    def masks(self, command: type) -> Callable[[Masker], Masker]:
        """Register a function that masks the secrets of a command whose class doesn't declare them."""

        def register(masker: Masker) -> Masker:
            self._maskers[command] = masker
            return masker

        return register

    def handler_of(self, command: type[Command]) -> Handler | None:
        """Return the handler of a command class; None if no module registers one."""
        if command not in self._handlers:
            for module in self._modules.get(command.spec.family, ()):
                self._load(module)
        return self._handlers.get(command)

    def needs_browser(self, command: type[Command]) -> bool:
        """Return whether the browser must run before a command of this class does. Call `handler_of` before."""
        return command not in self._without_browser

    def masked(self, session: Session, command: Command) -> Command:
        """Return the command as an answer, a log or a file may contain it; the command itself if it has no secret."""
        self.handler_of(type(command))
        if masker := self._maskers.get(type(command)):
            return masker(session, command)
        return command.masked()


SESSION_COMMANDS = CommandRegistry(
    lambda module: import_module(f"oryn.engine.{module}"),
    {
        "Moving": ("handlers.navigation",),
        "Looking": (
            "handlers.observe",
            "handlers.find",
            "handlers.snapshot",
            "handlers.audit",
            "handlers.vitals",
            "handlers.picture_difference",
            "handlers.capture",
            "handlers.queries",
        ),
        "Acting": (
            "handlers.pointer",
            "handlers.forms",
            "handlers.check",
            "handlers.select",
            "handlers.keys",
            "handlers.drag",
            "handlers.mouse",
            "handlers.upload",
            "handlers.clipboard",
        ),
        "Waiting": ("handlers.wait",),
        "Reading data": ("handlers.extract",),
        "State": (
            "handlers.storage",
            "handlers.state",
            "handlers.headers",
            "handlers.sessions",
        ),
        "Tabs, frames, dialogs": ("handlers.tabs",),
        "Device": ("handlers.device",),
        "Recording": (
            "handlers.recording",
            "handlers.capture",
            "handlers.highlight",
        ),
        "Notes of a person": ("handlers.notes",),
        "Network and console": ("handlers.network", "handlers.console"),
        "Intents": ("intents.builtin", "intents.custom", "intents.program"),
        "The host": ("handlers.captcha", "handlers.request_range"),
        "The rest": ("handlers.general", "handlers.scripts", "handlers.tools"),
    },
)
"""The commands that a session runs."""

handles = SESSION_COMMANDS.handles
masks = SESSION_COMMANDS.masks
