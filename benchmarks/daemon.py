"""What `POST /command` adds to the engine's own time: the same lines in a session of this process and over HTTP in one
of a daemon, paired. At most 3 ms in the median. Its memory besides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks._host import FORM, OnePage
from benchmarks._session import headless_session, must, paired, row, run
from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

LINES = ("title", "observe", 'value "Name"', 'type "Name" "Ann"', 'click "More"')
ROUNDS = 60


class Asking:
    """One connection that stays open, as a client library has it."""

    def __init__(self, status: dict[str, Any], token: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", status["port"])
        self._status, self._token = status, token
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def another(self) -> Asking:
        """A connection besides."""
        return Asking(self._status, self._token)

    def ask(self, line: str, *, must: bool = True, session: str = "default") -> dict[str, Any]:
        self.connection.request("POST", "/command", json.dumps({"line": line, "session": session}), self.headers)
        response: dict[str, Any] = json.loads(self.connection.getresponse().read())
        if must and not response["ok"]:
            raise SystemExit(response["text"])
        return response


async def compare(page: OnePage, asking: Asking) -> None:
    async with headless_session() as session:
        row("line", "engine ms", "POST ms", "added ms")
        await must(session, f"goto {page.url}")
        asking.ask(f"goto {page.url}")
        for line in LINES:

            async def post(line: str = line) -> None:
                asking.ask(line)

            own, posted = await paired(lambda line=line: must(session, line), post, rounds=ROUNDS)  # type: ignore[misc]
            row(line, f"{own * 1000:.2f}", f"{posted * 1000:.2f}", f"{(posted - own) * 1000:.2f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as home, OnePage(FORM) as page:
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        oryn = [sys.executable, "-m", "oryn", "daemon"]
        subprocess.run([*oryn, "start"], check=True, stdout=subprocess.DEVNULL)
        daemon = DaemonClient(DaemonInstance(find()))
        try:
            status = daemon.status()
            token = Path(home, "data", "daemon", "token").read_text().strip()
            run(lambda: compare(page, Asking(status, token)))
            row("memory idle, MB", status["memory_mb"])
            row("memory after, MB", daemon.status()["memory_mb"])
        finally:
            subprocess.run([*oryn, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
