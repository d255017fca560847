"""The documentation is executed: its dialogues run in a real browser, its generated pages are current, its links lead
somewhere. `make docs` writes the generated pages again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oryn.cli.app import COMMANDS
from scripts import fonts
from scripts.docs import command_examples, generator, research_results, shell_examples

PROJECT = Path(__file__).parent.parent
PAGES = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    PROJECT.joinpath("docs").rglob("*.md")
)
GENERATED = generator.pages()
WITH_SHELL_EXAMPLES = [page for page in PAGES if shell_examples.commands(page.read_text("utf-8"))]
WITH_COMMAND_EXAMPLES = [page for page in PAGES if command_examples.commands(page.read_text("utf-8"))]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("page", WITH_COMMAND_EXAMPLES, ids=lambda page: page.name)
def test_the_dialogues_are_what_happens(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == command_examples.with_current_answers(text), "if that is as it should be, run 'make docs'"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("page", WITH_SHELL_EXAMPLES, ids=lambda page: page.name)
def test_the_shells_print_what_is_printed(page: Path) -> None:
    text = page.read_text("utf-8")
    command = f"python -m scripts.docs.shell_examples {page.name}"
    assert text == shell_examples.with_current_output(text), f"if that is as it should be, run '{command}'"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(len(fonts.folders()) < 2, reason="there is but one family of fonts here")
def test_what_the_reference_measures_does_not_depend_on_fonts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = command_examples.commands((PROJECT / "docs" / "reference.md").read_text("utf-8"))
    (lines,) = [lines for lines in sessions if any(line.startswith("box ") for line in lines)]
    assert any("--positions" in line for line in lines)
    answers = []
    for folder in fonts.folders():
        monkeypatch.setenv("FONTCONFIG_FILE", fonts.only(folder, tmp_path))
        answers.append(command_examples.answers_to(lines, []))
    assert all(each == answers[0] for each in answers)


def test_some_pages_have_dialogues() -> None:
    assert {page.name for page in WITH_SHELL_EXAMPLES} >= {"README.md", "command-line.md"}
    assert {page.name for page in WITH_COMMAND_EXAMPLES} >= {"README.md", "getting-started.md"}


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_current(name: str) -> None:
    """Answers aside: those are what the dialogues' own test looks at."""
    commands_of = command_examples.without_answers
    assert commands_of((PROJECT / "docs" / name).read_text("utf-8")) == commands_of(GENERATED[name]), "run 'make docs'"


def test_the_schemas_of_results_of_research_are_current() -> None:
    assert research_results.FILE.read_text("utf-8") == research_results.results_text(), "run 'make docs'"


def test_the_table_of_exit_codes_is_that_of_the_errors() -> None:
    text = PROJECT.joinpath("docs", "command-line.md").read_text("utf-8")
    assert "| 14 | research" in text
    assert generator.with_exit_codes(text) == text, "run 'make docs'"


def test_the_table_of_guarantees_is_that_of_the_commands() -> None:
    text = PROJECT.joinpath("docs", "looking.md").read_text("utf-8")
    assert "| `click` | press, release" in text
    assert generator.with_guarantees(text) == text, "run 'make docs'"


def test_every_command_is_named_in_the_documentation() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for command in COMMANDS:
        assert f"oryn {command}" in text, command


def test_the_readme_leads_with_the_two_commands() -> None:
    commands = re.findall(r"^    (make \w+)", PROJECT.joinpath("README.md").read_text("utf-8"), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_the_readme_says_what_serves_the_shop_of_its_examples_before_they_come() -> None:
    text = PROJECT.joinpath("README.md").read_text("utf-8")
    assert 0 < text.index("oryn demo --serve") < text.index("localhost:4780/") and "localhost:4780`" in text
    assert text.index("oryn demo --serve") < text.index("```oryn")
