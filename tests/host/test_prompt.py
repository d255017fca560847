from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from oryn.engine.output.answer import Answer
from oryn.errors import UnknownCommand
from oryn.hosts import prompt
from oryn.language import MASK


class Echo:
    """Knows `exit`, `login` (a secret), `wait` (never ends), `session` and `bad`; answers all else with itself."""

    json = False

    def __init__(self) -> None:
        elements = {1: {"text": "Sign in"}, 2: {"text": ""}}
        self.current = SimpleNamespace(name="default", element_index=SimpleNamespace(elements=elements))
        self.waiting = asyncio.Event()
        self.asking: PromptSession[str]
        self.lines: list[str] = []

    async def execute(self, line: str) -> Answer:
        self.lines.append(line)
        if line == "wait":
            self.waiting.set()
            await asyncio.get_running_loop().create_future()
        if line.startswith("session "):
            self.current.name = line.removeprefix("session ")
        if line.startswith("bad"):
            return Answer(command=line, error=UnknownCommand("unknown command"))
        return Answer(command=f'login "ada" "{MASK}"' if line.startswith("login") else line, exit=line == "exit")


@asynccontextmanager
async def conversation(home: Path) -> AsyncIterator[tuple[PipeInput, Echo]]:
    """A conversation whose keys come from the pipe; it is over with the block."""
    with create_pipe_input() as keys:
        session = Echo()
        history = prompt._history(home / "history")
        asking = prompt._prompt(session, history, input=keys, output=DummyOutput())  # type: ignore[arg-type]
        session.asking = asking
        going = asyncio.create_task(prompt._converse(session, asking, "never"))  # type: ignore[arg-type]
        yield keys, session
        await asyncio.wait_for(going, 10)


async def test_lines_are_answered_until_exit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with conversation(tmp_path) as (keys, _):
        keys.send_text("url\r\r# nothing\rexit\r")
    ready, *answers = [part for part in capsys.readouterr().out.split("\n\n") if part]
    assert ready.startswith("ready oryn-h v")
    assert answers[0] == "ok url"
    assert answers[-1] == "ok exit"


async def test_the_prompt_names_the_current_session(tmp_path: Path) -> None:
    async with conversation(tmp_path) as (keys, session):
        keys.send_text("session work\rexit\r")
    assert session.asking.message == "work> "


async def test_a_definition_takes_lines_up_to_an_empty_one_and_only_its_head_is_kept(tmp_path: Path) -> None:
    async with conversation(tmp_path) as (keys, session):
        keys.send_text('define a:\r  url\rtype password "x"\r\rexit\r')
    assert session.lines == ['define a:\n  url\n  type password "x"', "exit"]
    assert "define a:" in (history := (tmp_path / "history").read_text())
    assert "password" not in history


async def test_control_d_ends(tmp_path: Path) -> None:
    async with conversation(tmp_path) as (keys, _):
        keys.send_text("\x04")


async def test_control_c_drops_the_line_being_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with conversation(tmp_path) as (keys, _):
        keys.send_text("not thi\x03url\rexit\r")
    assert "ok url" in capsys.readouterr().out


async def test_control_c_gives_up_the_running_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with conversation(tmp_path) as (keys, session):
        keys.send_text("wait\r")
        await asyncio.wait_for(session.waiting.wait(), 10)
        os.kill(os.getpid(), signal.SIGINT)
        keys.send_text("url\rexit\r")
    shown = capsys.readouterr().out
    assert shown.index("# given up") < shown.index("ok url")


async def test_tab_completes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with conversation(tmp_path) as (keys, session):
        completed = asyncio.Event()

        def watch(buffer: Any) -> None:
            if buffer.text.endswith('in"'):
                completed.set()

        session.asking.default_buffer.on_text_changed += watch
        keys.send_text('click "sig\t')
        await asyncio.wait_for(completed.wait(), 10)
        keys.send_text("\rexit\r")
    assert 'ok click "Sign in"' in capsys.readouterr().out


async def test_the_history_is_the_owners_and_holds_no_secrets(tmp_path: Path) -> None:
    async with conversation(tmp_path) as (keys, _):
        keys.send_text('url\rlogin "ada" "lovelace"\rbad "lovelace"\r\rexit\r')
    file = tmp_path / "history"
    assert file.stat().st_mode & 0o777 == 0o600
    kept = [line[1:] for line in file.read_text().splitlines() if line.startswith("+")]
    assert kept == ["url", "exit"]


def test_where_no_file_can_be_there_is_a_history_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history: Any = prompt._history(tmp_path / "file" / "history")
    assert not isinstance(history, prompt.MaskedHistory)
