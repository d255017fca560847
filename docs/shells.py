"""Runs the shell examples of a page against the demo shop: blocks that begin with ```` ```console ````.

usage: python docs/shells.py PAGE…       Write what is printed now into the pages.

A line `$ …` is given to a shell, and what it prints to either stream follows; `…` stands for anything, as in the
dialogues. One page is one user with one daemon, which the first command starts. Agents have a model of a script, at
`localhost:4790`.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from oryn.demo.drive import USUAL_ADDRESS, at_address
from oryn.demo.server import Shop

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
MODEL_ADDRESS = "localhost:4790"
_fits = runpy.run_path(str(Path(__file__).with_name("dialogues.py")))["_fits"]


def commands(text: str) -> list[str]:
    """The lines for the shell, in order."""
    return [command for block in _BLOCK.findall(text) for command, _ in _EXCHANGE.findall(block)]


def rewritten(text: str) -> str:
    """The page with what its commands print now."""
    printed = iter(_printed(commands(text)))
    return _BLOCK.sub(lambda block: f"```console\n{''.join(_exchanges(block[1], printed))}```", text)


def _exchanges(block: str, printed: Iterator[str]) -> Iterator[str]:
    for number, (command, shown) in enumerate(_EXCHANGE.findall(block)):
        told, shown = next(printed), shown.strip("\n")
        told = shown if _fits(shown, told) else told
        yield f"{chr(10) if number else ''}$ {command}\n{told}\n" if told else f"$ {command}\n"


def _printed(lines: list[str]) -> list[str]:
    with Shop(0) as shop, _model() as model, tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        shim = home / "bin" / "oryn"
        shim.parent.mkdir()
        if (program := Path(sys.executable).with_name("oryn")).exists():
            shim.symlink_to(program)
        else:
            shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m oryn "$@"\n')
            shim.chmod(0o700)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
        environment = {
            **inherited,
            "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HOME": folder,
            "ORYN_HOME": str(home / ".oryn"),
            "ORYN_PORT": "0",
            "NO_COLOR": "1",
        }

        def run(line: str) -> str:
            line = at_address(line, shop).replace(MODEL_ADDRESS, f"localhost:{model.port}")
            ended = subprocess.run(
                ["sh", "-c", line], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
            )  # fmt: skip
            told = ended.stdout.replace(f"localhost:{shop.port}", USUAL_ADDRESS)
            return told.replace(f"localhost:{model.port}", MODEL_ADDRESS).replace(str(home), "/home/ann").strip("\n")

        try:
            return [run(line) for line in lines]
        finally:
            run("oryn daemon stop")


def _model() -> AbstractContextManager[Any]:
    """The model that the agents of a page ask."""
    sys.path.append(str(Path(__file__).parent.parent))
    from scripts.scripted_endpoint import Endpoint

    policy = runpy.run_path(str(Path(__file__).with_name("model.py")))["policy"]
    return Endpoint(policy)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
