"""The TypeScript library passes its own tests, with the cases of `protocol.json` and the engine of this checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.clients.conftest import Program

PROJECT = Path(__file__).parent.parent.parent
CLIENT = PROJECT / "clients" / "typescript"
TESTS = sorted(CLIENT.glob("tests/*.test.ts"))
LIVE = ("live.test.ts", "readme.test.ts")

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node; 'make test' installs it"),
    pytest.mark.skipif(not (CLIENT / "node_modules" / "ws").is_dir(), reason="needs ws; 'make test' installs it"),
]


def node(words: Sequence[str], engine: Path | None = None) -> str:
    """What a program of Node's prints, which must end well."""
    environment = {**os.environ, "ORYN_TEST_ENGINE": str(engine)} if engine else {**os.environ}
    ended = subprocess.run(words, cwd=CLIENT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-8000:]
    return ended.stdout


@pytest.fixture(scope="module")
def built() -> None:
    """The library and its tests, compiled: a mistake in a type is a failure of every test here."""
    compiler = str(CLIENT / "node_modules" / ".bin" / "tsc")
    for folder in ("dist", "build"):
        shutil.rmtree(CLIENT / folder, ignore_errors=True)
    node([compiler, "--project", "src"])
    node([compiler, "--project", "tests"])


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=[pytest.mark.browser] if file.name in LIVE else [], id=file.name) for file in TESTS],
)
def test_the_library_passes(file: Path, built: None, program: Program) -> None:
    report = node(["node", "--test", f"build/{file.stem}.js"], program.path)
    counts = dict(re.findall(r"^[^\w\n]*(tests|pass|skipped) (\d+)$", report, re.MULTILINE))
    assert int(counts["pass"]) > 0, report
    assert counts["pass"] == counts["tests"], report


def test_every_section_of_the_shared_cases_is_used() -> None:
    tests = "".join(file.read_text("utf-8") for file in TESTS)
    declared = (CLIENT / "tests" / "cases.ts").read_text("utf-8")
    for section, kind in re.findall(r"^  readonly (\w+): \{|^    readonly (\w+): ", declared, re.MULTILINE):
        assert not section or f"CASES.{section}" in tests
        assert not kind or f".{kind})" in tests
