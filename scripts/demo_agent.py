"""`make demo-agent`: a chat model buys a fern in the demo's shop, through `oryn agent`, and the transcript is printed.

usage: python -m scripts.demo_agent [FOLDER]      The transcript and its page are kept there (default: build).

The model is a script behind a server that speaks OpenAI's chat completions: it has steps in mind, and finds the numbers
of elements in what it is shown, as any model would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from oryn.demo.server import open_shop
from scripts.scripted_endpoint import MODEL, Endpoint, Messages

GOAL = "Buy two Boston ferns, wrapped as a gift, delivered on Saturday."
SHOP = "Fernhill"

_ELEMENT = re.compile(r'^<\w[\w-]* id="(\d+)"((?: [a-z]+="[^"]*")*)>(.*?)(?:</[\w-]+>)?$', re.MULTILINE)
_ORDERED = re.compile(r"^\| (Order \d+ comes .*)$", re.MULTILINE)

Step = tuple[str, dict[str, Any]]
"""What the model says, and its command. `"id"` is what the element is called."""

STEPS: tuple[Step, ...] = (
    ("I'll open the shop.", {"action": "open_tool", "name": SHOP}),
    ("There is a cookie banner in the way.", {"action": "click", "id": "Only what is needed"}),
    ("Now I look for ferns.", {"action": "type", "id": "Search plants", "value": "fern"}),
    ("", {"action": "click", "id": "Search"}),
    ("The Boston fern is among the results.", {"action": "click", "id": "Boston fern"}),
    ("One more of them makes two.", {"action": "click", "id": "More"}),
    ("", {"action": "click", "id": "Add to cart"}),
    ("Both are in the cart.", {"action": "click", "id": "Check out"}),
    ("A dialog asks about the delivery.", {"action": "select", "id": "Deliver", "value": "On Saturday"}),
    ("", {"action": "check", "id": "Wrap it as a gift"}),
    ("That is what was wanted.", {"action": "click", "id": "Place order"}),
    ("I read what the shop says to it.", {"action": "text"}),
)


def model(messages: Messages) -> str:
    """The next reply, by how many the model has given already."""
    keyword = str(messages[0]["content"]).rpartition("keyword: ")[2].strip()
    number = sum(each["role"] == "assistant" for each in messages)
    told = [str(each["content"]) for each in messages if each["role"] == "user"]
    if number == len(STEPS):
        said = _end(told[-1])
    else:
        words, command = STEPS[number]
        said = _step(words, command, told)
    return f"{said}\n\n{keyword}"


def _step(words: str, command: dict[str, Any], told: list[str]) -> str:
    if "id" in command:
        command = command | {"id": _number(command["id"], told)}
    return f"{words}\n\n<tool_code>{json.dumps(command)}</tool_code>".strip()


def _number(name: str, told: list[str]) -> int | None:
    """The number of the first element of that name in the last snapshot that has one."""
    for message in reversed(told):
        if found := next((number for number, names in _elements(message) if name in names), None):
            return found
    return None


def _elements(message: str) -> Iterator[tuple[int, set[str]]]:
    for number, attributes, text in _ELEMENT.findall(message):
        names = [text, *re.findall(r' (?:label|placeholder)="([^"]*)"', attributes)]
        yield int(number), {re.sub(r" €\d+$", "", unescape(name)) for name in names}


def _end(told: str) -> str:
    ordered = _ORDERED.search(told)
    return f"Done: {ordered[1]}" if ordered else "I could not place the order."


def main(folder: Path) -> int:
    transcript = folder / "demo-agent.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    transcript.unlink(missing_ok=True)
    with open_shop() as shop, Endpoint(model) as endpoint, tempfile.TemporaryDirectory() as home:
        given = {
            "--model": MODEL,
            "--endpoint": endpoint.url,
            "--tool": f"{SHOP}={shop.url}",
            "--transcript": transcript,
        }
        options = [str(part) for option in given.items() for part in option]
        print(f"The shop is at {shop.url}, the model at {endpoint.url}.\n\n{GOAL}\n", flush=True)
        environment = {**os.environ, "ORYN_HOME": home}
        ended = subprocess.run([sys.executable, "-m", "oryn", "agent", GOAL, *options], env=environment, check=False)
        ordered = endpoint.requests and _ORDERED.search(endpoint.requests[-1].last)
    return ended.returncode or (0 if ordered else 1)


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:]) if sys.argv[1:] else Path("build")))
