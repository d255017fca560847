"""Targets found again on pages that have changed, and those that are not to be found."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine.output.target_description import TargetDescription
from oryn.testing.healing import heal

Row = dict[str, Any]


def row(type: str, text: str, role: str = "generic", **more: Any) -> Row:
    return {"type": type, "text": text, "role": role, "modifiers": [], **more}


def numbered(*rows: Row) -> list[Row]:
    return [{"id": number, **each} for number, each in enumerate(rows, 1)]


BUY = TargetDescription("button", "submit", "Buy", "", "Quantity", "Share", "#buy", 1)


@pytest.mark.parametrize(
    ("rows", "number", "rung"),
    [
        # its mark, also under another name
        ([row("button", "Share"), row("button", "Buy", selector="#buy"), row("button", "Buy")], 2, "mark"),
        ([row("button", "Share"), row("button", "Purchase", selector="#buy")], 2, "mark"),
        # kind and name, and where several have it, what is around it
        ([row("button", "Share"), row("button", "Buy")], 2, "name"),
        ([row("link", "Buy", selector="#buy2"), row("button", "Share")], 1, "name"),
        ([row("button", "Purchase", selector="#buy"), row("button", "Buy", selector="#buy-2")], 2, "name"),
        ([row("button", "Buy"), row("input", "Quantity"), row("button", "Buy"), row("link", "Share")], 3, "name"),
        # the name has changed alone
        ([row("input", "Quantity"), row("button", "Order now"), row("link", "Share")], 2, "place"),
        # one neighbour is left
        ([row("input", "Quantity"), row("button", "Buy now"), row("link", "Help")], 2, "neighbours"),
    ],
)
def test_the_rung_on_which_a_target_is_found(rows: list[Row], number: int, rung: str) -> None:
    found = heal(BUY, numbered(*rows))
    assert found is not None
    assert (found.number, found.rung) == (number, rung)


def test_the_only_one_of_its_section() -> None:
    target = TargetDescription("button", "", "Delete", "Order 3", "x", "y")
    rows = numbered(row("button", "Remove", context="Order 2"), row("button", "Remove", context="Order 3"))
    found = heal(target, rows)
    assert found is not None
    assert (found.number, found.rung) == (2, "section")
    sentence = 'button "Delete" was found as the only one of its section: [2] button "Remove" in "Order 3"'
    assert found.sentence == sentence


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row("button", "Cancel"), row("link", "Help")],  # nothing like it
        [row("input", "Buy")],  # a field is not pressed
        [row("button", "Buy"), row("button", "Buy")],  # two, of which nothing tells which
        [row("input", "Quantity"), row("button", "Cancel"), row("link", "Help")],  # a neighbour alone is too little
    ],
)
def test_what_is_not_the_target_is_not_taken_for_it(rows: list[Row]) -> None:
    assert heal(BUY.replace(mark="", place=0), numbered(*rows)) is None
