"""The chat's scripts on pages that are made as real chats are: what they write, and what they take for an answer."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files
from typing import Any

import pytest

from oryn.errors import InvalidValue
from oryn.extension.agent.chat import SCRIPTS, OutgoingMessage, is_chat_site, is_web_url, site_for
from oryn.extension.agent.run import _has_lost_its_tags
from oryn.extension.agent.storage import AgentSettings
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.chat import KINDS, chat_page, replies
from tests.headless.conftest import Pages

KEYWORD = "[END:shop.example-chat.example-17953476851097]"
PROMPT = (
    'You are an agent.\n  Click: <tool_code>{"action": "click", "id": <number>}</tool_code>\n'
    f"{'word ' * 200}\nEnd EVERY response with this exact keyword: {KEYWORD}"
)
COMMAND = 'I will.\n\n<tool_code>{"action": "click", "id": 3}</tool_code>\n\n[KEYWORD]'
OLDER = 'So:\n\n```json\n{"tool": "x", "a_b": "c*d*"}\n```\n\n[KEYWORD]'


class ChatWorker:
    """The worker's part: says messages to the page in front, and hears what is answered."""

    def __init__(self, worker: Target, page: Target, tab: int) -> None:
        self.worker = worker
        self.page = page
        self.tab = tab
        self._last = ""

    async def say(self, number: int, words: str, **changes: Any) -> dict[str, Any]:
        """What the page's script says last of a message: `answer` or `failed`."""
        token = f"{number:08x}"
        said = OutgoingMessage(number, token, words, self._last)
        self._last = token
        site = {**site_for("https://chat.example/"), "settled_ms": 200, "quiet_ms": 600, "wait_ms": 3000, **changes}
        message = {"chat": "say", "run": "r", "keyword": KEYWORD, "site": site, "text": said.text, **said.values()}
        to = json.dumps([self.tab, message, {"frameId": 0}])
        await self.worker.evaluate(f"globalThis.said = [], chrome.tabs.sendMessage(...{to})")
        ended: dict[str, Any] = await self.worker.until(
            f"said.find(({{ chat, number }}) => number === {number} && (chat === 'answer' || chat === 'failed'))"
        )
        return {name: value for name, value in ended.items() if name not in ("run", "number")}


