"""A real daemon process with a home of its own, and what tests ask of it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

import oryn

START_SECONDS = 60.0
END_SECONDS = 30.0


class RunningDaemon:
    """`oryn daemon serve` on a free port, ready when it is made. `environment` has settings (`ORYN_…`) besides."""

    def __init__(self, home: Path, environment: Mapping[str, str] | None = None, umask: int = -1) -> None:
        self.home = home
        self.umask = umask
        self.environment = dict(environment or {})
        self.process: subprocess.Popen[bytes]
        self.client: httpx.AsyncClient
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start it, again, and wait until it listens."""
        self.home.mkdir(parents=True, exist_ok=True)
        ready, theirs = os.pipe()
        with (self.home / "stderr.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "oryn", "daemon", "serve"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs],
                umask=self.umask,
                env=daemon_environment(self.home) | {"ORYN_READY_FD": str(theirs)} | self.environment,
            )
        os.close(theirs)
        with os.fdopen(ready, "rb") as stream:
            told = select.select([stream], [], [], START_SECONDS)[0] and stream.readline()
        assert told, f"the daemon did not start: {self.log()}"
        self.port = int(told)
        headers = {"Authorization": f"Bearer {self.token}"}
        self.client = httpx.AsyncClient(base_url=self.url, headers=headers, timeout=120, trust_env=False, verify=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.home / "data" / "daemon" / "token").read_text().strip()

    @property
    def person_key(self) -> str:
        return (self.home / "data" / "daemon" / "person-key").read_text().strip()

    @property
    def about(self) -> dict[str, Any]:
        """What it says of itself in `daemon.json`."""
        about: dict[str, Any] = json.loads((self.home / "run" / "daemon.json").read_text())
        return about

    def log(self) -> str:
        return (self.home / "stderr.log").read_text(errors="replace")

    def rows(self) -> list[dict[str, Any]]:
        """The history's file, every row of which is whole."""
        file = self.home / "data" / "daemon" / "actions.jsonl"
        return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []

    # --- asking ---

    async def ask(self, what: str | dict[str, Any], **envelope: Any) -> dict[str, Any]:
        """The response to a line, or to an envelope."""
        request = {"line": what} if isinstance(what, str) else what
        response = await self.client.post("/command", json={**request, **envelope})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def approve(self, id: str, **envelope: Any) -> dict[str, Any]:
        """The response to a person's yes."""
        request = {"action": "confirm", "args": {"id": id}, **envelope}
        response = await self.client.post("/command", json=request, headers={"Sec-Oryn-Person": self.person_key})
        answer: dict[str, Any] = response.json()
        return answer

    async def ok(self, what: str | dict[str, Any], **envelope: Any) -> dict[str, Any]:
        answer = await self.ask(what, **envelope)
        assert answer["ok"], answer["text"]
        return answer

    async def status(self) -> dict[str, Any]:
        answer: dict[str, Any] = (await self.client.get("/status")).json()
        return answer

    async def wait_until_saved(self, *names: str) -> None:
        """Wait until these sessions would come back with a page if the daemon died now."""
        async with asyncio.timeout(END_SECONDS):
            while not set(names) <= self._is_saved():
                await asyncio.to_thread(time.sleep, 0.05)  # nothing tells of a file that is replaced

    def _is_saved(self) -> set[str]:
        file = self.home / "data" / "daemon" / "sessions.json"
        sessions = json.loads(file.read_text())["sessions"] if file.exists() else {}
        return {name for name, about in sessions.items() if about["last_url"] != "about:blank"}

    # --- ending ---

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    async def ending(self) -> None:
        """Have it end, and wait until it takes no more commands; what is under way keeps it for two seconds."""
        self.signal(signal.SIGTERM)
        async with asyncio.timeout(END_SECONDS):
            while (self.home / "run" / "daemon.json").exists():
                await asyncio.to_thread(time.sleep, 0.01)  # nothing tells of a file that goes

    async def ended(self) -> int:
        """Its exit code, when it has ended by itself."""
        code = await asyncio.to_thread(self.process.wait, END_SECONDS)
        await self.client.aclose()
        return code

    async def stop(self) -> int:
        """End it in good order, if it still runs; the exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return await self.ended()

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.ended()

    def processes(self) -> list[int]:
        """Browsers of this daemon and all that they started, whoever is their parent by now."""
        return processes_of(self.home)

    async def no_process(self) -> None:
        """Wait until nothing is left of its browsers."""
        async with asyncio.timeout(END_SECONDS):
            while left := self.processes():
                await asyncio.to_thread(wait_for_end, left)


def daemon_environment(home: Path) -> dict[str, str]:
    """The environment of a process whose files are in `home`, with no settings of the user's own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
    source = str(Path(oryn.__file__).parents[1])
    return inherited | {"PYTHONPATH": source, "ORYN_HOME": str(home), "ORYN_PORT": "0"}


def wait_for_end(processes: Iterable[int]) -> None:
    """Wait until these have ended, whose children they may be. https://man7.org/linux/man-pages/man2/pidfd_open.2.html"""
    for process in processes:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(process)
            try:
                assert select.select([descriptor], [], [], END_SECONDS)[0], f"process {process} does not end"
            finally:
                os.close(descriptor)


def processes_of(home: Path) -> list[int]:
    """Living processes that name a folder of running browsers below `home`, on their command line or in their
    environment."""
    mark = f"{home}/run/browser-".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and any(mark in _read(entry / name) for name in ("cmdline", "environ")):
            found.append(int(entry.name))
    return found


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it has ended
        return b""
