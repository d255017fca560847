"""The interface of the tools that a page offers to agents: WebMCP, `document.modelContext`.

https://webmachinelearning.github.io/webmcp/"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oryn.browsers.base.types import Frame
from oryn.core.records import Record, field
from oryn.core.text_safety import quoted
from oryn.errors import NameNotFound, NotSupported

MAX_TOOLS = 1000
"""How many tools of one frame are known; later ones are dropped."""


class PageTool(Record):
    """One tool. All of it is the page's text: its name, description and schema claim what they like."""

    name: str
    description: str
    frame: Frame
    """The frame whose document offers the tool."""
    input_schema: dict[str, Any] = field(factory=dict)
    """The JSON Schema of the arguments; empty if the page gave none."""
    read_only: bool = False
    """Whether the page claims that the tool changes nothing."""


class PageToolResult(Record):
    """What a tool answered.

    value: JSON data.
    is_answered: false if its document went away before it answered."""

    value: Any = None
    is_answered: bool = True


class PageTools:
    """The tools of one tab's documents, of all frames."""

    def names(self) -> list[str]:
        """The names of the tools that are known to be offered, in the order of the frames. No round trip."""
        return []

    async def refresh(self, *, timeout: float = 30) -> None:
        """Bring `names` up to date if the page has reported a change since. Does nothing in most backends, whose
        `names` are always up to date."""

    def subscribe(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` whenever tools have come or gone, if the browser reports it. Returns a function that ends
        the subscription."""
        return lambda: None

    async def offered(self, *, timeout: float = 30) -> list[PageTool]:
        """The tools that are offered now, in the order of the frames. None in a backend that can't see them."""
        return []

    async def call(self, tool: PageTool, arguments: dict[str, Any], *, timeout: float = 30) -> PageToolResult:
        """Call a tool and wait for its result. Raises `NameNotFound` if it is no longer offered, `ToolFailed` with the
        page's message, `Timeout` (the tool is asked to stop), `DialogOpen`."""
        raise NotSupported


def may_be_offered(name: str) -> bool:
    """Return whether a page's tool may have this name: `plugin::tool` is that of a plugin's, also while it is missing,
    and its arguments must not go to the page."""
    return "::" not in name


def not_offered(tool: PageTool) -> NameNotFound:
    """The error for a tool that was listed and is gone."""
    message = f"the page no longer offers the tool {quoted(tool.name)}"
    return NameNotFound(message, "Run 'tools' to see which there are.")
