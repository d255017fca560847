"""Text of pages, agents and files that took a daemon seconds or minutes, in which it answered nobody.

Each is so long that time which grows with its square would exceed the test's limit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

MAX_SECONDS = 30.0
"""For an attacked command, and for what others ask meanwhile, on a slow machine."""

ATTACKS: dict[str, tuple[str, str]] = {
    "backslashes of a page": (r"""eval "'\\\\'.repeat(300000)" """, "ok"),
    "spaces after a value's beginning": ("""eval "('correct' + ' '.repeat(60)).repeat(2000)" """, "ok"),
    "an open reference": ('text "{{vault:' + " " * 30_000 + '"', "element_not_found"),
    "an address for a pattern": ("""eval "fetch('/?' + 'a'.repeat(50000)).then(() => 1, () => 0)" """, "ok"),
    "a quoted word": ("state load FOLDER/quoted.curl", "file_error"),
    "brackets": ("state load FOLDER/brackets.json", "file_error"),
    "cookies": ("state load FOLDER/cookies.txt", "file_error"),
}


def write_states(folder: Path) -> None:
    (folder / "quoted.curl").write_text(f"curl '{'a' * 3_000_000}'")
    (folder / "brackets.json").write_text("[" * 20_000_000)
    rows = (f"example.org\tFALSE\t/\tFALSE\t0\tname{number}\tvalue" for number in range(100_000))
    (folder / "cookies.txt").write_text("\n".join(rows))


@pytest.mark.slow
@pytest.mark.browser
def test_nobody_waits_for_the_text_of_another_session(
    daemon_of: Callable[..., RunningDaemon], pages: Pages, run: Any, tmp_path: Path
) -> None:
    write_states(tmp_path)
    pages["/"] = "<label>Password <input type=password></label>"
    key = {"ORYN_VAULT": "file", "ORYN_VAULT_KEY": "0" * 64}
    daemon = daemon_of(**key)
    subprocess.run(
        [sys.executable, "-m", "oryn", "vault", "set", "shop.password"],
        input="correct horse",
        text=True,
        check=True,
        env=daemon_environment(daemon.home) | key,
    )

    async def attack() -> None:
        await daemon.ok(f"goto {pages.url()}", session="attacked")
        await daemon.ok('type "Password" "{{vault:shop.password}}"', session="attacked")
        await daemon.ok('intercept "*a*a*b*" --block', session="attacked")
        for name, (line, outcome) in ATTACKS.items():
            asking = asyncio.create_task(daemon.ask(line.replace("FOLDER", str(tmp_path)), session="attacked"))
            slowest = 0.0
            while not asking.done():
                start = time.monotonic()
                assert (await daemon.client.get("/healthz")).status_code == 200
                slowest = max(slowest, time.monotonic() - start)
            answer = await asking
            assert (answer.get("error_kind") or "ok") == outcome, f"{name}: {answer['text'][:300]}"
            assert slowest < MAX_SECONDS, name

    run(asyncio.wait_for(attack(), MAX_SECONDS * len(ATTACKS)))
