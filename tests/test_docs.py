"""The documentation is executed: its dialogues run in a real browser, its generated pages are current, its links lead
somewhere. `make docs` writes the generated pages again."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from oryn.cli.app import COMMANDS

PROJECT = Path(__file__).parent.parent
PAGES = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    PROJECT.joinpath("docs").glob("*.md")
)
GENERATED = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["pages"]()
DIALOGUES = runpy.run_path(str(PROJECT / "docs" / "dialogues.py"))
SHELLS = runpy.run_path(str(PROJECT / "docs" / "shells.py"))
TYPED = [page for page in PAGES if SHELLS["commands"](page.read_text("utf-8"))]
TOLD = [page for page in PAGES if DIALOGUES["commands"](page.read_text("utf-8"))]


@pytest.mark.browser
@pytest.mark.parametrize("page", TOLD, ids=lambda page: page.name)
def test_the_dialogues_are_what_happens(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == DIALOGUES["rewritten"](text), "if that is as it should be, run 'make docs'"


@pytest.mark.browser
@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_the_shells_print_what_is_printed(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == SHELLS["rewritten"](text), "if that is as it should be, run 'python docs/shells.py' with the page"


def test_some_pages_have_dialogues() -> None:
    assert {page.name for page in TYPED} >= {"README.md", "command-line.md"}
    assert {page.name for page in TOLD} >= {"README.md", "getting-started.md"}


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_current(name: str) -> None:
    """Answers aside: those are what the dialogues' own test looks at."""
    questions = DIALOGUES["questions"]
    assert questions((PROJECT / "docs" / name).read_text("utf-8")) == questions(GENERATED[name]), "run 'make docs'"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_every_command_is_named_in_the_documentation() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for command in COMMANDS:
        assert f"oryn {command}" in text, command


def test_the_readme_leads_with_the_two_commands() -> None:
    commands = re.findall(r"^    (make \w+)", PROJECT.joinpath("README.md").read_text("utf-8"), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]
