"""A run of the extension's agent, as a test has it that is the user at the popup and the model in the chat."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from oryn.errors import OrynError, TabNotFound
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.chat import DEFERRED_REPLY, chat_page
from tests.extension.popup_user import User
from tests.headless.conftest import Pages

GOAL = "Buy a fern"
ENDED = "document.querySelector('#agent-end').checkVisibility() && document.querySelector('#agent-end').textContent"


class ChatRun:
    """`chat` is the chat's page, `popup` the popup in a tab behind; `worker` is looked into, so it lives (in
    Chromium)."""

    def __init__(
        self, browser: ExtendedBrowser, worker: Target | None, chat: Target, popup: Target, pages: Pages
    ) -> None:
        self.browser = browser
        self._worker = worker
        self.chat = chat
        self.popup = popup
        self.user = User(popup, browser)
        self.pages = pages
        self._message_count = 0

    @property
    def worker(self) -> Target:
        """What looks into the extension's worker, in Chromium."""
        assert self._worker is not None
        return self._worker

    # --- the user ---

    async def set(self, **changes: Any) -> None:
        """Change settings of the agent, as the popup says it."""
        await self.user.asks(type="agent_settings", changes=changes)
        for name, value in changes.items():
            same = f"JSON.stringify(state.agent.settings.{name}) === JSON.stringify({json.dumps(value)})"
            await self.user.sees(f"state.agent && {same}")

    async def start(self, goal: str = GOAL, tabs: Iterable[str] = ()) -> None:
        """Fill in the form of the popup and press *Start*; `tabs` are the titles of tabs to begin with."""
        await self._choose("#agent-chat", self.chat_url)
        for title in tabs:
            labels = "[...document.querySelectorAll('#agent-tabs label')]"
            box = f"{labels}.find(({{ textContent }}) => textContent.includes({title!r}))"
            await self.popup.until(f"Boolean({box})")
            await self.popup.evaluate(f"{box}.click()")
        await self.popup.evaluate(f"document.querySelector('#agent-goal').value = {json.dumps(goal)}")
        await self.popup.evaluate("document.querySelector('#agent-start').click()")

    async def _choose(self, selector: str, url: str) -> None:
        same = f"tabs.findLast(({{ url }}) => url === {json.dumps(url)})"  # Firefox has no patterns with a port
        query = f"chrome.tabs.query({{}}).then((tabs) => String({same}.id))"
        tab = await self.popup.evaluate(query)
        await self.popup.until(f"document.querySelector('{selector} option[value=\"{tab}\"]') !== null")
        await self.popup.evaluate(
            f"(select => {{ select.value = '{tab}'; select.dispatchEvent(new Event('change')); }})"
            f"(document.querySelector('{selector}'))"
        )

    async def command(self, words: str) -> None:
        """SEND COMMAND."""
        await self.popup.until("document.querySelector('#agent-correction').checkVisibility()")
        await self.popup.evaluate(
            f"document.querySelector('#agent-correction').value = {json.dumps(words)};"
            "document.querySelector('#agent-command').requestSubmit()"
        )

    async def press(self, selector: str) -> None:
        await self.popup.until(f"document.querySelector('{selector}').checkVisibility()")
        await self.popup.evaluate(f"document.querySelector('{selector}').click()")

    async def end(self) -> str:
        """How the popup says that it has ended."""
        return str(await self.popup.until(ENDED))

    async def text(self, selector: str) -> str:
        return str(await self.popup.evaluate(f"document.querySelector('{selector}').innerText.trim()"))

    async def steps(self) -> list[str]:
        """What the popup says was done, the oldest first, each with how it went."""
        rows = "[...document.querySelectorAll('#agent-steps li')].map((row) =>"
        rows: list[str] = await self.popup.evaluate(
            f"{rows} `${{row.querySelector('.mark').ariaLabel}}: ${{row.querySelector('code').textContent}}`)"
        )
        return rows[::-1]

    # --- the model ---

    @property
    def chat_url(self) -> str:
        return self.pages.url("/chat")

    async def next_message(self) -> str:
        """The next message that the model gets, without the lines around it."""
        self._message_count += 1
        await self.chat.until(
            f"globalThis.turns?.filter(({{mine}}) => mine).length >= {self._message_count} && Boolean(globalThis.reply)"
        )
        text = str(await self.chat.evaluate(f"turns.filter(({{mine}}) => mine)[{self._message_count - 1}].text"))
        first, _, rest = text.partition("\n")
        words, _, last = rest.rpartition("\n")
        assert last == first.replace("[", "[/"), text
        return words

    async def says(self, text: str) -> None:
        """The model answers; `[KEYWORD]` is that of the prompt."""
        await self.chat.until("Boolean(globalThis.reply)")
        await self.chat.evaluate(f"{{ const done = reply; globalThis.reply = null; done({json.dumps(text)}); }}")

    async def calls(self, action: str, **arguments: Any) -> str:
        """The model calls a tool; the message that answers it."""
        await self.says(f"Well.\n\n{tool_code(action, **arguments)}\n\n[KEYWORD]")
        return await self.next_message()


def tool_code(action: str, **arguments: Any) -> str:
    return f"<tool_code>{json.dumps({'action': action, **arguments})}</tool_code>"


@asynccontextmanager
async def chat_run(
    browser: ExtendedBrowser,
    pages: Pages,
    kind: str = "plain",
    settings: Mapping[str, Any] | None = None,
    **changes: Any,
) -> AsyncIterator[ChatRun]:
    """A chat in front, and the popup behind it. What a run has left open is closed at the end."""
    pages["/chat"] = chat_page(DEFERRED_REPLY, kind, **changes)
    popup = (await User.at(browser)).page
    worker = await browser.worker() if isinstance(browser, ExtendedBrowser) else None  # Firefox has errors of its own
    chat = await browser.open(pages.url("/chat"))
    before = await popup.evaluate("chrome.tabs.query({}).then((tabs) => tabs.map(({id}) => id))")
    await popup.until("document.querySelector('#agent').checkVisibility()")
    run = ChatRun(browser, worker, chat, popup, pages)
    defaults = {"tools": {}, "max_tabs": 3, "max_steps": 60, "redact": "values", "ask": True, "page_updates": 0}
    await run.set(**{**defaults, **(settings or {})})
    try:
        yield run
    finally:
        await _tidy(run, before)
    if worker is None:
        return
    assert worker.errors == []
    with suppress(OrynError):  # a test may have ended it
        await worker.detach()


async def _tidy(run: ChatRun, before: list[int]) -> None:
    if await run.popup.evaluate("document.querySelector('#agent-run').checkVisibility()"):
        await run.press("#agent-stop")
    await run.popup.until("!document.querySelector('#agent-run').checkVisibility()")
    for tab in await run.popup.call("tabs.query", {}):
        if tab["id"] not in before:
            await run.popup.call("tabs.remove", tab["id"])
    for page in (run.chat, run.popup):
        with suppress(TabNotFound):  # a test may have closed it
            await run.browser.close_tab(page)
