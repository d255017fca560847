"""Commands from JSON data, the other way of `command_json`."""

from __future__ import annotations

import math
from typing import Any

import pytest

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language import COMMANDS, api_vocabulary, command_json, parse
from oryn.language.command import Command, CommandSpec
from oryn.language.commands import intents
from oryn.language.commands.host import InteractiveLogin
from oryn.language.commands.research import WebExtract, WebSearch
from oryn.language.commands.waits import Extract
from oryn.language.json_codec import is_request, line_from_json, line_of_request

LINES = [
    *(command.spec.example for command in COMMANDS if command.spec.example and command is not intents.Define),
    'type "Search --enter" "a \\"quoted\\" # text\\nand more" --enter --delay 5 --timeout 1500ms',
    'click "Save" near "Address" inside css(".card") --double --right',
    "click at(1.5,20)",
    "click @e7",
    "select 3 2",
    'select 3 "2" "three"',
    "wait hidden xpath(//div[1]) --timeout 2m",
    "wait idle",
    "wait 2s",
    "press control+a",
    'headers set {"X-A": "1"}',
    'headers set api.example.org {"X-A": "1"}',
    'intercept "*/api" --respond {"items": []}',
    'run review --rating 5 --text "so so"',
    'extract css("a[href]")',
    "drag 1 to 2",
    'upload 4 a.txt "b c.txt"',
    'scroll "Footer"',
    "scroll",
]


@pytest.mark.parametrize("line", LINES)
def test_json_form_of_a_command_parses_to_that_command(line: str) -> None:
    command = parse(line).command
    assert command is not None
    form = command_json(command)
    name = type(command).spec.api_name
    assert line_from_json(name, form["arguments"], api_vocabulary()).command == command


@pytest.mark.parametrize(
    ("name", "arguments", "canonical"),
    [
        ("click", {"target": 3}, "click 3"),
        ("CLICK", {"target": "Sign in"}, 'click "Sign in"'),
        ("click", {"target": "3 --force"}, 'click "3 --force"'),
        ("click", {"target": "--force"}, 'click "--force"'),
        ("click", {"target": "-f"}, 'click "-f"'),
        ("click", {"target": "Sign\nin"}, 'click "Sign\\nin"'),
        ("click", {"target": "email"}, "click email"),
        ("frame", {"target": "main"}, "frame main"),
        ("scroll", {"target": "down"}, "scroll down"),
        ("screenshot", {"target": ""}, "screenshot"),
        ("cookies_set", {"name": "a b", "value": "--x"}, 'cookies set "a b" "--x"'),
        ("sign_in", {"user": "ann", "password": "x"}, 'login "ann" "x"'),
        ("navigate", {"url": "example.org"}, "goto example.org"),
        ("wait", {"duration": 0.25}, "wait 250ms"),
        ("wait", {"state": "visible", "target": 4}, "wait visible 4"),
        ("wait until", {"expression": "1 + 1"}, 'wait until "1 + 1"'),
        ("type", {"target": "a", "text": 5}, 'type "a" "5"'),
        ("close", {"all": True}, "close --all"),
    ],
)
def test_names_and_values_as_callers_write_them(name: str, arguments: dict[str, Any], canonical: str) -> None:
    assert line_from_json(name, arguments, api_vocabulary()).canonical == canonical


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("search", {"query": "ferns"}, WebSearch("ferns")),
        ("Search", {"query": "ferns", "limit": 3}, WebSearch("ferns", limit=3)),
        ("site_search", {"query": "ferns"}, intents.Search("ferns")),
        ("site search", {"query": "ferns"}, intents.Search("ferns")),
        ("extract", {"tab": True}, WebExtract(tab=True)),
        ("extract", {"urls": ["https://a.org"]}, WebExtract(("https://a.org",))),
        ("extract_page", {"what": "links"}, Extract("links")),
        ("login", {"url": "a.org"}, InteractiveLogin("https://a.org")),
        ("sign_in", {"user": "ann", "password": "x"}, intents.Login("ann", "x")),
        ("run_intent", {"name": "review"}, intents.Run("review")),
    ],
)
def test_name_shared_by_commands_resolves_to_one_command(
    name: str, arguments: dict[str, Any], command: Command
) -> None:
    assert line_from_json(name, arguments, api_vocabulary()).command == command


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("search", {"text": "ferns"}, UnexpectedInput),
        ("extract", {"what": "links"}, UnexpectedInput),
        ("extract", {"target": {"css": "a"}}, UnexpectedInput),
        ("login", {"user": "ann", "password": "x"}, UnexpectedInput),
        ("run", {"name": "review"}, UnknownCommand),
        ("run", {}, UnknownCommand),
        ("goto there", {"url": "a.org"}, UnknownCommand),
        ("web search", {"query": "ferns"}, UnknownCommand),
    ],
)
def test_name_is_not_resolved_by_its_arguments(
    name: str, arguments: dict[str, Any], error: type[LanguageError]
) -> None:
    with pytest.raises(error):
        line_from_json(name, arguments, api_vocabulary())


