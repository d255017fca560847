"""Calls of tools, as models make them, and the commands that they mean."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language import COMMANDS, api_vocabulary, command_json, parse, render
from oryn.language.commands import intents
from oryn.tools import command_of, line_of, tools

EXAMPLES = [each.spec.example for each in COMMANDS if each.spec.example and each is not intents.Define]


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("click", {"target": "5"}, "click 5"),
        ("click", {"target": 5, "double": True, "right": None}, "click 5 --double"),
        ("click", {"target": "Sign in"}, 'click "Sign in"'),
        ("click", {"target": "5 --force"}, 'click "5 --force"'),
        ("type", {"target": "email", "text": "a\nb", "enter": True}, 'type email "a\\nb" --enter'),
        ("select", {"target": "3", "choice": ["France"]}, 'select 3 "France"'),
        ("select", {"target": "3", "choice": "2"}, 'select 3 "2"'),
        ("select", {"target": "3", "choice": 2}, "select 3 2"),
        ("scroll", {"action": "until", "target": "Footer"}, 'scroll until "Footer"'),
        ("scroll", {}, "scroll"),
        ("cookies", {"action": "set", "name": "a", "value": "b"}, 'cookies set a "b"'),
        ("cookies list", {}, "cookies list"),
        ("wait", {"action": "visible", "target": "Done", "timeout": 3}, 'wait visible "Done" --timeout 3s'),
        ("wait", {"action": "idle"}, "wait idle"),
        ("wait", {"action": "items", "selector": "li", "count": 4}, 'wait items "li" 4'),
        ("wait", {"duration": 0.25}, "wait 250ms"),
        ("frame", {"action": "main"}, "frame main"),
        ("frame", {"target": "3"}, "frame 3"),
        ("media", {"action": "color-scheme", "value": "dark"}, "media color-scheme dark"),
        ("dialog", {"action": "auto", "policy": "off"}, "dialog auto off"),
        ("learn", {"action": "status"}, "learn status"),
        ("learn", {"action": "discard"}, "learn discard"),
        ("har", {"action": "start"}, "har start"),
        ("session", {"name": "work"}, "session work"),
        ("session", {}, "session"),
        ("geolocation", {"action": "off"}, "geolocation off"),
        ("run_intent", {"name": "buy", "parameters": {"item": "fern"}}, 'run buy --item "fern"'),
        ("sign_in", {"user": "ann", "password": "x"}, 'login "ann" "x"'),
        ("navigate", {"url": "example.org"}, "goto example.org"),
        ("oryn", {"line": 'login "ann" "x"'}, 'login "ann" "x"'),
    ],
)
def test_a_call_means_a_command(name: str, arguments: dict[str, Any], line: str) -> None:
    assert command_of(name, arguments) == parse(line).command


def test_a_definition_has_its_lines_as_a_list() -> None:
    command = command_of("define", {"name": "buy", "body": ["click 1", "wait idle\nclick 2"]})
    assert command == parse("define buy:\n  click 1\n  wait idle\n  click 2").command
    assert command == command_of("define", {"name": "buy:", "body": ["click 1", "wait idle", "click 2"]})


@pytest.mark.parametrize("example", EXAMPLES)
def test_tools_of_the_table_can_be_called(example: str) -> None:
    """Also by the names that the tool's schema has: what a command is as JSON are its tool's arguments."""
    command = parse(example).command
    assert command is not None
    spec = type(command).spec
    (tool,) = tools([spec.api_name.split()[0]])
    arguments = {
        name: value for name, value in command_json(command)["arguments"].items() if value not in (None, False)
    }
    if "action" in tool.parameters["properties"] and len(api_vocabulary().verbs[tool.name].commands) > 1:
        word = spec.path[1] if spec.path[1:] else arguments.pop(spec.arguments[0].name) if spec.choice else None
        arguments |= {"action": word} if word else {}
    assert set(arguments) <= set(tool.parameters["properties"])
    assert command_of(tool.name, arguments) == command


def test_a_line_for_another_session_is_for_hosts_that_take_lines() -> None:
    assert line_of("oryn", {"line": "@work click 3"}).session == "work"
    with pytest.raises(UnexpectedInput):
        command_of("oryn", {"line": "@work click 3"})


@pytest.mark.parametrize(
    ("name", "arguments", "error", "says"),
    [
        ("clack", {}, UnknownCommand, 'unknown command "clack"'),
        ("click", {}, MissingArgument, "click needs target: what to click"),
        ("click", {"target": "5", "size": 3}, UnexpectedInput, 'click has no argument "size"'),
        ("click", {"target": "5", "double": "yes"}, InvalidValue, 'double can\'t be "yes"'),
        ("cookies", {"action": "eat"}, InvalidValue, 'cookies has no action "eat"'),
        ("cookies", {"action": ["list"]}, InvalidValue, "cookies has no action \"['list']\""),
        ("wait", {"action": "visible"}, MissingArgument, "wait needs target: the element"),
        ("oryn", {}, MissingArgument, "oryn needs line, and nothing else"),
        ("oryn", {"line": 5}, MissingArgument, "oryn needs line, and nothing else"),
        ("oryn", {"line": "# nothing"}, MissingArgument, "the line has no command"),
        ("oryn", {"line": "confirm c_1"}, UnknownCommand, "unknown command"),
        ("define", {"name": "buy"}, MissingArgument, "define needs name and body, and nothing else"),
        ("define", {"name": "buy:\nclick 3", "body": []}, InvalidValue, "not a name"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    name: str, arguments: dict[str, Any], error: type[LanguageError], says: str
) -> None:
    with pytest.raises(error) as raised:
        command_of(name, arguments)
    assert says in raised.value.message


def test_two_lines_are_one_too_many() -> None:
    with pytest.raises(LanguageError):
        command_of("oryn", {"line": "click 1\nclick 2"})


def test_a_value_is_never_more_than_that_value() -> None:
    line = line_of("type", {"target": "email", "text": 'x" --enter\nclick 3'})
    assert render(line) == 'type email "x\\" --enter\\nclick 3"'
