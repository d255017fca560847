"""Parses the words of a command line, from which the shell has removed the quotes.

    click "Sign in"      →  ["click", "Sign in"]      →  click "Sign in"
    type 3 '--force'     →  ["type", "3", "--force"]  →  type 3 "--force"

The grammar is that of lines (`parser`); only the lexer differs. The meaning of a word depends on its position. If a
text is expected, the word is that text, whatever it contains, so scripts can pass text from elsewhere. At any other
position, a word that is an option of the command is that option. A word in the position of a target is parsed as in a
line, or else taken as the text of an element."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from oryn.errors import LanguageError, MissingArgument, UnexpectedInput
from oryn.language.command import Argument, CommandSpec
from oryn.language.help import spec_usage
from oryn.language.kinds import (
    TARGET,
    VALUE,
    JsonKind,
    KeyCombinationKind,
    KeyKind,
    ListKind,
    NameKind,
    ParsedValue,
    SelectionKind,
    StringKind,
    ValueKind,
    WordsKind,
)
from oryn.language.kinds.targets import PRINTED_RELATION, PRINTED_TARGET, RELATION_WORDS, TargetKind
from oryn.language.lexer import SPACE, Cursor, quote, shorten
from oryn.language.line import Line, line_from_tree, parse
from oryn.language.parser import CommandParser, read_session, read_verb
from oryn.language.render import SyntaxTree
from oryn.language.targets import CssTarget, Relation, is_kind
from oryn.language.vocabulary import Verb, api_vocabulary

_UNQUOTED_WORD = re.compile(r"[^\s\"'#-][^\s\"'#]*")
_QUOTED_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_BRACKETED = re.compile(r"\[[0-9]+\]")
_OPTION = re.compile(r"--?([^\W\d][\w-]*)(?:=(.*))?", re.DOTALL)

TARGET_OPTIONS = ("ref", "selector")
"""Options that specify a target, for commands without an option of that name."""


class ParsedArgv(NamedTuple):
    """The result of parsing the words of a command line."""

    result: Line | LanguageError
    """The line, or the error why the words are not a line."""
    options: dict[str, str]
    """The caller's own options among the words, with their values (`""` for a flag)."""


def parse_argv(words: Sequence[str]) -> Line:
    """Return the line that the words of a command line mean. Raises `LanguageError`."""
    result = parse_argv_options(words, {}).result
    if isinstance(result, LanguageError):
        raise result
    return result


def parse_argv_options(words: Sequence[str], own_options: Mapping[str, bool]) -> ParsedArgv:
    """Parse the words of a command line, which may also contain options of the caller.

    words: the command and its arguments, without the program.
    own_options: the names of the caller's options, and whether they take a value. They are recognized if the command
        has no option of that name, even if the command has an error. If the words themselves are wrong (an option lacks
        its value, or a flag has one), none is recognized."""
    lexer = ArgvLexer(words)
    options: dict[str, str] = {}
    try:
        return ParsedArgv(_parse(lexer, own_options, options), options)
    except LanguageError as error:
        error.position = None  # a position in a line that the user did not write
        return ParsedArgv(error, {} if error is lexer.fatal_error else options)


def _parse(lexer: ArgvLexer, own_options: Mapping[str, bool], options: dict[str, str]) -> Line:
    """Return the line; `options` receives the caller's own options. Raises `LanguageError`."""
    if lexer.at_end:
        raise MissingArgument("the command is missing", "help lists the commands")
    tree: SyntaxTree | None = SyntaxTree()
    ahead: ArgvLexer | None = None
    try:
        session = _read_session(lexer)
        if lexer.at_end and lexer.first_error is not None:
            raise lexer.first_error
        verb = read_verb(lexer, api_vocabulary())
        if verb.name == "define":
            return _parse_definition(lexer, session)
        ahead = lexer.fork() if lexer.first_error is None else None
        tree = _ArgvParser(lexer, verb, own_options, options).parse(session)
    except LanguageError as error:
        lexer.remember(error)
    if lexer.first_error is not None:
        tree = _parse_as_printed(ahead, verb, own_options, session) if ahead else None
    if tree is None:
        assert lexer.first_error is not None
        raise lexer.complete(lexer.first_error)
    return line_from_tree(tree)


def _parse_as_printed(
    lexer: ArgvLexer, verb: Verb, own_options: Mapping[str, bool], session: str | None
) -> SyntaxTree | None:
    """Return the tree of words whose targets are as answers print them (`click button Save`); None if they have no
    meaning so either."""
    try:
        tree = _ArgvParser(lexer, verb, own_options, {}, printed=True).parse(session)
    except LanguageError:
        return None
    return tree if lexer.first_error is None else None


