"""Clients of a fleet: each has a session in which it is signed in at the demo shop, and notes what became of each of
its commands."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx

from oryn.core.records import Record

EMAIL, PASSWORD = "ada@example.org", "lovelace"
LIMIT_SECONDS = 90.0
"""The time limit of a command, which includes its wait for a slot that others have."""
CONNECTION_LOST = "connection_lost"
"""The outcome of a request without a response."""
OK = "ok"
NOT_RUN = "daemon_ending"
"""The outcome of a command that no daemon has taken, so that it may be sent again."""
READY_SECONDS = 30.0


class Attempt(Record):
    """What became of one command. Times are of `time.monotonic`."""

    session: str
    line: str
    began: float
    ended: float
    outcome: str
    """`OK`, an error's code in lower case, or `CONNECTION_LOST`."""
    action_id: str | None
    """The row in the history; None if no daemon has answered."""
    text: str
    daemon: str | None
    """The daemon that ran it, if the response says so."""

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    def __str__(self) -> str:
        return f"{self.session}: {self.line}: {self.outcome} after {self.seconds:.1f} s\n{self.text}"


class FleetClient:
    """A client that sends the commands of one session to one address.

    connections: shared with others.
    url: of the proxy, or of a daemon.
    shop: the URL of the demo shop; each session has a page of its own there."""

    def __init__(self, session: str, connections: httpx.AsyncClient, url: str, shop: str) -> None:
        self.session = session
        self.page = f"{shop}/search?q={session}"
        self.attempts: list[Attempt] = []
        self._connections = connections
        self._url = url
        self._shop = shop

    async def run(self, line: str, limit: float = LIMIT_SECONDS) -> Attempt:
        """Send one command, once."""
        request = {"line": line, "session": self.session, "timeout_ms": int(limit * 1000)}
        began = time.monotonic()
        outcome, action_id, text, daemon = CONNECTION_LOST, None, "", None
        try:
            response = await self._connections.post(f"{self._url}/command", json=request, timeout=limit + 30)
            daemon = response.headers.get("oryn-daemon")
            answer: dict[str, Any] = response.json()
            text = answer.get("text") or answer["error"]
            action_id = answer.get("action_id")
            outcome = OK if answer["ok"] else answer["error_kind"]
        except httpx.TransportError as error:
            text = f"{type(error).__name__}: {error}"
        attempt = Attempt(self.session, line, began, time.monotonic(), outcome, action_id, text, daemon)
        self.attempts.append(attempt)
        return attempt

    async def sign_in(self, attempts: int = 1) -> None:
        """Sign in at the shop and go to the session's page; all of it again if a part fails.

        attempts: how often in all. Raises `RuntimeError` with the last answer."""
        lines = (f"goto {self._shop}/login", f'login "{EMAIL}" "{PASSWORD}"', f"goto {self.page}")
        for _ in range(attempts):
            for line in lines:
                if (attempt := await self.run(line)).outcome != OK:
                    break
            else:
                return
        raise RuntimeError(str(attempt))

    async def wait_until_ready(self) -> None:
        """Wait until some daemon takes commands. Raises `TimeoutError`."""
        async with asyncio.timeout(READY_SECONDS):
            while (await self._connections.get(f"{self._url}/readyz")).is_error:
                pass  # a proxy notifies nobody

    async def is_at_home(self) -> bool:
        """Whether the session answers at its page, signed in."""
        url = await self.run("url")
        signed_in = await self.run('exists "Sign out"')
        return url.outcome == signed_in.outcome == OK and self.page in url.text and "yes" in signed_in.text.splitlines()


def connections_to(token: str) -> httpx.AsyncClient:
    """Connections for any number of clients, with a token."""
    return httpx.AsyncClient(
        headers={"Authorization": f"Bearer {token}"},
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
        trust_env=False,
    )
