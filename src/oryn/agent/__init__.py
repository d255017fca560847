"""The agent command protocol (seed 001): any chat model drives tabs by writing JSON in `<tool_code>` tags.

Standard library, language, engine and tools only; it does no I/O of its own and also runs on Pyodide. Hosts give it a
browser (`Targets`) and carry its messages to a model and back (`Agent`)."""

from __future__ import annotations

from oryn.agent.agent import Agent, Outcome, Turn
from oryn.agent.execution import RISKY, Confirm
from oryn.agent.parsing import Call
from oryn.agent.prompt import keyword
from oryn.agent.redaction import Redaction
from oryn.agent.saved import SavedTools
from oryn.agent.targets import TabTargets, Targets

__all__ = [
    "RISKY",
    "Agent",
    "Call",
    "Confirm",
    "Outcome",
    "Redaction",
    "SavedTools",
    "TabTargets",
    "Targets",
    "Turn",
    "keyword",
]