def _read_session(lexer: ArgvLexer) -> str | None:
    try:
        return read_session(lexer)
    except LanguageError as error:
        lexer.remember(error)
        return None


def _parse_definition(lexer: ArgvLexer, session: str | None) -> Line:
    """Parse `define "next:" "click Next"`: the words after the name are the lines of the body. Raises
    `LanguageError`."""
    if lexer.first_error is not None:
        raise lexer.first_error
    head = f"@{session} define" if session else "define"
    if lexer.at_end:
        return parse(head, api_vocabulary())
    name, *body = lexer.words
    head = f"{head} {name if name.endswith(':') else f'{name}:'}"
    return parse("\n  ".join((head, *(line for each in body for line in each.split("\n")))), api_vocabulary())


def _line_form(kind: ValueKind[Any], word: str) -> tuple[str, ParsedValue | None]:
    """Return the text in a line that means `word` as a value of this kind. The second result is the value if it was
    read already."""
    if isinstance(kind, SelectionKind) and (word.isdecimal() or _QUOTED_WORD.fullmatch(word)):
        return word, None
    if kind is VALUE or isinstance(kind, StringKind | ListKind | JsonKind | KeyKind | KeyCombinationKind):
        return quote(word), None
    if isinstance(kind, NameKind):
        return kind.write(word), None
    if "\n" not in word and (value := kind.read_whole(word)):
        return word, value
    return quote(word) if isinstance(kind, TargetKind) else _quote_if_needed(word), None


def _quote_if_needed(word: str) -> str:
    """Return a word as it may be written anywhere in a line: bare if it is plain, else in quotes."""
    return word if _UNQUOTED_WORD.fullmatch(word) else quote(word)


