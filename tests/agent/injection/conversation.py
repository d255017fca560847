"""Conversations of the suite: an agent, a model that is a test, and messages that are read as they come."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from oryn.agent import Agent, BrowserTabProvider, Turn
from oryn.browsers.base import Browser
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.agent.injection.hostile import KEYWORD
from tests.agent.injection.message import Message, check_prompt, read


class ScriptedAgent:
    """An agent whose model says what a test says; every message is read as strictly as it is written."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.turn: Turn | None = None
        self.said: list[str] = []
        """The model's responses."""
        self.messages: list[str] = []
        """The messages to them, as they were."""

    async def __call__(self, verb: str, **arguments: Any) -> Message:
        command = json.dumps({**arguments, "action": verb})
        return await self.say(f"I do it.\n\n<tool_code>{command}</tool_code>")

    async def say(self, words: str) -> Message:
        self.said.append(words)
        self.turn = await self.agent.reply(f"{words}\n\n{KEYWORD}")
        message = self.turn.message or ""
        self.messages.append(message)
        assert KEYWORD not in message
        return read(message)


@asynccontextmanager
async def scripted_agent(browser: ChromiumBrowser, goal: str = "Look", **more: Any) -> AsyncIterator[ScriptedAgent]:
    def session(tab: Browser) -> Session:
        return Session(tab, options=Options(timeout=60))

    given = {"keyword": KEYWORD, "patience": 0.2, "text_limit": 3000, **more}
    agent = Agent(goal, BrowserTabProvider(browser, session), **given)
    check_prompt(await agent.begin(), KEYWORD)
    try:
        yield ScriptedAgent(agent)
    finally:
        await agent.close()


def number(message: Message, name: str) -> int:
    """The number of the element whose text this is."""
    return next(int(each.attributes["id"]) for each in message.elements if each.text == name)
