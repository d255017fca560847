"""A whole installation on this machine, of real parts: a Selenium Grid, PostgreSQL, two daemons, HAProxy, and the demo
shop for their sessions."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from oryn.demo.server import open_shop
from scripts.fleet.daemons import FleetDaemon, in_parallel
from scripts.fleet.grid import SeleniumGrid
from scripts.fleet.haproxy import cutting_proxy, proxy_of_daemons
from scripts.fleet.postgresql import PostgresServer

NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
DAEMONS = 2
"""How many daemons a fleet has."""
_PROVIDERS = """\
[[provider]]
name = "grid"
kind = "grid"
url = "{url}"
release_after = {release_after:g}
"""


class Fleet:
    """All parts, in a temporary folder. As a context manager it starts, and ends with the block; nothing is left.

    slots: of each node.
    daemons: one, which has its records in files, or two, which have them in PostgreSQL.
    session_timeout: seconds of silence after which the Grid ends a browser.
    cut_after: seconds of silence after which a connection between daemons and Grid is cut; None never cuts.
    release_after: seconds without a command after which a session gives its browser to others that wait.
    settings: of the daemons, besides those that make them a fleet, by the names of settings."""

    def __init__(
        self,
        *,
        slots: Sequence[int] = (2, 2),
        daemons: int = DAEMONS,
        session_timeout: float = 300,
        cut_after: float | None = None,
        release_after: float = 60,
        settings: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        self.slots = sum(slots)
        self._ends = ExitStack()
        try:
            self.folder = Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="oryn-fleet-")))
            self.shop = open_shop(0)
            self.database = PostgresServer() if daemons > 1 else None
            if self.database is not None:
                self._ends.callback(self.database.remove)
            self.grid = SeleniumGrid(self.folder / "grid", nodes=slots, session_timeout=session_timeout)
            self._ends.callback(self.grid.close)
            self._cutting = None
            if cut_after is not None:
                self._cutting = cutting_proxy(self.folder, self.grid.url.partition("//")[2], cut_after)
                self._ends.callback(self._cutting.stop)
            self.token = secrets.token_hex(32)
            providers = self.folder / "providers.toml"
            grid_url = self.grid.url if self._cutting is None else self._cutting.url
            providers.write_text(_PROVIDERS.format(url=grid_url, release_after=release_after), "utf-8")
            fleets = {
                **({} if self.database is None else {"records": self.database.url}),
                "providers": str(providers),
                "allowed_hosts": "127.0.0.1,localhost",
                "trusted_proxies": "127.0.0.1",
                **settings,
            }
            names = [f"daemon-{number}" for number in range(1, daemons + 1)]
            self.daemons = [FleetDaemon(name, self.folder, self.token, fleets) for name in names]
            addresses = [each.url.partition("//")[2] for each in self.daemons]
            self.proxy = proxy_of_daemons(self.folder, (addresses * 2)[:2])  # its configuration names two
        except BaseException:
            self._ends.close()
            raise

    def __enter__(self) -> Self:
        try:
            self._ends.enter_context(self.shop)
            parts = [self.grid.start]
            parts += [] if self.database is None else [self._start_database]
            parts += [] if self._cutting is None else [self._cutting.start]
            in_parallel(parts)
            self._ends.callback(lambda: in_parallel(each.stop for each in self.daemons))
            in_parallel(each.start for each in self.daemons)
            self._ends.enter_context(self.proxy)
        except BaseException:
            self._ends.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ends.close()

    def _start_database(self) -> None:
        assert self.database is not None
        self.database.create()
        self.database.start()
        self.database.create_database("oryn")

    def rows(self) -> list[str]:
        """The ids of all rows of the history."""
        if self.database is not None:
            return self.database.query("SELECT action_id FROM history").split()
        (daemon,) = self.daemons
        files = [daemon.paths.daemon / name for name in ("actions.prev.jsonl", "actions.jsonl")]
        lines = [line for file in files if file.exists() for line in file.read_text("utf-8").splitlines()]
        return [json.loads(line)["action_id"] for line in lines]

    def logs(self) -> str:
        """The ends of all logs, for a failure."""
        files = sorted(self.folder.rglob("*.log"))
        return "\n".join(f"== {each.name}\n{each.read_text('utf-8', 'replace')[-3000:]}" for each in files)
