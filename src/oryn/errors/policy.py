"""Errors of the user's limits for a session (docs/policy.md), and of the vault (docs/vault.md)."""

from __future__ import annotations

from oryn.errors.base import OrynError


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


class SecretNotAllowed(VaultError):
    """The secret may not be used on this page, or not in this argument."""

    code = "VAULT_ORIGIN"


class VaultKeyWrong(VaultError):
    """The vault can't be opened or written: its key is missing or wrong, or its file is damaged."""

    code = "VAULT_KEY"
