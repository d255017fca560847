"""Secrets are marked in the table, and `masked` puts dots in their place."""

from __future__ import annotations

import pytest

from oryn.language import MASK, Credentials, Login, mask_secret, parse, render


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
    assert mask_secret("pw") == MASK
    assert mask_secret("{{ vault:shop.password }}") == "{{ vault:shop.password }}"
    assert mask_secret("{{vault:a}}{{vault:b}}") == MASK


@pytest.mark.parametrize(
    ("line", "references"),
    [
        (f'type "Password" "{REFERENCE}"', {"text": (REFERENCE,)}),
        ('type "{{ vault:a }}" "x"', {"target": ("{{ vault:a }}",)}),
        ('type 3 "x {{vault:b}} {{vault:c}}"', {"text": ("{{vault:b}}", "{{vault:c}}")}),
        ('click "Save" near "{{vault:a}}"', {"target": ("{{vault:a}}",)}),
        ('fill_form {"{{vault:a}}": "x", "b": ["{{vault:c}}"]}', {"values_by_field": ("{{vault:a}}", "{{vault:c}}")}),
        ('select 3 "a" "{{vault:b}}"', {"choice": ("{{vault:b}}",)}),
        ('run review --text "{{vault:a}}"', {"parameters": ("{{vault:a}}",)}),
        ('type 3 "{{name}} {{ vault }}"', {}),
        ("click 5", {}),
    ],
)  # fmt: skip
def test_references_to_the_vault_by_field(line: str, references: dict[str, tuple[str, ...]]) -> None:
    command = parse(line).command
    assert command is not None
    assert command.references() == references
