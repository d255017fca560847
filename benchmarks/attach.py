"""A browser with 20 tabs and three logins before and after a session that was attached to it: 200 commands, a killed
daemon, and a closed session. And the time from `oryn attach` to its answer, with a daemon and without.

usage: python -m benchmarks.attach"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import time

from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find
from scripts.users_browser import SITES, BrowserLook, UsersBrowser, users_browser

TABS = 20
COMMANDS = 200
STARTS = 5
GUARD_SECONDS = 5.0
"""How long after a kill the session's tabs may be there."""


def main() -> int:
    with users_browser(TABS) as browser:
        start = browser.look()
        cold, warm = [], []
        for _ in range(STARTS):
            cold.append(attach(browser))
            browser.oryn("--session", "attached", "close")
            warm.append(attach(browser))
            browser.oryn("--session", "attached", "close")
            browser.oryn("daemon", "stop")
        figure("attach, daemon not running", f"{statistics.median(cold):.2f} s")
        figure("attach, daemon running", f"{statistics.median(warm):.2f} s")
        attach(browser)
        rows = browser.oryn("--session", "attached", "tabs").splitlines()
        listed = sum(".localhost" in row for row in rows)
        figure("tabs of the user listed", f"{listed} of {TABS}")
        touched, failed = commands(browser, set(start.tabs))
        figure("commands", f"{COMMANDS}, {failed} failed")
        figure("tabs of the user attached meanwhile", str(len(touched)))
        os.kill(daemon_process(browser), signal.SIGKILL)
        killed = time.monotonic()
        while set(browser.tabs()) != set(start.tabs) and time.monotonic() < killed + GUARD_SECONDS:
            pass
        figure("killed: the session's tabs are closed after", f"{time.monotonic() - killed:.2f} s")
        report("after kill -9", browser, start)
        attach(browser)
        logins = [
            browser.oryn("--session", "attached", "goto", f"http://{site}:{browser.site_port}/again")
            and browser.oryn("--session", "attached", "text")
            for site in SITES
        ]
        seen = sum("Ann at" in each for each in logins)
        figure("logins seen", f"{seen} of {len(SITES)}")
        browser.oryn("--session", "attached", "close")
        differences = report("after close", browser, start)
        return int(bool(differences or touched or failed or seen != len(SITES) or listed != TABS))


def figure(what: str, value: str) -> None:
    print(f"{what:45} {value}", flush=True)


def attach(browser: UsersBrowser) -> float:
    """Attach; the seconds that it has taken."""
    begun = time.monotonic()
    browser.oryn("attach", "chromium")
    return time.monotonic() - begun


def commands(browser: UsersBrowser, users: set[str]) -> tuple[set[str], int]:
    """Run commands in tabs of the session. Returns the user's tabs that were attached, and how many have failed."""
    lines = [
        f"goto http://{SITES[0]}:{browser.site_port}/work",
        "observe",
        'click "Do it"',
        "text",
        "cookies list",
        "tabs",
        f"tab new http://{SITES[1]}:{browser.site_port}/more",
        "frames",
        "tab close",
        "url",
    ]
    os.environ.update({name: value for name, value in browser.environment.items() if name.startswith("ORYN_")})
    client = DaemonClient(DaemonInstance(find()))
    touched: set[str] = set()
    failed = 0
    for number in range(COMMANDS - 1):
        line = lines[number % len(lines)]
        answer = client.command({"line": line, "session": "attached"})
        if not answer["ok"]:
            failed += 1
            print(line, answer["text"], file=sys.stderr)
        touched |= users & set(browser.attached())
    client.command({"line": lines[0], "session": "attached"})
    return touched, failed


def daemon_process(browser: UsersBrowser) -> int:
    return int(DaemonClient(DaemonInstance(find())).status()["pid"])


def report(when: str, browser: UsersBrowser, start: BrowserLook) -> list[str]:
    found = start.differences(browser.look())
    figure(f"differences {when}", str(len(found)))
    for each in found:
        print(f"  {each}")
    return found


if __name__ == "__main__":
    sys.exit(main())
