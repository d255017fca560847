"""Expected reports: read from answers, written to lines, and read from these again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.testing.expectation import ReportEntry, ReportLineError, StepReport, parse, read

BASE = "http://localhost:4780/"


def element(type: str, text: str, *modifiers: str, role: str = "generic", **more: Any) -> dict[str, Any]:
    return {"id": 7, "type": type, "role": role, "text": text, "modifiers": list(modifiers), **more}


def lines(*changes: dict[str, Any], **more: Any) -> list[str]:
    return read({"ok": True, "command": "click 5", "changes": list(changes)}, base_url=BASE, **more).render()


def test_each_kind_of_change_is_a_line_without_a_number() -> None:
    assert lines(
        {"sign": "@", "change": "page", "url": f"{BASE}cart?page=2", "title": "Cart"},
        {"sign": "~", "change": "url", "before": BASE, "after": f"{BASE}#top"},
        {"sign": "~", "change": "title", "title": "Cart (1)"},
        {"sign": "+", "change": "text", "kind": "status", "text": 'Saved  "all"', "state": "new"},
        {"sign": "~", "change": "changed", "element": element("checkbox", "Gift", "checked", "focused")},
        {"sign": "~", "change": "changed", "element": element("select", "Deliver", value="Today")},
        {"sign": "+", "change": "appeared", "element": element("generic", "Details", "selected", role="tab")},
        {"sign": "+", "change": "appeared", "element": element("input", "E-mail", "required", role="email")},
        {"sign": "-", "change": "gone", "element": element("button", "Buy", "primary", role="submit")},
        {"sign": "+", "change": "dialog", "kind": "confirm", "message": "Sure?", "answer": "accepted"},
        {"sign": "+", "change": "tab", "number": 2, "url": "https://example.org/x", "title": "X"},
        {"sign": "-", "change": "tab_closed"},
        {"sign": "+", "change": "download", "filename": "report.pdf", "state": "done"},
    ) == [
        '@ /cart?page=2 "Cart"',
        "~ url /#top",
        '~ title "Cart (1)"',
        '+ status "Saved \\"all\\""',
        '~ checkbox "Gift" {checked}',
        '~ select "Deliver" value: "Today"',
        '+ tab "Details" {selected}',
        '+ input/email "E-mail"',
        '+ dialog confirm "Sure?" {accepted}',
        '+ browser tab https://example.org/x "X"',
        '- browser tab ""',
        '+ download "report.pdf"',
        '- button "Buy"',
    ]


def test_what_an_answer_folds_together_is_expected_by_no_test() -> None:
    rows = [element("button", f"Row {number}") for number in range(9)]
    dialog = element("generic", "Import", role="dialog")
    assert lines(
        {"sign": "+", "change": "returned", "elements": rows},
        {"sign": "-", "change": "gone", "elements": [*rows, dialog]},
        {"sign": "+", "change": "appeared", "element": rows[0], "replaces": rows[0]},
    ) == ['- dialog "Import"']


def test_an_element_that_was_rendered_anew_is_told_of_if_its_state_is_another() -> None:
    was, same, now = element("button", "A"), element("link", "B", "current"), element("button", "A", "disabled")
    gone = [{"sign": "-", "change": "gone", "element": each} for each in (was, same)]
    came = [{"sign": "+", "change": "appeared", "element": each} for each in (same, now)]
    assert lines(*gone, *came) == ['~ button "A" {disabled}']


def test_failures_of_the_step_and_of_the_page_are_lines() -> None:
    form = {"ok": False, "command": "click 5", "error": {"code": "ELEMENT_NOT_FOUND", "message": "element not found"}}
    requests = [
        {"method": "POST", "url": f"{BASE}save", "type": "fetch", "status": 500, "failure": None, "seconds": 0.1},
        {"method": "POST", "url": f"{BASE}save", "type": "fetch", "status": 500, "failure": None, "seconds": 0.1},
        {"method": "GET", "url": f"{BASE}a.png", "type": "image", "status": 404, "failure": None, "seconds": 0.1},
        {"method": "GET", "url": f"{BASE}rows", "type": "xhr", "status": 200, "failure": None, "seconds": 7.9},
        {"method": "GET", "url": f"{BASE}old", "type": "xhr", "status": None, "failure": "net::ERR_ABORTED"},
        {"method": "GET", "url": f"{BASE}good", "type": "xhr", "status": 200, "failure": None, "seconds": 0.1},
    ]
    console = [{"level": "error", "text": "TypeError: x is undefined\n at y"}, {"level": "warning", "text": "old API"}]
    assert read(form, base_url=BASE, requests=requests, console=console).render() == [
        '! error ELEMENT_NOT_FOUND "element not found"',
        '! request POST /save "500"',
        '! resource GET /a.png "404"',
        '! slow GET /rows "8 s"',
        '! console "TypeError: x is undefined"',
    ]


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (True, '= result "yes"'),
        ("18", '= result "18"'),
        (3, '= result "3"'),
        (["b", "a"], '= result "[\\"b\\", \\"a\\"]"'),
    ],
)
def test_what_a_command_has_found_is_a_line(result: object, line: str) -> None:
    assert read({"ok": True, "command": "count", "result": result}).render() == [line]


def test_another_document_has_what_it_shows() -> None:
    seen = {"elements": [element("link", "Cart (1)"), element("button", "")], "text": "Cart (1)\nTotal\t\t€36\n\n"}
    form = {"ok": True, "command": "goto", "page": {"url": f"{BASE}cart", "title": "Cart"}}
    found = read(form, base_url=BASE, seen=seen)
    assert found.render() == [
        '@ /cart "Cart"',
        '= link "Cart (1)"',
        '= text "Total €36"',
    ]


texts = st.text(max_size=30).map(lambda text: " ".join(text.split()))


@given(
    st.sampled_from("@+-~=!"),
    st.sampled_from(["status", "checkbox", "input/email", "dialog confirm"]),
    texts,
    st.lists(st.sampled_from(["checked", "not pressed", "disabled"]), max_size=2, unique=True),
    st.none() | texts,
    st.booleans(),
)
def test_lines_are_read_as_they_were_written(
    sign: Any, kind: str, text: str, states: list[str], value: str | None, sometimes: bool
) -> None:
    entry = ReportEntry(sign, kind, text, "", tuple(states), value, sometimes)
    assert parse([entry.render()]) == StepReport((entry,))


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("status", 1, "an entry of a report begins with"),
        ("+status", 1, "an entry of a report begins with"),
        ("", 1, "an entry of a report begins with"),
        ('+ status "Saved', 10, "the quoted text does not end"),
        ('+ "Saved"', 3, "what it is about is missing"),
        ("+ status", 9, "a quoted text is missing"),
        ('@ "Cart"', 3, "the address is missing"),
        ('~ checkbox "Gift" checked', 18, "only {states}"),
    ],
)
def test_a_line_that_was_edited_badly_is_refused_with_its_column(line: str, column: int, message: str) -> None:
    with pytest.raises(ReportLineError) as refused:
        parse(['+ status "Saved"', line])
    assert (refused.value.index, refused.value.column) == (1, column)
    assert refused.value.message.startswith(message)


def test_an_address_that_varies_is_read_again() -> None:
    lines = ['@ /orders/{{varies}} "Order {{varies}}"', "~ url /orders/{{varies}}/edit"]
    assert parse(lines).render() == lines
    assert [entry.place for entry in parse(lines).entries] == ["/orders/{{varies}}", "/orders/{{varies}}/edit"]


def test_a_later_report_is_merged_into_the_former() -> None:
    former = parse(['+ status "Saving"', '+ dialog "Wait"', '~ button "Save" {disabled}'])
    later = parse(['+ status "Saved"', '- dialog "Wait"', '~ button "Save" {enabled}'])
    assert former.merged(later).render() == ['+ status "Saving"', '+ status "Saved"', '~ button "Save" {enabled}']
    assert former.merged(parse(['@ /next "Next"'])).render() == ['@ /next "Next"']


def test_what_is_called_alike_is_merged_one_by_one() -> None:
    rows = ['+ button "Rename"', '+ button "Rename"']
    assert parse(['= text "Loading"']).merged(parse(rows)).render() == ['= text "Loading"', *rows]
    assert parse(rows).merged(parse(['- button "Rename"'])).render() == ['+ button "Rename"']
    merged = parse(rows).merged(parse(['~ button "Rename" {disabled}']))
    assert merged.render() == ['+ button "Rename"', '+ button "Rename" {disabled}']
