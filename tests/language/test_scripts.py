"""Texts of several lines, definitions, and what `oryn parse` prints."""

from __future__ import annotations

import pytest

from oryn.errors import InvalidValue, LanguageError, UnexpectedInput, UnknownCommand
from oryn.language import Click, Define, IdTarget, normalize, parse, parse_output, parse_script, render

DEFINITION = """\
define  buy: # the lot

\tclick Buy near 'Total'
    # then pay
  @shop  type email x
"""

CANONICAL = """\
define buy: # the lot
  click "Buy" near "Total"
  # then pay
  @shop type email "x\""""


def test_lines_and_errors_come_with_their_numbers() -> None:
    back, wrong, comment = parse_script("\nback\r\n\n  clik 5\n#c\n")
    assert (back.number, back.raw, back.line and back.line.canonical) == (2, "back", "back")
    assert (wrong.number, wrong.raw, type(wrong.error)) == (4, "  clik 5", UnknownCommand)
    assert wrong.error
    assert wrong.error.position == 2
    assert comment.line
    assert (comment.number, comment.line.command, comment.line.comment) == (5, None, "#c")


def test_an_indented_line_without_a_definition_is_a_line() -> None:
    assert normalize("  back\n  forward") == "back\nforward"


def test_a_definition_takes_the_indented_lines_after_it() -> None:
    assert normalize(f"back\n{DEFINITION}\nforward") == f"back\n{CANONICAL}\nforward"
    assert normalize(CANONICAL) == CANONICAL


def test_a_definition_is_one_line() -> None:
    line = parse(DEFINITION)
    assert line.canonical == CANONICAL
    assert line.comment == "# the lot"
    assert line.command == Define("buy", ('click "Buy" near "Total"', "# then pay", '@shop type email "x"'))
    assert render(line) == CANONICAL
    assert parse(render(line.command)).command == line.command


def test_a_definition_may_be_empty_and_in_a_session() -> None:
    define, again = parse_script("session work define a:\n  back\ndefine b:")
    assert define.line
    assert define.line.canonical == "@work define a:\n  back"
    assert again.line
    assert again.line.command == Define("b")


def test_a_wrong_definition_is_one_error() -> None:
    errors = [each.error for each in parse_script("define 5x:\n  back\n  forward\nback")]
    assert [type(error) for error in errors] == [InvalidValue, type(None)]


@pytest.mark.parametrize(
    ("body", "position"), [("  clik 5", 2), ("  click 5#x", 9), ("  define b:", 2), ("\tclick 5 --full", 9)]
)
def test_an_error_in_a_body_has_its_place_in_its_line(body: str, position: int) -> None:
    with pytest.raises(LanguageError) as caught:
        normalize(f"define a:\n  back\n{body}")
    assert caught.value.position == position
    assert caught.value.message.startswith("line 2 of the body: ")


def test_one_line_is_one_command() -> None:
    with pytest.raises(UnexpectedInput) as caught:
        parse("back\n\nforward")
    assert caught.value.position == 6
    assert parse("\nclick 5\n").command == Click(IdTarget(5))
    assert parse("\n").command is None


def test_parse_output_lists_commands_and_errors() -> None:
    text = "click 5 near x --right # c\n\n  # only\nclick 5#x\n@work run a --b 1\n"
    assert list(parse_output(text)) == [
        {
            "canonical": 'click 5 near "x" --right # c',
            "command": {
                "name": "click",
                "arguments": {
                    "target": {"id": 5, "relation": {"kind": "near", "to": {"text": "x"}}},
                    "double": False,
                    "right": True,
                    "middle": False,
                    "force": False,
                    "ctrl": False,
                    "shift": False,
                    "alt": False,
                    "strict": False,
                    "timeout": None,
                },
            },
            "comment": "# c",
        },
        {"canonical": "# only", "command": None, "comment": "# only"},
        {
            "error": {
                "phase": "parsing",
                "code": "UNEXPECTED_INPUT",
                "message": 'unexpected "#x"',
                "hint": "a comment needs a space before its #",
                "position": 7,
            }
        },
        {
            "canonical": "@work run a --b 1",
            "command": {
                "name": "run",
                "arguments": {"name": "a", "parameters": {"b": "1"}, "timeout": None},
                "session": "work",
            },
            "comment": None,
        },
    ]


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("select 5 a b", {"target": {"id": 5}, "choice": ["a", "b"]}),
        ("select @e5 2", {"target": {"reference": 5}, "choice": 2}),
        ("extract css(.a)", {"what": {"css": ".a"}}),
        ("press control+a", {"keys": ["control", "a"]}),
        ("hover at(1,2.5)", {"target": {"point": [1, 2.5]}}),
        ("wait hidden xpath(//a)", {"state": "hidden", "target": {"xpath": "//a"}}),
        ("wait 500ms", {"duration": 0.5}),
        ("focus tel", {"target": {"role": "phone"}}),
        ("text", {"target": None, "selector": None}),
    ],
)
def test_arguments_as_json(raw: str, arguments: dict[str, object]) -> None:
    (parsed,) = parse_output(raw)
    assert parsed["command"]["arguments"].items() >= arguments.items()
