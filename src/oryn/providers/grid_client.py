"""The protocol of Selenium Grid 4, as far as it gives browsers: new sessions, their ends, the queue and the status.

https://www.w3.org/TR/webdriver2/#new-session and https://www.selenium.dev/documentation/grid/advanced_features/endpoints/
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from oryn.core import text_safety
from oryn.core.records import Record
from oryn.core.urls import redact_browser_url
from oryn.errors import ProviderUnavailable, QueueTimedOut
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    import httpx

ANSWER_SECONDS = 5.0
CUT_SECONDS = 5.0
"""A request for a session that fails after less than this was not cut for its silence."""
ALIVE_SECONDS = 2.0
"""For the question whether a session lives: a hub does not answer for a node that was killed a moment ago."""
NAME_CAPABILITY = "se:name"
"""A capability that a Grid matches with nothing, and shows in its queue: it says which request is whose."""
_JSON = {"Content-Type": "application/json; charset=utf-8"}
"""A Grid refuses JSON whose encoding is not said."""
_UNKNOWN_SESSION = ("invalid session id", "no such session")


class GridSession(Record):
    """A session of a Grid, and the address of its browser's DevTools endpoint, through the hub."""

    id: str
    address: str


class GridStatus(Record):
    """What a Grid says of itself."""

    is_ready: bool
    slots: int
    used: int
    session_timeout: float | None
    """Seconds without a command after which it ends a session; the shortest of its nodes. None if it does not say."""
    nodes: Mapping[str, str]
    """The address of the node of each session, by the session's id."""


