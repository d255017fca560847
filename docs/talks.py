"""Runs the talks of a page, which speaks for a model, in the demo shop: blocks that begin with ```` ```talk ````.

usage: python docs/talks.py PAGE…        Write the messages that are sent now into the pages.

A line `> {…}` is a command of the model, as in `<tool_code>`; `> …` any other is a response as it stands; the message
that follows it stands below. `…` stands for anything, as in the dialogues. One page is one conversation.
"""

from __future__ import annotations

import asyncio
import re
import runpy
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oryn.agent import Agent, TabTargets
from oryn.browsers.cdp import Headless
from oryn.demo.drive import USUAL_ADDRESS, at_address
from oryn.demo.server import Shop
from oryn.engine import Options, Session

_BLOCK = re.compile(r"^```talk\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)
_fits = runpy.run_path(str(Path(__file__).with_name("dialogues.py")))["_fits"]


def responses(text: str) -> list[str]:
    """What the model of a page says, in order."""
    return [said for block in _BLOCK.findall(text) for said, _ in _EXCHANGE.findall(block)]


def rewritten(text: str) -> str:
    """The page with the messages that are sent now."""
    messages = iter(asyncio.run(_messages(responses(text))))
    return _BLOCK.sub(lambda block: "```talk\n" + "\n".join(_exchanges(block[1], messages)) + "```", text)


def _exchanges(block: str, messages: Iterator[str]) -> Iterator[str]:
    for said, shown in _EXCHANGE.findall(block):
        message, shown = next(messages), shown.strip("\n")
        yield f"> {said}\n{shown if _fits(shown, message) else message}\n"


async def _messages(said: list[str]) -> list[str]:
    with Shop(0) as shop, tempfile.TemporaryDirectory() as folder:
        browser = Headless(runtime_dir=Path(folder))
        targets = TabTargets(browser, lambda tab: Session(tab, options=Options(timeout=30)))
        agent = Agent(
            "Put a Boston fern into the cart.",
            targets,
            saved={"Plant shop": at_address(f"http://{USUAL_ADDRESS}/", shop)},
            max_tabs=2,
            patience=0.5,
        )
        try:
            found = [await _message(agent, at_address(each, shop)) for each in said]
        finally:
            await agent.close()
            await browser.close()
    return [
        each.replace(f"localhost:{shop.port}", USUAL_ADDRESS).replace("0.5 seconds", "15 seconds") for each in found
    ]


async def _message(agent: Agent, said: str) -> str:
    if said.startswith("{"):
        said = f"<tool_code>{said}</tool_code>"
    turn = await agent.reply(f"{said}\n\n{agent.keyword}")
    return turn.message if turn.message is not None else f"({turn.outcome}: {turn.answer})"


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
