"""`make demo-fleet`: a Selenium Grid, PostgreSQL, two daemons and HAProxy on this machine; sessions that are signed in
at the demo shop; a node and a daemon that are killed, PostgreSQL that is restarted; and what became of each session."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from oryn.core.records import Record
from scripts.fleet.clients import NOT_RUN, OK, FleetClient, connections_to
from scripts.fleet.fleet import DAEMONS, Fleet

SESSIONS = 4
"""As many as the Grid has slots."""
RELEASE_SECONDS = 1.0
"""With a node less, sessions take turns: one that has had no command for this gives its slot to one that waits."""


class Place(Record):
    """Where a session is."""

    daemon: str
    browser: str

    def __str__(self) -> str:
        return f"{self.daemon}, {self.browser}"


NOWHERE = Place("no daemon", "no browser")


class FleetDemo:
    """The steps of the demo over a fleet that runs."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._connections = connections_to(fleet.token)
        names = [f"session-{number}" for number in range(1, SESSIONS + 1)]
        self._clients = [FleetClient(each, self._connections, fleet.proxy.url, fleet.shop.url) for each in names]

    async def run(self) -> bool:
        """Print what happens; whether every session is in the end at its page, signed in."""
        async with self._connections:
            await asyncio.gather(*(client.sign_in() for client in self._clients))
            before = await self._places()
            for client in self._clients:
                print(f"  {client.session}: signed in; {before[client.session]}")
            what = {client.session: list[str]() for client in self._clients}
            await self._step("kill -9 of the node 1", lambda: self._fleet.grid.kill_node(0), what)
            await asyncio.to_thread(self._fleet.grid.start_node, 0)
            await self._step("kill -9 of daemon-1", self._kill_daemon, what)
            if self._fleet.database is not None:
                await self._step("PostgreSQL is restarted", self._fleet.database.restart, what)
            after = await self._places()
            print("\nsession     was                  is                   signed in   what happened")
            at_home = True
            for client in self._clients:
                is_home = await client.is_at_home()
                at_home = at_home and is_home
                places = f"{before[client.session]!s:20} {after[client.session]!s:20}"
                happened = "; ".join(what[client.session]) or "nothing"
                print(f"{client.session:11} {places} {'yes' if is_home else 'NO':11} {happened}")
            return at_home

    def _kill_daemon(self) -> None:
        """Kill the first daemon. If it is the only one, what supervises it starts it again."""
        self._fleet.daemons[0].kill()
        if len(self._fleet.daemons) == 1:
            self._fleet.daemons[0].start()

    async def _step(self, name: str, breaks: Callable[[], object], what: Mapping[str, list[str]]) -> None:
        """Break a part, send each session one command, and again until it succeeds."""
        print(f"\n{name}", flush=True)
        await asyncio.to_thread(breaks)
        for client, found in zip(self._clients, await asyncio.gather(*map(_answers, self._clients)), strict=True):
            print(f"  {client.session}: {found}", flush=True)
            if found != "answered":
                what[client.session].append(f"{name}: {found}")

    async def _places(self) -> dict[str, Place]:
        """Where each session is, by what the daemons report."""
        places = {client.session: NOWHERE for client in self._clients}
        for daemon in self._fleet.daemons:
            try:
                status: dict[str, Any] = (await self._connections.get(f"{daemon.url}/status")).json()
            except httpx.TransportError:
                continue  # it was killed
            for session in status["sessions"]:
                if session["name"] in places and session["state"] == "running" and not session.get("daemon"):
                    places[session["name"]] = Place(daemon.name, self._node_at(session.get("where") or ""))
        return places

    def _node_at(self, where: str) -> str:
        """The node of the Grid that a daemon names by its address."""
        number = self._fleet.grid.node_at(where.rpartition(":")[2])
        return "the Grid" if number is None else f"node {number + 1}"


async def _answers(client: FleetClient, attempts: int = 3) -> str:
    """Send a command until it succeeds; a word on how that went."""
    began = time.monotonic()
    errors: list[str] = []
    for _ in range(attempts):
        attempt = await client.run('exists "Sign out"')
        if attempt.outcome == OK:
            restored = "session restored" in attempt.text
            after = f" after {', '.join(errors)}" if errors else ""
            return f"restored in {time.monotonic() - began:.1f} s{after}" if restored or errors else "answered"
        errors.append(attempt.outcome)
        if attempt.outcome == NOT_RUN:
            await client.wait_until_ready()
    return f"FAILED with {', '.join(errors)}"


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    began = time.monotonic()
    parts = "a daemon" if DAEMONS == 1 else f"PostgreSQL, {DAEMONS} daemons"
    print(f"A Grid of a hub and two nodes, {parts} and a proxy start …", flush=True)
    with Fleet(release_after=RELEASE_SECONDS) as fleet:
        print(
            f"They run after {time.monotonic() - began:.1f} s; sessions reach them at {fleet.proxy.url}.\n", flush=True
        )
        succeeded = asyncio.run(FleetDemo(fleet).run())
        if not succeeded:
            print(fleet.logs(), file=sys.stderr)
    print(f"\n{time.monotonic() - began:.0f} s in all; nothing is left running.")
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
