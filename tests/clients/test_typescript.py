"""The TypeScript library passes its own tests, with the cases of `protocol.json` and the engine of this checkout."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from oryn.extension_server.keys import KeyStore
from scripts.extension import copy
from scripts.extension.builder import PYODIDE
from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port
from tests.clients.conftest import Program
from tests.daemon.test_tls import SecureDaemon

PROJECT = Path(__file__).parent.parent.parent
CLIENT = PROJECT / "clients" / "typescript"
TESTS = sorted(CLIENT.glob("tests/*.test.ts"))
LIVE = ("api.test.ts", "live.test.ts", "readme.test.ts")
EXTENSION = "extension.test.ts"
DAEMON = "daemon.test.ts"

pytestmark = [
    pytest.mark.whole_browser,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node; 'make test' installs it"),
    pytest.mark.skipif(not (CLIENT / "node_modules" / "ws").is_dir(), reason="needs ws; 'make test' installs it"),
]


def node(words: Sequence[str], **environment: str) -> str:
    """What a program of Node's prints, which must end well."""
    ended = subprocess.run(
        words, cwd=CLIENT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-8000:]
    return ended.stdout


def passed(report: str) -> None:
    """Every test of a report has run, and has passed."""
    counts = dict(re.findall(r"^(?:\S )?(tests|pass|skipped) (\d+)$", report, re.MULTILINE))
    assert int(counts["pass"]) > 0, report
    assert counts["pass"] == counts["tests"], report


@pytest.fixture(scope="module")
def built() -> None:
    """The library and its tests, compiled: a mistake in a type is a failure of every test here."""
    compiler = str(CLIENT / "node_modules" / ".bin" / "tsc")
    for folder in ("dist", "build"):
        shutil.rmtree(CLIENT / folder, ignore_errors=True)
    node([compiler, "--project", "src"])
    node([compiler, "--project", "tests"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[pytest.mark.browser] if file.name in LIVE else [], id=file.name)
        for file in TESTS
        if file.name not in (EXTENSION, DAEMON)
    ],
)
def test_the_library_passes(file: Path, built: None, program: Program) -> None:
    passed(node(["node", "--test", f"build/{file.stem}.js"], ORYN_TEST_ENGINE=str(program.path)))


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(not PYODIDE.is_dir(), reason="needs Pyodide; 'make test' installs it")
async def test_the_library_passes_with_the_extension(built: None, home: Path, tmp_path: Path) -> None:
    port = free_port()
    browser = PairedBrowser(copy(tmp_path / "extension"), tmp_path)
    try:
        code = await browser.asks_for(f"ws://127.0.0.1:{port}")
        words = ["node", "--test", f"build/{Path(EXTENSION).stem}.js"]
        passed(await asyncio.to_thread(node, words, ORYN_TEST_CODE=code, ORYN_TEST_PORT=str(port)))
    finally:
        await browser.close()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the daemon is reached by a socket")
def test_the_library_passes_with_the_daemon(built: None, tmp_path: Path) -> None:
    program = tmp_path / "oryn"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m oryn "$@"\n')
    program.chmod(0o755)
    passed(node(["node", "--test", f"build/{Path(DAEMON).stem}.js"], ORYN_TEST_COMMAND=str(program)))


ELSEWHERE = """
import { Oryn } from "./dist/index.js";
const oryn = new Oryn({ mode: "daemon", session: "far" });
try {
  await oryn.connect();
  console.log((await oryn.intents()).ok);
} catch (error) {
  console.log(`${error.code ?? error.name}: ${error.message}`);
}
await oryn.close();
"""


@pytest.mark.slow
def test_a_daemon_elsewhere_by_tls(built: None, tmp_path: Path, run: Any) -> None:
    daemon = SecureDaemon(tmp_path / "home")
    words = ["node", "--input-type=module", "-e", ELSEWHERE]

    def answer(**environment: str) -> str:
        return node(words, **{"ORYN_HOME": str(tmp_path / "own"), **daemon.client_environment, **environment})

    try:
        assert answer() == "true\n"
        assert "the token is missing or wrong" in answer(ORYN_DAEMON_TOKEN="oryn_x")
        assert "does not check" in answer(SSL_CERT_FILE="")
        assert "does not check" in answer(ORYN_DAEMON_URL=f"https://127.0.0.1:{daemon.port}")
        assert "no daemon answers" in answer(ORYN_DAEMON_URL="https://localhost:1")
        assert "readable on its way" in answer(ORYN_DAEMON_URL="http://oryn.example.org")
        assert "needs a token" in answer(ORYN_DAEMON_TOKEN="")
    finally:
        run(daemon.stop())


@pytest.mark.slow
@pytest.mark.browser
def test_the_first_steps_print_what_is_documented(built: None, program: Program, tmp_path: Path) -> None:
    page = PROJECT.joinpath("docs", "first-steps.md").read_text("utf-8")
    ((code, printed),) = re.findall(r"^```js\n(.*?)^```\n\n```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with Shop(0) as shop:
        words = ["node", "--input-type=module", "-e", with_address_of(code, shop)]
        path = f"{program.path.parent}{os.pathsep}{os.environ['PATH']}"
        output = node(words, PATH=path, ORYN_HOME=str(tmp_path / "home"))
    assert output.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS) == printed


KEEPING = """
import { Keys } from "./dist/remote/keys.js";
const [, file] = process.argv;
for (let number = 0; number < 20; number++) {
  new Keys(file).keep(`d${number.toString(16).padStart(7, "0")}`, "ab".repeat(32), "Chrome/1");
}
"""


def test_keys_that_both_libraries_write_at_once_are_all_kept(built: None, tmp_path: Path) -> None:
    file = tmp_path / "data" / "remote-keys.json"
    words = ["node", "--input-type=module", "-e", KEEPING, str(file)]
    with subprocess.Popen(words, cwd=CLIENT) as process:
        for number in range(20):
            KeyStore(file).save(f"a{number:07x}", "ab" * 32, "Chrome/1")
        assert process.wait(60) == 0
    assert len(KeyStore(file).all()) == 40
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_every_section_of_the_shared_cases_is_used() -> None:
    tests = "".join(file.read_text("utf-8") for file in TESTS)
    declared = (CLIENT / "tests" / "cases.ts").read_text("utf-8")
    for section, kind in re.findall(r"^  readonly (\w+): \{|^    readonly (\w+): ", declared, re.MULTILINE):
        assert not section or f"CASES.{section}" in tests
        assert not kind or f".{kind})" in tests
