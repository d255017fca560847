"""HAProxy with the configuration that is deployed, in front of daemons on this machine; and a proxy that cuts
connections on which nothing is sent, as those of networks do."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from scripts.ports import free_port

CONFIGURATION = Path(__file__).parents[2] / "deployment" / "haproxy.cfg"
START_SECONDS = 20.0
POLL_SECONDS = 0.02
"""Between two attempts to connect to a proxy that starts: it notifies nobody."""

_CUTTING = """
defaults
    mode tcp
    timeout connect 2s
    timeout client {seconds:g}s
    timeout server {seconds:g}s
listen cutting
    bind "${{PROXY_ADDRESS}}"
    server only "${{PROXY_SERVER}}"
"""


def find_haproxy() -> str | None:
    """The program; None if it is not installed (`setup/haproxy.sh`). Debian has it in a folder for administrators."""
    return shutil.which("haproxy", path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin")


class Proxy:
    """HAProxy at a free port of loopback. As a context manager it starts, and ends with the block.

    configuration: the file; it takes its address from the variable `PROXY_ADDRESS`.
    environment: what else it takes from its environment."""

    def __init__(self, configuration: Path, log: Path, environment: Mapping[str, str]) -> None:
        program = find_haproxy()
        if program is None:
            raise FileNotFoundError("HAProxy is not installed: setup/haproxy.sh does it")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self._command = [program, "-db", "-f", str(configuration)]
        self._environment = {**os.environ, **environment, "PROXY_ADDRESS": f"127.0.0.1:{self.port}"}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and return when it listens. Raises `ChildProcessError` if it ends instead."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment
            )
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(POLL_SECONDS)
        self.stop()
        raise ChildProcessError(f"HAProxy did not start: {self.log.read_text('utf-8', 'replace')[-2000:]}")

    def stop(self) -> None:
        """End it with its connections. Safe to call twice."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def proxy_of_daemons(folder: Path, addresses: Sequence[str]) -> Proxy:
    """A proxy that has not started, with the configuration that is deployed.

    folder: for its log.
    addresses: `HOST:PORT` of the daemons, as many as the configuration names."""
    daemons = {f"PROXY_DAEMON_{number}": address for number, address in enumerate(addresses, 1)}
    return Proxy(CONFIGURATION, folder / "proxy.log", daemons)


def cutting_proxy(folder: Path, address: str, seconds: float) -> Proxy:
    """A proxy that has not started, in front of one server, which closes connections that were silent.

    folder: for its configuration and its log.
    address: `HOST:PORT` of the server.
    seconds: the silence, in one direction and the other."""
    file = folder / "cutting.cfg"
    file.write_text(_CUTTING.format(seconds=seconds), "utf-8")
    return Proxy(file, folder / "cutting.log", {"PROXY_SERVER": address})
