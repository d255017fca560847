"""The skill: short enough, and every line that it shows is of the language (`headless/test_skill.py` runs them)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oryn.engine.page import element_index
from oryn.language import parse
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.skill import skill_text
from tests import token_count

BLOCKS = re.findall(r"^```oryn\n(.*?)^```$", skill_text(), re.MULTILINE | re.DOTALL)
EXAMPLE_LINES = [line for block in BLOCKS for line in block.splitlines()]
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", skill_text(), flags=re.MULTILINE | re.DOTALL))
INLINE_COMMANDS = [each for each in INLINE if each.split()[0] in LINE_VOCABULARY.verbs and " " in each]


def test_it_is_short() -> None:
    assert token_count.count(skill_text()) < 1_350


def test_programs_are_taught_in_few_words() -> None:
    section = skill_text().partition("## Many acts in one call")[2].partition("\n## ")[0]
    assert "Not for" in section
    assert token_count.count(section) < 250


def test_it_begins_as_the_specification_wants() -> None:
    """https://agentskills.io/specification"""
    name, description = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n\n# ", skill_text()).groups()  # type: ignore[union-attr]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 0 < len(description) <= 1024


@pytest.mark.parametrize("line", [*EXAMPLE_LINES, *INLINE_COMMANDS])
def test_commands_in_the_skill_are_valid(line: str) -> None:
    assert parse(line).command is not None


def test_there_is_much_to_check() -> None:
    assert len(EXAMPLE_LINES) > 30
    assert len(INLINE_COMMANDS) > 5


def test_errors_in_the_skill_are_real_messages() -> None:
    engine = Path(element_index.__file__).parent
    source = "".join(path.read_text("utf-8") for path in engine.glob("*.py"))
    assert all(words in source for words in ("covered by", "element not found"))