class ArgvLexer:
    """The tokens of the words of a command line. A position is the number of tokens taken.

    The lexer continues after an error, so that options of the caller are found after it."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.tokens: list[str] = []
        """The tokens taken so far, as they would be written in a line."""
        self.inline_value: str | None = None
        """The value of `--name=value`, until it is taken."""
        self.fatal_error: LanguageError | None = None
        """An error after which the lexer stops reading."""
        self.first_error: LanguageError | None = None
        self._error_position = -1
        self._form: tuple[ValueKind[Any], str, tuple[str, ParsedValue | None]] | None = None
        """The last word that was examined as a value of a kind, and its form."""

    @property
    def position(self) -> int:
        return len(self.tokens)

    @property
    def at_end(self) -> bool:
        return not self.words

    @property
    def at_option(self) -> bool:
        return bool(self.words) and _OPTION.fullmatch(self.words[0]) is not None

    @property
    def value_follows(self) -> bool:
        return self.inline_value is not None or bool(self.words)

    @property
    def command_follows(self) -> bool:
        return bool(self.words)

    def has_session_prefix(self, reserved: Container[str]) -> bool:
        if len(self.words) < 3:
            return False
        name, command = self.words[1:3]
        return not (name.startswith("-") or command.startswith("-") or name.lower() in reserved)

    def fork(self) -> ArgvLexer:
        fork = ArgvLexer(self.words)
        fork.tokens += self.tokens
        return fork

    def keyword(self) -> str:
        return self.words[0].lower() if self.words else ""

    def next_keywords(self) -> tuple[str, str]:
        second = self.words[1].lower() if len(self.words) > 1 else ""
        return self.cursor().peek_atom().lower(), second

    def take_keyword(self) -> None:
        self.tokens.append(self.words.pop(0).lower())

    def take_session_mark(self) -> bool:
        if not self.words[0].startswith("@"):
            return False
        self.words[0] = self.words[0][1:]
        return True

    def take_text(self) -> str:
        word = self.words.pop(0)
        self.tokens.append(_quote_if_needed(word))
        return word

    def peek_option(self) -> tuple[str, str | None]:
        """Return the name of the next option, and the value written in the same word."""
        match = _OPTION.fullmatch(self.words[0])
        return (match[1].lower(), match[2]) if match else (self.words[0].lower(), None)

    def take_option_name(self) -> str:
        name, self.inline_value = self.peek_option()
        del self.words[0]
        self.tokens.append(f"--{name}")
        return name

    def take_word(self) -> str:
        """Take the next word, or the value of the option just taken. It is not yet added to the tokens."""
        if self.inline_value is None:
            return self.words.pop(0)
        word, self.inline_value = self.inline_value, None
        return word

    def end_token(self) -> None:
        """Do nothing, because words always end."""

    def cursor(self, kind: ValueKind[Any] | None = None) -> Cursor:
        word = self.words[0]
        return Cursor(self._line_form(kind, word)[0] if kind else _quote_if_needed(word))

    def read(self, kind: ValueKind[Any]) -> ParsedValue:
        word = self.take_word()
        if isinstance(kind, WordsKind):
            while self.words and not self.at_option:
                word = f"{word} {self.words.pop(0)}"
        if kind is PRINTED_TARGET:
            word = self._take_printed_target(word)
        text, value = self._line_form(kind, word)
        if value is None:
            return self.read_text(kind, text)
        self.tokens.append(text)
        return value

    def _take_printed_target(self, word: str) -> str:
        """Take the words behind the first one of a target that is as answers print it: `[5] button Save`."""
        if _BRACKETED.fullmatch(word) and len(self.words) > 1 and is_kind(self.words[0].lower()):
            word = f"{word} {self.words.pop(0)}"
        if is_kind(word.rpartition(" ")[2].lower()) and self.words and not self.at_option:
            word = f"{word} {quote(self.words.pop(0))}"
        return word

    def _line_form(self, kind: ValueKind[Any], word: str) -> tuple[str, ParsedValue | None]:
        if self._form is None or self._form[0] is not kind or self._form[1] is not word:
            self._form = kind, word, _line_form(kind, word)
        return self._form[2]

    def read_text(self, kind: ValueKind[Any], text: str) -> ParsedValue:
        """Add a text, written as in a line, as the next token, and return its value. Raises `LanguageError`."""
        self.tokens.append(text)
        cursor = Cursor(text)
        value = kind.read(cursor)
        cursor.skip_space()
        if cursor.position < len(text):
            self.tokens[-1:] = [text[: cursor.position], text[cursor.position :]]
            raise UnexpectedInput("", None, self.position - 1)
        return value

    def text_at(self, position: int) -> str:
        return self.tokens[position]

    def unexpected(self, hint: str | None = None) -> UnexpectedInput:
        return UnexpectedInput("", hint, self.position)  # the message includes later words: `complete` adds it

    def comment(self) -> None:
        return None

    # --- errors ---

    def recover(self, error: LanguageError) -> None:
        if error is self.fatal_error:
            raise error
        self.remember(error)
        self.inline_value = None
        if self.position == self._error_position and self.words:
            self.take_text()
        self._error_position = self.position

    def remember(self, error: LanguageError) -> None:
        """Record an error. Of several errors the first counts, unless one is fatal."""
        self.first_error = error if error is self.fatal_error else self.first_error or error

    def fatal(self, error: LanguageError) -> LanguageError:
        """Record an error after which the lexer stops reading, and return it."""
        self.fatal_error = error
        return error

    def complete(self, error: LanguageError) -> LanguageError:
        """Return the error with its message, after all words were read."""
        if error.message:
            return error
        assert error.position is not None
        rest = " ".join((*self.tokens, *map(_quote_if_needed, self.words))[error.position :])
        return UnexpectedInput(f"unexpected {shorten(rest[:60])}", error.hint)


class _ArgvParser(CommandParser):
    """The parser with rules that only apply to words. It handles texts that look like options, the caller's own
    options, targets as options, and relations whose words may also be arguments."""

    lexer: ArgvLexer

    def __init__(
        self,
        lexer: ArgvLexer,
        verb: Verb,
        own_options: Mapping[str, bool],
        options: dict[str, str],
        *,
        printed: bool = False,
    ) -> None:
        super().__init__(lexer, verb, printed=printed)
        self.own_options = own_options
        self.found_options = options
        self.after_target = False
        self.option_like_text: str | None = None
        """A text that is also the name of an option; the user may have meant the option."""

    # --- arguments ---

    def _next_argument(self, spec: CommandSpec) -> tuple[Argument | None, Argument | None]:
        first = self.next
        argument, passed_over = super()._next_argument(spec)
        if argument and argument.lead and self.lexer.keyword() != argument.lead:
            self.next = first
            return None, argument
        return argument, passed_over

    def _read_argument(self, argument: Argument) -> None:
        word = self.lexer.words[0]
        self.after_target = False
        if argument.kind is TARGET and not argument.lead and self._read_no_target(argument, word):
            return
        if isinstance(argument.kind, StringKind) and self.lexer.at_option:
            if self.spec and self.lexer.peek_option()[0] in self.spec.spellings:
                self.option_like_text = word
        super()._read_argument(argument)
        self.after_target = argument.kind is TARGET

    def _read_no_target(self, argument: Argument, word: str) -> bool:
        """Take an empty word, which is not a target. Raises `UnexpectedInput` for dashes, as before an option."""
        if not word.strip(SPACE):
            assert self.spec is not None
            self.lexer.take_text()
            self.next = self.spec.arguments.index(argument)
            return True
        if self.lexer.cursor(TARGET).at_option:
            start = self.lexer.position
            self.lexer.take_text()
            self.lexer.tokens[-1] = word
            raise self._unknown_option(word.lstrip("-"), start)
        return False

    def _at_relation(self) -> bool:
        """Return whether a relation follows directly after a target, with enough words left for the
        missing arguments."""
        words = self.lexer.words
        if not self.after_target or self.spec is None or self._relation() is None:
            return False
        if len(words) < 2 or _OPTION.fullmatch(words[1]):
            return False
        missing = [each for each in self.spec.arguments[self.next :] if each.required]
        return len(words) - 2 >= len(missing)

    def _relation(self) -> Relation | None:
        word = self.lexer.keyword()
        return RELATION_WORDS.get(word) or ("inside" if self.printed and word == PRINTED_RELATION else None)

    def _read_relation(self) -> None:
        words = self.lexer.words
        relation = words.pop(0)
        while words and not words[0].strip(SPACE):
            del words[0]  # an empty word is not a target
        while self.lexer.at_option and self._is_own_option(name := self.lexer.peek_option()[0]):
            self._read_own_option(name)
        words.insert(0, relation)
        super()._read_relation()

    def _reject(self, spec: CommandSpec, passed_over: Argument | None) -> None:
        if self.option_like_text:
            hint = f"{self.option_like_text} was taken as the text; write options behind it: {spec_usage(spec)}"
            raise self.lexer.fatal(UnexpectedInput(f"unexpected {shorten(self.lexer.words[0])}", hint))
        if super()._at_relation():
            self._read_relation()
        else:
            super()._reject(spec, passed_over)

    # --- options ---

    def _at_option(self) -> bool:
        if not self.lexer.at_option:
            return False
        arguments = self.spec.arguments if self.spec else ()
        if self.next >= len(arguments):
            return True
        argument = arguments[self.next]
        if not self._repeats(argument):
            return not (argument.required and not argument.lead and isinstance(argument.kind, StringKind))
        name, value = self.lexer.peek_option()
        return not (
            value is None
            and self._find_option(name) is None
            and not self._is_own_option(name)
            and not (name in TARGET_OPTIONS and self._takes_target())
        )

    def _read_option(self) -> None:
        name, value = self.lexer.peek_option()
        option = self._find_option(name)
        if option is None and name in TARGET_OPTIONS and self._takes_target():
            self._read_target_option(name)
        elif self._is_own_option(name):
            self._read_own_option(name)
        elif option is not None and option.kind is None and value is not None:
            hint = spec_usage(self.spec) if self.spec else None
            raise self.lexer.fatal(UnexpectedInput(f"--{name} takes no value", hint))
        else:
            super()._read_option()

    def _takes_target(self) -> bool:
        """Return whether a target can follow. If the command is not chosen yet, choose the default one of its verb."""
        spec = self.spec or self.verb.default
        if spec is None or not any(each.kind is TARGET for each in spec.arguments[self.next :]):
            return False
        self.spec = spec
        return True

    def _read_target_option(self, name: str) -> None:
        """Read `--ref @e3` or `--selector .buy` in the place of the next target."""
        assert self.spec is not None
        word = self._take_option_word(name)
        while self.spec.arguments[self.next].kind is not TARGET:
            self.next += 1
        argument = self.spec.arguments[self.next]
        self.next, self.after_target = self.next + 1, True
        if name == "selector":
            text = str(CssTarget(word))
        elif word.strip(SPACE):
            text, _ = _line_form(TARGET, f"@{word}" if word.lower().startswith("e") else word)
        else:
            return
        if argument.lead:
            self.lexer.tokens.append(argument.lead)
        self.values[argument.name] = [self.lexer.read_text(TARGET, text)]
        self.target = argument.name

    def _is_own_option(self, name: str) -> bool:
        return name in self.own_options and self._find_option(name) is None

    def _read_own_option(self, name: str) -> None:
        if self.own_options[name]:
            self.found_options[name] = self._take_option_word(name)
        else:
            del self.lexer.words[0]
            self.found_options[name] = ""

    def _take_option_word(self, name: str) -> str:
        """Take the value of an option that the command doesn't have. Raises `MissingArgument`."""
        _, value = self.lexer.peek_option()
        del self.lexer.words[0]
        if value is None and not self.lexer.words:
            raise self.lexer.fatal(MissingArgument(f"--{name} needs a value"))
        return self.lexer.words.pop(0) if value is None else value
