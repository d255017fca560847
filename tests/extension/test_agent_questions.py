"""What an agent asks its user: one question at a time, which a yes to another one does not answer."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from oryn.engine import Session
from oryn.errors import ConfirmationRequired
from oryn.extension.agent import policy
from oryn.extension.agent.policy import MAX_COMMAND_CHARACTERS, AgentQuestions

SESSION = cast("Session", None)


def nothing() -> None:
    return


def waiting(id: str = "c_1", command: str = "cookies list") -> ConfirmationRequired:
    return ConfirmationRequired(f"{command} waits for a person's approval: {id}", None, id, "tab1", command)


async def start(questions: AgentQuestions, waits: ConfirmationRequired) -> asyncio.Task[bool]:
    asking = asyncio.create_task(questions.confirm(SESSION, waits))
    await asyncio.sleep(0)
    return asking


@pytest.mark.parametrize("agreed", [True, False])
async def test_the_answer_is_the_users(agreed: bool) -> None:
    events: list[Any] = []
    questions = AgentQuestions(lambda: events.append(questions.open and questions.open.data()), nothing)
    asking = await start(questions, waiting())
    questions.answer("c_1", agreed=agreed)
    questions.answer("c_1", agreed=not agreed)
    assert await asking is agreed
    assert events == [{"id": "c_1", "command": "cookies list"}, None]


async def test_answer_to_an_ended_question_is_ignored() -> None:
    questions = AgentQuestions(nothing, nothing)
    questions.answer("c_1", agreed=True)
    asking = await start(questions, waiting("c_2"))
    questions.answer("c_1", agreed=True)
    await asyncio.sleep(0)
    assert not asking.done()
    questions.answer("c_2", agreed=False)
    assert await asking is False


async def test_no_answer_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "CONFIRMATION_SECONDS", 0.01)
    questions = AgentQuestions(nothing, nothing)
    assert await questions.confirm(SESSION, waiting()) is False
    assert questions.open is None


async def test_the_worker_is_kept_until_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "KEEP_ALIVE_SECONDS", 0.01)
    stirred = asyncio.Event()
    questions = AgentQuestions(nothing, stirred.set)
    asking = await start(questions, waiting())
    await stirred.wait()
    questions.answer("c_1", agreed=True)
    assert await asking is True


async def test_a_run_that_is_stopped_asks_no_more() -> None:
    questions = AgentQuestions(nothing, nothing)
    asking = await start(questions, waiting())
    asking.cancel()
    await asyncio.wait([asking])
    assert questions.open is None


async def test_of_a_long_script_it_is_said_that_there_is_more() -> None:
    questions = AgentQuestions(nothing, nothing)
    script = "x\u2028" + "y" * MAX_COMMAND_CHARACTERS
    asking = await start(questions, waiting(command=script))
    assert questions.open is not None
    command = questions.open.command
    assert "\u2028" not in command and command.startswith("x")
    assert command[MAX_COMMAND_CHARACTERS:].startswith("… and ") and command.endswith(" characters more")
    asking.cancel()
    await asyncio.wait([asking])
