"""The demo shop can be done with the few tools that models are offered, by a client that knows nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.demo.server import Shop, example_script, with_address_of
from scripts.mcp_engine import call_of
from tests.mcp.conftest import Connect, text_of

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.browser
async def test_a_scripted_client_buys_a_fern(connect: Connect, era: str) -> None:
    with Shop(0) as shop:
        script = with_address_of(example_script(), shop)
        lines = [line for line in script.splitlines() if line and not line.startswith("#")]
        async with connect(era) as assistant:
            offered = (await assistant.list_tools()).tools
            called = []
            for line in lines:
                name, arguments = call_of(line, offered)
                answer = await assistant.call_tool(name, dict(arguments))
                assert not answer.is_error, text_of(answer)
                called.append(name)
    assert "Thank you" in text_of(answer)
    assert {"goto", "observe", "click", "select", "read_page", "oryn"} <= set(called)


@pytest.mark.slow
@pytest.mark.browser
def test_lines_go_through_the_tools_and_come_back_as_answers(tmp_path: Path) -> None:
    """`make -s mcp-engine`."""
    page = "data:text/html,<title>Hi</title><button>Go</button>"
    ended = subprocess.run(
        [sys.executable, "-m", "scripts.mcp_engine"], cwd=ROOT,
        capture_output=True, text=True, timeout=180, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "ORYN_HOME": str(tmp_path)},
        input=f"goto {page}\nclick 1\nobserve\nclick 1 --double\nclick 9\ndance\nquit\n",
    )  # fmt: skip
    assert (ended.stderr, ended.returncode) == ("", 0)
    ready, gone, stale, observed, doubled, missed, unknown, _ = ended.stdout.split("---\n")
    assert ready.startswith("ready oryn-h v")
    assert gone.endswith('"Hi"\n')
    assert stale.startswith("error click 1")
    assert observed.endswith('[1] button "Go"\n')
    assert doubled == "ok click 1 --double\n\n# note\nnothing changed\n"
    assert missed.startswith("error click 9: ")
    assert unknown.startswith('error oryn: unknown command "dance"')
