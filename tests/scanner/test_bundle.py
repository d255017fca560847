"""The bundle: one script of whole files, the same instance when it is evaluated again."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from oryn.scanner import ENTRY, bundle
from oryn.scanner.bundle import ANSWER_PARTS, EDITOR_PARTS, LISTENERS_PARTS, PARTS

FOLDER = files("oryn.scanner") / "js"
MAX_LINE_LENGTH = 250
# https://webkit.org/status/: what WPE WebKit 2.38 lacks
TOO_NEW = {
    "lookbehind": r"\(\?<[=!]",
    "regular expression flag v": r"/[dgimsuy]*v[dgimsuy]*[;,.)]",
    "class static block": r"static \{",
    "private name test": r"#\w+ in ",
    "grouping": r"Object\.groupBy|Map\.groupBy",
    "withResolvers": r"withResolvers",
    "set methods": r"\.(isSubsetOf|symmetricDifference|isDisjointFrom)\(",
}


def test_every_file_is_in_the_bundle() -> None:
    there = {path.name.removesuffix(".js") for path in FOLDER.iterdir()}
    assert there == {*PARTS, *LISTENERS_PARTS, *ANSWER_PARTS, *EDITOR_PARTS}
    assert len(set(PARTS)) == len(PARTS)


def test_files_are_short() -> None:
    long = {path.name: count for path in FOLDER.iterdir() if (count := path.read_text().count("\n")) > MAX_LINE_LENGTH}
    assert not long


def test_written_for_the_oldest_engine() -> None:
    code = re.sub(r"^\s*(//|\*|/\*).*$", "", bundle(), flags=re.MULTILINE)
    assert [name for name, pattern in TOO_NEW.items() if re.search(pattern, code)] == []


def test_no_name_is_declared_twice() -> None:
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", bundle(), flags=re.MULTILINE)
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_second_evaluation_keeps_the_map(show: Any) -> None:
    page = show("<button>a</button>")
    assert page.raw('{"cmd": "scan"}')["data"]["stats"]["returned"] == 1
    assert page.raw('{"cmd": "get_state", "id": 1}')["data"]["state"]["visible"] is True


def test_version(show: Any) -> None:
    data = show("").do("version")
    assert data["protocol"] == "1.1"
    assert {"core", "patterns", "wait", "extract", "bounds", "frames", "highlight", "custom_wait"} <= set(
        data["features"]
    )


def test_every_answer_has_its_time(show: Any) -> None:
    assert show("").answer("page")["timing"]["ms"] >= 0


def test_synchronous_commands_pay_for_no_promise(show: Any) -> None:
    page = show("<button>a</button>")
    for command in (
        '"scan"',
        '"find","target":{"text":"a"}',
        '"locate","id":1',
        '"page"',
        '"get_text"',
        '"get_state","id":1',
    ):
        assert page.in_page(f"typeof {ENTRY}('{{\"cmd\":{command}}}')") == "string", command
