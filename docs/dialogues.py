"""Runs the dialogues of a page against the demo shop in a real browser: blocks that begin with ```` ```oryn ````.

usage: python docs/dialogues.py PAGE…       Write the answers that are given now into the pages.

In an answer a line `…` stands for any lines, and `…` within a line for any part of it; such an answer is kept as long
as it fits. One page is one session; ```` ```oryn new ```` begins another, and so does what follows an `exit`. Options
of the host stand behind `new`: ```` ```oryn new --read-only ````.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from oryn import paths
from oryn.demo.drive import USUAL_ADDRESS, at_address
from oryn.demo.server import Shop
from oryn.demo.visits import ACCOUNTS
from oryn.vault import Vault

FILES = Path(__file__).parent / "reference" / "files"
"""What the dialogues find in their home folder."""
HOME = "/home/ann"
"""What the documentation calls that folder."""

_BLOCK = re.compile(r"^```oryn( new[^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)
_TERMINATOR = re.compile(r"^---\n", re.MULTILINE)
_ANYTHING = {"\n…\n": "(?s:\n.*\n|\n)", "…": "[^\n]*"}


def commands(text: str) -> list[list[str]]:
    """The commands of each session of a page."""
    return [lines for _, lines in _sessions(text)]


def _sessions(text: str) -> list[tuple[list[str], list[str]]]:
    """The options and the commands of each session of a page."""
    sessions: list[tuple[list[str], list[str]]] = []
    for new, block in _BLOCK.findall(text):
        if new or not sessions or sessions[-1][1][-1:] == ["exit"]:
            sessions.append((new.split()[1:], []))
        sessions[-1][1].extend(command for command, _ in _EXCHANGE.findall(block))
    return sessions


def questions(text: str) -> str:
    """The page without the answers."""
    return _BLOCK.sub(lambda block: re.sub(r"^(?!> |```).*\n", "", block[0], flags=re.MULTILINE), text)


def answered_as(text: str, before: str) -> str:
    """The page with the answers that blocks of the same commands had before, but for those that it has itself."""
    known: dict[str, list[str]] = {}
    for block in _BLOCK.finditer(before):
        known.setdefault(questions(block[0]), []).append(block[0])

    def answered(block: re.Match[str]) -> str:
        found = known.get(questions(block[0]))
        if not found:
            return block[0]
        pairs = zip(_EXCHANGE.findall(block[0]), _EXCHANGE.findall(found.pop(0)), strict=True)
        told = [(command, (own.strip("\n") or kept.strip("\n"))) for (command, own), (_, kept) in pairs]
        exchanges = (f"> {command}\n{answer}\n" for command, answer in told)
        return f"```oryn{block[1] or ''}\n" + "\n".join(exchanges) + "```"

    return _BLOCK.sub(answered, text)


def rewritten(text: str) -> str:
    """The page with the answers that its commands get now."""
    answers = iter([answer for options, lines in _sessions(text) for answer in _answers(lines, options)])
    return _BLOCK.sub(lambda block: _rewritten_block(block, answers), text)


def _rewritten_block(block: re.Match[str], answers: Iterator[str]) -> str:
    exchanges = []
    for command, shown in _EXCHANGE.findall(block[2]):
        answer, shown = next(answers), shown.strip("\n")
        exchanges.append(f"> {command}\n{shown if _fits(shown, answer) else answer}\n")
    return f"```oryn{block[1] or ''}\n" + "\n".join(exchanges) + "```"


def _fits(shown: str, answer: str) -> bool:
    parts = re.split(r"(\n…\n|…)", f"\n{shown}\n")
    pattern = "".join(_ANYTHING.get(part) or re.escape(part) for part in parts)
    return re.fullmatch(pattern, f"\n{answer}\n") is not None


def _answers(lines: list[str], options: list[str]) -> list[str]:
    """What `oryn headless` answers with these options, with the shop's address and the home folder as the documentation
    has them."""
    with Shop(0) as shop, tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        shutil.copytree(FILES, home, dirs_exist_ok=True)
        environment = {**os.environ, "ORYN_HOME": str(home / ".oryn"), "ORYN_VAULT_KEY": "of the documentation"}
        if any("{{vault:" in line for line in lines):
            _store_login(shop, environment)
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "headless", *options],
            input="".join(f"{at_address(line, shop).replace(HOME, str(home))}\n" for line in lines),
            cwd=home, env=environment,
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
        told = ended.stdout.replace(f"localhost:{shop.port}", USUAL_ADDRESS).replace(str(home), HOME)
    _, *answers, rest = _TERMINATOR.split(told)
    assert len(answers) == len(lines), rest
    return [answer.removesuffix("\n") for answer in answers]


def _store_login(shop: Shop, environment: Mapping[str, str]) -> None:
    """Put what the shop's first visitor signs in with into the vault, as a user of it would have."""
    vault = Vault(paths.find(environment), environment=environment)
    email, (_, password) = next(iter(ACCOUNTS.items()))
    for field, value in (("user", email), ("password", password)):
        vault.store(f"shop.{field}", value, [f"http://localhost:{shop.port}"])
    vault.store("bank.pin", "3141", ["https://bank.example"])


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
