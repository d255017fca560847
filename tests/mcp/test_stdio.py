"""`oryn mcp` as assistants start it: a process of its own, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as Assistant
from mcp.client.stdio import StdioServerParameters

from oryn.mcp.catalog import mcp_name
from oryn.tools.catalog import CORE, LINE_TOOL
from tests.daemon.daemon_process import daemon_environment, processes_of, wait_for_end
from tests.headless.conftest import Pages
from tests.mcp.conftest import text_of

pytestmark = pytest.mark.browser

HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "oryn", *options]


@asynccontextmanager
async def started_client(home: Path, *options: str, era: str = "legacy") -> AsyncIterator[Assistant]:
    """An assistant that has started the server."""
    program, *words = command(*options)
    parameters = StdioServerParameters(command=program, args=words, env=daemon_environment(home))
    async with Assistant(parameters, mode=era) as assistant:
        yield assistant


def start_process(home: Path, *options: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(*options), stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=daemon_environment(home)
    )


def say(process: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{json.dumps(message)}\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next response; what else is told is passed over."""
    assert process.stdout is not None
    while "id" not in (message := json.loads(process.stdout.readline())):
        pass
    told: dict[str, Any] = message
    return told


def call(name: str, arguments: dict[str, Any], id: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.mark.slow
async def test_it_serves_either_era(tmp_path: Path, era: str, pages: Pages) -> None:
    pages["/"] = "<button>Half</button><script>document.querySelector('button').textContent = 'Half \\ud83d'</script>"
    async with started_client(tmp_path, "mcp", era=era) as assistant:
        assert assistant.server_info.name == "oryn"
        assert [tool.name for tool in (await assistant.list_tools()).tools][:11] == [*map(mcp_name, CORE), LINE_TOOL]
        await assistant.call_tool("goto", {"url": pages.url()})
        # Half a character, which a page may have, breaks no message.
        assert 'button "Half' in text_of(await assistant.call_tool("observe"))


@pytest.mark.slow
async def test_two_assistants_at_once_have_sessions_of_their_own(tmp_path: Path, pages: Pages) -> None:
    pages["/a"], pages["/b"] = "<title>A</title>", "<title>B</title>"
    async with started_client(tmp_path, "mcp") as one, started_client(tmp_path, "mcp") as other:
        await asyncio.gather(
            one.call_tool("goto", {"url": pages.url("/a")}), other.call_tool("goto", {"url": pages.url("/b")})
        )
        assert '"A"' in text_of(await one.call_tool("oryn", {"line": "title"}))
        assert '"B"' in text_of(await other.call_tool("oryn", {"line": "title"}))


@pytest.mark.slow
async def test_options_are_those_of_every_host(tmp_path: Path, pages: Pages) -> None:
    pages["/"] = "<button>Buy</button>"
    options = ["--session", "work", "mcp", "--tools", "goto,click", "--read-only", "--no-structured"]
    async with started_client(tmp_path, *options) as assistant:
        assert [tool.name for tool in (await assistant.list_tools()).tools] == ["goto", "click"]
        gone = await assistant.call_tool("goto", {"url": pages.url()})
        assert gone.structured_content is None
        refused = await assistant.call_tool("click", {"target": "Buy"})
        assert refused.structured_content["error"]["code"] == "READ_ONLY"
        assert {each.uri for each in (await assistant.list_resources()).resources} == {
            f"oryn://work/{kind}" for kind in ("text", "screenshot", "notes", "history")
        }


@pytest.mark.slow
async def test_files_are_written_only_where_they_may_be(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    async with started_client(tmp_path, "mcp", "--files-root", str(allowed)) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        kept = await assistant.call_tool("oryn", {"line": f'screenshot --output "{allowed / "a.png"}"'})
        assert not kept.is_error
        refused = await assistant.call_tool("oryn", {"line": f'screenshot --output "{tmp_path / "b.png"}"'})
        assert refused.structured_content["error"]["code"] == "PATH_NOT_ALLOWED"


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["end of input", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_when_it_ends(tmp_path: Path, ending: str) -> None:
    with start_process(tmp_path, "mcp") as process:
        say(process, HANDSHAKE)
        assert answer(process)["result"]["serverInfo"]["name"] == "oryn"
        say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        say(process, call("goto", {"url": "about:blank"}, 2))
        assert not answer(process)["result"].get("isError")
        browsers = processes_of(tmp_path)
        assert browsers
        if ending == "end of input":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(getattr(signal, ending))
        code = process.wait(60)
        wait_for_end(browsers)
    assert code == {"end of input": 0, "SIGTERM": 128 + signal.SIGTERM, "SIGKILL": -signal.SIGKILL}[ending]


@pytest.mark.slow
def test_no_browser_starts_before_it_is_needed(tmp_path: Path) -> None:
    with start_process(tmp_path, "mcp") as process:
        say(process, HANDSHAKE)
        answer(process)
        say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert answer(process)["result"]["tools"]
        assert processes_of(tmp_path) == []
        process.terminate()
        process.wait(60)


@pytest.mark.slow
def test_invalid_message_does_not_end_the_server(tmp_path: Path) -> None:
    with start_process(tmp_path, "mcp") as process:
        assert process.stdin is not None
        process.stdin.write('what?\n{"jsonrpc": "2.0"}\n\n[1, 2]\n"text"\n')
        say(process, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "goto"}})
        assert answer(process)["error"]["code"] == -32602  # nobody has shaken hands
        say(process, HANDSHAKE)
        assert answer(process)["result"]["protocolVersion"] == "2025-06-18"
        say(process, {"jsonrpc": "2.0", "id": 2, "method": "dance"})
        assert answer(process)["error"]["code"] == -32601
        say(process, call("goto", {"url": []}, 3))
        assert answer(process)["result"]["structuredContent"]["error"]["code"] == "INVALID_VALUE"
        process.terminate()
        process.wait(60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["mcp", "--tools", "clik"], 'unknown tool "clik"'),
        (["mcp", "--tools", "confirm"], 'unknown tool "confirm"'),
        (["mcp", "--viewport", "big"], "viewport can't be 'big'"),
        (["mcp", "now"], "unexpected extra argument"),
    ],
)
def test_invalid_mcp_options_are_reported(tmp_path: Path, options: list[str], told: str) -> None:
    ended = subprocess.run(
        command(*options), env=daemon_environment(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_a_package_that_is_missing_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from oryn.cli.main import main; main(['mcp'])"
    environment = daemon_environment(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 11
    assert ended.stderr.startswith("error mcp: 'oryn mcp' needs mcp")
    assert ended.stderr.endswith(", which is not installed\n\n# hint\nInstall it: pip install 'oryn-browser[mcp]'.\n")
