"""Errors of the Intent Language: lines that can't be parsed (its specification, §5), intents that can't be run."""

from __future__ import annotations

from typing import ClassVar, Literal

from oryn.errors.base import OrynError


class LanguageError(OrynError):
    """Base of errors in a line. `position` is a 0-based offset into the raw line, or None."""

    phase: ClassVar[Literal["parsing", "semantic"]] = "parsing"
    exit_code = 2

    def __init__(self, message: str, hint: str | None = None, position: int | None = None) -> None:
        super().__init__(message, hint)
        self.position = position


class UnknownCommand(LanguageError):
    """The first word is not a command."""

    code = "UNKNOWN_COMMAND"


class MissingArgument(LanguageError):
    """The command lacks an argument that it needs."""

    code = "MISSING_ARGUMENT"


class InvalidValue(LanguageError):
    """A value has the wrong type or format."""

    code = "INVALID_VALUE"
    advice = "Run 'help' with the command's name to see what it takes."


class UnterminatedString(LanguageError):
    """A quote, a bracket or a regular expression is not closed."""

    code = "UNTERMINATED_STRING"


class UnexpectedInput(LanguageError):
    """The line has an argument or an option that the command does not take, or is not a line at all."""

    code = "UNEXPECTED_INPUT"
    advice = "Run 'help' with the command's name to see what it takes."


class ConflictingOptions(LanguageError):
    """Two options exclude each other."""

    code = "CONFLICTING_OPTIONS"
    advice = "Leave one of them out."
    phase = "semantic"


class IntentError(OrynError):
    """Base of errors in user-defined intents and their packs."""

    exit_code = 7


class IntentNotFound(IntentError):
    """No intent has that name."""

    code = "INTENT_NOT_FOUND"
    advice = "Run 'intents' to see them."


class PackNotFound(IntentError):
    """No pack has that name."""

    code = "PACK_NOT_FOUND"
    advice = "Run 'packs' to see them."


class InvalidDefinition(IntentError):
    """A definition, or the file of one, is invalid; the message names the place in it."""

    code = "INVALID_DEFINITION"
    advice = "Correct the definition; 'oryn schema' prints what one may hold."


class IntentFailed(IntentError):
    """A step failed, a condition was not met, or a limit was reached; the message says which."""

    code = "INTENT_FAILED"
    advice = "The steps before it are done: run 'observe' to see the page's current state."
