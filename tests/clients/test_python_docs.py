"""Programs in `docs/clients.md`, `docs/first-steps.md`, `docs/from-playwright.md` and `examples/` do what is said
there, in real Chromium."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from scripts.docs.command_examples import matches
from tests.clients.conftest import SOURCE, Program

ROOT = SOURCE.parent
PAGE = (ROOT / "docs" / "clients.md").read_text("utf-8")
COMPARISON = (ROOT / "docs" / "from-playwright.md").read_text("utf-8")
FIRST_STEPS = (ROOT / "docs" / "first-steps.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", PAGE + FIRST_STEPS, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop(0) as served:
        yield served


def run(program: Program, *words: str | Path, folder: Path | None = None) -> str:
    """What a program prints that finds the engine in PATH."""
    environment = {
        **os.environ,
        "PATH": f"{program.path.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
    }
    ended = subprocess.run(
        [sys.executable, *words], env=environment, cwd=folder, capture_output=True, text=True, timeout=180
    )
    assert (ended.stderr, ended.returncode) == ("", 0)
    return ended.stdout


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == (PAGE + FIRST_STEPS).count("```python")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_documented_programs_print_the_documented_output(number: int, program: Program, shop: Shop) -> None:
    code, printed = PROGRAMS[number]
    told = run(program, "-c", with_address_of(code, shop)).replace(f"localhost:{shop.port}", DEFAULT_ADDRESS)
    assert matches(printed.strip("\n"), told.strip("\n")), told


def test_each_of_the_ten_things_has_both_sides() -> None:
    """Those of Playwright are at least Python; it is not installed here."""
    sections = re.split(r"^## (?=\d+\. )", COMPARISON.partition("\n## What has")[0], flags=re.MULTILINE)[1:]
    assert len(sections) == 10
    for section in sections:
        assert section.count("```python\n") == section.count("```py\n") == 1
    for code in re.findall(r"^```py\n(.*?)^```$", COMPARISON, re.MULTILINE | re.DOTALL):
        compile(code, "docs/from-playwright.md", "exec")


@pytest.mark.slow
@pytest.mark.browser
def test_the_side_of_oryn_prints_the_documented_output(program: Program, shop: Shop, tmp_path: Path) -> None:
    code = "".join(re.findall(r"^```python\n(.*?)^```$", COMPARISON, re.MULTILINE | re.DOTALL))
    printed = "".join(re.findall(r"^```text\n(.*?)^```$", COMPARISON, re.MULTILINE | re.DOTALL))
    told = run(program, "-c", with_address_of(code, shop), folder=tmp_path)
    assert told.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS) == printed


@pytest.mark.slow
@pytest.mark.browser
def test_the_example_fills_the_cart(program: Program, shop: Shop) -> None:
    told = run(program, ROOT / "examples" / "client.py", f"localhost:{shop.port}")
    assert told.endswith('ok title\n\n"Cart · Fernhill"\n'), told
