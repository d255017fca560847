"""A model that a test speaks for, and the tabs that it drives, in real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.agent import Agent, BrowserTabProvider, Turn
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Pages, pages

__all__ = ["pages", "start_agent"]


class AgentDriver:
    """One agent, its pages, and the shorthand of the tests."""

    def __init__(self, agent: Agent, headless: ChromiumBrowser, pages: Pages) -> None:
        self.agent = agent
        self.browser = headless
        self.pages = pages

    def url(self, path: str = "/") -> str:
        return self.pages.url(path)

    async def begin(self) -> str:
        return await self.agent.begin()

    async def say(self, words: str) -> Turn:
        """A response of the model, with the keyword."""
        return await self.agent.reply(f"{words}\n\n{self.agent.keyword}")

    async def turn(self, action: str, **arguments: Any) -> Turn:
        """A response that is one command."""
        return await self.say(f"<tool_code>{json.dumps({'action': action, **arguments})}</tool_code>")

    async def do(self, action: str, **arguments: Any) -> str:
        """The message that follows a command, which is done."""
        turn = await self.turn(action, **arguments)
        assert turn.outcome == "acted", turn.message
        assert turn.message is not None
        return turn.message.replace(self.pages.url(""), "http://site")

    async def refused(self, action: str, **arguments: Any) -> str:
        """The message that follows a command, which fails."""
        turn = await self.turn(action, **arguments)
        assert turn.outcome == "error", turn.message
        assert turn.message is not None
        return turn.message.replace(self.pages.url(""), "http://site")

    async def show(self, html: str, path: str = "/") -> str:
        """Serve a page, open it in a tab, and give its snapshot."""
        self.pages[path] = html
        return await self.do("open_tab", url=self.url(path))


@pytest.fixture
def start_agent(
    browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> Iterator[Callable[..., AgentDriver]]:
    """Starts agents with these `settings`. Tests that wait for nothing give an action no time to show."""
    pages.bodies.clear()
    opened = []

    def make(*, options: Options | None = None, adopt: tuple[int, ...] = (), **settings: Any) -> AgentDriver:
        headless = ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser)
        targets = BrowserTabProvider(headless, lambda tab: Session(tab, options=options or Options(timeout=60)), adopt)
        made = AgentDriver(Agent("Find it", targets, **{"patience": 0.1, **settings}), headless, pages)
        opened.append(made)
        return made

    yield make
    for each in opened:
        run(each.agent.close())
        run(each.browser.close())
