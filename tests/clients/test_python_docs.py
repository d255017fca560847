"""The programs in `docs/clients.md` and `examples/` do what is said there, in real Chromium."""

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
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop(0) as served:
        yield served


def run(program: Program, *words: str | Path) -> str:
    """What a program prints that finds the engine in PATH."""
    environment = {
        **os.environ,
        "PATH": f"{program.path.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
    }
    ended = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, timeout=180)
    assert (ended.stderr, ended.returncode) == ("", 0)
    return ended.stdout


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == PAGE.count("```python")


@pytest.mark.browser
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_documented_programs_print_the_documented_output(number: int, program: Program, shop: Shop) -> None:
    code, printed = PROGRAMS[number]
    told = run(program, "-c", with_address_of(code, shop)).replace(f"localhost:{shop.port}", DEFAULT_ADDRESS)
    assert matches(printed.strip("\n"), told.strip("\n")), told


@pytest.mark.browser
def test_the_example_fills_the_cart(program: Program, shop: Shop) -> None:
    told = run(program, ROOT / "examples" / "client.py", f"localhost:{shop.port}")
    assert told.endswith('ok title\n\n"Cart · Fernhill"\n'), told
