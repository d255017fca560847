"""Errors of a command itself: the line can't be parsed (docs/reference.md#errors-of-the-language), an intent can't be
run, or the user's limits (docs/policy.md) or the vault (docs/vault.md) forbid it."""

from __future__ import annotations

from oryn.errors.base import OrynError

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from typing import ClassVar, Literal


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


class ProgramError(OrynError):
    """Base of errors of programs (docs/programs.md)."""

    exit_code = 7


class InvalidProgram(ProgramError):
    """The text is not a program; the message has line and column."""

    code = "INVALID_PROGRAM"
    advice = "It is a subset of Python, without imports of packages, 'del', 'async' functions and classes with bases."


class ProgramFailed(ProgramError):
    """The program has raised an error of Python, or its process has ended. The commands before it are done."""

    code = "PROGRAM_FAILED"
    advice = "The commands before it are done: correct the rest and run that."


class ProgramStopped(ProgramError):
    """Something happened that nobody had asked for: a dialog, another origin. The command before it is done."""

    code = "PROGRAM_STOPPED"
    advice = "Look at the page, then go on with --from, or with lines."


class ProgramLimitReached(ProgramError):
    """The program has reached a limit: of time, memory, calls or commands."""

    code = "PROGRAM_LIMIT"
    advice = "The commands before it are done. Do less in one program."


class ProgramNotFound(ProgramError):
    """No stopped program of this identifier waits in the session."""

    code = "PROGRAM_NOT_FOUND"
    advice = "A stopped program is kept for a minute, and goes on once: run the rest as a new program."


class PolicyError(OrynError):
    """Base of errors of what a session's settings forbid. No part of the command was executed."""

    exit_code = 8


class DomainNotAllowed(PolicyError):
    """A navigation to a host that `allowed_domains` or `denied_domains` rules out."""

    code = "DOMAIN_NOT_ALLOWED"
    advice = "Go elsewhere: only the user can change the setting."


class ReadOnly(PolicyError):
    """The command may change something, and the session is read-only."""

    code = "READ_ONLY"
    advice = "The session only looks (read_only): only the user can change the setting."


class UrlNotAllowed(PolicyError):
    """The URL is neither a web page nor a file: the browser's own (`chrome:`), an extension's, `javascript:`."""

    code = "URL_NOT_ALLOWED"
    advice = "Go to a page: http:, https:, file:, data:, blob: or about:blank."


class SessionNotAllowed(PolicyError):
    """A session with limits gave a command for a session in which these limits would not apply."""

    code = "SESSION_NOT_ALLOWED"
    advice = "A session with limits reaches itself and what it has opened: only the user manages the others."


class ConfirmationRequired(PolicyError):
    """The command waits until a person confirms it.

    `id`: of the confirmation in `session`; None if the session is another process's, whose message contains the id.
    `command_text`: the command as a person reads it, its secrets masked."""

    code = "CONFIRMATION_REQUIRED"

    def __init__(
        self, message: str, hint: str | None = None, id: str | None = None, session: str = "", command_text: str = ""
    ) -> None:
        super().__init__(message, hint)
        self.id = id
        self.session = session
        self.command_text = command_text


class ConfirmationDenied(PolicyError):
    """A person was asked to confirm the command, and refused or did not answer."""

    code = "CONFIRMATION_DENIED"
    advice = "Don't try it another way: ask the user what to do instead."


class ConfirmationNotFound(PolicyError):
    """No command waits for a confirmation of this id."""

    code = "CONFIRMATION_NOT_FOUND"
    advice = "It was answered already, or waited too long: give the command again."


class VaultError(OrynError):
    """Base of errors of the vault. Messages contain names of secrets, never their values."""

    exit_code = 9


class SecretNotFound(VaultError):
    """The vault has no secret of that name, or the name is invalid."""

    code = "SECRET_NOT_FOUND"
    advice = "Only the user can store it: oryn vault set <name>."


class PasskeyNotFound(VaultError):
    """The vault has no passkeys of that name, or none with that id."""

    code = "PASSKEY_NOT_FOUND"
    advice = "Only the user can add them: oryn vault passkey add <name> --origin <url>."


class PasskeysInUse(VaultError):
    """Another process uses the passkeys: their numbers of signatures would contradict each other."""

    code = "PASSKEY_IN_USE"
    advice = "Close its sessions, or use them in the daemon, whose sessions share passkeys."


class SecretNotAllowed(VaultError):
    """The secret may not be used on this page, or not in this argument."""

    code = "VAULT_ORIGIN"


class VaultKeyWrong(VaultError):
    """The vault can't be opened or written: its key is missing or wrong, or its file is damaged."""

    code = "VAULT_KEY"


class SecretSourceFailed(VaultError):
    """A password manager or a mail server did not give the secret: it is missing, locked, down, or has no such item."""

    code = "VAULT_SOURCE"
    advice = "Nothing was written. 'oryn vault test <name>' tries it without showing it."


class SecretCodeMissing(VaultError):
    """No message with a login code came in the command's time, or the next window of a one-time password is too far
    away."""

    code = "VAULT_CODE"
    advice = "Nothing was written."
