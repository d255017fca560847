"""The commands of W3C WebDriver that the pages of an engine are driven by.

https://www.w3.org/TR/webdriver2/#endpoints"""

from __future__ import annotations

from typing import Any, Protocol

from oryn.core.records import Record

ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element in the protocol's JSON. https://www.w3.org/TR/webdriver2/#elements"""


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
    def version(self) -> str:
        """Product and version of the browser."""

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
