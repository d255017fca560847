"""Runs the command examples of a page on the demo shop in a real browser: blocks that begin with ```` ```oryn ````.

usage: python -m scripts.docs.command_examples PAGE…       Write the current answers into the pages.

A line `> …` is a command, its answer follows. In an answer a line `…` matches any lines, and `…` within a line any part
of it; an answer that matches stays as it is. All blocks of a page run in one session; ```` ```oryn new ```` starts
another, and so does a block after an `exit`. Options of the host follow `new`: ```` ```oryn new --read-only ````.
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

from oryn.demo.models import ACCOUNTS
from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from oryn.system import paths
from oryn.vault import Vault

FILES = Path(__file__).parents[2] / "docs" / "reference" / "files"
"""The content of the home folder in which the examples run."""
HOME = "/home/ann"
"""The name of that folder in the documentation."""
SETTINGS = {"ORYN_SETTLE_LIMIT": "30"}
"""Variables for the settings of the sessions: on a slow machine the examples print the same."""

_BLOCK = re.compile(r"^```oryn( new[^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^> (.*)\n((?:(?!> ).*\n)*)", re.MULTILINE)
_TERMINATOR = re.compile(r"^---\n", re.MULTILINE)
_WILDCARDS = {"\n…\n": "(?s:\n.*\n|\n)", "…": "[^\n]*"}


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


def without_answers(text: str) -> str:
    """The page with the commands of its examples only."""
    return _BLOCK.sub(lambda block: re.sub(r"^(?!> |```).*\n", "", block[0], flags=re.MULTILINE), text)


def with_answers_of(text: str, before: str) -> str:
    """The page with the answers that `before` has for blocks of the same commands. Answers of `text` itself win."""
    previous: dict[str, list[str]] = {}
    for block in _BLOCK.finditer(before):
        previous.setdefault(without_answers(block[0]), []).append(block[0])

    def with_answers(block: re.Match[str]) -> str:
        found = previous.get(without_answers(block[0]))
        if not found:
            return block[0]
        pairs = zip(_EXCHANGE.findall(block[0]), _EXCHANGE.findall(found.pop(0)), strict=True)
        answers = [(command, (own.strip("\n") or old.strip("\n"))) for (command, own), (_, old) in pairs]
        exchanges = (f"> {command}\n{answer}\n" for command, answer in answers)
        return f"```oryn{block[1] or ''}\n" + "\n".join(exchanges) + "```"

    return _BLOCK.sub(with_answers, text)


def with_current_answers(text: str) -> str:
    """The page with the answers that its commands get now."""
    current = iter([answer for options, lines in _sessions(text) for answer in answers_to(lines, options)])
    return _BLOCK.sub(lambda block: _updated_block(block, current), text)


def _updated_block(block: re.Match[str], answers: Iterator[str]) -> str:
    exchanges = []
    for command, expected in _EXCHANGE.findall(block[2]):
        answer, expected = next(answers), expected.strip("\n")
        exchanges.append(f"> {command}\n{expected if matches(expected, answer) else answer}\n")
    return f"```oryn{block[1] or ''}\n" + "\n".join(exchanges) + "```"


def matches(expected: str, answer: str) -> bool:
    """Whether an answer matches the one on a page, in which `…` matches anything."""
    parts = re.split(r"(\n…\n|…)", f"\n{expected}\n")
    pattern = "".join(_WILDCARDS.get(part) or re.escape(part) for part in parts)
    return re.fullmatch(pattern, f"\n{answer}\n") is not None


def answers_to(lines: list[str], options: list[str]) -> list[str]:
    """The answers of `oryn headless` with these options, with the address and the home folder of the documentation."""
    with Shop(0) as shop, tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        shutil.copytree(FILES, home, dirs_exist_ok=True)
        environment = {
            **os.environ,
            **SETTINGS,
            "ORYN_HOME": str(home / ".oryn"),
            "ORYN_VAULT_KEY": "of the documentation",
        }
        if any("{{vault:" in line for line in lines):
            _store_login(shop, environment)
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "headless", *options],
            input="".join(f"{with_address_of(line, shop).replace(HOME, str(home))}\n" for line in lines),
            cwd=home, env=environment,
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
        output = ended.stdout.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS).replace(str(home), HOME)
    _, *answers, rest = _TERMINATOR.split(output)
    assert len(answers) == len(lines), rest
    return [answer.removesuffix("\n") for answer in answers]


def _store_login(shop: Shop, environment: Mapping[str, str]) -> None:
    """Store the login of the shop's first customer in the vault, as a user would."""
    vault = Vault(paths.find(environment), environment=environment)
    email, (_, password) = next(iter(ACCOUNTS.items()))
    for field, value in (("user", email), ("password", password)):
        vault.store(f"shop.{field}", value, [f"http://localhost:{shop.port}"])
    vault.store("bank.pin", "3141", ["https://bank.example"])


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_current_answers(page.read_text("utf-8")), "utf-8")
