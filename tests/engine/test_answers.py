"""Answers as text and as JSON."""

from __future__ import annotations

import json

from oryn.core.urls import url_pattern
from oryn.engine import Answer, Observation
from oryn.engine.handlers.extract import as_csv, as_json, as_text
from oryn.engine.output.changes import PageChange
from oryn.engine.page.resolve import numbers_in
from oryn.engine.page.scanner import scanner_error
from oryn.errors import ElementNotInteractable, InternalError, OrynError
from oryn.language import IdTarget, RelatedTarget, RoleTarget, TextTarget

BUTTON = {"id": 1, "type": "button", "role": "submit", "text": "Go", "modifiers": []}


def test_sections_stand_in_order() -> None:
    answer = Answer(
        command="click 3",
        page=("https://a.org/", "A"),
        lines=["one", "two"],
        block="page\n---",
        notes=["n"],
        changes=[PageChange("+", "x", {"change": "appeared"})],
        more_changes=2,
    )
    assert answer.render() == (
        "ok click 3\n\n@ a.org \"A\"\n\none\ntwo\n\n| page\n| ---\n\n# note\nn\n\n# changes\n+ x\n… 2 more; run 'observe'"
    )


def test_an_error_is_one_line_and_a_hint() -> None:
    answer = Answer(command="click 9", error=OrynError("bad\nok click 3", "try\nagain"))
    assert answer.render() == "error click 9: bad\\nok click 3\n\n# hint\ntry\nagain"
    assert Answer(command="x", error=OrynError("bad")).render() == "error x: bad"


def test_an_observation_with_patterns() -> None:
    seen = Observation(
        "https://a.org/l", "L", [BUTTON],
        {
            "login_form": {"email": 1, "password": 2, "submit": 3, "container": "#f"},
            "pagination": {"next": 4, "pages": [5, 6]},
            "modal": {"close": 7, "title": 'The "x"', "container": "div"},
            "search_form": {},
        },
        more=3,
    )  # fmt: skip
    assert Answer(command="observe", observation=seen).render() == (
        '@ a.org/l "L"\n\n[1] button/submit "Go"\n\n'
        '# more\n3 more elements; observe --limit 0 shows all, --near "<text>" and --viewport fewer\n\n'
        "# patterns\nlogin_form: email [1], password [2], submit [3]\npagination: next [4], pages [5] [6]\n"
        r'modal: close [7], title "The \"x\""'
    )


def test_json_is_one_ascii_line() -> None:
    answer = Answer(command="text", block="a\u2028b\ud800", json=True)
    text = answer.render()
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text) == {"ok": True, "command": "text", "result": "a\u2028b\ud800"}
    failed = Answer(command="x", error=ElementNotInteractable("covered", "use --force"), json=True)
    assert json.loads(failed.render())["error"] == {
        "code": "ELEMENT_NOT_INTERACTABLE", "message": "covered", "hint": "use --force",
    }  # fmt: skip


def test_the_numbers_that_a_target_names() -> None:
    assert numbers_in(
        RelatedTarget(TextTarget("Go"), "inside", RelatedTarget(RoleTarget("phone"), "near", IdTarget(4)))
    ) == [4]


def test_scanner_failures_are_errors_of_the_tree() -> None:
    covered = scanner_error({"ok": False, "code": "ELEMENT_NOT_INTERACTABLE", "data": {"covered_by": 'div "x"'}})
    assert isinstance(covered, ElementNotInteractable)
    assert covered.message == 'not interactable: covered by div "x"'
    dialog = {"covered_by": "div", "buttons": ["Accept", "Later"]}
    covered = scanner_error({"ok": False, "code": "ELEMENT_NOT_INTERACTABLE", "data": dialog})
    assert covered.hint == 'The dialog\'s buttons: "Accept", "Later". Press one of them first, or use --force.'
    assert isinstance(scanner_error({"ok": False, "code": "WHATEVER"}), InternalError)


def test_url_patterns() -> None:
    assert url_pattern("/dash").search("https://a.org/dashboard")
    assert not url_pattern("*/dash").search("https://a.org/dashboard")
    assert url_pattern("*/dash*").search("https://a.org/dashboard")
    assert not url_pattern("a.org/*").search("https://a.org/x")


def test_extracted_data_in_every_form() -> None:
    links = [{"text": "A, b", "href": "https://a.org/"}]
    assert as_text("links", links) == "A, b\thttps://a.org/"
    assert as_csv("links", links) == 'text,href\n"A, b",https://a.org/'
    assert json.loads(as_json("links", links)) == links
    tables = [{"caption": "", "rows": [["Name", "Age"], ["Ada", "36"]]}, {"caption": "", "rows": [["x\ny"]]}]
    assert as_text("tables", tables) == "Name\tAge\nAda\t36\n\nx y"
    assert as_csv("tables", tables) == 'Name,Age\nAda,36\n\n"x\ny"'
    assert as_text("meta", {"title": "T"}) == "title: T"
    assert as_csv("text", "one\ntwo") == "one\ntwo"
