"""Element lines, and the difference between two looks at a page."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine.output import changes
from oryn.engine.output.elements import full_line, label, line, minimal_line, ranges


def element(
    number: int, kind: str = "button/submit", text: str = "Search", *modifiers: str, **more: Any
) -> dict[str, Any]:
    name, _, role = kind.partition("/")
    return {"id": number, "type": name, "role": role or "generic", "text": text, "modifiers": list(modifiers), **more}


def test_lines_of_the_specification() -> None:
    assert (
        line(element(1, "input/email", "Username or email", "required"))
        == '[1] input/email "Username or email" {required}'
    )
    assert line(element(3, "button/submit", "Sign in", "primary")) == '[3] button/submit "Sign in" {primary}'
    assert line(element(7, "link", "Next")) == '[7] link "Next"'
    assert label(element(7, "link", "Next", "focused")) == '[7] link "Next"'


def test_options_value_and_position_follow_in_this_order() -> None:
    select = element(
        2, "select", "Country", options={"first": ["France", "Spain"], "count": 9}, value="Spain",
        rect={"x": 1.4, "y": 2, "width": 30, "height": 40.5},
    )  # fmt: skip
    assert line(select) == '[2] select "Country" options: "France" | "Spain" (of 9); value: "Spain"'
    assert line(select, positions=True).endswith('value: "Spain" @(1,2,30x40)')


def test_full_and_minimal_lines() -> None:
    field = element(
        4, "input/email", "Mail", "required",
        selector="#m", attributes={"name": "mail", 'a"b': "forged"}, rect={"x": 0, "y": 0, "width": 9, "height": 9},
    )  # fmt: skip
    assert full_line(field) == '[4] input/email "Mail" {required} @(0,0,9x9) css: "#m" name="mail"'
    assert minimal_line(field) == '[4] input "Mail"'


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("Budget passed at last Budget passed at last", "Budget passed at last"),
        ("The Mirage: This is it The Mirage: This is it The Mirage: This is it", "The Mirage: This is it"),
        ("Notices issued to all 7 teams Notices issued to all 7...", "Notices issued to all 7 teams"),
        ("Notices issued to all 7 teams Notices issued to a…", "Notices issued to all 7 teams"),
        ("東京都の新しい予算案が可決された東京都の新しい予算案が可決された", "東京都の新しい予算案が可決された"),
        ("New York, New York", "New York, New York"),
        ("Budget passed at last Budget passed at last night", "Budget passed at last Budget passed at last night"),
        ("Budget passed at last Budget passed", "Budget passed at last Budget passed"),
        ("Budget passed at last", "Budget passed at last"),
        ("", ""),
    ],
)
def test_a_name_that_repeats_itself_is_displayed_once(name: str, displayed: str) -> None:
    assert line(element(1, "link", name)) == f'[1] link "{displayed}"'
    assert minimal_line(element(1, "link", name)) == f'[1] link "{displayed}"'


def test_between_tells_what_came_went_and_changed() -> None:
    before = {2: element(2), 4: element(4, "checkbox", "Rust", "unchecked"), 5: element(5, "link", "Home")}
    after = {
        4: element(4, "checkbox", "Rust", "checked"),
        5: element(5, "link", "Home", "focused"),
        7: element(7, "link", "Next"),
    }
    found, more = changes.diff_elements(before, after)
    assert [change.render() for change in found] == [
        '~ [4] checkbox "Rust" {checked}',
        '+ [7] link "Next"',
        '- [2] button/submit "Search"',
    ]
    assert more == 0


def test_many_that_have_gone_are_one_line_and_leave_the_limit_to_the_rest() -> None:
    before = {number: element(number) for number in range(1, 101)}
    found, more = changes.diff_elements(before, {7: before[7], 200: element(200, "link", "Next")}, limit=1)
    assert [change.render() for change in found] == ['+ [200] link "Next"', "- 99 elements: 1-6, 8-100"]
    assert more == 0
    assert len(found[1].data["elements"]) == 99


def test_what_a_closed_dialog_held_goes_with_it() -> None:
    inside = {number: element(number) for number in (3, 4, 5)}
    dialog = {**element(9, "generic", "Import nodes"), "role": "dialog"}
    found, _ = changes.diff_elements({**inside, 9: dialog}, {})
    assert [change.render() for change in found] == ['- [9] generic/dialog "Import nodes" and 3 elements: 3-5']


def test_a_mere_removal_is_unfinished_unless_it_closes_something() -> None:
    row, dialog = element(1), {**element(9, "generic", "Import"), "role": "dialog"}

    def is_unfinished(before: Any, after: Any) -> bool:
        return changes.is_unfinished_removal(changes.diff_elements(before, after)[0])

    assert is_unfinished({1: row}, {})
    assert is_unfinished({number: element(number) for number in range(9)}, {})
    assert not is_unfinished({1: row}, {1: row})
    assert not is_unfinished({1: row}, {2: element(2)})
    assert not is_unfinished({1: row, 9: dialog}, {})
    assert not is_unfinished({**{number: element(number) for number in range(9)}, 9: dialog}, {})
    assert not changes.is_unfinished_removal([changes.PageChange("-", "tab", {"change": "tab_closed"})])


def test_what_became_enabled_says_so() -> None:
    found, _ = changes.diff_elements({6: element(6, "button", "Fewer", "disabled")}, {6: element(6, "button", "Fewer")})
    assert [change.render() for change in found] == ['~ [6] button "Fewer" {enabled}']


def test_a_long_report_is_cut_and_counted() -> None:
    found, more = changes.diff_elements({}, {number: element(number) for number in range(1, 101)})
    assert (len(found), more) == (changes.MAX_CHANGE_LINES, 100 - changes.MAX_CHANGE_LINES)


def test_url_and_page_changes() -> None:
    assert changes.url_changed("https://a.org/search", "https://a.org/results").render() == "~ url: /search → /results"
    assert changes.page_changed("https://a.org/x", 'The "x"').render() == r'@ a.org/x "The \"x\""'


def test_ranges() -> None:
    assert ranges({1, 2, 3, 6, 8, 9}) == "1-3, 6, 8-9"
    assert ranges([]) == ""
