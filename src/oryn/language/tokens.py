"""The interface between the parser and its two lexers, and the lexer of raw lines. The other lexer reads the words of a
command line (`argv`).

The meaning of a token depends on its position, so a lexer can't produce a list of tokens in advance. Instead, the
parser requests the token that may follow. Between two calls a lexer is at the beginning of a token, or at the end."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Protocol, Self

from oryn.errors import LanguageError, MissingArgument, UnexpectedInput
from oryn.language.kinds import SESSION_NAME
from oryn.language.kinds.base import ParsedValue, ValueKind
from oryn.language.lexer import Cursor


class Lexer(Protocol):
    """The source of the parser's tokens."""

    @property
    def position(self) -> int:
        """The position at which the next token begins. In a raw line it is the offset of a character,
        counted from 0."""

    @property
    def at_end(self) -> bool:
        """Whether no token is left."""

    @property
    def at_option(self) -> bool:
        """Whether the next token is the name of an option, with its dashes."""

    @property
    def value_follows(self) -> bool:
        """Whether the value of the option just taken follows."""

    @property
    def command_follows(self) -> bool:
        """Whether the next token can begin a command."""

    def has_session_prefix(self, reserved: Container[str]) -> bool:
        """Whether `session`, which is next, has a name and a command after it. Sub-commands of `session` are
        `reserved`. Raises `InvalidValue`."""

    def fork(self) -> Self:
        """Return a lexer at the same position, to look ahead."""

    def keyword(self) -> str:
        """The next token in lower case if it can be a keyword, else `""`. It is not taken."""

    def next_keywords(self) -> tuple[str, str]:
        """The next two tokens, as by `keyword`."""

    def take_keyword(self) -> None: ...

    def take_session_mark(self) -> bool:
        """Take the `@` before the name of a session, if it is next."""

    def take_text(self) -> str:
        """Take one token, whatever it is, and return its text."""

    def take_option_name(self) -> str:
        """Take the name of an option, with or without its dashes; return it without them, in lower case. `end_token`
        checks that the token ends there."""

    def end_token(self) -> None:
        """Go to the next token. Raises `UnexpectedInput` if something touches the one just taken."""

    def cursor(self, kind: ValueKind[Any] | None = None) -> Cursor:
        """Return a cursor at the next token, written as a value of this kind in a line. Use it only to look ahead."""

    def read(self, kind: ValueKind[Any]) -> ParsedValue:
        """Take a value. Raises `LanguageError`."""

    def text_at(self, position: int) -> str:
        """Return the token that begins at a position, as it was written."""

    def unexpected(self, hint: str | None = None) -> UnexpectedInput:
        """Return the error that the next token fits nowhere."""

    def comment(self) -> str | None:
        """Take the comment at the end, `#` included, as it was written."""

    def recover(self, error: LanguageError) -> None:
        """Raise the error, or record it and skip the invalid input."""


class LineLexer(Cursor):
    """The tokens of a raw line. Stops at the first error."""

    __slots__ = ()

    def __init__(self, line: str, position: int = 0) -> None:
        super().__init__(line, position)
        self.skip_space()

    @property
    def value_follows(self) -> bool:
        return not (self.at_end or self.at_option)

    @property
    def command_follows(self) -> bool:
        return not (self.at_end or self.looking_at("-"))

    def has_session_prefix(self, reserved: Container[str]) -> bool:
        ahead = self.fork()
        ahead.take_keyword()
        if not ahead.command_follows or ahead.keyword() in reserved:
            return False
        ahead.read(SESSION_NAME)
        return ahead.command_follows

    def fork(self) -> LineLexer:
        return LineLexer(self.line, self.position)

    def keyword(self) -> str:
        return "" if self.at_string else self.peek_atom().lower()

    def next_keywords(self) -> tuple[str, str]:
        ahead = Cursor(self.line, self.position)
        first, end = ahead.atom().lower(), ahead.position
        ahead.skip_space()
        return first, ahead.peek_atom().lower() if ahead.position > end else ""

    def take_keyword(self) -> None:
        self.atom()
        self.end_token()

    def take_session_mark(self) -> bool:
        if not self.looking_at("@"):
            return False
        self.position += 1
        if not self.peek_atom():
            raise MissingArgument("the name of a session is missing", "@<name> <command>", self.position)
        return True

    def take_text(self) -> str:
        return self.string() if self.at_string else self.word()

    def take_option_name(self) -> str:
        if self.at_option:
            self.position += 2 if self.looking_at("--") else 1
        return self.option_name().lower()

    def end_token(self) -> None:
        self.boundary()
        self.skip_space()

    def cursor(self, kind: ValueKind[Any] | None = None) -> Cursor:
        return self

    def read(self, kind: ValueKind[Any]) -> ParsedValue:
        value = kind.read(self)
        self.end_token()
        return value

    def text_at(self, position: int) -> str:
        return self.line[position:].split(maxsplit=1)[0]

    def recover(self, error: LanguageError) -> None:
        raise error
