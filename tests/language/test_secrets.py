"""Secrets are marked in the table, and `masked` puts dots in their place."""

from __future__ import annotations

import pytest

from oryn.language import MASK, Credentials, Login, dots, parse, render


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


REFERENCE = "{{vault:shop.password}}"


@pytest.mark.parametrize(
    "line",
    [
        f'login "ada" "{REFERENCE}"',
        f'credentials "ada" "{REFERENCE}"',
        f'type password "{REFERENCE}"',
        f'type "Password" "{REFERENCE}" --enter',
        f'fill_form {{"Password":"{REFERENCE}"}}',
    ],
)
def test_a_reference_to_the_vault_is_no_secret(line: str) -> None:
    command = parse(line).command
    assert command is not None
    assert not command.has_secret
    assert command.masked() == command


def test_what_stands_beside_a_reference_may_be_one() -> None:
    command = parse(f'type password "x{REFERENCE}"').command
    assert command is not None
    assert render(command.masked()) == f'type password "{MASK}"'


def test_dots() -> None:
    assert dots("pw") == MASK
    assert dots("{{ vault:shop.password }}") == "{{ vault:shop.password }}"
    assert dots("{{vault:a}}{{vault:b}}") == MASK
