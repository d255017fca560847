"""What is proposed as a program: loops of lines, and programs that were run again. Without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine.command_history import CommandHistory, NotedCommand
from oryn.engine.definitions import read_definition
from oryn.engine.definitions.proposals import ProposalStore
from oryn.engine.program.calls import call_text
from oryn.engine.program.stopped_programs import EndedProgram
from oryn.language import parse

PLANTS = ("Monstera", "Snake plant", "Aloe")


def proposals(*lines: str, ended: tuple[EndedProgram, ...] = ()) -> list[dict[str, Any]]:
    """The data of what is proposed after these lines, each on the page that it names before a bar."""
    history = CommandHistory()
    for each in lines:
        page, _, line = each.partition("|")
        command = parse(line).command
        assert command is not None
        history._noted.append(NotedCommand(command, f"https://shop.example/{page}", page, page))
    found = ProposalStore().current(list(history.sequence), ended)
    for each in found:
        read_definition(each.data)
    return [each.data for each in found]


def buying(plant: str) -> list[str]:
    lines = [f'click "{plant}"', 'check "Remind me"', 'click "Add to cart"', "back", "back"]
    return [
        f"{page}|{line}" for page, line in zip(("", "plants/1", "plants/1", "cart", "plants/1"), lines, strict=True)
    ]


def test_what_was_done_three_times_in_a_row_is_a_loop_over_a_list() -> None:
    lines = ["|accept cookies", *(line for plant in PLANTS for line in buying(plant)), '|click "Cart"']
    assert proposals(*lines) == [
        {
            "name": "learned_1",
            "version": "1",
            "description": "Learnt on shop.example",
            "parameters": {"items": {"type": "list"}},
            "program": (
                "for item in items:\n    click(item)\n    check(\"Remind me\")\n    click(\"Add to cart\")\n"
                "    back()\n    back()\n"
            ),
        }
    ]  # fmt: skip


def test_texts_that_differ_together_are_lists_side_by_side() -> None:
    people = (("Ann", "ann@a.example"), ("Bob", "bob@a.example"), ("Cid", "cid@a.example"))
    lines = [
        f"new|{line}"
        for name, mail in people
        for line in ("goto shop.example/new", f'type "Full name" "{name}"', f'type email "{mail}"', 'click "Save"')
    ]
    (data,) = proposals(*lines)
    assert data["program"] == (
        "for full_name, email in zip(full_names, emails):\n"
        '    goto("https://shop.example/new")\n    type("Full name", full_name)\n    type("email", email)\n'
        '    click("Save")\n'
    )
    assert list(data["parameters"]) == ["full_names", "emails"]


@pytest.mark.parametrize(
    "lines",
    [
        [line for plant in PLANTS[:2] for line in buying(plant)][:-1],  # twice, and not whole
        [f'|click "{plant}"' for plant in PLANTS],  # nothing is the same
        [f"|{line}" for plant in PLANTS for line in (f'click "{plant}"', "back")],
        ['|click "Next"', "|press tab"] * 3,  # nothing differs
        [f"|{line}" for word in "abc" for line in (f'type "Name" "{word}"', 'type "Password" "••••"', 'click "Go"')],
    ],
)
def test_other_sequences_are_no_loops(lines: list[str]) -> None:
    assert not [data for data in proposals(*lines) if "program" in data]


BUY = 'goto("shop.example")\nlimit = 3\nif len(observe()) < 30:\n    click("Buy", timeout=5)\n    type("Full name", "Ann")\n'


def test_a_program_that_was_run_again_has_parameters_for_what_differs() -> None:
    again = BUY.replace("30", "20").replace("Ann", "Bob").replace("Buy", "Order").replace("timeout=5", "timeout=6")
    (data,) = proposals(ended=(EndedProgram(BUY), EndedProgram("observe()"), EndedProgram(again)))
    assert data["parameters"] == {
        "limit_2": {"type": "number"}, "target": {}, "timeout_2": {"type": "number"}, "full_name": {}
    }  # fmt: skip
    assert data["program"] == (
        'goto("shop.example")\nlimit = 3\nif len(observe()) < limit_2:\n    click(target, timeout=timeout_2)\n'
        '    type("Full name", full_name)\n'
    )


def test_values_at_the_head_of_a_repeated_program_are_its_parameters() -> None:
    first = 'plants = ["Fern"]\nfor plant in plants:\n    click(plant)\n    back()'
    (data,) = proposals(ended=(EndedProgram(first), EndedProgram(first.replace('"Fern"', '"Palm", "Aloe"'))))
    assert data["parameters"] == {"plants": {"type": "list", "default": ["Palm", "Aloe"]}}


def test_credentials_of_a_repeated_program_are_in_no_proposal() -> None:
    runs = [EndedProgram(f'type("Key", "{key}")\nclick("Go")', frozenset({key})) for key in ("hunter22", "swordfish9")]
    (data,) = proposals(ended=tuple(runs))
    assert data["parameters"] == {"password": {"secret": True}}
    assert data["program"] == 'type("Key", password)\nclick("Go")\n'


@pytest.mark.parametrize("text", ["observe()\ntext()", "click('Go')", "click('Go'"])
def test_programs_that_do_little_are_not_proposed(text: str) -> None:
    assert proposals(ended=(EndedProgram(text), EndedProgram(text))) == []


def test_programs_of_another_structure_are_not_the_same() -> None:
    one, other = "click('Go')\nclick(f'a{page.url}')", "click('Go')\nclick(f'b{page.url}')"
    assert proposals(ended=(EndedProgram(one), EndedProgram(other))) == []


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ('click "Save" --double', 'click("Save", double=True)'),
        ('click "email"', 'click({"text": "email"})'),
        ("click css(.a)", 'click("css(.a)")'),
        ("click 'a \"b\"'", "click('a \"b\"')"),
        ('select "Country" "Norway"', 'select("Country", ["Norway"])'),
        ('fill_form {"Name": "Ann"}', 'fill_form({"Name": name})'),
        ('search "fern" --wait 2s', 'search("fern", wait=2.0)'),
        ("accept cookies", "accept_cookies()"),
        ('scroll until "x"', 'scroll_until("x")'),
    ],
)
def test_a_command_as_a_call(line: str, call: str) -> None:
    command = parse(line).command
    assert command is not None
    assert call_text(command, {"Ann": "name"}) == call
