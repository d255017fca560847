"""The official tests of servers (npm `@modelcontextprotocol/conformance`) pass against `oryn mcp` over HTTP, and
against the same adapter with their fixtures; the official inspector's command line works with it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from oryn.daemon.access.audit import AuditFile, AuditLog
from oryn.daemon.access.gate import Gate
from oryn.daemon.access.principals import OWNER, Principal
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.http.middleware import AuthMiddleware
from oryn.mcp.host import LocalMcpHost
from oryn.mcp.http import StreamableHttpApp
from oryn.sessions.sessions import Sessions
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.mcp.conformance.entrance import entrance, served
from tests.mcp.conformance.fixture_server import Fixture

HERE = Path(__file__).parent
RUNNER = HERE / "node_modules" / "@modelcontextprotocol"
SCENARIOS = 32
"""What the runner has of them; a newer version may have more."""

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node; 'make test' installs it"),
    pytest.mark.skipif(not RUNNER.is_dir(), reason="needs the official runner; 'make test' installs it"),
]


async def node(script: Path, *arguments: str | Path, environment: dict[str, str] | None = None) -> tuple[int, str, str]:
    """The exit code of a program for Node, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        "node", "--no-warnings", "--import", (HERE / "older_node.mjs").as_uri(), script, *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment,
    )  # fmt: skip
    try:
        printed, errors = await asyncio.wait_for(process.communicate(), 300)
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode or 0, printed.decode(), errors.decode()


async def conforms(url: str, expected: str) -> None:
    script = RUNNER / "conformance" / "dist" / "index.js"
    code, printed, errors = await node(
        script, "server", "--url", f"{url}/mcp", "--suite", "all", "--expected-failures", HERE / expected
    )
    assert code == 0, printed[-6000:] + errors[-2000:]
    assert len(re.findall(r"^=== Running scenario", printed, re.MULTILINE)) == SCENARIOS, printed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.mark.slow
async def test_oryn_conforms(home: Path) -> None:
    daemon = RunningDaemon(home)
    try:
        async with entrance(daemon.url, daemon.token) as url:
            await conforms(url, "expected_of_oryn.yml")
    finally:
        await daemon.stop()


@asynccontextmanager
async def fixture_server(folder: Path) -> AsyncIterator[str]:
    """The address of the adapter with the runner's fixtures, behind the daemon's own checks but that of its token."""

    async def admitted(_: HTTPConnection) -> Principal:
        return OWNER

    def make(name: str, settings: Any) -> Any:
        raise AssertionError("no fixture needs a browser")

    Fixture.folder = folder
    endpoint = StreamableHttpApp(LocalMcpHost(Sessions(make)), server=Fixture)
    gate = Gate("", TokenFile(folder / "tokens.json"), AuditLog(AuditFile(folder)))
    try:
        async with served(AuthMiddleware(endpoint, gate, (admitted,))) as url:
            yield url
    finally:
        await endpoint.close()


async def test_the_adapter_conforms(tmp_path: Path) -> None:
    async with fixture_server(tmp_path) as url:
        await conforms(url, "expected_of_fixture.yml")


async def inspected(home: Path, *arguments: str) -> Any:
    """What the inspector prints of `oryn mcp` on standard input and output."""
    code, printed, errors = await node(
        RUNNER / "inspector" / "clients" / "launcher" / "build" / "index.js",
        "--cli", sys.executable, "-m", "oryn", "mcp", "--tools", "all", *arguments,
        environment=daemon_environment(home) | {"HOME": str(home)},
    )  # fmt: skip
    assert code == 0, printed + errors
    return json.loads(printed)


@pytest.mark.slow
@pytest.mark.browser
async def test_the_inspector_lists_and_calls_tools(home: Path) -> None:
    listed = await inspected(home, "--method", "tools/list")
    assert {"goto", "observe", "click", "cookies", "oryn"} <= {tool["name"] for tool in listed["tools"]}
    gone = await inspected(
        home, "--method", "tools/call", "--tool-name", "goto", "--tool-arg", "url=data:text/html,<title>Hi</title>"
    )
    assert gone["content"][0]["text"].endswith('"Hi"')
    assert gone["structuredContent"]["page"]["title"] == "Hi"
