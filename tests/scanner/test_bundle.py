"""The bundles: what the sources make, written for the oldest engine, the same instance when evaluated again."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from oryn.scanner import ENTRY, bundle, source_places
from tests.pages import PROJECT

# https://webkit.org/status/: what WPE WebKit 2.38 lacks
TOO_NEW = {
    "lookbehind": r"\(\?<[=!]",
    "regular expression flag v": r"[=(,:!&|?\[]/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[dgimsuy]*v[dgimsuy]*[;,.)]",
    "class static block": r"static ?\{",
    "private name test": r"#\w+ in ",
    "grouping": r"Object\.groupBy|Map\.groupBy",
    "withResolvers": r"withResolvers",
    "set methods": r"\.(isSubsetOf|symmetricDifference|isDisjointFrom)\(",
}


@pytest.mark.slow
@pytest.mark.typescript
def test_the_bundles_are_what_the_sources_make() -> None:
    made = subprocess.run(["node", "scanner/build.mjs", "--check"], cwd=PROJECT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def test_written_for_the_oldest_engine() -> None:
    assert [name for name, pattern in TOO_NEW.items() if re.search(pattern, bundle())] == []


def test_a_place_in_the_bundle_is_one_in_the_sources() -> None:
    at = bundle().index('"ROOTS_UNKNOWN"')
    line, column = bundle().count("\n", 0, at) + 1, at - bundle().rfind("\n", 0, at)
    stack = f"Error: x\n    at t (oryn/scanner.js:{line}:{column})\n    at https://a.example/page.js:{line}:{column}"
    (place,) = source_places(stack)
    file, _, number = place.partition(":")
    assert "'ROOTS_UNKNOWN'" in (PROJECT / "scanner" / file).read_text().splitlines()[int(number) - 1]
    assert source_places(f"at oryn/scanner.js:{line + 10_000}:1") == []


def test_an_exception_names_its_place(show: Any) -> None:
    answer = show("<button>a</button>").answer("scan", near=5)
    assert answer["code"] == "INTERNAL_ERROR"
    first, *above = source_places(answer["error"])
    assert first.startswith("dom/words.ts:") and above[-1].startswith("commands/dispatch.ts:"), answer


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
