"""The tests of the scanner's pure modules, which run in Node (`scanner/tests`)."""

from __future__ import annotations

import subprocess

import pytest

from tests.pages import PROJECT

PURE = ("controls/months", "dom/words", "targets/pairs", "targets/text_fit", "text/clock", "text/differences")


@pytest.mark.slow
@pytest.mark.typescript
def test_they_pass() -> None:
    run = subprocess.run(["npm", "run", "--silent", "test"], cwd=PROJECT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("module", PURE)
def test_what_is_pure_imports_nothing_of_a_page(module: str) -> None:
    text = (PROJECT / "scanner" / f"{module}.ts").read_text("utf-8")
    imported = {
        line for line in text.splitlines() if line.startswith("import ") and not line.startswith("import type ")
    }
    assert all("dom/words" in line or "./folded" in line for line in imported), imported
    assert any(f"../{module}'" in file.read_text("utf-8") for file in (PROJECT / "scanner" / "tests").iterdir())