class GridClient:
    """Requests to one Grid.

    url: of the hub, the router or a standalone server; may contain a login."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self.location = str(redact_browser_url(self._url))
        """The address without its login, for messages."""
        self._client: httpx.AsyncClient | None = None

    async def new_session(self, capabilities: Mapping[str, Any]) -> GridSession:
        """Open a session; waits in the Grid's queue as long as the Grid lets it. A request that is cancelled leaves the
        queue, because the Grid notices the end of the connection.

        Raises `ProviderUnavailable`, `QueueTimedOut`."""
        try:
            value = await self._new_session({"capabilities": {"alwaysMatch": dict(capabilities)}})
        except _RefusedError as error:
            if "session request timed out" in error.message.lower():
                raise QueueTimedOut(
                    f"the Grid at {self.location} had no free browser within its own time limit"
                ) from None
            raise ProviderUnavailable(f"the Grid at {self.location} answers: {error.message}") from None
        try:
            id, found = str(value["sessionId"]), value["capabilities"]
        except (KeyError, TypeError):
            raise ProviderUnavailable(
                f"what answers at {self.location} is no Selenium Grid", "Check the url of the provider."
            ) from None
        endpoint = found.get("se:cdp") if isinstance(found, dict) else None
        if not isinstance(endpoint, str):
            await self.end(id)
            raise ProviderUnavailable(
                f"the browser that the Grid at {self.location} has opened has no DevTools endpoint (se:cdp)",
                "Its nodes must run a browser of Chromium's family, with --enable-cdp, and the Grid must be version 4.",
            )
        return GridSession(id, self._reachable(endpoint))

    async def _new_session(self, body: Mapping[str, Any]) -> Any:
        """Request a session, again if the connection is cut while the request waits: it is silent, and there are
        networks that close such connections. The Grid drops a request whose connection is closed."""
        while True:
            began = time.monotonic()
            try:
                return await self._request("POST", "/session", body)
            except ProviderUnavailable:
                if time.monotonic() - began < CUT_SECONDS:
                    raise
                await self.status()

    def _reachable(self, endpoint: str) -> str:
        """The endpoint at the host of the Grid's own address: the Grid may report one that only its nodes can reach."""
        own, found = urlsplit(self._url), urlsplit(endpoint)
        scheme = "wss" if own.scheme == "https" else "ws"
        prefix = own.path.rstrip("/")
        path = found.path if found.path.startswith(prefix) else prefix + found.path
        return urlunsplit((scheme, own.netloc, path, found.query, ""))

    async def is_alive(self, id: str) -> bool:
        """Whether a session still runs; this also counts as a command to it. Raises `ProviderUnavailable` if the Grid
        itself does not answer."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await self._request("GET", f"/session/{id}/timeouts")
        except TimeoutError:
            return False  # its node does not answer
        except _RefusedError:
            return False
        return True

    async def end(self, id: str) -> None:
        """End a session. If the Grid no longer has it but a node still runs it, which is so after a restart of the hub,
        the node ends it. Never raises: at the latest, the Grid ends an idle session itself."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                try:
                    await self._request("DELETE", f"/session/{id}")
                except _RefusedError as error:
                    if error.kind in _UNKNOWN_SESSION and (node := (await self.status()).nodes.get(id)):
                        await self._send("DELETE", f"{node}/session/{id}")
        except (TimeoutError, ProviderUnavailable):
            pass

    async def queue(self) -> list[str]:
        """The names (`NAME_CAPABILITY`) of the requests that wait, in their order; empty for those without one. Raises
        `ProviderUnavailable`."""
        try:
            rows = await self._request("GET", "/se/grid/newsessionqueue/queue")
        except _RefusedError:
            return []  # a Grid without this address
        return [_request_name(row) for row in rows] if isinstance(rows, list) else []

    async def status(self) -> GridStatus:
        """Raises `ProviderUnavailable`."""
        try:
            value = await self._request("GET", "/status")
        except _RefusedError as error:
            raise ProviderUnavailable(f"the Grid at {self.location} answers: {error.message}") from None
        nodes = value.get("nodes", []) if isinstance(value, dict) else []
        slots = [(node, slot) for node in nodes for slot in node.get("slots", [])]
        running = {
            str(slot["session"]["sessionId"]): str(node.get("externalUri") or node.get("uri") or "")
            for node, slot in slots
            if slot.get("session")
        }
        limits = [each["sessionTimeout"] / 1000 for each in nodes if each.get("sessionTimeout")]
        capacity = sum(
            min(int(node.get("maxSessions") or 0), len(node.get("slots", [])))
            for node in nodes
            if node.get("availability") == "UP"
        )
        return GridStatus(bool(value.get("ready")), capacity, len(running), min(limits, default=None), running)

    async def close(self) -> None:
        """Close the connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # --- requests ---

    async def _request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The `value` of an answer. Raises `_RefusedError` for an error that it is, and `ProviderUnavailable` if
        there is none."""
        status, text = await self._send(method, self._url + path, body)
        try:
            value = json.loads(text)["value"]
        except (ValueError, KeyError, TypeError):
            raise ProviderUnavailable(
                f"what answers at {self.location} is no Selenium Grid: HTTP {status}", "Check the url of the provider."
            ) from None
        if status < 400:
            return value
        found = value if isinstance(value, dict) else {}
        # The lines after the first say where the Grid runs, and its stack.
        first = str(found.get("message") or f"HTTP {status}").strip().partition("\n")[0].partition("Host info:")[0]
        message = text_safety.shortened(text_safety.one_line(first.strip()), 200)
        raise _RefusedError(message, str(found.get("error") or ""))

    async def _send(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
        with require_extra("grid", "a Selenium Grid"):
            import httpx
        if self._client is None:
            # A Grid is in a network of its own, which the proxy for the web does not reach.
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=8)
            self._client = httpx.AsyncClient(trust_env=False, limits=limits, timeout=httpx.Timeout(None, connect=5.0))
        content = None if body is None else json.dumps(body).encode()
        timeout = httpx.Timeout(None if method == "POST" else ANSWER_SECONDS, connect=ANSWER_SECONDS)
        try:
            answer = await self._client.request(method, url, content=content, headers=_JSON, timeout=timeout)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = text_safety.one_line(str(error)) or type(error).__name__
            raise ProviderUnavailable(f"the Selenium Grid at {self.location} does not answer: {reason}") from error
        return answer.status_code, answer.content


class _RefusedError(Exception):
    """An answer of the Grid that is an error. `kind` is its code: https://www.w3.org/TR/webdriver2/#errors"""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind


def _request_name(row: Any) -> str:
    try:
        return str(row["capabilities"][0].get(NAME_CAPABILITY, ""))
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""
