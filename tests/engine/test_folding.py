"""Lines of many elements: runs, groups, echoes. Each element is in them, and can be told from the others."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from oryn.engine.output.elements import Element, line
from oryn.engine.output.folding import MAX_ITEMS_PER_LINE, MAX_LINE_CHARACTERS, MAX_UNFOLDED, folded_lines

LONG = [f"Story {n}" for n in range(MAX_UNFOLDED)]


def element(number: int, text: str, type: str = "link", **more: Any) -> dict[str, Any]:
    return {"id": number, "type": type, "role": "generic", "text": text, "modifiers": [], **more}


def links(texts: Iterable[str], first: int = 1) -> list[dict[str, Any]]:
    return [element(number, text) for number, text in enumerate(texts, first)]


def test_few_elements_have_a_line_each() -> None:
    few = links(LONG)
    assert folded_lines(few) == [line(each) for each in few]


def test_a_run_has_names_alone_and_breaks_before_it_is_too_long_to_count() -> None:
    lines = folded_lines(links([*LONG, "Last"]))
    assert lines[0] == f"[1]-[{MAX_ITEMS_PER_LINE}] link " + ", ".join(
        f'"Story {n}"' for n in range(MAX_ITEMS_PER_LINE)
    )
    assert lines[-1] == f'[{MAX_UNFOLDED + 1}] link "Last"'
    wide = folded_lines(links([f"{n} {'x' * 90}" for n in range(60)]))
    assert all(len(each) < 1.3 * MAX_LINE_CHARACTERS and each.count(" link ") == 1 for each in wide)


def test_a_name_that_is_not_the_only_one_has_its_number() -> None:
    lines = folded_lines([*links(["Home", "Scores", "News", "SCORES", *LONG]), element(200, "News", "button")])
    assert lines[0].startswith('[1]-[10] link "Home", [2] "Scores", [3] "News", [4] "SCORES", "Story 0"')


def test_what_says_more_than_a_name_has_a_line_of_its_own() -> None:
    field = element(4, "Mail", "input", value="ada@example.org")
    box = element(5, "Terms", "checkbox", modifiers=["checked"])
    lines = folded_lines([*links("abc"), field, box, *links(LONG, 6)])
    assert lines[:3] == ['[1]-[3] link "a", "b", "c"', line(field), line(box)]


def test_elements_in_the_same_state_are_a_run() -> None:
    boxes = [element(n, f"Colour {n}", "checkbox", modifiers=["unchecked"]) for n in range(1, 5)]
    assert folded_lines([*boxes, *links(LONG, 5)])[0] == (
        '[1]-[4] checkbox {unchecked} "Colour 1", "Colour 2", "Colour 3", "Colour 4"'
    )


def test_numbers_that_do_not_follow_each_other_are_no_run() -> None:
    lines = folded_lines([*links(["a", "b"]), *links(["c", "d"], 7), *links(LONG, 20)])
    assert lines[:4] == ['[1] link "a"', '[2] link "b"', '[7] link "c"', '[8] link "d"']


def test_equals_are_counted_and_echo_nothing() -> None:
    lines = folded_lines([*links(["x"] * 200), *links(LONG, 300), *links(["x"] * 2, 400)])
    assert (lines[0], lines[-2:]) == ('[1]-[200] 200 × link "x"', ['[400] link "x"', '[401] link "x"'])


def test_groups_say_once_what_they_have_in_common() -> None:
    cards = [
        each
        for n, name in enumerate(["Fern", "Ivy", "Palm"])
        for each in (element(3 * n + 1, name), element(3 * n + 2, name), element(3 * n + 3, "Add to cart", "button"))
    ]
    assert folded_lines([*cards, *links(LONG, 10)])[0] == (
        '[1]-[9] 3 × (link, link, button "Add to cart"): [1] "Fern" | "Fern", [4] "Ivy" | "Ivy", [7] "Palm" | "Palm"'
    )


def test_groups_without_names_are_called_after_what_they_are_in() -> None:
    rows = [
        element(2 * n + part, text, "button", **({"modifiers": ["primary"]} if part else {}), context=f"Row {n}")
        for n in range(3)
        for part, text in enumerate(("Edit", "Delete"))
    ]
    assert folded_lines([*rows, *links(LONG, 10)])[0] == (
        '[0]-[5] 3 × (button "Edit", button {primary} "Delete"): [0] in "Row 0", [2] in "Row 1", [4] in "Row 2"'
    )


def test_a_menu_that_comes_again_is_an_echo() -> None:
    menu = ["Home", "News", "Sport", "Travel", "Food", "Video"]
    lines = folded_lines([*links(menu), element(7, "Menu", "button"), *links(menu, 8), *links(LONG, 20)])
    assert lines[:3] == [
        '[1]-[6] link "Home", "News", "Sport", "Travel", "Food", "Video"',
        '[7] button "Menu"',
        "[8]-[13] as [1]-[6]",
    ]


def test_what_lies_in_different_cards_is_no_echo() -> None:
    first = [element(n, "Details", context=f"Card {n}") for n in range(1, 7)]
    again = [element(n, "Details", context=f"Card {n}") for n in range(8, 14)]
    text = "\n".join(folded_lines([*first, element(7, "More", "button"), *again, *links(LONG, 20)]))
    assert all(f'"Details" in "Card {n}"' in text for n in (*range(1, 7), *range(8, 14)))


def test_what_has_no_name_stands_behind_what_it_follows() -> None:
    lines = folded_lines(
        [
            element(1, "City", "input"),
            element(2, "", "generic", context="City"),
            element(3, "", "generic"),
            element(4, "Menu", "button"),
            *links(LONG, 5),
        ]
    )
    assert lines[:2] == ['[1] input "City" + [2] + [3]', '[4] button "Menu"']


def numbers_of(lines: Iterable[str]) -> list[int]:
    """The numbers that lines stand for, by a reader who knows only `[a]` and `[a]-[b]`."""
    found = []
    for each in lines:
        head = each.partition(" ")[0].replace("[", "").replace("]", "").split("-")
        found += range(int(head[0]), int(head[-1]) + 1)
    return found


@pytest.mark.slow
def test_no_element_is_left_out() -> None:
    chance = random.Random(1)
    for _ in range(300):
        elements: list[Element] = []
        number = 0
        while len(elements) < 120:
            part = [(chance.choice(["link", "button"]), chance.choice("abcde")) for _ in range(chance.randint(1, 6))]
            for kind, text in part * chance.randint(1, 4):
                number += 1 if chance.random() < 0.98 else 5
                more = {"value": "x"} if chance.random() < 0.03 else {}
                elements.append(element(number, text, kind, **more))
        lines = [each for each in folded_lines(elements) if not each.startswith("  ")]
        assert numbers_of(lines) == [each["id"] for each in elements]
