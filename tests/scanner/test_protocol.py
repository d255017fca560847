"""The types of the protocol: the TypeScript's are what the Python's make, and every command has its own."""

from __future__ import annotations

import re
from typing import get_args, get_type_hints

from oryn.scanner.protocol import COMMANDS, ScannerRequest
from scripts.scanner_types import FILE, comment, declaration, generated


def test_the_types_of_the_typescript_are_what_the_protocol_makes() -> None:
    assert FILE.read_text("utf-8") == generated(), "run 'make scanner'"


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
