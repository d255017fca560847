"""Secrets are marked in the table, and `masked` puts dots in their place."""

from __future__ import annotations

from oryn.language import MASK, Credentials, Login, parse, render


def test_passwords_are_secret() -> None:
    command = parse('login "ada" "pw" --no-submit').command
    assert isinstance(command, Login)
    assert command.has_secret
    assert render(command.masked()) == f'login "ada" "{MASK}" --no-submit'
    assert Credentials("user", "pw").masked().password == MASK


def test_a_command_without_secrets_is_itself() -> None:
    command = parse("click 5").command
    assert command is not None
    assert not command.has_secret
    assert command.masked() == command
