"""Parses the tokens of a lexer to a syntax tree, and the tree to a command (docs/spec/intent-language.md#grammar).

A line has a session, a verb and a sub-command; arguments, relations and options follow in any order. The options of the
command are checked for conflicts."""

from __future__ import annotations

from typing import Any

from oryn.core.suggestions import did_you_mean
from oryn.errors import (
    ConflictingOptions,
    InvalidValue,
    LanguageError,
    MissingArgument,
    UnexpectedInput,
    UnknownCommand,
)
from oryn.language.command import OUTPUT_NAMES, Argument, Command, CommandSpec, Option
from oryn.language.help import spec_usage, verb_usage
from oryn.language.kinds import SESSION_NAME, TARGET, VALUE, ParsedValue, ValueKind
from oryn.language.kinds.targets import PRINTED_TARGET, missing_related_target, relate, relation_at
from oryn.language.lexer import quote, shorten
from oryn.language.render import ParsedArgument, ParsedOption, SyntaxTree, render_tree
from oryn.language.targets import IdTarget, Relation
from oryn.language.tokens import Lexer, LineLexer
from oryn.language.vocabulary import LINE_VOCABULARY, Verb, Vocabulary


class CommandParser:
    """Parses the tokens after a verb, from left to right. Call `parse` only once.

    printed: read targets also as answers print them."""

    def __init__(self, lexer: Lexer, verb: Verb, *, printed: bool = False) -> None:
        self.lexer = lexer
        self.verb = verb
        self.printed = printed
        self.target_kind = PRINTED_TARGET if printed else TARGET
        self.spec: CommandSpec | None = verb.only
        self.next = 0
        """The first argument that is not yet passed."""
        self.values: dict[str, list[ParsedValue]] = {}
        self.options: list[ParsedOption] = []
        self.target: str | None = None
        """The name of the last target; a relation that follows belongs to it."""
        self.nameless: int | None = None
        """The position of an option's value without its name."""

    def parse(self, session: str | None) -> SyntaxTree:
        """Return the tree of the command. Raises `LanguageError`."""
        while not self.lexer.at_end:
            try:
                self._step()
            except LanguageError as error:
                self.lexer.recover(error)
        spec = self.spec or self._choose_without_arguments()
        options = tuple(self._resolve_option(written, spec) for written in self.options)
        if self.nameless is not None and sum(each.option is spec.nameless for each in options) > 1:
            hint = f"{spec_usage(spec)}. The text of an element is written in quotes."
            raise UnexpectedInput(f"{spec.name} has two files", hint, self.nameless)
        arguments = tuple(self._parsed_argument(argument) for argument in self._supplied_arguments(spec))
        return SyntaxTree(spec, arguments, options, session, self.lexer.comment())

    def _step(self) -> None:
        """Take one option, sub-command, relation or argument."""
        if self._at_option():
            self._read_option()
            return
        if self.spec is None and self._choose_command():
            return
        assert self.spec is not None
        if self._at_relation():
            self._read_relation()
            return
        nameless = self.spec.nameless
        if nameless and nameless.kind and nameless.kind.stands_alone(self.lexer.cursor(nameless.kind)):
            self.nameless = self.lexer.position
            self.options.append(ParsedOption(nameless.key, nameless, self.lexer.read(nameless.kind), self.nameless))
            return
        argument, passed_over = self._next_argument(self.spec)
        if argument:
            self._read_argument(argument)
        elif self.lexer.keyword() in self.spec.options:
            self._read_option()
        else:
            self._reject(self.spec, passed_over)

    def _reject(self, spec: CommandSpec, passed_over: Argument | None) -> None:
        """Raise the error for a token that fits nowhere. `passed_over` is an argument that the token doesn't fit."""
        if passed_over and passed_over.lead:
            raise self.lexer.unexpected(f"expected {passed_over.lead}: {spec_usage(spec)}")
        if passed_over:
            passed_over.kind.read(self.lexer.cursor(passed_over.kind))  # raises the reason
        word = self.lexer.cursor().peek_atom()
        raise self.lexer.unexpected(self._nearest_option(word) or self._point_hint(word, spec) or spec_usage(spec))

    def _point_hint(self, word: str, spec: CommandSpec) -> str | None:
        """Return a hint for the second of two numbers that are meant as a point."""
        number = self.values[self.target][-1].value if self.target else None
        if isinstance(number, IdTarget) and word.lstrip("-").isdigit():
            return f"a number alone is an element's, a point is at({number.number},{word}): {spec_usage(spec)}"
        return None

    # --- which command ---

    def _choose_command(self) -> bool:
        """Find the command by the next token. Return whether that took the token."""
        word = self.lexer.keyword()
        self.spec = self.verb.chosen.get(word) or self.verb.default or self.verb.alone
        if self.spec is None:
            start = self.lexer.position
            word = self.lexer.take_text()
            words = ", ".join(self.verb.chosen)
            hint = did_you_mean(word, self.verb.chosen) or f"one of {words}"
            raise InvalidValue(f"{self.verb.name} has no {shorten(word)}", hint, start)
        if word in self.spec.path[1:]:
            self.lexer.take_keyword()
            return True
        return False

    def _choose_without_arguments(self) -> CommandSpec:
        spec = self.verb.alone or self.verb.listing
        if spec is None:
            message = f"{self.verb.name} needs one of {', '.join(self.verb.chosen)}"
            raise MissingArgument(message, verb_usage(self.verb), self.lexer.position)
        return spec

    # --- arguments ---

    def _next_argument(self, spec: CommandSpec) -> tuple[Argument | None, Argument | None]:
        """Return the argument that the next token is for, and the first optional argument that it doesn't fit."""
        passed_over = None
        for index in range(self.next, len(spec.arguments)):
            argument = spec.arguments[index]
            if argument is spec.output and argument.name in self.values:
                continue  # an option has been its value
            if (argument.required and not self._repeats(argument)) or self._accepts(argument):
                self.next = index if argument.many else index + 1
                return argument, None
            passed_over = passed_over or argument
        return None, passed_over

    def _accepts(self, argument: Argument) -> bool:
        """Return whether the next token can begin an optional argument."""
        if argument.lead and not argument.required:
            return self.lexer.keyword() == argument.lead
        return argument.kind.accepts(self.lexer.cursor(argument.kind))

    def _repeats(self, argument: Argument) -> bool:
        """Return whether the argument has a value already, and takes more."""
        return argument.many and argument.name in self.values

    def _read_argument(self, argument: Argument) -> None:
        if argument.lead:
            self._read_lead(argument)
        word = self.lexer.cursor(argument.kind).peek_atom()
        try:
            value = self.lexer.read(self.target_kind if argument.kind is TARGET else argument.kind)
        except InvalidValue as error:
            if not self.values:
                error.hint = did_you_mean(word, self.verb.chosen) or error.hint
            raise
        self.values.setdefault(argument.name, []).append(value)
        if argument.kind is TARGET:
            self.target = argument.name

    def _read_lead(self, argument: Argument) -> None:
        """Take the word before an argument: `to` of `drag <target> to <target>`."""
        assert self.spec is not None
        if self.lexer.keyword() != argument.lead:
            raise self.lexer.unexpected(f"expected {argument.lead}: {spec_usage(self.spec)}")
        self.lexer.take_keyword()
        if self.lexer.at_end or self.lexer.at_option:
            raise self._missing_argument(argument, self.spec)

    def _at_relation(self) -> bool:
        return self.target is not None and self._relation() is not None

    def _relation(self) -> Relation | None:
        return relation_at(self.lexer.cursor(), self.printed) if self.lexer.keyword() else None

    def _read_relation(self) -> None:
        """Take a relation of the last target, and the target after it."""
        assert self.target is not None
        relation = self._relation()
        assert relation is not None
        self.lexer.take_keyword()
        if self.lexer.at_end or self.lexer.at_option:
            raise missing_related_target(relation, self.lexer.position)
        values = self.values[self.target]
        values[-1] = relate(values[-1], relation, self.lexer.read(self.target_kind))

    def _supplied_arguments(self, spec: CommandSpec) -> list[Argument]:
        for argument in spec.arguments:
            if argument.required and argument.name not in self.values:
                raise self._missing_argument(argument, spec)
        written = {*self.values, *(each.option.name for each in self.options if each.option)}
        if spec.either and written.isdisjoint(spec.either):
            optional = next(argument for argument in spec.arguments if argument.name in spec.either)
            raise self._missing_argument(optional, spec)
        return [argument for argument in spec.arguments if argument.name in self.values]

    def _parsed_argument(self, argument: Argument) -> ParsedArgument:
        values = self.values[argument.name]
        if not argument.many:
            return ParsedArgument(argument, (values[0].text,), values[0].value)
        gathered, value = argument.kind.gather(values)
        return ParsedArgument(argument, tuple(each.text for each in gathered), value)

    def _missing_argument(self, argument: Argument, spec: CommandSpec) -> MissingArgument:
        position, hint = self.lexer.position, spec_usage(spec)
        comment = self.lexer.comment() if argument.kind is TARGET else None
        if comment and comment[1:].isdecimal():
            hint = f"a # after a space begins a comment, an element's number is written alone: {comment[1:]}"
        elif comment and comment[1:2].isidentifier():
            hint = f"a # after a space begins a comment, a selector is quoted: {quote(comment)}"
        return MissingArgument(f"{spec.name} needs {argument.kind.label}: {argument.help}", hint, position)

    # --- options ---

    def _at_option(self) -> bool:
        return self.lexer.at_option

    def _find_option(self, name: str) -> Option | None:
        return self.spec.spellings.get(name) if self.spec else self.verb.option(name)

    def _read_option(self) -> None:
        """Take `--name`, `-name` or `name`, and its value."""
        start = self.lexer.position
        name = self.lexer.take_option_name()
        option = self._find_option(name)
        output = self.spec.output if self.spec and name in OUTPUT_NAMES else None
        if option is None and output is not None:
            self.lexer.end_token()
            self.values[output.name] = [self._read_value(name, output.kind)]
            return
        if option is None and not (name and self.spec and self.spec.open):
            raise self._unknown_option(name, start)
        if option is not None:
            name = option.key
        self.lexer.end_token()
        value = None if option and option.kind is None else self._read_value(name, option.kind if option else None)
        self.options.append(ParsedOption(name, option, value, start))

    def _read_value(self, name: str, kind: ValueKind[Any] | None) -> ParsedValue:
        kind = kind or VALUE
        if not self.lexer.value_follows:
            hint = (
                spec_usage(self.spec, common=name in ("timeout", "strict")) if self.spec else f"--{name} {kind.label}"
            )
            raise MissingArgument(f"--{name} needs {kind.label}", hint, self.lexer.position)
        return self.lexer.read(self.target_kind if kind is TARGET else kind)

    def _resolve_option(self, written: ParsedOption, spec: CommandSpec) -> ParsedOption:
        """Return the option as declared by the command. Options before a sub-command are read before the command is
        known."""
        if written.option is None:
            return written
        if written.name not in spec.options:
            raise self._unknown_option(written.name, written.start, spec)
        own = spec.options[written.name]
        return written if own is written.option else written.replace(option=own)

    def _unknown_option(self, name: str, start: int, spec: CommandSpec | None = None) -> LanguageError:
        spec = spec or self.spec
        command = spec.name if spec else self.verb.name
        message = f"{command} has no option {shorten(self.lexer.text_at(start))}"
        return UnexpectedInput(message, self._nearest_option(name) or (spec_usage(spec) if spec else None), start)

    def _nearest_option(self, word: str) -> str | None:
        options = self.spec.options if self.spec else {}
        return did_you_mean(f"--{word}", (option.written for option in options.values()))


