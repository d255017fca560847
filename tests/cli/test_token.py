"""`oryn token` as a user runs it: what it makes counts at a running daemon, until it is revoked."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.daemon_process import RunningDaemon


@pytest.fixture
def daemon(run: Any, tmp_path: Path) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path / "home")
    yield running
    run(running.stop())


async def token(daemon: RunningDaemon, *words: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "oryn", "token", *words],
        env={**os.environ, "ORYN_HOME": str(daemon.home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def status(daemon: RunningDaemon, secret: str) -> int:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        found = await client.get(f"{daemon.url}/status", headers={"Authorization": f"Bearer {secret}"})
    return found.status_code


async def test_a_token_from_its_making_to_its_end(daemon: RunningDaemon) -> None:
    words = ("--scope", "see", "--rate", "60", "--sessions", "2", "--domain", "example.org", "--expires", "30d")
    secret = (await token(daemon, "create", "ci", *words)).stdout.strip()
    assert secret.startswith("oryn_") and await status(daemon, secret) == 200
    printed = (await token(daemon, "list")).stdout
    assert "ci" in printed and "example.org" in printed and secret not in printed
    (row,) = json.loads((await token(daemon, "list", "--json")).stdout)
    assert (row["scopes"], row["rate"], row["sessions"], row["domains"]) == (["see"], 60, 2, ["example.org"])
    assert (await token(daemon, "revoke", "ci")).stdout == "revoked: ci\n"
    assert await status(daemon, secret) == 401
    again = await token(daemon, "revoke", "ci")
    assert again.returncode and "no token is called ci" in again.stderr
    audit = json.loads((await token(daemon, "audit", "--json")).stdout)
    assert [each["outcome"] for each in audit if each["subject"] == "ci"] == ["done", "done"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "text"),
    [(("owner",), "can't be called"), (("a", "--domain", "https://x"), "domains are hosts"),
     (("a", "--scope", "all"), "no scope"), (("a", "--expires", "soon"), "30d")],
)  # fmt: skip
async def test_mistakes_make_nothing(daemon: RunningDaemon, words: tuple[str, ...], text: str) -> None:
    refused = await token(daemon, "create", *words)
    assert refused.returncode and text in refused.stderr and "Nothing was created" in refused.stderr, refused.stderr
    assert json.loads((await token(daemon, "list", "--json")).stdout or "[]") == []
