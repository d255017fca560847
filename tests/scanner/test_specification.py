"""docs/spec/scanner-protocol.md has every command, code, pattern and modifier of the scanner, and no others."""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

import pytest

from oryn.scanner.protocol import (
    COMMANDS,
    ELEMENT_FIELDS,
    PROTOCOL_VERSION,
    ElementParameters,
    ElementType,
    ErrorCode,
    ExtractionType,
    HintParameters,
    Modifier,
    NumberedResponse,
    NumberingParameters,
    Patterns,
    Request,
    WaitCondition,
)
from tests.pages import PROJECT, text_of

PAGE = PROJECT / "docs" / "spec" / "scanner-protocol.md"
OF_BACKENDS = {"NAVIGATION_ERROR", "DIALOG_NOT_PRESENT"}


def section(heading: str) -> str:
    """The text below a heading, to the next heading of its level or a higher one."""
    level = heading.index(" ")
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{level}}} |\Z)", text_of(PAGE), re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def first_column(text: str) -> set[str]:
    """The words in the first cells of the rows of a section's tables."""
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


SOURCES = "\n".join(file.read_text("utf-8") for file in sorted((PROJECT / "scanner").rglob("*.ts")))


def constant(name: str) -> str:
    """The source of a constant of the scanner that is an object or a list."""
    found = re.search(rf"^(?:export )?const {name}\b[^\n]*? = [{{\[](.*?)^[}}\]]", SOURCES, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return found[1]


def test_the_version_is_the_scanners() -> None:
    assert f"version **{PROTOCOL_VERSION}**" in text_of(PAGE)


def test_every_command_has_a_section() -> None:
    sections = set(re.findall(r"^### `(\w+)`$", text_of(PAGE), re.MULTILINE))
    assert sections == set(COMMANDS)


SHARED = {"cmd"}.union(*map(get_type_hints, (Request, ElementParameters, NumberingParameters, HintParameters)))
"""Parameters that have sections of their own."""


def members(data: Any) -> set[str]:
    """The names of a record's members, or of those of all records of a union."""
    return set(get_type_hints(data)) if isinstance(data, type) else set().union(*map(members, get_args(data)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_and_member_is_in_its_section(name: str) -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", section(f"### `{name}`")))))
    assert not set(get_type_hints(COMMANDS[name].request)) - SHARED - words
    if name != "uncheck":  # it answers as `check` does
        assert not members(COMMANDS[name].response) - set(get_type_hints(NumberedResponse)) - words


def test_commands_that_read_the_whole_page_are_named() -> None:
    declared = re.search(r"const READ_WHOLE\b[^\n]*? = new Set(?:<\w+>)?\(\[(.*?)\]\)", SOURCES, re.DOTALL)
    named = re.search(r"reads the whole page \((.*?)\)", section("### Closed shadow roots"), re.DOTALL)
    assert declared and named
    assert set(re.findall(r"`(\w+)`", named[1])) == set(re.findall(r"'(\w+)'", declared[1]))


def test_every_code_is_in_the_table() -> None:
    codes = set(re.findall(r"(?:Refusal\(\s*|code: )'([A-Z_]+)'", SOURCES))
    table = section("### Error codes")
    assert first_column(table) == codes - OF_BACKENDS == set(get_args(ErrorCode))
    assert all(f"`{code}`" in table for code in OF_BACKENDS)


def test_every_condition_is_in_the_table() -> None:
    conditions = set(re.findall(r"^  (\w+): \(", constant("CONDITIONS"), re.MULTILINE))
    conditions |= set(re.findall(r"condition === '(\w+)'", SOURCES))
    assert conditions == set(get_args(WaitCondition)) <= first_column(section("### `wait_for`"))


def test_every_extraction_is_in_the_table() -> None:
    extractions = set(re.findall(r"^  (\w+):", constant("EXTRACTIONS"), re.MULTILINE))
    assert first_column(section("### `extract`")) == extractions == set(get_args(ExtractionType))


def test_every_pattern_is_in_the_table() -> None:
    patterns = set(re.findall(r"\bpatterns\.(\w+) =", SOURCES))
    assert first_column(section("## Patterns")) == patterns == set(get_type_hints(Patterns))


def test_every_type_and_modifier_is_in_its_table() -> None:
    assert first_column(section("### Types")) == set(get_args(ElementType))
    assert first_column(section("### Modifiers")) == set(get_args(Modifier))


def test_every_part_of_an_element_is_in_the_table() -> None:
    optional = re.findall(r"^\| (`[^|]*) \| [^|]* \| optional", section("## Elements"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(optional))) == set(ELEMENT_FIELDS)
