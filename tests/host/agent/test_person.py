"""Whoever sits at the terminal: corrections, questions, and which line answers which."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from oryn.agent.runner.console import ConsoleInput, NoConsoleInput
from oryn.agent.runner.transcript import AgentTranscript, read_transcript
from oryn.engine import Session
from oryn.errors import ConfirmationRequired
from oryn.sessions.framing import OversizedLine

WAITS = ConfirmationRequired('eval "1" waits for a person\'s approval: c_1', "hint", "c_1", "default")
SESSION = cast(Session, None)


class TypedLines:
    """Lines that come when the test says so."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes | OversizedLine | None] = asyncio.Queue()

    async def __aiter__(self) -> AsyncIterator[bytes | OversizedLine]:
        while (line := await self._lines.get()) is not None:
            yield line

    def type(self, line: bytes | OversizedLine | None) -> None:
        self._lines.put_nowait(line)


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[AgentTranscript]:
    with closing(AgentTranscript(tmp_path / "run.jsonl", new=True)) as made:
        made.write("begun")
        yield made


class AgentTerminal:
    """A person with their keyboard, and what they are shown."""

    def __init__(self, transcript: AgentTranscript) -> None:
        self.transcript = transcript
        self.shown: list[str] = []
        self.corrections: list[str] = []
        self.keyboard = TypedLines()
        self.requested = asyncio.Event()
        self.corrected = asyncio.Event()
        self.person = ConsoleInput(self.keyboard, self._say, self.transcript)
        self.listening = asyncio.ensure_future(self.person.listen(self._correct))

    def _say(self, line: str) -> None:
        self.shown.append(line)
        if "Do it?" in line:
            self.requested.set()

    def _correct(self, text: str) -> None:
        self.corrections.append(text)
        self.corrected.set()

    async def answers(self, said: bytes | None) -> bool:
        question = asyncio.ensure_future(self.person.confirm(SESSION, WAITS))
        await self.requested.wait()
        self.keyboard.type(said)
        return await question

    def entries(self) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in entry.items() if key != "at"}
            for entry in read_transcript(self.transcript.file)
        ][1:]


@pytest.mark.parametrize(
    ("said", "agreed"), [(b"y", True), (b" YES ", True), (b"n", False), (b"", False), (b"sure", False)]
)
async def test_only_yes_confirms_a_command(transcript: AgentTranscript, said: bytes, agreed: bool) -> None:
    there = AgentTerminal(transcript)
    assert await there.answers(said) is agreed
    assert there.shown == [f"{WAITS.message}\nDo it? [y/N] "]
    assert there.entries()[0]["agreed"] is agreed and there.entries()[0]["asked"] == WAITS.message
    assert not there.corrections
    there.listening.cancel()


async def test_input_before_a_question_does_not_answer_it(transcript: AgentTranscript) -> None:
    there = AgentTerminal(transcript)
    there.keyboard.type(b"y")
    await there.corrected.wait()
    assert there.corrections == ["y"]
    assert not await there.answers(b"no")
    there.keyboard.type(b"look at the footer")
    there.corrected.clear()
    await there.corrected.wait()
    assert there.corrections == ["y", "look at the footer"]
    assert [entry["kind"] for entry in there.entries()] == ["correction", "confirmation", "correction"]
    there.listening.cancel()


async def test_the_terminals_end_is_a_no_and_so_is_all_after_it(transcript: AgentTranscript) -> None:
    there = AgentTerminal(transcript)
    assert not await there.answers(None)
    await there.listening
    assert not await there.person.confirm(SESSION, WAITS)


async def test_invalid_input_is_not_a_correction(transcript: AgentTranscript) -> None:
    there = AgentTerminal(transcript)
    for line in (b"\xff", OversizedLine(2_000_000), b"   ", b"go on"):
        there.keyboard.type(line)
    await there.corrected.wait()
    assert there.corrections == ["go on"]
    assert there.shown[0].startswith("# ") and len(there.shown) == 3
    there.listening.cancel()


async def test_missing_console_denies_confirmations(transcript: AgentTranscript) -> None:
    nobody = NoConsoleInput(transcript)
    await nobody.listen(lambda _: None)
    assert not await nobody.confirm(SESSION, WAITS)
    assert read_transcript(transcript.file)[-1]["agreed"] is False
