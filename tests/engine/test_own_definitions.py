"""Definitions as plain data: what is refused and where, how values get into steps, what is published. Without a browser."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from oryn.engine.definitions import json_schema, read_definition
from oryn.engine.definitions.loader import definition_of_lines
from oryn.engine.definitions.model import BoundParameters, CommandStep
from oryn.engine.definitions.schema import DOCUMENTS
from oryn.engine.intents.custom.runner import IntentTranscript
from oryn.engine.intents.custom.secrets import without_secrets
from oryn.errors import InvalidDefinition, InvalidValue, LanguageError, MissingArgument, UnexpectedInput
from oryn.language import MASK, Click, Command, Eval, FillForm, Goto, Login, TextTarget, Type, parse, render


def defined(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"name": "a", "steps": list(steps), **more}


def filled_command(line: str, values: dict[str, str], parameters: dict[str, Any] | None = None) -> Command:
    """The command that a step means with these values."""
    definition = read_definition(defined(line, parameters=parameters or {name: {} for name in values}))
    (step,) = definition.steps
    assert isinstance(step, CommandStep)
    return step.template.fill(BoundParameters(definition, values.items()).texts)


# --- what is refused, and where -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "not an intent"),
        ([], "not an intent"),
        ({"name": "a"}, "an intent needs steps"),
        ({"steps": []}, "an intent needs name"),
        (defined(name="5a"), "name: not a name"),
        (defined(stepz=[]), "an intent has no 'stepz'"),
        (defined("clik 5"), 'steps[1]: "clik 5": unknown command "clik"'),
        (defined(""), "steps[1]: not a command line"),
        (defined(5), "steps[1]: not a step"),
        (defined("# only a comment"), "steps[1]: no command"),
        (defined("back\nback"), "steps[1]: "),
        (defined("back", {}), "steps[2]: a step has one of branch, loop, try, this one 0"),
        (defined({"try": {"steps": []}, "loop": {"steps": []}}), "steps[1]: a step has one of"),
        (defined({"branch": {"then": []}}), "steps[1].branch: a branch needs if"),
        (defined({"branch": {"if": {"exists": "a", "gone": "b"}, "then": []}}), "steps[1].branch.if: a condition has one"),
        (defined({"branch": {"if": {"visible": "5 6"}, "then": []}}), "steps[1].branch.if.visible: "),
        (defined({"loop": {"steps": []}}), "steps[1].loop: a loop has one of times, while, until, over"),
        (defined({"loop": {"times": -1, "steps": []}}), "steps[1].loop.times: not a whole number from 0"),
        (defined({"loop": {"times": True, "steps": []}}), "steps[1].loop.times: not a whole number or"),
        (defined({"loop": {"times": "n", "steps": []}}), "steps[1].loop.times: n is no parameter of the type number"),
        (defined({"loop": {"over": "n", "steps": []}}), "steps[1].loop.over: n is no parameter of the type list"),
        (defined('click "{{b}}"'), "steps[1]: {{b}} is no parameter"),
        (defined('click "{{b}}"', parameters={"b": {"type": "list"}}), "steps[1]: {{b}} is a list"),
        (defined("scroll --amount {{b}}", parameters={"b": {}}), "steps[1]: "),
        (defined("{{b}} 5", parameters={"b": {}}), "steps[1]: "),
        (defined("request 1 --x {{b}}", parameters={"b": {}}), "steps[1]: "),
        (defined("@work back"), "steps[1]: a step runs in the session of its intent"),
        (defined("session new x"), "steps[1]: session new is no step"),
        (defined("exit"), "steps[1]: exit is no step"),
        (defined("learn discard"), "steps[1]: learn discard is no step"),
        (defined("define b:"), "steps[1]: define is no step"),
        (defined({"try": {"steps": ["run a --x 1"]}}), "steps[1].try.steps[1]: a calls itself"),
        (defined(parameters={"B": {}}), "parameters: 'B' is no name"),
        (defined(parameters={"timeout": {}}), "parameters.timeout: every command has an option of this name"),
        (defined(parameters={"b": {"type": "date"}}), "parameters.b.type: none of text, number, flag, list"),
        (defined(parameters={"b": {"type": "number", "default": "x"}}), "parameters.b: the default is no number"),
        (defined(parameters={"b": {"type": "list", "default": "x"}}), "parameters.b: the default of a list is a list"),
        (defined(parameters={"b": {"secret": True, "type": "number"}}), "parameters.b: a secret is a text"),
        (defined(parameters={"b": {"secret": True, "default": "x"}}), "parameters.b: a secret has no default"),
        (defined(success={"given": "b"}), "success[1].given: b is no parameter"),
        (defined(failure=[{"equals": ["{{b}}", ""]}]), "failure[1].equals[2]: not a text"),
        (defined(failure=[{"equals": ["{{b}}", "x"]}]), "failure[1].equals: {{b}} is no parameter"),
        (defined(limits={"steps": 0}), "limits.steps: not a whole number from 1"),
        (defined(limits={"time": "soon"}), "limits.time: not a duration"),
        (defined(*["back"] * 201), "steps: 201 entries"),
        (defined(description="x" * 1001), "description: longer than 1000"),
    ],
)  # fmt: skip
def test_invalid_definition_is_rejected_with_its_location(data: Any, message: str) -> None:
    with pytest.raises(InvalidDefinition) as caught:
        read_definition(data)
    assert caught.value.message.startswith(message)


def test_too_deeply_nested_definition_is_rejected() -> None:
    steps: list[Any] = ["back"]
    for _ in range(500):
        steps = [{"try": {"steps": steps}}]
    with pytest.raises(InvalidDefinition, match="nested deeper than 40"):
        read_definition(defined(*steps))


def test_reading_leaves_the_data_as_it_was() -> None:
    data = defined({"loop": {"over": ["x"], "steps": ['click "{{item}}"']}}, limits={"time": "90s"})
    before = copy.deepcopy(data)
    definition = read_definition(data)
    assert data == before
    assert (definition.version, definition.step_limit, definition.time_limit) == ("1", 100, 90)


# --- values ----------------------------------------------------------------------------------------------------------

HOSTILE = 'x" --enter # {{b}} \\ \n click 5'


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ('type "Name" "{{b}}"', Type(TextTarget("Name"), HOSTILE)),
        ("type 'Name' '{{b}}'", Type(TextTarget("Name"), HOSTILE)),
        ("type Name {{b}}", Type(TextTarget("Name"), HOSTILE)),
        ("type Name {{ b }} --append", Type(TextTarget("Name"), HOSTILE, append=True)),
        ("click {{b}}", Click(TextTarget(HOSTILE))),
        ('login "<{{b}}>" "y"', Login(f"<{HOSTILE}>", "y")),
        ('fill_form {"{{b}}": ["{{b}}", 1]}', FillForm({HOSTILE: [HOSTILE, 1]})),
    ],
)
def test_a_value_is_data_wherever_it_stands(line: str, command: Command) -> None:
    assert filled_command(line, {"b": HOSTILE}) == command


def test_a_value_in_a_script_or_selector_can_not_end_its_string() -> None:
    assert filled_command("eval \"f('{{b}}')\"", {"b": "'); é😀"}) == Eval(
        "f('\\u0027\\u0029\\u003b\\u0020\\u00e9\\ud83d\\ude00')"
    )
    assert str(filled_command("click css(\"a[title='{{b}}']\")", {"b": "'] *"})) == str(
        parse("click css(\"a[title='\\\\27 \\\\5d \\\\20 \\\\2a ']\")").command
    )
    assert (
        filled_command("click xpath(\"//a[.='{{b}}']\")", {"b": "Sign in"})
        == parse("click xpath(\"//a[.='Sign in']\")").command
    )
    with pytest.raises(InvalidValue, match="a value in an XPath"):
        filled_command("click xpath(\"//a[.='{{b}}']\")", {"b": "'] | //*"})


@pytest.mark.parametrize(
    ("line", "value", "url"),
    [
        ("goto {{b}}", "example.org/a b", "https://example.org/a b"),
        ("goto {{b}}", "http://example.org", "http://example.org"),
        ("goto {{b}}", "localhost:80", "http://localhost:80"),
        ("goto {{b}}/x?q={{b}}", "example.org", "https://example.org/x?q=example.org"),
        ("goto example.org/?q={{b}}", "a&b=c/#d", "https://example.org/?q=a%26b%3Dc%2F%23d"),
        ("goto /{{b}}", "../x", "/..%2Fx"),
    ],
)
def test_a_value_in_a_url(line: str, value: str, url: str) -> None:
    command = filled_command(line, {"b": value})
    assert isinstance(command, Goto)
    assert command.url == url


def test_a_url_that_is_a_script_is_refused() -> None:
    with pytest.raises(InvalidValue, match="javascript: URLs are refused"):
        filled_command("goto {{b}}", {"b": "javascript:alert(1)"})


def test_numbers_and_flags_stand_where_a_line_wants_them() -> None:
    number = {"b": {"type": "number"}}
    assert filled_command("click {{b}}", {"b": "5"}, number) == parse("click 5").command
    assert (
        filled_command("scroll down --amount {{b}}", {"b": "300"}, number) == parse("scroll down --amount 300").command
    )
    assert filled_command("wait {{b}}s", {"b": "2"}, number) == parse("wait 2s").command
    with pytest.raises(LanguageError):
        filled_command("click {{b}}", {"b": "1.5"}, number)
    with pytest.raises(InvalidValue, match="--b is no number: 5 --force"):
        filled_command("click {{b}}", {"b": "5 --force"}, number)


def test_a_comment_of_a_step_means_nothing() -> None:
    assert filled_command('click "{{b}} # {{b}}" # {{unknown}} # c', {"b": "x"}) == Click(TextTarget("x # x"))


def test_values_are_checked_with_the_usage() -> None:
    parameters = {
        "who": {},
        "count": {"type": "number", "default": 2},
        "gift": {"type": "flag"},
        "tags": {"type": "list", "default": ["x"], "required": False},
    }
    definition = read_definition(defined(parameters=parameters))
    usage = "run a --who <text> [--count <number>] --gift <flag> [--tags <list>]"
    assert definition.usage == usage
    bound = BoundParameters(definition, [("who", "Ada"), ("gift", "Yes"), ("tags", "a, b,,c")])
    assert bound.texts == {"who": "Ada", "count": "2", "gift": "true"}
    assert bound.lists == {"tags": ("a", "b", "c")}
    assert BoundParameters(definition, [("who", "Ada"), ("gift", "off"), ("tags", '["a, b", 1]')]).lists["tags"] == (
        "a, b",
        "1",
    )
    for given, kind in (
        ([], MissingArgument),
        ([("who", "x"), ("gift", "maybe")], InvalidValue),
        ([("whom", "x")], UnexpectedInput),
        ([("who", "x"), ("gift", "on"), ("tags", "[1")], InvalidValue),
        ([("who", "x"), ("gift", "on"), ("tags", "[" * 100_000)], InvalidValue),
    ):
        with pytest.raises(kind):
            BoundParameters(definition, given)


# --- credentials -------------------------------------------------------------------------------------------------


def test_parameter_of_a_credential_argument_is_secret() -> None:
    definition = definition_of_lines("a", ['login "{{user}}" "{{pw}}"', "type password {{other}}", "# {{none}}"])
    assert definition.secrets == {"pw", "other"}
    assert definition.data["parameters"] == {"user": {}, "pw": {"secret": True}, "other": {"secret": True}}
    (step, *_) = definition.steps
    assert isinstance(step, CommandStep)
    shown = step.template.masked_command({"user": "ada", "pw": "hunter2", "other": "x"}, definition.secrets)
    assert render(shown) == f'login "ada" "{MASK}"'


def test_a_credential_that_is_written_down_is_not_exported() -> None:
    data = defined(
        'login "ada" "hunter2"', {"try": {"steps": ['type "Password" "pass\\"word"'], "catch": []}}, version="2"
    )
    exported = without_secrets(read_definition(data))
    assert exported == {
        "name": "a",
        "version": "2",
        "parameters": {"password": {"secret": True}, "password_2": {"secret": True}},
        "steps": [
            'login "ada" "{{password}}"',
            {"try": {"steps": ['type "Password" "{{password_2}}"'], "catch": []}},
        ],
    }
    assert read_definition(exported).secrets == {"password", "password_2"}


# --- what is published ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_schema_names_every_key_and_describes_it(document: str) -> None:
    schema = json_schema(document)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["properties"].keys() == DOCUMENTS[document][1].entries.keys()
    assert all(each["description"] for each in schema["properties"].values())


def test_a_long_transcript_is_cut_in_its_middle() -> None:
    transcript = IntentTranscript()
    for number in range(1, 101):
        transcript.add_step(f'click "{number}"')
    lines = transcript.lines()
    assert (len(lines), lines[0], lines[20], lines[-1]) == (41, '1 click "1"', "… 60 more", '100 click "100"')
    assert len(transcript.data()) == 100
