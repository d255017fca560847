"""The model of the documentation's agent examples: a script that receives the same messages as a real model."""

from __future__ import annotations

import json
import re
from typing import Any


def policy(messages: list[dict[str, Any]]) -> str:
    """The next reply."""
    prompt, last = messages[0]["content"], messages[-1]["content"]
    keyword = prompt.rpartition("keyword: ")[2].strip()
    received = "\n".join(each["content"] for each in messages if each["role"] == "user")
    if "cart" in prompt:
        words = _ordering(last, received)
    elif "eval" in prompt:
        words = _evaluating(last)
    else:
        words = _looking(received)
    return f"{words}\n\n{keyword}"


def _looking(received: str) -> str:
    price = re.search(r"Boston fern €(\d+)", received)
    return f"The Boston fern costs {price[1]} euros." if price else "I see no Boston fern."


def _ordering(last: str, received: str) -> str:
    if re.search(r"URL: \S+/cart", last):
        return "The fern is in the cart."
    for label in ("Add to cart", "Boston fern"):
        if number := re.search(rf'<\w+ id="(\d+)"[^\n]*>{label}', last):
            return _command(f"I click {label}.", action="click", id=int(number[1]))
    return "I am lost."


def _evaluating(last: str) -> str:
    if "said no" in last:
        return "Then I will not."
    return _command("I ask the page.", action="eval", script="document.title")


def _command(words: str, **what: Any) -> str:
    return f"{words}\n\n<tool_code>{json.dumps(what)}</tool_code>"
