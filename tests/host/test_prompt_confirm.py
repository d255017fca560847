"""At the prompt the person is asked, and what they say is done."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from oryn.hosts import prompt
from oryn.sessions.browsers import NullBrowser
from oryn.sessions.sessions import Sessions


async def prompt_output(home: Path, capsys: pytest.CaptureFixture[str], keys: str) -> list[str]:
    """What a prompt shows below the ready line when somebody types this; `tools` and `intents` wait for a yes."""
    options = Options(policy=Policy.of(confirm=["tools", "intents"]))
    sessions = Sessions(
        lambda name, _: Session(NullBrowser(), name, options), Session(NullBrowser(), "default", options)
    )
    with create_pipe_input() as pipe:
        history = prompt._history(home / "history")
        asking = prompt._prompt(sessions, history, input=pipe, output=DummyOutput())
        pipe.send_text(f"{keys}exit\r")
        await asyncio.wait_for(prompt._converse(sessions, asking, "never"), 10)
    return [part for part in capsys.readouterr().out.split("\n\n") if part][1:-1]


@pytest.mark.parametrize("yes", ["y", "YES", " yes "])
async def test_a_yes_has_it_done(tmp_path: Path, capsys: pytest.CaptureFixture[str], yes: str) -> None:
    assert await prompt_output(tmp_path, capsys, f"tools\r{yes}\r") == ["ok tools"]
    kept = [line[1:] for line in (tmp_path / "history").read_text("utf-8").splitlines() if line.startswith("+")]
    assert kept == ["tools", "exit"], "the yes is no line of the history"


@pytest.mark.parametrize("no", ["n\r", "\r", "what?\r", "\x03", "\x04"])
async def test_all_else_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str], no: str) -> None:
    told, dropped = await prompt_output(tmp_path, capsys, f"tools\r{no}")
    assert told.startswith("ok deny c_")
    assert dropped == "dropped: tools"


async def test_each_command_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = await prompt_output(tmp_path, capsys, "tools\ry\rintents\rn\rtools\ry\r")
    assert [part.split(" ")[1] for part in told if part.startswith("ok")] == ["tools", "deny", "tools"]


async def test_confirm_is_no_line_here_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (await prompt_output(tmp_path, capsys, "confirm c_1\r"))[0].startswith("error confirm c_1: unknown command")
