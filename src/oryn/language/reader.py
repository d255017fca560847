"""From what follows a verb to the tree: sub-command, arguments, relations and options, in any order."""

from __future__ import annotations

import re

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput
from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.kinds import TARGET, VALUE, Written
from oryn.language.kinds.targets import extend, read_relation
from oryn.language.strings import shorten
from oryn.language.suggestions import did_you_mean
from oryn.language.tokens import Cursor
from oryn.language.tree import Tree, WrittenArgument, WrittenOption
from oryn.language.usage import usage, verb_usage
from oryn.language.vocabulary import Verb

_OPTION_NAME = re.compile(r"[^\W\d][\w-]*+")


class Reader:
    """Reads what follows a verb, from left to right; `read` once."""

    def __init__(self, cursor: Cursor, verb: Verb) -> None:
        self.cursor = cursor
        self.verb = verb
        self.spec: CommandSpec | None = verb.only
        self.next = 0
        """The first argument that is not yet passed."""
        self.values: dict[str, list[Written]] = {}
        self.options: list[WrittenOption] = []
        self.target: str | None = None
        """The name of the last target, to which a relation written later belongs."""

    def read(self, session: str | None) -> Tree:
        while True:
            self.cursor.skip_space()
            if self.cursor.at_end:
                break
            self._step()
            self.cursor.boundary()
        spec = self.spec or self._choose_alone()
        options = tuple(self._own(written, spec) for written in self.options)
        arguments = tuple(self._written(argument) for argument in self._given(spec))
        return Tree(spec, arguments, options, session, self.cursor.comment())

    def _step(self) -> None:
        """Take one option, sub-command, relation or argument."""
        if self.cursor.at_option:
            self._read_option()
            return
        if self.spec is None and self._choose():
            return
        assert self.spec is not None
        if self.target and (relation := read_relation(self.cursor)):
            self.values[self.target][-1] = extend(self.values[self.target][-1], relation, self.cursor)
            return
        argument, passed_over = self._next_argument(self.spec)
        if argument:
            self._read_argument(argument)
        elif not self.cursor.at_string and self.cursor.peek_atom().lower() in self.spec.options:
            self._read_option()
        else:
            if passed_over:
                # It can't be that argument, and this says why.
                passed_over.kind.read(self.cursor)
            raise self.cursor.unexpected(self._nearest_option(self.cursor.peek_atom()) or usage(self.spec))

    # --- which command ---

    def _choose(self) -> bool:
        """Find the command by the word that stands here. True when that took the word."""
        word = "" if self.cursor.at_string else self.cursor.peek_atom().lower()
        self.spec = self.verb.chosen.get(word) or self.verb.default or self.verb.alone
        if self.spec is None:
            start = self.cursor.position
            word = self.cursor.string() if self.cursor.at_string else self.cursor.word()
            words = ", ".join(self.verb.chosen)
            hint = did_you_mean(word, self.verb.chosen) or f"one of {words}"
            raise InvalidValue(f"{self.verb.name} has no {shorten(word)}", hint, start)
        if word in self.spec.path[1:]:
            self.cursor.atom()
            return True
        return False

    def _choose_alone(self) -> CommandSpec:
        if self.verb.alone is None:
            message = f"{self.verb.name} needs one of {', '.join(self.verb.chosen)}"
            raise MissingArgument(message, verb_usage(self.verb), self.cursor.position)
        return self.verb.alone

    # --- arguments ---

    def _next_argument(self, spec: CommandSpec) -> tuple[Argument | None, Argument | None]:
        """The argument that what stands here is for, and the first optional one that it can't be."""
        passed_over = None
        for index in range(self.next, len(spec.arguments)):
            argument = spec.arguments[index]
            repeated = argument.many and argument.name in self.values
            if (argument.required and not repeated) or argument.kind.accepts(self.cursor):
                self.next = index if argument.many else index + 1
                return argument, None
            passed_over = passed_over or argument
        return None, passed_over

    def _read_argument(self, argument: Argument) -> None:
        if argument.lead:
            self._read_lead(argument)
        word = self.cursor.peek_atom()
        try:
            written = argument.kind.read(self.cursor)
        except InvalidValue as error:
            if not self.values:
                error.hint = did_you_mean(word, self.verb.chosen) or error.hint
            raise
        self.values.setdefault(argument.name, []).append(written)
        if argument.kind is TARGET:
            self.target = argument.name

    def _read_lead(self, argument: Argument) -> None:
        """The word before an argument: `to` of `drag <target> to <target>`."""
        assert self.spec is not None
        if self.cursor.at_string or self.cursor.peek_atom().lower() != argument.lead:
            raise self.cursor.unexpected(f"expected {argument.lead}: {usage(self.spec)}")
        self.cursor.atom()
        self.cursor.boundary()
        self.cursor.skip_space()
        if self.cursor.at_end or self.cursor.at_option:
            raise self._missing(argument, self.spec)

    def _given(self, spec: CommandSpec) -> list[Argument]:
        for argument in spec.arguments:
            if argument.required and argument.name not in self.values:
                raise self._missing(argument, spec)
        return [argument for argument in spec.arguments if argument.name in self.values]

    def _written(self, argument: Argument) -> WrittenArgument:
        written = self.values[argument.name]
        if not argument.many:
            return WrittenArgument(argument, (written[0].text,), written[0].value)
        gathered, value = argument.kind.gather(written)
        return WrittenArgument(argument, tuple(each.text for each in gathered), value)

    def _missing(self, argument: Argument, spec: CommandSpec) -> MissingArgument:
        return MissingArgument(
            f"{spec.name} needs {argument.kind.label}: {argument.help}", usage(spec), self.cursor.position
        )

    # --- options ---

    def _read_option(self) -> None:
        """`--name`, `-name` or `name`, and its value."""
        start = self.cursor.position
        bare = not self.cursor.at_option
        if not bare:
            self.cursor.position += 2 if self.cursor.looking_at("--") else 1
        name = self.cursor.take(_OPTION_NAME).lower()
        found = self.spec.spellings.get(name) if self.spec else self.verb.option(name)
        if found is None and not (name and self.spec and self.spec.open):
            self.cursor.position = start
            raise self._unknown_option(name, start)
        if found is not None:
            name = found.key
        value = None if found and found.kind is None else self._read_value(name, found)
        self.options.append(WrittenOption(name, found, value, start))

    def _read_value(self, name: str, option: Option | None) -> Written:
        self.cursor.boundary()
        self.cursor.skip_space()
        kind = option.kind if option and option.kind else VALUE
        if self.cursor.at_end or self.cursor.at_option:
            hint = usage(self.spec, common=name in ("timeout", "strict")) if self.spec else f"--{name} {kind.label}"
            raise MissingArgument(f"--{name} needs {kind.label}", hint, self.cursor.position)
        return kind.read(self.cursor)

    def _own(self, written: WrittenOption, spec: CommandSpec) -> WrittenOption:
        """The option as the command has it: those before a sub-command were read when that was not yet known."""
        if written.option is None:
            return written
        if written.name not in spec.options:
            raise self._unknown_option(written.name, written.start, spec)
        own = spec.options[written.name]
        return written if own is written.option else written.replace(option=own)

    def _unknown_option(self, name: str, start: int, spec: CommandSpec | None = None) -> LanguageError:
        spec = spec or self.spec
        command = spec.name if spec else self.verb.name
        message = f"{command} has no option {shorten(self.cursor.line[start:].split(maxsplit=1)[0])}"
        return UnexpectedInput(message, self._nearest_option(name) or (usage(spec) if spec else None), start)

    def _nearest_option(self, word: str) -> str | None:
        known = self.spec.options if self.spec else {}
        return did_you_mean(f"--{word}", (option.written for option in known.values()))
