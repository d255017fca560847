"""An application's packages in the cache folder, and its server process on a loopback port."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

START_SECONDS = 120
CHECK_SECONDS = 5
POLL_SECONDS = 0.1


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "oryn-benchmarks" / "apps"


def python_environment(name: str, *packages: str) -> Path:
    """Return the `bin` folder of a virtual environment with the packages. Installs them if it is not there yet."""
    folder = cache_folder() / name
    complete = folder / "complete"
    if not complete.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        complete.touch()
    return folder / "bin"


def node_package(name: str) -> Path:
    """Return the `bin` folder of an npm package. Installs it if it is not there yet."""
    folder = cache_folder() / name
    complete = folder / "complete"
    if not complete.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--no-audit", "--no-fund", "--omit=dev", "--loglevel=error", "--prefix", str(folder)]
        subprocess.run([*npm, name], check=True)
        complete.touch()
    return folder / "node_modules" / ".bin"


def free_port() -> int:
    """Return a loopback port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(
    command: Sequence[str | Path], ready: str, *, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run a server until the end of the block. Enters it once the URL `ready` is answered.

    Raises `SystemExit` with the server's last output if the server ends before, or is not ready in time."""
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that the server's own children end with it
        )
    try:
        if not poll(lambda: process.poll() is not None or responds(ready), START_SECONDS) or process.poll() is not None:
            raise SystemExit(f"{ready} is not served:\n{log.read_text()[-2000:]}")
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[Any]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


def poll(condition: Callable[[], bool], seconds: float = CHECK_SECONDS) -> bool:
    """Return whether the condition becomes true in time. For what another process does, which sends no event."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(POLL_SECONDS)
    return True


def responds(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def get_json(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)
