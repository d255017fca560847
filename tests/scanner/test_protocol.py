"""The types of the protocol: the TypeScript's are what the Python's make, and every command has its own. Then what they
promise: null counts as absent, and no response has a text of another kind."""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

from oryn.scanner.protocol import COMMANDS, ScannerRequest
from scripts.scanner_types import FILE, FOLDED_FILE, comment, declaration, generated, generated_tables


def test_the_types_of_the_typescript_are_what_the_protocol_makes() -> None:
    assert FILE.read_text("utf-8") == generated(), "run 'make scanner'"


def test_the_tables_of_folded_characters_are_those_of_python() -> None:
    assert FOLDED_FILE.read_text("utf-8") == generated_tables(), "run 'make scanner'"


def test_every_command_is_a_request_of_the_union() -> None:
    names = {get_args(get_type_hints(request)["cmd"]): request for request in get_args(ScannerRequest)}
    assert names == {(name,): command.request for name, command in COMMANDS.items()}


def test_members_that_may_be_absent_and_null() -> None:
    (element,) = re.findall(r"^export interface ElementParameters \{\n(.*?)^\}", generated(), re.MULTILINE | re.DOTALL)
    assert element == "  id?: number | null;\n  selector?: string | null;\n"


def test_docstrings_are_comments() -> None:
    assert comment("None if\n    unknown.", "  ") == "  /** null if unknown. */\n"
    assert comment("word " * 40, "").startswith("/**\n * word word")
    assert comment(None, "") == ""


def test_long_unions_stand_on_lines_of_their_own() -> None:
    assert declaration("Name", "'a' | 'b'") == "export type Name = 'a' | 'b';\n"
    parts = [f"'{each:050}'" for each in range(3)]
    assert declaration("Name", " | ".join(parts)).splitlines()[1:] == [f"  | {part}" for part in parts[:2]] + [
        f"  | {parts[2]};"
    ]


def test_a_parameter_that_is_null_counts_as_absent(show: Any) -> None:
    page = show("<input value=old>")
    assert page.do("insert", selector="input", text="new", clear=None, fits=None)["outcome"] == "whole"
    assert page.do("get_value", selector="input", id=None) == {"value": "new"}
    assert page.answer("wait_for", condition="gone", selector="b", timeout=None, waited=None)["ok"]


def test_what_a_clock_says_is_no_change_of_the_next_document(show: Any) -> None:
    rows = "".join(f"<p>row {each}</p>" for each in range(4))
    show(rows + "<div role=timer>9 left</div>").do("watch")
    page = show(rows + "<div role=timer>5 left</div><p>saved</p>")
    texts = page.do("changed_texts", former=[*(f"row {each}" for each in range(4)), "9 left"])["texts"]
    assert {"change": "new", "kind": "text", "text": "saved"} in texts
    assert not any(each["text"] == "5 left" for each in texts), texts


def test_a_range_is_numbered_from_where_the_caller_says(show: Any) -> None:
    page = show("<input type=range>")
    data = page.do("range_value", selector="input", value=7, next_id=30)
    assert (data["slider"]["id"], data["next_id"], data["slider"]["now"]) == (30, 31, 7)
