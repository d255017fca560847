"""What the agent keeps: the user's saved tools and limits (`chrome.storage.sync`), and of a run what the next life of
the worker needs (`session`). What is stored may come from another version: what does not fit is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from oryn.agent.redaction import Redaction
from oryn.agent.saved import SavedTools
from oryn.errors import ConfigurationError, InvalidValue
from oryn.extension.stored import Calls
from oryn.records import Record, field

SETTINGS = "agent"
RUN, LAST = "agent", "agent_last"
"""In `session`; while there is a `RUN`, `extension/worker.js` starts the engine."""

MOST_TABS, MOST_STEPS = 10, 500
LONGEST_TOOLS = 6000
"""Bytes; an item of `storage.sync` has 8 kB."""


class AgentSettings(Record):
    """`tools` are names with their URLs; `max_steps` is how many answers of the model count until a run ends."""

    tools: Mapping[str, str] = field(factory=dict)
    max_tabs: int = 3
    max_steps: int = 60
    redact: Redaction = "values"
    ask: bool = True
    """Whether risky commands wait for the user's yes."""

    def changed(self, changes: Mapping[str, Any]) -> AgentSettings:
        """Raises `InvalidValue`."""
        settings = self
        for name, value in changes.items():
            read = _READERS.get(name)
            if read is None:
                raise InvalidValue(f"there is no setting {str(name)[:40]!r} of the agent")
            settings = settings.replace(**{name: read(value)})
        return settings

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {**self.values(), "tools": dict(self.tools)}


def _tools(value: Any) -> Mapping[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(url, str) for url in value.values()):
        raise InvalidValue("saved tools are names with their addresses")
    try:
        tools = dict(SavedTools({str(name): url.strip() for name, url in value.items()}).items())
    except ConfigurationError as error:
        raise InvalidValue(error.message, error.hint) from error
    if sum(len(f"{name}{url}".encode()) + 10 for name, url in tools.items()) > LONGEST_TOOLS:
        raise InvalidValue("that are more saved tools than the browser keeps")
    return tools


def _number(most: int, name: str) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise InvalidValue(f"{name}: a number from 1 to {most}")
        return value

    return read


def _redact(value: Any) -> Redaction:
    if value not in get_args(Redaction):
        raise InvalidValue("what is redacted is 'off', 'values' or 'all'")
    return cast("Redaction", value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("whether the agent asks is true or false")
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "tools": _tools,
    "max_tabs": _number(MOST_TABS, "tabs at once"),
    "max_steps": _number(MOST_STEPS, "answers of the model"),
    "redact": _redact,
    "ask": _switch,
}


class AgentStored:
    """`load` comes first. Raises `ChromeFailed` where the browser does not store."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.settings = AgentSettings()
        self.run: dict[str, Any] | None = None
        """What a run has left that was under way when the worker ended."""
        self.last: dict[str, Any] | None = None
        """How the last run ended, for the popup."""

    async def load(self) -> None:
        self.settings = _read(await self._calls.call("storage.sync.get", [SETTINGS]))
        session = await self._calls.call("storage.session.get", [RUN, LAST])
        self.run, self.last = (value if isinstance(value, dict) else None for value in map(session.get, (RUN, LAST)))

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Raises `InvalidValue`."""
        settings = self.settings.changed(changes)
        if settings != self.settings:
            await self._calls.call("storage.sync.set", {SETTINGS: settings.data()})
        self.settings = settings

    async def remember(self, run: Mapping[str, Any]) -> None:
        """A run is under way."""
        await self._calls.call("storage.session.set", {RUN: dict(run)})

    async def forget(self, last: Mapping[str, Any]) -> None:
        """It has ended."""
        self.run, self.last = None, dict(last)
        await self._calls.call("storage.session.set", {RUN: None, LAST: self.last})


def _read(values: Any) -> AgentSettings:
    """Those that are right; the rest as if they had not been set."""
    settings = AgentSettings()
    stored = values.get(SETTINGS) if isinstance(values, Mapping) else None
    for name, value in (stored if isinstance(stored, Mapping) else {}).items():
        try:
            settings = settings.changed({name: value})
        except InvalidValue:
            continue
    return settings
