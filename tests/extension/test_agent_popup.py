"""The agent's part of the popup in a real browser: what it says of a run, and what it asks of the worker."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extension.popup import Popup, state
from tests.extension.test_popup import browser, popup

__all__ = ["browser", "popup"]

TABS = [
    {"id": 7, "title": "Ferns", "url": "https://ferns.example/", "active": False, "chat": False},
    {"id": 8, "title": "New chat", "url": "https://claude.ai/new", "active": True, "chat": True},
]
SETTINGS: dict[str, Any] = {
    "tools": {"Shop": "https://shop.example"},
    "max_tabs": 3,
    "max_steps": 60,
    "redact": "values",
    "ask": True,
    "page_updates": 0,
}
STEPS = [
    {"number": 0, "line": "open_tool Shop", "time": 1_795_000_000_000, "status": "ok"},
    {"number": 1, "line": "click 99", "time": 1_795_000_004_000, "status": "error"},
]


def agent(**changes: Any) -> dict[str, Any]:
    return state(agent={"settings": SETTINGS, "tabs": TABS, "run": None, "last": None, **changes})


def run(**changes: Any) -> dict[str, Any]:
    about = {"goal": "Buy a fern", "chat": "claude.ai", "doing": "answer", "number": 2, "most": 60, "corrections": 0}
    return agent(run={**about, "steps": STEPS, **changes})


@pytest.mark.slow
async def test_it_begins_with_the_chat_that_the_user_looks_at(popup: Popup) -> None:
    await popup.open(agent())
    assert await popup.text("#agent-chat option:checked") == "New chat (claude.ai)"
    await popup.say('click "Options"')
    await popup.say('check "Ferns"')
    await popup.say('type "Goal" "Buy a fern"')
    await popup.say('click "Start"')
    assert await popup.received() == [{"type": "agent_start", "goal": "Buy a fern", "chat": 8, "tabs": [7]}]


@pytest.mark.slow
async def test_tools_and_limits_are_kept_by_the_worker(popup: Popup) -> None:
    await popup.open(agent())
    await popup.say('click "Options"')
    await popup.say('type css("#agent-tool [name=name]") "Mail"')
    await popup.say('type css("#agent-tool [name=url]") "https://mail.example"')
    await popup.say('click "Save"')
    tools = {"Shop": "https://shop.example", "Mail": "https://mail.example"}
    assert await popup.received() == [{"type": "agent_settings", "changes": {"tools": tools}}]
    await popup.say('click "Remove Shop"')
    assert await popup.received() == [{"type": "agent_settings", "changes": {"tools": {}}}]
    await popup.say('select css("[name=redact]") "Nothing"')
    assert await popup.received() == [{"type": "agent_settings", "changes": {"redact": "off"}}]
    await popup.say('type css("[name=page_updates]") "300"')
    await popup.say("press tab")
    assert await popup.received() == [{"type": "agent_settings", "changes": {"page_updates": 300}}]
    await popup.say('uncheck "Ask me before risky commands"')
    assert await popup.received() == [{"type": "agent_settings", "changes": {"ask": False}}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("doing", "said"),
    [
        ("sending", "Writing to the chat. Answer 3 of at most 60."),
        ("answer", "The model is answering. Answer 3 of at most 60."),
        ("acting", "Running the model's commands. Answer 3 of at most 60."),
        ("watching", "The model waits for a page to change. Answer 3 of at most 60."),
        ("draft", "The chat's input box contains your text. "),
        ("gone", "The chat shows another conversation. "),
        ("silent", "No answer is visible. "),
    ],
)
async def test_a_run_is_told_corrected_and_stopped(popup: Popup, doing: str, said: str) -> None:
    await popup.open(run(doing=doing, corrections=1))
    assert await popup.text("#agent-status") == "Working with claude.ai"
    assert await popup.text("#agent-goal-now") == "Buy a fern"
    assert (await popup.text("#agent-doing")).startswith(said)
    assert await popup.text("#agent-waiting") == "Your message is sent with the next request."
    assert not await popup.is_visible("#agent-setup")
    await popup.say('type "Message to the agent" "The small one"')
    await popup.keys("Enter")
    await popup.say('click "Stop the agent"')
    assert await popup.received() == [{"type": "agent_command", "text": "The small one"}, {"type": "agent_stop"}]
    assert await popup.js("[...document.querySelectorAll('#agent-steps code')].map((code) => code.textContent)") == [
        "click 99",
        "open_tool Shop",
    ]


QUESTION = {"id": "c_1", "command": 'eval "<b>document.cookie</b>"'}


@pytest.mark.slow
@pytest.mark.parametrize(("button", "agreed"), [("Allow", True), ("Deny", False)])
async def test_a_risky_command_waits_for_a_yes(popup: Popup, button: str, agreed: bool) -> None:
    await popup.open(run(doing="acting"))
    assert not await popup.is_visible("#agent-question")
    await popup.says(run(doing="acting", question=QUESTION))
    assert await popup.text("#agent-question-command") == QUESTION["command"]
    assert (await popup.text("#agent-doing")).startswith("The agent waits for your decision, one minute at most.")
    await popup.say(f'click "{button}"')
    assert await popup.received() == [{"type": "agent_answer", "question": "c_1", "agreed": agreed}]
    await popup.says(run(doing="acting", question=None))
    assert not await popup.is_visible("#agent-question")


@pytest.mark.slow
async def test_no_key_that_was_meant_for_another_question_is_a_yes(popup: Popup) -> None:
    await popup.open(run(question=QUESTION))
    await popup.js("document.querySelector('#agent-yes').focus()")
    await popup.says(run(question={**QUESTION, "id": "c_2"}))
    await popup.keys("Enter")
    assert await popup.received() == []


@pytest.mark.slow
async def test_how_it_ended(popup: Popup) -> None:
    await popup.open(run())
    last = {"goal": "Buy a fern", "detail": "", "answer": "<b>Bought</b>\nfor 7", "steps": STEPS}
    await popup.says(agent(last=last))
    assert await popup.text("#agent-end") == "Finished"
    assert await popup.text("#agent-answer") == "<b>Bought</b>\nfor 7"
    assert await popup.is_visible("#agent-setup")
    await popup.says(agent(last={**last, "answer": None, "detail": "the chat's tab was closed"}))
    assert await popup.text("#agent-end") == "Ended: the chat's tab was closed."


async def test_there_is_nothing_of_it_before_the_engine_is_ready(popup: Popup) -> None:
    await popup.open(state(agent=None))
    assert not await popup.is_visible("#agent")
