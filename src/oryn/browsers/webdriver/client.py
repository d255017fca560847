"""A thin asynchronous client of W3C WebDriver, over httpx: one session, its commands, and nothing about pages.

httpx is an optional dependency (the extra `embedded`) and is imported when a session is created.
https://www.w3.org/TR/webdriver2/#endpoints"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.webdriver import error_mapping
from oryn.core.records import Record
from oryn.errors import BrowserFailed, OrynError, Timeout
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    import httpx

ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element in the protocol's JSON. https://www.w3.org/TR/webdriver2/#elements"""
READY_SECONDS = 10.0
CREATE_SECONDS = 20.0


class DriverDocument(Record):
    """What a driver reports of a top document besides WebDriver: no page can prevent or forge that."""

    number: int
    """Another one for each document of the window, growing."""
    url: str
    status: int | None = None
    """That of the HTTP response; None if there was none."""
    status_text: str = ""
    redirects: tuple[str, ...] = ()


class DriverClient(Protocol):
    """The commands of a driver's session. They raise what `error_mapping` makes of the driver's errors, `DriverLost` if
    the driver does not answer any more, and `Timeout` after `timeout` seconds."""

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The capabilities of the session, as the driver has answered."""

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        """The value of a GET command."""

    async def post(self, path: str, body: dict[str, Any] | None = None, *, timeout: float = 30) -> Any:
        """The value of a POST command."""

    async def delete(self, path: str, *, timeout: float = 30) -> Any:
        """The value of a DELETE command."""

    def document(self, window: str) -> DriverDocument | None:
        """The document in a window, by the driver's own events; None if it reports none."""

    async def close(self, *, end_session: bool, timeout: float = 2.0) -> None:
        """Close the connections, and with `end_session` the browser before. Never raises."""


class WebDriverClient:
    """One session of a driver at `url`. Its methods raise what `error_mapping` makes of the driver's errors, and
    `DriverLost` if the driver does not answer any more."""

    def __init__(self, url: str) -> None:
        with require_extra("embedded", "oryn embedded"):
            import httpx

        self._httpx = httpx
        self._http: httpx.AsyncClient = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            timeout=None,
            trust_env=False,
            verify=url.startswith("https:"),  # to read the certificates takes a while, and plain HTTP needs none
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
        )
        self._session = ""
        self.capabilities: Mapping[str, Any] = {}
        """The capabilities of the session, as the driver has answered."""

    async def wait_until_ready(self, timeout: float = READY_SECONDS) -> None:
        """Wait until the driver answers. Raises `BrowserFailed` after `timeout` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while True:
            try:
                answer = await self._http.get("/status", timeout=max(0.1, deadline - loop.time()))
                if answer.json()["value"].get("ready", True):
                    return
                raise BrowserFailed("the driver has a session already", "A driver of WebKit serves one session.")
            except (self._httpx.HTTPError, ValueError, KeyError):
                if loop.time() >= deadline:
                    raise BrowserFailed("the driver does not answer", "Run 'oryn doctor'.") from None
                await asyncio.sleep(0.01)  # no event reports that it listens

    async def create_session(self, capabilities: dict[str, Any], timeout: float = CREATE_SECONDS) -> None:
        """Start a browser. Raises `BrowserFailed`, also after `timeout` seconds: a driver whose browser does not start
        never answers."""
        body = {"capabilities": {"alwaysMatch": capabilities}}
        try:
            async with asyncio.timeout(timeout):
                value = await self._request("POST", "/session", body)
        except TimeoutError:
            raise BrowserFailed("the browser did not start in time", "Run 'oryn doctor'.") from None
        self._session, self.capabilities = f"/session/{value['sessionId']}", value["capabilities"]

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        """The value of a GET command. Raises `Timeout` after `timeout` seconds."""
        return await self._command("GET", path, None, timeout)

    async def post(self, path: str, body: dict[str, Any] | None = None, *, timeout: float = 30) -> Any:
        """The value of a POST command. Raises `Timeout` after `timeout` seconds."""
        return await self._command("POST", path, body or {}, timeout)

    async def delete(self, path: str, *, timeout: float = 30) -> Any:
        """The value of a DELETE command. Raises `Timeout` after `timeout` seconds."""
        return await self._command("DELETE", path, None, timeout)

    def document(self, window: str) -> DriverDocument | None:
        """None, as WebDriver has no events."""
        return None

    async def close(self, *, end_session: bool, timeout: float = 2.0) -> None:
        """Close the connections, and with `end_session` the browser before. Never raises for a driver that has
        ended."""
        if end_session and self._session:
            try:
                await self.delete("", timeout=timeout)
            except OrynError:
                pass  # it is killed, or has ended
        self._session = ""
        await self._http.aclose()

    async def _command(self, method: str, path: str, body: dict[str, Any] | None, timeout: float) -> Any:
        if not self._session:
            raise error_mapping.driver_lost()
        try:
            async with asyncio.timeout(timeout):
                return await self._request(method, self._session + path, body)
        except TimeoutError:
            raise Timeout("the browser did not answer in time", "Try again, or 'goto' another page.") from None

    async def _request(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            response = await self._http.request(method, path, json=body)
            value = response.json()["value"]
        except (self._httpx.HTTPError, RuntimeError) as error:  # `RuntimeError`: the client is closed
            raise error_mapping.driver_lost(type(error).__name__) from None
        except (ValueError, KeyError, TypeError):
            raise error_mapping.driver_lost("its answer is not WebDriver's") from None
        if response.status_code >= 400:
            raise error_mapping.from_answer(value if isinstance(value, dict) else {})
        return value
