"""Persistent data of the agent: the user's saved tools and limits (`chrome.storage.sync`), and the state of a run that
a restarted worker needs (`session`). It may come from another version: invalid values are ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from oryn.agent.prompt import SavedTools
from oryn.agent.sanitization import Redaction
from oryn.core.records import Record, field
from oryn.errors import ConfigurationError, InvalidValue
from oryn.extension.storage import BridgeCalls

SETTINGS = "agent"
RUN, LAST = "agent", "agent_last"
"""In `session`; while there is a `RUN`, `extension/worker.ts` starts the engine."""

MAX_TABS, MAX_STEPS, MAX_UPDATE_SECONDS = 10, 500, 86_400
MAX_TOOLS_BYTES = 6000
"""Bytes; an item of `storage.sync` has 8 kB."""


class AgentSettings(Record):
    """The user's settings. `tools` are names with their URLs; `max_steps` limits the answers of the model in a run."""

    tools: Mapping[str, str] = field(factory=dict)
    max_tabs: int = 3
    max_steps: int = 60
    redact: Redaction = "values"
    ask: bool = True
    """Whether risky commands wait until the user confirms them."""
    page_updates: int = 0
    """For how many seconds an answer without a command waits for a page to change; 0: it ends the run."""

    def changed(self, changes: Mapping[str, Any]) -> AgentSettings:
        """The settings with `changes` applied. Raises `InvalidValue`."""
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
    if sum(len(f"{name}{url}".encode()) + 10 for name, url in tools.items()) > MAX_TOOLS_BYTES:
        raise InvalidValue("there are more saved tools than the browser can store")
    return tools


def _number(maximum: int, name: str, *, minimum: int = 1) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise InvalidValue(f"{name}: a number from {minimum} to {maximum}")
        return value

    return read


def _redact(value: Any) -> Redaction:
    if value not in get_args(Redaction):
        raise InvalidValue("redact must be 'off', 'values' or 'all'")
    return cast("Redaction", value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("ask must be true or false")
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "tools": _tools,
    "max_tabs": _number(MAX_TABS, "tabs at once"),
    "max_steps": _number(MAX_STEPS, "answers of the model"),
    "redact": _redact,
    "ask": _switch,
    "page_updates": _number(MAX_UPDATE_SECONDS, "seconds to wait for a page", minimum=0),
}


class AgentStorage:
    """Reads and writes the data; call `load` first. Its methods raise `ChromeFailed` if the browser can't store it."""

    def __init__(self, calls: BridgeCalls) -> None:
        self._calls = calls
        self.settings = AgentSettings()
        self.run: dict[str, Any] | None = None
        """The state of a run that was in progress when the worker ended."""
        self.last: dict[str, Any] | None = None
        """How the last run ended, for the popup."""

    async def load(self) -> None:
        """Read the stored data."""
        self.settings = _read(await self._calls.call("storage.sync.get", [SETTINGS]))
        session = await self._calls.call("storage.session.get", [RUN, LAST])
        self.run, self.last = (value if isinstance(value, dict) else None for value in map(session.get, (RUN, LAST)))

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Apply and store changes. Raises `InvalidValue`."""
        settings = self.settings.changed(changes)
        if settings != self.settings:
            await self._calls.call("storage.sync.set", {SETTINGS: settings.data()})
        self.settings = settings

    async def save_run(self, run: Mapping[str, Any]) -> None:
        """Store the state of a run in progress."""
        await self._calls.call("storage.session.set", {RUN: dict(run)})

    async def finish_run(self, last: Mapping[str, Any]) -> None:
        """Store the result of a run that has ended, in the place of its state."""
        self.run, self.last = None, dict(last)
        await self._calls.call("storage.session.set", {RUN: None, LAST: self.last})


def _read(values: Any) -> AgentSettings:
    """The valid settings; the others have their defaults."""
    settings = AgentSettings()
    stored = values.get(SETTINGS) if isinstance(values, Mapping) else None
    for name, value in (stored if isinstance(stored, Mapping) else {}).items():
        try:
            settings = settings.changed({name: value})
        except InvalidValue:
            continue
    return settings