def read_line(raw: str, vocabulary: Vocabulary = LINE_VOCABULARY) -> SyntaxTree:
    """Return the tree of one raw line, which contains no line break. Raises `LanguageError` with the
    position in `raw`."""
    lexer = LineLexer(raw)
    session = read_session(lexer)
    if lexer.at_end:
        return SyntaxTree(comment=lexer.comment())
    verb = read_verb(lexer, vocabulary)
    plainly = lexer.fork()
    try:
        return CommandParser(lexer, verb, printed=True).parse(session)
    except LanguageError:
        # `type textbox "Ada"` names no text beside the target: "textbox" is the target.
        return CommandParser(plainly, verb).parse(session)


def read_session(lexer: Lexer) -> str | None:
    """Take `@name`, or `session name` before a command, and return the name. Return None, and take nothing, if neither
    is next. Raises `LanguageError`."""
    name = _read_at_session(lexer) if lexer.keyword().startswith("@") else _read_session_prefix(lexer)
    if name is not None:
        nested = lexer.fork()
        if nested.keyword().startswith("@") or _read_session_prefix(nested) is not None:
            raise nested.unexpected("one command runs in one session")
    return name


def _read_at_session(lexer: Lexer) -> str:
    lexer.take_session_mark()
    name = str(lexer.read(SESSION_NAME).value)
    if not lexer.command_follows:
        raise MissingArgument(f"the command for session {name} is missing", "@<name> <command>", lexer.position)
    return name


