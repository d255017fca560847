"""The whole way to a real model on this computer, and back (docs/agent.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.errors import ModelError
from oryn.models import ChatMessage, ChatModel, ModelEndpoint
from tests.cli.shell import Shell
from tests.models.local_server import WORDS, missing

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(bool(missing()), reason=f"not installed (setup/model.sh): {', '.join(missing())}"),
]

SILENCE = 600.0


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a server in a process of its own."""
    log = tmp_path_factory.mktemp("server") / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.models.local_server"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), f"the server did not start: {log.read_text()[-2000:]}"
        try:
            yield f"{address}/v1"
        finally:
            server.kill()


class RecordingListener:
    def __init__(self) -> None:
        self.text = ""
        self.pieces = 0

    def on_text(self, text: str) -> None:
        self.text += text
        self.pieces += 1

    def on_retry(self, error: ModelError, seconds: float) -> None:
        raise error


async def test_a_real_model_streams_and_counts(endpoint: str) -> None:
    heard = RecordingListener()
    reply = await ChatModel(ModelEndpoint(endpoint, "smollm2"), silence=SILENCE).reply(
        [ChatMessage("user", "Say hello.")], heard
    )
    assert reply.text == heard.text and reply.text.strip()
    assert heard.pieces > 1
    assert reply.usage is not None and not reply.usage.estimated
    assert 0 < reply.usage.completion <= WORDS and reply.usage.prompt > 5


async def test_a_real_model_is_held_to_a_schema(endpoint: str) -> None:
    """The question asks for anything but JSON: that it comes, or begins within so few tokens, is the schema's doing."""
    schema = {
        "type": "object",
        "properties": {"yes": {"type": "boolean"}},
        "required": ["yes"],
        "additionalProperties": False,
    }
    model = ChatModel(ModelEndpoint(endpoint, "smollm2"), silence=SILENCE)
    reply = await model.reply([ChatMessage("user", "Write a poem about ferns.")], RecordingListener(), schema=schema)
    said = "".join(reply.text.split())
    assert said and any(whole.startswith(said) for whole in ('{"yes":true}', '{"yes":false}'))


@pytest.mark.browser
def test_an_agent_runs_with_a_real_model(endpoint: str, tmp_path: Path) -> None:
    """What so small a model says is not asserted, but that it was asked, heard and answered."""
    file = tmp_path / "run.jsonl"
    words = ("--endpoint", endpoint, "--model", "smollm2", "--max-steps", "2", "--transcript", str(file), "--json")
    code, out, err = Shell(tmp_path / "home", tmp_path)("agent", "Say hello", *words)
    ended = json.loads(out)
    assert err == ""
    assert (code, ended["outcome"]) in ((0, "finished"), (13, "failed"))
    assert ended["error"] is None or ended["error_kind"] == "step_limit"
    assert 1 <= ended["steps"] <= 2 and ended["usage"]["prompt"] > 200 and not ended["usage"]["estimated"]
    said = [entry for entry in map(json.loads, file.read_text("utf-8").splitlines()) if entry["kind"] == "message"]
    assert [entry["role"] for entry in said[:3]] == ["system", "user", "assistant"]
