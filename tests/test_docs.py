"""The documentation is executed: its dialogues run in a real browser, its generated pages are current, its links lead
somewhere. `make docs` writes the generated pages again."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.cli.app import COMMANDS
from oryn.demo.drive import USUAL_ADDRESS, at_address
from oryn.demo.server import Shop

PROJECT = Path(__file__).parent.parent
PAGES = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    PROJECT.joinpath("docs").glob("*.md")
)
DIALOGUE = re.compile(r"^```oryn\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)


def exchanges(page: Path) -> list[tuple[str, str]]:
    """The commands of a page's dialogues and the answers that it shows."""
    shown = "".join(DIALOGUE.findall(page.read_text("utf-8")))
    return [(command, answer.rstrip("\n")) for command, answer in COMMAND.findall(shown)]


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(0) as shop:
        yield shop


def converse(commands: list[str], home: Path, shop: Shop) -> list[str]:
    """What `oryn headless` answers, with the shop's address as the documentation has it."""
    ended = subprocess.run(
        [sys.executable, "-m", "oryn.cli.main", "headless"],
        input="".join(f"{at_address(command, shop)}\n" for command in commands),
        env={**os.environ, "ORYN_HOME": str(home)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    told = ended.stdout.replace(f"localhost:{shop.port}", USUAL_ADDRESS)
    return [answer.removesuffix("\n") for answer in re.split(r"^---\n", told, flags=re.MULTILINE)[1:-1]]


def matches(shown: str, answer: str) -> bool:
    """Whether the answer is the one shown, in which a line `…` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^…$", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?s:.*)".join(parts), answer) is not None


@pytest.mark.browser
@pytest.mark.parametrize("page", [page for page in PAGES if exchanges(page)], ids=lambda page: page.name)
def test_the_dialogues_are_what_happens(page: Path, tmp_path: Path, shop: Shop) -> None:
    shown = exchanges(page)
    answers = converse([command for command, _ in shown], tmp_path, shop)
    assert len(answers) == len(shown)
    for (command, expected), answer in zip(shown, answers, strict=True):
        assert matches(expected, answer), f"> {command}\n{answer}"


def test_some_pages_have_dialogues() -> None:
    assert {page.name for page in PAGES if exchanges(page)} >= {"README.md", "getting-started.md"}


@pytest.mark.parametrize("name", runpy.run_path(str(PROJECT / "docs" / "generate.py"))["pages"]())
def test_generated_pages_are_current(name: str) -> None:
    pages = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["pages"]()
    assert (PROJECT / "docs" / name).read_text("utf-8") == pages[name], "run 'make docs'"


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