def test_the_language_s_own_name_leads_to_the_one_here() -> None:
    with pytest.raises(UnknownCommand) as refused:
        line_from_json("run", {"name": "review"}, api_vocabulary())
    assert refused.value.hint == "It is called run_intent here."


def test_every_name_is_one_verb_s() -> None:
    """Of the table as it is: a name of the API belongs to one verb, with any arguments."""
    verbs = api_vocabulary().verbs
    for verb in verbs.values():
        for spec in verb.commands:
            others = [
                one
                for each in verbs.values()
                if each is not verb
                for one in each.commands
                if one.api_name == spec.api_name
            ]
            assert not others
            for arguments in ({}, *({field.name: 1} for each in specs_named(spec.name) for field in each.arguments)):
                try:
                    command = line_from_json(spec.api_name, arguments, api_vocabulary()).command
                except LanguageError:
                    continue
                assert command is not None and type(command).spec in verb.commands, (spec.api_name, arguments)


def specs_named(name: str) -> list[CommandSpec]:
    """Every command that the language calls by this name."""
    return [spec for verb in api_vocabulary().verbs.values() for spec in verb.commands if spec.name == name]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("fly", {}, UnknownCommand),
        ("", {}, UnknownCommand),
        ("click", {}, MissingArgument),
        ("click", {"target": None}, MissingArgument),
        ("click", {"target": 3, "colour": "red"}, UnexpectedInput),
        ("click", {"target": True}, InvalidValue),
        ("click", {"target": {"id": 3, "css": "a"}}, InvalidValue),
        ("click", {"target": 3, "double": "yes"}, InvalidValue),
        ("tab switch", {"number": "2 --timeout 1s"}, InvalidValue),
        ("tab switch", {"number": math.inf}, InvalidValue),
        ("tab switch", {"number": [2]}, InvalidValue),
        ("scroll", {"direction": "up down"}, InvalidValue),
        ("wait", {"duration": "5x"}, LanguageError),
        ("type", {"target": 1, "text": {"a": 1}}, InvalidValue),
        ("press", {"keys": ["control", ["a"]]}, InvalidValue),
        ("press", {"keys": []}, InvalidValue),
        ("run_intent", {"name": "review", "parameters": ["5"]}, InvalidValue),
        ("run_intent", {"name": "review", "parameters": {"rating 5 #": "x"}}, UnexpectedInput),
    ],
)
def test_invalid_json_command_is_rejected(name: str, arguments: dict[str, Any], error: type[LanguageError]) -> None:
    with pytest.raises(error):
        line_from_json(name, arguments, api_vocabulary())


# --- requests: JSON in the place of a line ---


@pytest.mark.parametrize(
    ("request_", "canonical"),
    [
        ('{"action": "click", "args": {"target": "Sign in", "double": true}}', 'click "Sign in" --double'),
        (' {"action": "URL"}', "url"),
        ('{"action": "cookies_get", "args": {"name": "id"}, "session": "work"}', "@work cookies get id"),
        ('{"line": "open example.org # x"}', "goto example.org # x"),
        ('{"line": "@tab2 click 3", "session": "work"}', "@tab2 click 3"),
        ('{"line": ""}', ""),
        (
            '{"action": "define", "args": {"name": "buy", "body": ["click 1", "click 2"]}}',
            "define buy:\n  click 1\n  click 2",
        ),
    ],
)
def test_a_request_is_a_line(request_: str, canonical: str) -> None:
    assert is_request(request_)
    assert line_of_request(request_).canonical == canonical


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ("{", UnexpectedInput),
        ("{}", UnexpectedInput),
        ('{"action": "click", "line": "click 3"}', UnexpectedInput),
        ('{"line": "click 3", "args": {}}', UnexpectedInput),
        ('{"line": 3}', UnexpectedInput),
        ('{"action": "clck"}', UnknownCommand),
        ('{"action": "click", "args": [3]}', InvalidValue),
        ('{"action": "click"}', MissingArgument),
        ('{"action": "url", "session": "a b"}', InvalidValue),
        ('{"action": "url", "session": 3}', InvalidValue),
        ('{"line": "click 3\\nclick 4"}', UnexpectedInput),
    ],
)
def test_what_is_no_request(request_: str, error: type[LanguageError]) -> None:
    with pytest.raises(error):
        line_of_request(request_)
