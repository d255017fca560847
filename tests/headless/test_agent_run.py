"""Runs of an agent: a model of a script behind a real endpoint, real tabs, and every way in which a run goes wrong."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.agent import Agent, BrowserTabProvider
from oryn.agent.messages import RESTARTED
from oryn.agent.runner.console import ConsoleOutput, NoConsoleInput
from oryn.agent.runner.loop import (
    MAX_CONSECUTIVE_ERRORS,
    MAX_REPEATS,
    NO_TAB,
    RESPONSE_TRUNCATED,
    AgentRun,
    AgentRunLimits,
    AgentRunResult,
)
from oryn.agent.runner.resume import ResumeState, resume_state
from oryn.agent.runner.setup import StartUrlTabs
from oryn.agent.runner.transcript import AgentTranscript, read_transcript
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy as Limited
from oryn.errors import ConfirmationRequired
from oryn.models import ChatModel, ModelEndpoint, Prices
from scripts.scripted_endpoint import (
    MODEL,
    Bytes,
    Drops,
    Fails,
    RateLimited,
    Refuses,
    Says,
    TooLong,
)
from scripts.scripted_endpoint import Endpoint as Served
from scripts.scripted_endpoint import Policy as Script
from scripts.scripted_endpoint import Reply as Scripted
from tests.headless.conftest import Pages

PAGE = """<title>Shop</title><button onclick="document.title = 'Bought'; out.textContent = 'thanks'; this.remove()">Buy</button>
<button>Nothing</button><input aria-label="Name"><p id=out></p>"""


def command(**what: Any) -> str:
    return f"I go on.\n<tool_code>{json.dumps(what)}</tool_code>"


def number(messages: Sequence[Any], label: str) -> int:
    """The latest number of an element."""
    found = re.findall(rf'id="(\d+)"[^\n]*{label}', "\n".join(str(each["content"]) for each in messages))
    return int(found[-1])


class Task:
    """What a run is made of."""

    def __init__(self, browser: ChromiumBrowser, folder: Path, pages: Pages) -> None:
        self.browser = browser
        self.url = pages.url("/shop")
        self.file = folder / "run.jsonl"
        self.shown = ""
        self.speaks = asyncio.Event()
        self.served: Served
        self.options = Options(timeout=60)
        self.steps = 12

    async def run(
        self,
        *script: Scripted | Script,
        stands: ResumeState | None = None,
        correction: str | None = None,
        urls: Sequence[str] | None = None,
        confirm: Any = None,
    ) -> AgentRunResult:
        transcript = AgentTranscript(self.file, new=stands is None)
        opening = (self.url,) if urls is None else urls
        if stands is None:
            transcript.write("begun", goal="Buy it", keyword="[END:x]", model=MODEL, urls=list(opening))
        tabs = StartUrlTabs(BrowserTabProvider(self.browser, lambda tab: Session(tab, options=self.options)), opening)
        agent = Agent(
            "Buy it",
            tabs,
            keyword="[END:x]",
            keyword_required=False,
            patience=0.1,
            confirm=confirm or NoConsoleInput(transcript).confirm,
        )
        try:
            with Served(*script) as self.served:
                model = ChatModel(ModelEndpoint(self.served.url, MODEL), pause=0)
                limits = AgentRunLimits(self.steps, Prices(1, 10))
                run = AgentRun(agent, model, transcript, ConsoleOutput(self._show), limits, stands, correction)
                return await run.run()
        finally:
            await agent.close()
            transcript.close()

    def _show(self, text: str) -> None:
        self.shown += text
        self.speaks.set()

    @property
    def kinds(self) -> list[str]:
        return [entry["kind"] for entry in read_transcript(self.file)]


@pytest.fixture
def task(browser: ChromiumBrowser, pages: Pages, tmp_path: Path) -> Iterator[Task]:
    pages.bodies.clear()
    pages["/shop"] = PAGE
    yield Task(browser, tmp_path, pages)


@pytest.mark.slow
async def test_a_goal_is_reached(task: Task) -> None:
    ended = await task.run(
        lambda said: "It is bought." if len(said) > 3 else command(action="click", id=number(said, "Buy"))
    )
    assert (ended.outcome, ended.answer, ended.steps, ended.error) == ("finished", "It is bought.", 2, None)
    assert (ended.usage.prompt, ended.usage.completion, ended.cost) == (200, 20, 0.0004)
    first, second = (request.messages for request in task.served.requests)
    assert [each["role"] for each in first] == ["system", "user"]
    assert "Buy it" in first[0]["content"] and first[1]["content"].startswith("<browsing_context>")
    assert second[:2] == first and [each["role"] for each in second[2:]] == ["assistant", "user"]
    assert ">Buy<" not in second[3]["content"]
    assert task.kinds == [
        "begun", "message", "message", "message", "turn", "picture", "message", "message", "turn", "ended",
    ]  # fmt: skip
    turn, picture = read_transcript(task.file)[4:6]
    assert turn["element"] == 'button "Buy"'
    assert b64decode(picture["jpeg"]).startswith(b"\xff\xd8\xff")
    assert (turn["outcome"], turn["action"], turn["urls"]) == ("acted", "click", [task.url])
    assert f"@ {task.url}, 2 elements" in task.shown and "It is bought." in task.shown


async def test_the_answer_of_the_command_finish_is_shown(task: Task) -> None:
    ended = await task.run(command(action="finish", answer="18 euros\x1b[2J"))
    assert (ended.outcome, ended.answer) == ("finished", "18 euros\x1b[2J")
    assert "\n18 euros\\u001b[2J\n" in task.shown and "\x1b" not in task.shown


async def test_without_a_page_the_model_begins(task: Task) -> None:
    ended = await task.run(command(action="open_tab", url=task.url), "There.", urls=())
    assert ended.outcome == "finished"
    assert task.served.requests[0].last == NO_TAB
    assert "<browsing_context>" in task.served.requests[1].last


async def test_a_refusal_ends_it(task: Task) -> None:
    ended = await task.run(Refuses("I can't buy things."))
    assert ended.error is not None and (ended.outcome, ended.error.code) == ("failed", "MODEL_REFUSED")
    assert "I can't buy things." in task.shown
    assert read_transcript(task.file)[-1]["error"]["code"] == "MODEL_REFUSED"


async def test_bad_json_is_told_and_mended(task: Task) -> None:
    ended = await task.run('<tool_code>{"action": "click", id: 1}</tool_code>', "Oh.")
    assert ended.outcome == "finished"
    assert "System Error: The command is not valid JSON" in task.served.requests[1].last
    assert "System Error: The command is not valid JSON" in task.shown


async def test_reply_with_two_commands_is_rejected(task: Task) -> None:
    twice = '<tool_code>{"action": "click", "id": 1}</tool_code>\n<tool_code>{"action": "click", "id": 2}</tool_code>'
    ended = await task.run(twice, "Oh.")
    assert ended.outcome == "finished"
    assert "more than one command" in task.served.requests[1].last


@pytest.mark.slow
async def test_nothing_but_errors_ends_it(task: Task) -> None:
    ended = await task.run(lambda _: "<tool_code>oops</tool_code>")
    assert ended.error is not None and ended.error.code == "AGENT_STUCK"
    assert ended.steps == MAX_CONSECUTIVE_ERRORS
    assert ended.error.message.endswith("responses in a row had no valid command")


@pytest.mark.slow
async def test_an_endless_loop_ends_it(task: Task) -> None:
    task.steps = 20
    ended = await task.run(lambda said: command(action="click", id=number(said, "Nothing")))
    assert ended.error is not None and ended.error.code == "AGENT_STUCK"
    assert MAX_REPEATS <= ended.steps <= MAX_REPEATS + 2
    assert f"the same {MAX_REPEATS} times with the same outcome" in ended.error.message
    assert "System: You have done this 5 times" in task.shown


@pytest.mark.slow
async def test_steps_have_a_limit(task: Task) -> None:
    task.steps = 3
    ended = await task.run(lambda said: command(action="type", id=number(said, "Name"), value=f"a{len(said)}"))
    assert ended.error is not None and ended.error.code == "STEP_LIMIT"
    assert (ended.steps, ended.error.message) == (3, "the goal was not reached in 3 steps")


async def test_a_busy_endpoint_and_a_dropped_stream_are_got_over(task: Task) -> None:
    ended = await task.run(RateLimited(seconds=0), Drops("I was"), Fails(503), "Done.")
    assert (ended.outcome, ended.answer, ended.steps) == ("finished", "Done.", 1)
    assert task.kinds.count("again") == 3
    assert "# the endpoint wants fewer requests" in task.shown
    assert task.shown.count("I was") == 1 and "Done." in task.shown


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Fails(401, "Incorrect API key provided."), "MODEL_UNAUTHORIZED"),
        (Fails(404, "The model does not exist", "model_not_found"), "MODEL_NOT_FOUND"),
        (Fails(429, "You exceeded your quota", "insufficient_quota"), "MODEL_RATE_LIMITED"),
        (Bytes(b"<html>", "text/html"), "MODEL_FAILED"),
        (TooLong(), "CONTEXT_TOO_LONG"),
    ],
    ids=lambda each: str(each)[:20],
)
async def test_permanent_model_error_ends_the_run(task: Task, reply: Scripted, code: str) -> None:
    ended = await task.run(reply)
    assert ended.error is not None and (ended.outcome, ended.error.code, ended.steps) == ("failed", code, 0)


async def test_a_reply_that_was_cut_off_is_not_done(task: Task) -> None:
    whole = command(action="finish", answer="no")
    ended = await task.run(Says(whole, finish="length"), "Yes.")
    assert ended.answer == "Yes."
    assert task.served.requests[1].last == RESPONSE_TRUNCATED
    assert "# the model's reply was cut off" in task.shown


async def test_replies_that_are_always_cut_off_end_it(task: Task) -> None:
    ended = await task.run(lambda _: Says("I think that", finish="length"))
    assert ended.error is not None and (ended.error.code, ended.steps) == ("AGENT_STUCK", MAX_CONSECUTIVE_ERRORS)


@pytest.mark.slow
async def test_a_conversation_that_became_too_long_goes_on_without_its_oldest_messages(task: Task) -> None:
    def typing(said: Any) -> Scripted:
        if len(said) > 6:
            return TooLong()
        done = sum(each["role"] == "assistant" for each in said)
        return command(action="type", id=number(said, "Name"), value=f"a{len(task.served.requests)}-{done}")

    task.steps = 4
    ended = await task.run(typing)
    assert ended.error is not None and ended.error.code == "STEP_LIMIT"
    assert "shortened" in task.kinds
    shorter = task.served.requests[-1].messages
    assert shorter[0]["role"] == "system" and "were left out" in shorter[1]["content"]
    assert ">Buy<" in shorter[-1]["content"], "what is there is told whole again"
    assert "oldest messages are left out" in task.shown
    assert resume_state(read_transcript(task.file)).conversation.messages[0].content == shorter[0]["content"]


@pytest.mark.slow
async def test_a_stopped_run_goes_on(task: Task) -> None:
    gate = threading.Event()
    waiting = Says(command(action="click", id=1), gate=gate)
    running = asyncio.ensure_future(task.run(lambda said: waiting))
    await task.speaks.wait()
    running.cancel()
    ended = await running
    gate.set()
    assert (ended.outcome, ended.steps) == ("stopped", 0)
    assert read_transcript(task.file)[-1]["outcome"] == "stopped"

    stands = resume_state(read_transcript(task.file))
    assert stands.urls == (task.url,)
    again = await task.run("It is done.", stands=stands, correction="Buy two", urls=stands.urls)
    assert (again.outcome, again.answer) == ("finished", "It is done.")
    (request,) = task.served.requests
    assert [each["role"] for each in request.messages] == ["system", "user"]
    assert RESTARTED in request.last and "User: Buy two" in request.last and request.last.count(">Buy<") == 2
    assert resume_state(read_transcript(task.file)).steps == 1


@contextmanager
def confirmations(answer: bool) -> Iterator[tuple[list[str], Any]]:
    asked: list[str] = []

    async def confirm(session: Session, waits: ConfirmationRequired) -> bool:
        asked.append(waits.message)
        return answer

    yield asked, confirm


async def test_a_risky_command_is_done_after_a_yes(task: Task) -> None:
    task.options = Options(timeout=60, policy=Limited.of(confirm=["eval"]))
    with confirmations(True) as (asked, confirm):
        ended = await task.run(command(action="eval", script="document.title"), "Done.", confirm=confirm)
    assert ended.outcome == "finished"
    assert asked[0].startswith('eval "document.title" waits for a person\'s approval: c_')
    assert "Shop" in task.served.requests[1].last


async def test_without_a_yes_it_is_not_done_and_the_model_is_told(task: Task) -> None:
    task.options = Options(timeout=60, policy=Limited.of(confirm=["click"]))
    script: Script = lambda said: "Then not." if len(said) > 3 else command(action="click", id=number(said, "Buy"))  # noqa: E731
    ended = await task.run(script)
    assert ended.outcome == "finished"
    last = task.served.requests[1].last
    assert "the user said no" in last and "[Target Unchanged]" in last
    assert [entry["agreed"] for entry in read_transcript(task.file) if entry["kind"] == "confirmation"] == [False]