def _read_session_prefix(lexer: Lexer) -> str | None:
    """Take `session work` of `session work click 5`. Return None, and take nothing, if it is a command of its own."""
    if lexer.keyword() != "session" or not lexer.has_session_prefix(LINE_VOCABULARY.verbs["session"].chosen):
        return None
    lexer.take_keyword()
    return str(lexer.read(SESSION_NAME).value)


def read_verb(lexer: Lexer, vocabulary: Vocabulary) -> Verb:
    """Take the verb, which may be two words (`go to`). Raises `UnknownCommand`."""
    words = lexer.next_keywords()
    count = 2 if words in vocabulary.phrases else 1
    verb = vocabulary.find(*words[:count])
    if verb is None:
        hint = did_you_mean(words[0], vocabulary.names) or "help lists the commands"
        raise UnknownCommand(f"unknown command {shorten(words[0])}", hint, lexer.position)
    for _ in range(count):
        lexer.take_keyword()
    return verb


def build_command(tree: SyntaxTree) -> Command | None:
    """Return the command that a tree means, or None if it has no command.

    Of a repeated option the last value counts, or all of them if its kind is cumulative (`--url A --url B`). Of a group
    of flags the last one written counts."""
    if tree.spec is None:
        return None
    values: dict[str, Any] = {written.argument.name: written.value for written in tree.arguments}
    parameters: dict[str, str] = {}
    for written in tree.options:
        if written.option is None:
            assert written.value is not None
            parameters[written.name] = written.value.value
        else:
            _apply_option(values, written, tree)
    if parameters:
        values["parameters"] = tuple(parameters.items())
    if tree.body:
        values["body"] = tuple(render_tree(line) for line in tree.body)
    command = tree.spec.type(**values)
    assert isinstance(command, Command)
    return command


