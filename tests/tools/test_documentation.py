"""The programs in `docs/tools.md` print what is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from scripts.docs.command_examples import matches

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "tools.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == PAGE.count("```python") == 2


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_programs_print_what_is_printed(number: int, tmp_path: Path) -> None:
    code, printed = PROGRAMS[number]
    engine = tmp_path / "bin" / "oryn-h"
    engine.parent.mkdir()
    engine.write_text(f'#!/bin/sh\nexec {sys.executable} -m oryn headless "$@"\n')
    engine.chmod(0o700)
    environment = {
        **os.environ,
        "PATH": f"{engine.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "ORYN_HOME": str(tmp_path / "home"),
    }
    with Shop(0) as shop:
        words = [sys.executable, "-c", with_address_of(code, shop)]
        ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=180, check=False)
        told = ended.stdout.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS)
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert matches(printed.strip("\n"), told.strip("\n")), told
