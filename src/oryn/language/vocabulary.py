"""The verbs of the table: which command a first word begins, and which one a second word chooses."""

from __future__ import annotations

from oryn.language.command import CommandSpec, Option
from oryn.language.commands import COMMANDS


class Verb:
    """All commands that begin with one word.

    `chosen` has the commands that a second word chooses, by that word: a sub-command (`cookies get`), or a choice that
    is the first argument (`wait idle`). `default` is the command when anything else follows, `alone` when nothing does.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.commands: list[CommandSpec] = []
        self.chosen: dict[str, CommandSpec] = {}
        self.default: CommandSpec | None = None
        self.alone: CommandSpec | None = None

    def add(self, spec: CommandSpec) -> None:
        self.commands.append(spec)
        words = spec.path[1:] or spec.choice
        if words:
            self.chosen.update(dict.fromkeys(words, spec))
            return
        if spec.arguments:
            self.default = spec
        if not any(argument.required for argument in spec.arguments):
            self.alone = self.alone or spec

    @property
    def only(self) -> CommandSpec | None:
        """The command, when the verb alone says which one it is."""
        spec = self.commands[0]
        return spec if len(self.commands) == 1 and len(spec.path) == 1 else None

    def option(self, name: str) -> Option | None:
        """An option of any of the commands; those of one name have one kind."""
        return next((spec.options[name] for spec in self.commands if name in spec.options), None)


def _verbs() -> dict[str, Verb]:
    verbs: dict[str, Verb] = {}
    for command in COMMANDS:
        name = command.spec.path[0]
        verbs.setdefault(name, Verb(name)).add(command.spec)
    return verbs


VERBS = _verbs()

ALIASES = {alias: command.spec.path[0] for command in COMMANDS for alias in command.spec.aliases if " " not in alias}
"""Other verbs of raw text: `navigate` → `goto`."""

PHRASES = {
    tuple(alias.split()): command.spec.path[0] for command in COMMANDS for alias in command.spec.aliases if " " in alias
}
"""Two words of raw text that are one verb: `go to` → `goto`."""


def verb_names() -> list[str]:
    """Every word or phrase that begins a command, for suggestions and completion."""
    return [*VERBS, *ALIASES, *(" ".join(phrase) for phrase in PHRASES)]
