"""Daemons of one fleet as processes of this machine: each with its own folders, and with the token of all."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oryn
from oryn.settings import SETTINGS
from oryn.system.daemon_paths import TOKEN_FILE
from oryn.system.paths import find, write_private
from scripts.ports import free_port

START_SECONDS = 60.0
END_SECONDS = 30.0


class FleetDaemon:
    """`oryn daemon serve` at a port that stays the same when it is started again.

    name: its name in the fleet, and of its folder.
    token: the owner's, which all daemons of the fleet have.
    settings: values by the names of settings, besides its name and address."""

    def __init__(self, name: str, folder: Path, token: str, settings: Mapping[str, str]) -> None:
        self.name = name
        self.home = folder / name
        self.home.mkdir(mode=0o700)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        own = {"port": str(self.port), "daemon_name": name, "advertise": self.url, "idle_stop": "1439m"}
        inherited = {each: value for each, value in os.environ.items() if not each.startswith("ORYN_")}
        self._environment = {
            **inherited,
            "PYTHONPATH": str(Path(oryn.__file__).parents[1]),
            "ORYN_HOME": str(self.home),
            **{SETTINGS[each].environment: value for each, value in {**own, **settings}.items()},
        }
        self.paths = find({"ORYN_HOME": str(self.home)})
        write_private(self.paths.daemon / TOKEN_FILE, f"{token}\n")

    @property
    def pid(self) -> int | None:
        """The id of its process; None if it does not run."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it, and return when it listens. Raises `ChildProcessError` with its log if it does not."""
        ready, theirs = os.pipe()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "oryn", "daemon", "serve"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs],
                env={**self._environment, "ORYN_READY_FD": str(theirs)},
                start_new_session=True,
            )
        os.close(theirs)
        with os.fdopen(ready, "rb") as stream:
            listens = select.select([stream], [], [], START_SECONDS)[0] and stream.readline()
        if not listens:
            self.kill()
            raise ChildProcessError(f"{self.name} did not start: {self.log.read_text('utf-8', 'replace')[-2000:]}")

    def stop(self) -> None:
        """End it in good order. Safe to call twice."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """`kill -9`."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._process = None


def in_parallel(starts: Iterable[Callable[[], object]]) -> None:
    """Call all, each in a thread; raises the first exception once all have ended."""
    calls = tuple(starts)
    with ThreadPoolExecutor(len(calls)) as pool:
        for future in [pool.submit(each) for each in calls]:
            future.result()
