"""Runs the dialogues of a page against the demo shop in a real browser: blocks that begin with ```` ```oryn ````.

usage: python docs/dialogues.py PAGE…       Write the answers that are given now into the pages.

In an answer a line `…` stands for any lines; such an answer is kept as long as it fits. One page is one session.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oryn.demo.drive import USUAL_ADDRESS, at_address
from oryn.demo.server import Shop

_BLOCK = re.compile(r"^```oryn\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)
_TERMINATOR = re.compile(r"^---\n", re.MULTILINE)


def commands(text: str) -> list[str]:
    """The commands of all dialogues of a page."""
    return [command for block in _BLOCK.findall(text) for command, _ in _EXCHANGE.findall(block)]


def rewritten(text: str) -> str:
    """The page with the answers that its commands get now."""
    answers = iter(_answers(commands(text)))
    return _BLOCK.sub(lambda block: _rewritten_block(block[1], answers), text)


def _rewritten_block(block: str, answers: Iterator[str]) -> str:
    exchanges = []
    for command, shown in _EXCHANGE.findall(block):
        answer, shown = next(answers), shown.rstrip("\n")
        exchanges.append(f"> {command}\n{shown if _fits(shown, answer) else answer}\n")
    return "```oryn\n" + "\n".join(exchanges) + "```"


def _fits(shown: str, answer: str) -> bool:
    parts = [re.escape(part) for part in re.split(r"^…$", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?s:.*)".join(parts), answer) is not None


def _answers(lines: list[str]) -> list[str]:
    """What `oryn headless` answers, with the shop's address as the documentation has it."""
    with Shop(0) as shop, tempfile.TemporaryDirectory() as home:
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "headless"],
            input="".join(f"{at_address(line, shop)}\n" for line in lines),
            env={**os.environ, "ORYN_HOME": home}, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        told = ended.stdout.replace(f"localhost:{shop.port}", USUAL_ADDRESS)
    _, *answers, rest = _TERMINATOR.split(told)
    assert len(answers) == len(lines), rest
    return [answer.removesuffix("\n") for answer in answers]


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
