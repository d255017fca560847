"""The program in docs/mcp.md prints what the page says."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.demo.server import DEFAULT_ADDRESS, Shop, with_address_of
from scripts.docs.command_examples import matches
from tests.daemon.daemon_process import daemon_environment

PAGE = Path(__file__).parent.parent.parent / "docs" / "mcp.md"


@pytest.mark.slow
@pytest.mark.browser
async def test_the_client_of_the_page_prints_what_it_says(tmp_path: Path) -> None:
    text = await asyncio.to_thread(PAGE.read_text, "utf-8")
    ((program, said),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    shim = tmp_path / "bin" / "oryn"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m oryn "$@"\n')
    shim.chmod(0o700)
    environment = daemon_environment(tmp_path)
    environment["PATH"] = f"{shim.parent}{os.pathsep}{environment['PATH']}"
    # The official client gives a server few of its variables: the rest goes through the shell.
    names = ("PYTHONPATH", "ORYN_HOME")
    given = "".join(f"export {name}={shlex.quote(environment[name])}\n" for name in names)
    shim.write_text(shim.read_text().replace("\nexec", f"\n{given}exec"))
    with Shop(0) as shop:
        ended = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", with_address_of(program, shop)],
            env=environment, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
        printed = ended.stdout.replace(f"localhost:{shop.port}", DEFAULT_ADDRESS)
    assert ended.returncode == 0, ended.stderr
    assert matches(said.strip("\n"), printed.strip("\n")), printed
