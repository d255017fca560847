"""The verbs of the table: which command a first word begins, and which one a second word chooses.

There are two vocabularies of the same commands: that of lines (the Intent Language itself), and that of doors where a
command is a verb among others (the command line, the daemon's JSON, tools). Doors have the commands of the host too,
and other names for a few that clash with those (`sign_in` is the page's `login`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from oryn.language.command import Command, CommandSpec, Option
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
        return next((spec.spellings[name] for spec in self.commands if name in spec.spellings), None)


class Vocabulary:
    """`verbs` by their names; `aliases` are other verbs of raw text (`navigate` → `goto`), `phrases` two words of it
    that are one verb (`go to` → `goto`)."""

    def __init__(self, commands: Iterable[type[Command]], *, doors: bool = False) -> None:
        self.verbs: dict[str, Verb] = {}
        self.aliases: dict[str, str] = {}
        self.phrases: dict[tuple[str, ...], str] = {}
        self.families: dict[str, list[str]] = {}
        """The verbs, by what they are about."""
        for command in commands:
            spec = command.spec
            name = (spec.door if doors else spec.name).split()[0]
            self.verbs.setdefault(name, Verb(name)).add(spec)
            family = self.families.setdefault(spec.family, [])
            if name not in family:
                family.append(name)
            for alias in (*spec.aliases, *(spec.door_aliases if doors else ())):
                words = tuple(alias.split())
                if len(words) == 1:
                    self.aliases[alias] = name
                else:
                    self.phrases[words] = name

    def find(self, *words: str) -> Verb | None:
        """The verb that these words begin a command with, under whatever name."""
        return self.verbs.get(self.phrases.get(words, self.aliases.get(words[0], words[0])))

    @property
    def names(self) -> list[str]:
        """Every word or phrase that begins a command, for suggestions and completion."""
        return [*self.verbs, *self.aliases, *(" ".join(phrase) for phrase in self.phrases)]


LINES = Vocabulary(COMMANDS)


@cache
def doors() -> Vocabulary:
    """What a door has: the commands of lines, those of the host, and nothing twice."""
    from oryn.language.commands.hosting import HOST_COMMANDS
    from oryn.language.commands.research import RESEARCH_COMMANDS

    return Vocabulary((*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS), doors=True)


def verb_names() -> list[str]:
    """Every word or phrase that begins a line, for suggestions and completion."""
    return LINES.names
