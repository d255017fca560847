"""Runs the shell examples of a page against the demo shop: blocks that begin with ```` ```console ````.

usage: python -m scripts.docs.shell_examples PAGE…       Write the current output into the pages.

A line `$ …` runs in a shell, and its output on both streams follows; `…` matches anything, as in `command_examples`.
All blocks of a page belong to one user with one daemon, which the first command starts. Agents use a scripted model at
`localhost:4790`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from scripts.docs.command_examples import SETTINGS, matches
from scripts.docs.scripted_model import policy
from scripts.scripted_endpoint import Endpoint

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXCHANGE = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
MODEL_ADDRESS = "localhost:4790"


def commands(text: str) -> list[str]:
    """The shell lines of a page, in order."""
    return [command for block in _BLOCK.findall(text) for command, _ in _EXCHANGE.findall(block)]


def with_current_output(text: str) -> str:
    """The page with what its commands print now."""
    outputs = iter(_outputs_of(commands(text)))
    return _BLOCK.sub(lambda block: f"```console\n{''.join(_exchanges(block[1], outputs))}```", text)


def _exchanges(block: str, outputs: Iterator[str]) -> Iterator[str]:
    for number, (command, expected) in enumerate(_EXCHANGE.findall(block)):
        output, expected = next(outputs), expected.strip("\n")
        output = expected if matches(expected, output) else output
        yield f"{chr(10) if number else ''}$ {command}\n{output}\n" if output else f"$ {command}\n"


def _outputs_of(lines: list[str]) -> list[str]:
    with Shop(0) as shop, Endpoint(policy) as model, tempfile.TemporaryDirectory() as folder:
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
            **SETTINGS,
            "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HOME": folder,
            "ORYN_HOME": str(home / ".oryn"),
            "ORYN_PORT": "0",
            "NO_COLOR": "1",
        }

        def run(line: str) -> str:
            line = with_address_of(line, shop).replace(MODEL_ADDRESS, f"localhost:{model.port}")
            ended = subprocess.run(
                ["sh", "-c", line], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
            )  # fmt: skip
            output = ended.stdout.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS)
            return output.replace(f"localhost:{model.port}", MODEL_ADDRESS).replace(str(home), "/home/ann").strip("\n")

        try:
            return [run(line) for line in lines]
        finally:
            run("oryn daemon stop")


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_current_output(page.read_text("utf-8")), "utf-8")
