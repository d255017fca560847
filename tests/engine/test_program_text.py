"""The text of a program as an intent: its parameters, its credentials, its errors. Without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine.definitions import read_definition
from oryn.engine.definitions.program_text import saved_program
from oryn.engine.intents.custom.secrets import without_secrets
from oryn.errors import InvalidDefinition, InvalidProgram

BUY = '''"""Buys what is
cheap."""
import re
limit = 30  # highest price
plants = ["Fern", "Palm"]
RETRIES = 2
remind = True
found = []
for plant in plants:
    if remind and limit > RETRIES:
        click(plant, timeout=seconds)
        found.append(f"{plant} {size}")
'''


def test_values_at_the_head_are_parameters_with_defaults_and_free_names_are_required() -> None:
    data = saved_program("buy", BUY)
    assert data["description"] == "Buys what is cheap."
    assert data["parameters"] == {
        "seconds": {},
        "size": {},
        "limit": {"type": "number", "default": 30, "description": "highest price"},
        "plants": {"type": "list", "default": ["Fern", "Palm"]},
        "remind": {"type": "flag", "default": True},
    }
    kept = [line for line in BUY.splitlines() if not line.startswith(("limit", "plants", "remind"))]
    assert data["program"].splitlines() == kept
    assert read_definition(data).usage == (
        "run buy --seconds <text> --size <text> [--limit <number>] [--plants <list>] [--remind <flag>]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "count = 0\nfor x in [1]:\n    count += 1",  # assigned again
        "names = []\nnames.append(1)",  # nothing says what it is a list of
        "click('Go')\nlimit = 3\nlimit",  # not at the head
        "a = 1; b = 2\na + b",  # two on a line
        "text = 'Go'\nclick(text())",  # the name of a function that it calls
        "LIMIT = 3\nLIMIT",
        "mixed = ['a', 1]\nmixed",
        "def look(element):\n    return element.name\n[look(each) for each in observe()]",
        "try:\n    click('Go')\nexcept OrynError as error:\n    print(error.code, page.url, len([]))",
    ],
)
def test_other_names_are_no_parameters(text: str) -> None:
    data = saved_program("a", text)
    assert "parameters" not in data
    assert data["program"] == f"{text}\n"


@pytest.mark.parametrize(
    ("text", "parameters", "rest"),
    [
        ('login("ann", "hunter22")', {"password": {"secret": True}}, 'login("ann", password)\n'),
        ('login("ann", pin)', {"pin": {"secret": True}}, 'login("ann", pin)\n'),
        ('word = "hunter22"\nlogin("ann", word)', {"word": {"secret": True}}, 'login("ann", word)\n'),
        ('type("password", "hunter22")', {"password": {"secret": True}}, 'type("password", password)\n'),
        (
            'fill_form({"Password": "hunter22", "Name": "Änn"})',
            {"password": {"secret": True}},
            'fill_form({"Password": password, "Name": "Änn"})\n',
        ),
        ('type("Key", "s3cret!")', {"password": {"secret": True}}, 'type("Key", password)\n'),
        ('word = "s3cret!"\ntype("Key", word)', {"word": {"secret": True}}, 'type("Key", word)\n'),
        ('login("ann", "{{vault:shop.password}}")', None, 'login("ann", "{{vault:shop.password}}")\n'),
    ],
)
def test_credentials_become_secret_parameters(text: str, parameters: Any, rest: str) -> None:
    data = saved_program("a", text, frozenset({"s3cret!"}))
    assert (data.get("parameters"), data["program"]) == (parameters, rest)


def test_a_credential_inside_of_another_text_is_refused() -> None:
    with pytest.raises(InvalidProgram, match="a credential is a part of another text"):
        saved_program("a", "type('Key', f's3cret!{1}')", ["s3cret!"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("click(", "line 1, column 6"),
        ("x = 1\n  y", "line 2, column 2: unexpected indent"),
        ("(" * 5000, "line 1"),
        ("-" * 100_000 + "1", "nests too deeply"),
        ("a" + ".a" * 100_000, "nests too deeply"),
        ("Limit", "Limit is not defined"),
    ],
)
def test_what_is_no_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidProgram, match=message):
        saved_program("a", text)


def defined(program: str = "click('Go')", **more: Any) -> dict[str, Any]:
    return {"name": "a", "program": program, **more}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (defined(steps=[]), "an intent has steps or program"),
        (defined("click("), "program: line 1, column 6"),
        (defined("text()", parameters={"text": {}}), "parameters.text: no variable of this program can have this name"),
        (defined(parameters={"a-b": {}}), "parameters.a-b: no variable"),
        (defined(parameters={"class": {}}), "parameters.class: no variable"),
        (defined(failure=[{"text": "Sorry"}]), "failure: a program has no failure conditions"),
        (defined(limits={"steps": 5}), "limits.steps: a program has no steps"),
    ],
)
def test_invalid_definitions_are_refused(data: Any, message: str) -> None:
    with pytest.raises(InvalidDefinition) as raised:
        read_definition(data)
    assert raised.value.message.startswith(message)


def test_a_parameter_in_the_place_of_a_credential_is_secret() -> None:
    definition = read_definition(defined('login("ann", word)', parameters={"word": {}}))
    assert definition.secrets == {"word"}


def test_export_has_no_credentials_of_a_program() -> None:
    data = without_secrets(read_definition(defined('login("ann", "hunter22")\nlogin("bob", "hunter22")')))
    assert data["program"] == 'login("ann", password)\nlogin("bob", password)\n'
    assert data["parameters"] == {"password": {"secret": True}}