def _apply_option(values: dict[str, Any], written: ParsedOption, tree: SyntaxTree) -> None:
    option = written.option
    assert option is not None
    assert tree.spec is not None
    if option.group:
        for other in tree.spec.options.values():
            if other.group == option.group:
                values[other.name] = False
    value: Any = True if written.value is None else written.value.value
    if option.kind is not None and option.kind.is_cumulative:
        value = (*values.get(option.name, ()), *value)
    values[option.name] = value


def _written(spec: CommandSpec, name: str) -> str:
    """How a line has a field: `--clip`, `<target>`."""
    argument = next((each for each in spec.arguments if each.name == name), None)
    return argument.kind.label if argument else f"--{name.replace('_', '-')}"


def check_conflicts(command: Command, tree: SyntaxTree | None = None) -> None:
    """Raise `ConflictingOptions` if two options exclude each other. With `tree`, the error has the position of the
    second one."""
    for first, second in type(command).spec.conflicts:
        if getattr(command, first) and getattr(command, second):
            starts = (
                [each.start for each in tree.options if each.option and each.option.name in (first, second)]
                if tree
                else []
            )
            written = [_written(type(command).spec, name) for name in (first, second)]
            raise ConflictingOptions(
                f"{written[0]} and {written[1]} exclude each other", "leave one of them out", max(starts, default=None)
            )
