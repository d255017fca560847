"""Runs the agent examples of a page in the demo shop, in place of a model: blocks that begin with ```` ```talk ````.

usage: python -m scripts.docs.agent_examples PAGE…        Write the current messages into the pages.

A line `> {…}` is a command of the model, as in `<tool_code>`; any other `> …` is a complete response. The message that
the model receives follows; `…` matches anything, as in `command_examples`. One page is one conversation.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oryn.agent import Agent, BrowserTabProvider
from oryn.browsers.chromium import ChromiumBrowser
from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from oryn.engine import Options, Session
from scripts.docs.command_examples import matches

_BLOCK = re.compile(r"^```talk\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)


def responses(text: str) -> list[str]:
    """The responses of the model on a page, in order."""
    return [response for block in _BLOCK.findall(text) for response, _ in _EXCHANGE.findall(block)]


def with_current_messages(text: str) -> str:
    """The page with the messages that the agent sends now."""
    messages = iter(asyncio.run(_messages(responses(text))))
    return _BLOCK.sub(lambda block: "```talk\n" + "\n".join(_exchanges(block[1], messages)) + "```", text)


def _exchanges(block: str, messages: Iterator[str]) -> Iterator[str]:
    for response, expected in _EXCHANGE.findall(block):
        message, expected = next(messages), expected.strip("\n")
        yield f"> {response}\n{expected if matches(expected, message) else message}\n"


async def _messages(responses: list[str]) -> list[str]:
    with Shop(0) as shop, tempfile.TemporaryDirectory() as folder:
        browser = ChromiumBrowser(runtime_dir=Path(folder))
        targets = BrowserTabProvider(browser, lambda tab: Session(tab, options=Options(timeout=30)))
        agent = Agent(
            "Put a Boston fern into the cart.",
            targets,
            saved={"Plant shop": with_address_of(f"http://{DEFAULT_ADDRESS}/", shop)},
            max_tabs=2,
            patience=0.5,
        )
        try:
            found = [await _message(agent, with_address_of(each, shop)) for each in responses]
        finally:
            await agent.close()
            await browser.close()
    return [
        each.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS).replace("0.5 seconds", "15 seconds") for each in found
    ]


async def _message(agent: Agent, response: str) -> str:
    if response.startswith("{"):
        response = f"<tool_code>{response}</tool_code>"
    turn = await agent.reply(f"{response}\n\n{agent.keyword}")
    return turn.message if turn.message is not None else f"({turn.outcome}: {turn.answer})"


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_current_messages(page.read_text("utf-8")), "utf-8")
