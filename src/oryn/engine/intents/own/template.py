"""A step's command line with `{{parameter}}` in it: checked when it is defined, filled in when it runs.

The line is parsed with stand-ins in the place of texts, and the texts are put into the parsed command
(`substitution.py`): no value can add an option or a command. Numbers and flags, which are plain words, stand in the
line itself, so that they may also be an element's number or a part of a duration.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from oryn.engine.intents.own.shapes import refuse
from oryn.engine.intents.own.substitution import substitute
from oryn.errors import InvalidValue, LanguageError
from oryn.language import Command, dots, parse, render
from oryn.language.strings import shorten

PLACEHOLDER = re.compile(r"\{\{\s*(?!vault:)([^{}\s]{1,64})\s*\}\}")
"""A parameter; what names a value of the vault is none."""

Types = Mapping[str, str]
"""The parameters that a line may name, with their types."""

_SAMPLES = {"number": "1", "flag": "true"}


def names_in(text: str) -> Iterator[str]:
    """The names in the placeholders of a text."""
    return (found[1] for found in PLACEHOLDER.finditer(text))


def put(text: str, values: Mapping[str, str]) -> str:
    """A plain text, no command, with its placeholders filled in."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], text)


@dataclass(frozen=True, slots=True)
class Template:
    """`text` without its comment; `texts` are the names of the parameters in it that are texts."""

    text: str
    texts: tuple[str, ...]

    @classmethod
    def read(cls, text: str, types: Types, where: str) -> Template:
        """Raises `InvalidDefinition` for what is no command, whatever its parameters' values are."""
        text = without_comment(text)
        names = dict.fromkeys(names_in(text))
        for name in names:
            if name not in types:
                known = f"parameters: {', '.join(types)}" if types else "it has no parameters"
                refuse(where, f"{{{{{name[:40]}}}}} is no parameter", known)
            if types[name] == "list":
                refuse(where, f"{{{{{name}}}}} is a list", f"loop over it: loop: {{over: {name}, steps: […]}}")
        texts = tuple(name for name in names if types[name] == "text")
        template = cls(text, texts)
        samples = {name: _SAMPLES.get(types[name], "") for name in names}
        try:
            line = parse(template._with_stand_ins(samples))
        except LanguageError as error:
            refuse(where, f"{shorten(text)}: {error.message}", error.hint)
        if line.command is None:
            refuse(where, "no command")
        if line.session is not None:
            refuse(where, "a step runs in the session of its intent", "Leave the session's name out.")
        shown = render(line.command)
        for name, word in template._stand_ins().items():
            if shown.count(word) != line.canonical.removesuffix(line.comment or "").count(word):
                refuse(where, f"{{{{{name}}}}} can't stand there", "A parameter of the type number may.")
        return template

    def fill(self, values: Mapping[str, str]) -> Command:
        """The command with these values. Raises `LanguageError` where one does not fit."""
        line = parse(self._with_stand_ins(values))
        assert line.command is not None
        command = substitute(line.command, {word: values[name] for name, word in self._stand_ins().items()})
        if self.texts and parse(render(command)).command != command:
            raise InvalidValue(f"a value does not fit into {shorten(self.text, 80)}")
        return command

    def shown(self, values: Mapping[str, str], secrets: Collection[str]) -> Command:
        """The command as a transcript may have it: with these values, and dots in the place of secrets."""
        told = {name: dots(text) if name in secrets else text for name, text in values.items()}
        command = parse(self._with_stand_ins(values)).command
        assert command is not None
        return substitute(
            command, {word: told[name] for name, word in self._stand_ins().items()}, encode=False
        ).masked()

    def sample(self, types: Types) -> Command:
        """The command with something in the place of each parameter."""
        samples = {name: _SAMPLES.get(types.get(name, "text"), "") for name in names_in(self.text)}
        command = parse(self._with_stand_ins(samples)).command
        assert command is not None
        return command

    def secrets(self, types: Types) -> set[str]:
        """The parameters that stand where a credential does."""
        command = parse(
            self._with_stand_ins({name: _SAMPLES.get(types[name], "") for name in names_in(self.text)})
        ).command
        assert command is not None
        return self.hidden(command, command.masked())

    def hidden(self, sample: Command, masked: Command) -> set[str]:
        """The parameters that stand in a sample and no more in what masking has made of it."""
        shown, told = render(sample), render(masked)
        return {name for name, word in self._stand_ins().items() if word in shown and word not in told}

    def _stand_ins(self) -> dict[str, str]:
        """A word for each text, found nowhere in the line. Lower case, for a method's name would not keep another."""
        seal = "z"
        while f"value{seal}" in self.text.lower():
            seal += "z"
        return {name: f"value{seal}{index}x" for index, name in enumerate(self.texts)}

    def _with_stand_ins(self, values: Mapping[str, str]) -> str:
        words = self._stand_ins()
        return PLACEHOLDER.sub(lambda found: words.get(found[1]) or values[found[1]], self.text)


def without_comment(text: str) -> str:
    """The line up to its comment: what is in braces there is no parameter."""
    try:
        comment = parse(PLACEHOLDER.sub("1", text)).comment
    except LanguageError:
        return text
    if comment is None:
        return text.strip()
    starts = (found.start() for found in re.finditer("#", text))
    start = next(place for place in starts if PLACEHOLDER.sub("1", text[place:]) == comment)
    return text[:start].rstrip()
