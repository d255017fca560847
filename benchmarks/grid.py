"""How long a session in a Selenium Grid takes, beside what the Grid itself takes.

usage: python -m benchmarks.grid [--rounds N]

* open: from the first command of a session to its answer, against a bare `POST /session`, as any client of the Grid
  sends it, and against one with the flags that Oryn gives its browsers, with which they start sooner;
* idle: a command after three times the Grid's idle time-out, against the same command without a pause.

`setup/grid.sh` installs what it needs."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import Request, urlopen

from oryn.browsers.chromium.launch import provided_arguments
from oryn.hosts.browser_factory import BrowserFactory
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system.paths import find
from scripts.fleet.grid import SeleniumGrid, running_grid

IDLE_SECONDS = 5.0


def bare_session(grid: SeleniumGrid, options: Mapping[str, Any]) -> float:
    """The seconds of a bare new session, which is ended again."""
    wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": dict(options)}}}
    headers = {"Content-Type": "application/json; charset=utf-8"}
    begun = time.perf_counter()
    with urlopen(Request(f"{grid.url}/session", json.dumps(wanted).encode(), headers), timeout=60) as answer:
        id = json.load(answer)["value"]["sessionId"]
    seconds = time.perf_counter() - begun
    urlopen(Request(f"{grid.url}/session/{id}", method="DELETE"), timeout=60).close()
    return seconds


async def command(sessions: Sessions, name: str, line: str) -> float:
    """The seconds of a command."""
    begun = time.perf_counter()
    answer = await sessions.execute_in(name, parse(line), {})
    if answer.error is not None:
        raise answer.error
    return time.perf_counter() - begun


async def measure(grid: SeleniumGrid, folder: Path, rounds: int) -> None:
    file = folder / "providers.toml"
    file.write_text(f'[[provider]]\nname = "farm"\nkind = "grid"\nurl = "{grid.url}"\n')
    configuration = load({"providers": str(file)}, find({"ORYN_HOME": str(folder / "home")}), {})
    browsers = BrowserFactory(configuration, backend="headless", keeps_connections=True)
    sessions = sessions_of(configuration, keep=True, browsers=browsers)
    arguments = provided_arguments(headful=False, viewport=(1280, 720), extra_args=())
    flags = {"args": list(arguments), "excludeSwitches": ["disable-popup-blocking"]}
    bare, flagged, opened = [], [], []
    for number in range(rounds + 1):
        own = [await asyncio.to_thread(bare_session, grid, options) for options in ({}, flags)]
        with_oryn = await command(sessions, f"s{number}", "tabs")
        await sessions.close_session(f"s{number}")
        if number:  # the first round warms the Grid up
            bare.append(own[0])
            flagged.append(own[1])
            opened.append(with_oryn)
    print(
        f"open: {median(opened):.2f} s; the Grid alone {median(bare):.2f} s: {median(opened) / median(bare):.2f}; "
        f"with Oryn's flags {median(flagged):.2f} s: {median(opened) / median(flagged):.2f}"
    )
    page = "data:text/html,<title>Page</title><button>Press</button>"
    await command(sessions, "idle", f"goto {page}")
    usual = [await command(sessions, "idle", 'click "Press"') for _ in range(rounds)]
    later = []
    for _ in range(rounds):
        await asyncio.sleep(3 * IDLE_SECONDS)  # what is measured is a pause
        later.append(await command(sessions, "idle", 'click "Press"'))
    print(
        f"after {3 * IDLE_SECONDS:g} s, three times the Grid's time-out: {median(later) * 1000:.0f} ms, "
        f"usually {median(usual) * 1000:.0f} ms: {median(later) / median(usual):.2f}"
    )
    await sessions.close()
    if browsers.providers is not None:
        await browsers.providers.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with running_grid(place / "grid", nodes=[2], session_timeout=IDLE_SECONDS) as grid:
            asyncio.run(measure(grid, place, rounds))


if __name__ == "__main__":
    main()