async def at(extension_browser: ExtendedBrowser, worker: Target, pages: Pages, html: str) -> ChatWorker:
    pages["/chat"] = html
    page = await extension_browser.open(pages.url("/chat"))
    [tab] = await worker.call("tabs.query", {"active": True, "url": pages.url("/chat")})
    await worker.call("scripting.executeScript", {"target": {"tabId": tab["id"]}, "files": list(SCRIPTS)})
    await worker.evaluate(
        "globalThis.hearing ??= chrome.runtime.onMessage.addListener((m) => { if (m.chat) said.push(m); }) ?? 1"
    )
    return ChatWorker(worker, page, tab["id"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_chat(extension_browser: ExtendedBrowser, worker: Target, pages: Pages, kind: str) -> None:
    chat = await at(extension_browser, worker, pages, chat_page(replies(COMMAND, OLDER), kind))
    answers = [
        await chat.say(number, words) for number, words in enumerate((PROMPT, "System Error: Element ID 3 not found."))
    ]
    assert [each["chat"] for each in answers] == ["answer", "answer"]
    assert answers[0]["text"] == COMMAND.replace("[KEYWORD]", KEYWORD)
    assert answers[1]["text"].replace("\n\n", "\n") == OLDER.replace("[KEYWORD]", KEYWORD).replace("\n\n", "\n")
    await extension_browser.close_tab(chat.page)


@pytest.mark.slow
async def test_an_answer_is_whole_before_it_is_told(
    extension_browser: ExtendedBrowser, worker: Target, pages: Pages
) -> None:
    early = f"I end with {KEYWORD}, as I was told, but first I think.\n\n{COMMAND}"
    chat = await at(extension_browser, worker, pages, chat_page(replies(early, "No keyword at all."), pieces=40))
    assert (await chat.say(0, PROMPT))["text"] == early.replace("[KEYWORD]", KEYWORD)
    assert await chat.say(1, "Go on.") == {"chat": "answer", "text": "No keyword at all."}
    await extension_browser.close_tab(chat.page)


@pytest.mark.slow
async def test_nothing_is_written_into_another_conversation(
    extension_browser: ExtendedBrowser, worker: Target, pages: Pages
) -> None:
    chat = await at(extension_browser, worker, pages, chat_page(replies(COMMAND, COMMAND)))
    await chat.say(0, PROMPT)
    await chat.page.evaluate("{ globalThis.kept = turns.splice(0); thread.replaceChildren(); }")
    saying = asyncio.create_task(chat.say(1, "Go on."))
    await worker.until("said.some(({ number, why }) => number === 1 && why === 'gone')")
    assert await chat.page.evaluate("[turns.length, box.value]") == [0, ""]
    await chat.page.evaluate("{ turns.push(...kept); draw(); }")
    assert (await saying)["text"] == COMMAND.replace("[KEYWORD]", KEYWORD)
    await extension_browser.close_tab(chat.page)


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<p>No chat</p>", "box"),
        ("<textarea maxlength=10 oninput='this.value = this.value.slice(0, 10)'></textarea>", "write"),
        ("<textarea></textarea><button>Send</button>", "send"),
    ],
)
async def test_pages_that_are_no_chats(
    extension_browser: ExtendedBrowser, worker: Target, pages: Pages, html: str, why: str
) -> None:
    chat = await at(extension_browser, worker, pages, html)
    assert await chat.say(0, PROMPT, wait_ms=500, ready_ms=200) == {"chat": "failed", "why": why}
    await extension_browser.close_tab(chat.page)


async def test_every_selector_of_the_data_can_be_read(
    extension_browser: ExtendedBrowser, worker: Target, pages: Pages
) -> None:
    chat = await at(extension_browser, worker, pages, "<textarea></textarea>")
    about = json.loads((files("oryn.extension") / "chats.json").read_text("utf-8"))
    for site in [about["generic"], *about["sites"]]:
        for name in {"box", "send", "stop", "message", "ignore"} & site.keys():
            await chat.page.evaluate(f"{json.dumps(site[name])}.map((selector) => document.querySelector(selector))")
    await extension_browser.close_tab(chat.page)


def test_sites() -> None:
    assert site_for("https://chatgpt.com/c/1")["box"] == ["#prompt-textarea"]
    assert site_for("https://evil-chatgpt.com/")["box"] == []
    assert is_chat_site("https://www.claude.ai/new") and not is_chat_site("https://claude.ai.evil.example/")
    assert is_web_url("http://localhost:3000/") and not is_web_url("chrome://settings")


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('Well.\n{"action": "click", "id": 3}\n[K]', True),
        ('<tool_code>{"action": "click", "id": 3}</tool_code>\n[K]', False),
        ('```json\n{"action": "click"}\n```\n[K]', False),
        ('It says {"price": 3}\n[K]', False),
        ('{"action": \n[K]', False),
        ("Done. [K]", False),
    ],
)
def test_commands_whose_tags_the_chat_has_taken(text: str, lost: bool) -> None:
    assert _has_lost_its_tags(text, "[K]") is lost


@pytest.mark.parametrize(
    "changes",
    [
        {"tools": {"A": "no address"}},
        {"tools": {"": "https://a.example"}},
        {"tools": {str(number): f"https://a.example/{'x' * 200}" for number in range(40)}},
        {"tools": ["A"]},
        {"max_tabs": 0},
        {"max_steps": True},
        {"redact": "some"},
        {"page_updates": -1},
        {"nothing": 1},
    ],
)
def test_settings_that_are_none(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        AgentSettings().changed(changes)
