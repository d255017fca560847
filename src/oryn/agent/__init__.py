"""The agent protocol (docs/spec/agent-protocol.md): any chat model drives tabs by writing JSON in `<tool_code>` tags.

Standard library, language, engine and tools only; it does no I/O of its own and also runs on Pyodide. Hosts give it a
browser (`TabProvider`) and carry its messages to a model and back (`Agent`)."""

from __future__ import annotations

from oryn.agent.agent import Agent, Turn, TurnOutcome
from oryn.agent.execution import RISKY, Confirm
from oryn.agent.parser import Call
from oryn.agent.prompt import SavedTools, keyword
from oryn.agent.sanitization import Redaction
from oryn.agent.tabs import BrowserTabProvider, TabProvider

__all__ = [
    "RISKY",
    "Agent",
    "BrowserTabProvider",
    "Call",
    "Confirm",
    "Redaction",
    "SavedTools",
    "TabProvider",
    "Turn",
    "TurnOutcome",
    "keyword",
]
