"""The verbs of the table: which command a first word starts, and which one a second word selects.

The same commands have two vocabularies. One is that of lines (the Intent Language itself). The other is that of
interfaces in which a command is one verb among others (the command line, the daemon's JSON API, tools). The latter also
has the commands of the host, and other names for a few that clash with those (`sign_in` is the page's `login`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

from oryn.language.command import Command, CommandSpec, Option
from oryn.language.commands import COMMANDS


class Verb:
    """All commands that begin with one word.

    `chosen` has the commands that a second word chooses, by that word: a sub-command (`cookies get`), or a choice that
    is the first argument (`wait idle`). `default` is the command if anything else follows, `alone` if nothing follows.
    `listing` is the sub-command that a user means who writes the verb alone: `cookies list`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.commands: list[CommandSpec] = []
        self.chosen: dict[str, CommandSpec] = {}
        self.default: CommandSpec | None = None
        self.alone: CommandSpec | None = None
        self.listing: CommandSpec | None = None

    def add(self, spec: CommandSpec) -> None:
        self.commands.append(spec)
        words = spec.path[1:] or spec.choice
        if words:
            self.chosen.update(dict.fromkeys(words, spec))
            if words == ("list",):
                self.listing = spec
            return
        if spec.arguments:
            self.default = spec
        if not any(argument.required for argument in spec.arguments):
            self.alone = self.alone or spec

    @property
    def only(self) -> CommandSpec | None:
        """The command, if the verb alone identifies it."""
        spec = self.commands[0]
        return spec if len(self.commands) == 1 and len(spec.path) == 1 else None

    def option(self, name: str) -> Option | None:
        """Return an option of any of the commands; options with the same name have the same kind."""
        return next((spec.spellings[name] for spec in self.commands if name in spec.spellings), None)


class Vocabulary:
    """`verbs` by their names; `aliases` are other verbs of raw text (`navigate` → `goto`), `phrases` two words of it
    that are one verb (`go to` → `goto`)."""

    def __init__(self, commands: Iterable[type[Command]], *, api_names: bool = False) -> None:
        self.verbs: dict[str, Verb] = {}
        self.aliases: dict[str, str] = {}
        self.phrases: dict[tuple[str, ...], str] = {}
        self.families: dict[str, list[str]] = {}
        """The verbs of each family of commands."""
        for command in commands:
            spec = command.spec
            name = (spec.api_name if api_names else spec.name).split()[0]
            self.verbs.setdefault(name, Verb(name)).add(spec)
            family = self.families.setdefault(spec.family, [])
            if name not in family:
                family.append(name)
            for alias in (*spec.aliases, *(spec.api_aliases if api_names else ())):
                words = tuple(alias.split())
                if len(words) == 1:
                    self.aliases[alias] = name
                else:
                    self.phrases[words] = name

    def find(self, *words: str) -> Verb | None:
        """Return the verb that these words begin a command with, under any of its names."""
        return self.verbs.get(self.phrases.get(words, self.aliases.get(words[0], words[0])))

    @cached_property
    def named(self) -> Mapping[tuple[str, ...], Sequence[CommandSpec]]:
        """The commands by the words of their names here: `("cookies", "get")`, `("site", "search")`."""
        found: dict[tuple[str, ...], list[CommandSpec]] = {}
        for verb in self.verbs.values():
            for spec in verb.commands:
                found.setdefault((*verb.name.replace("_", " ").split(), *spec.path[1:]), []).append(spec)
        return found

    def verb_of(self, spec: CommandSpec) -> str:
        """Return the name of the verb that a command begins with here."""
        return self._verbs_by_spec[spec]

    @cached_property
    def _verbs_by_spec(self) -> Mapping[CommandSpec, str]:
        return {spec: verb.name for verb in self.verbs.values() for spec in verb.commands}

    @property
    def names(self) -> list[str]:
        """Every word or phrase that begins a command, for suggestions and completion."""
        return [*self.verbs, *self.aliases, *(" ".join(phrase) for phrase in self.phrases)]


LINE_VOCABULARY = Vocabulary(COMMANDS)


@cache
def api_vocabulary() -> Vocabulary:
    """The vocabulary of APIs and the command line: the commands of lines and those of the host, with unique names."""
    from oryn.language.commands.host import HOST_COMMANDS
    from oryn.language.commands.research import RESEARCH_COMMANDS

    return Vocabulary((*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS), api_names=True)


def verb_names() -> list[str]:
    """Every word or phrase that begins a line, for suggestions and completion."""
    return LINE_VOCABULARY.names
