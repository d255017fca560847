"""Settings that are one of a few words: as types, and as kinds."""

from __future__ import annotations

from typing import Any, Literal, get_args

from oryn.kinds import Kind, choice
from oryn.modes import MODES, refuse

OutputForm = Literal["text", "json"]
ColourUse = Literal["auto", "always", "never"]
StateEncryption = Literal["off", "environment", "keyring"]
VaultUse = Literal["auto", "keyring", "file"]
LogLevel = Literal["debug", "info", "warning", "error"]
Backend = Literal["headless", "remote"]
Redaction = Literal["off", "values", "all"]
ResearchEngine = Literal["local", "ray"]


def _backend(value: Any) -> str:
    """Raises `NotSupported` for a mode that is to come."""
    refuse(value)
    if not isinstance(value, str) or value.lower() not in MODES:
        raise ValueError(value)
    return MODES[value.lower()]


FORM = choice(*get_args(OutputForm))
COLOUR = choice(*get_args(ColourUse))
STATE_ENCRYPTION = choice(*get_args(StateEncryption))
VAULT = choice(*get_args(VaultUse))
LEVEL = choice(*get_args(LogLevel))
BACKEND = Kind("headless or remote", _backend, "headless|remote", get_args(Backend))
REDACTION = choice(*get_args(Redaction))
SEARCH_PROVIDER = choice("duckduckgo", "ddg", "wikipedia", "searxng", "brave", "index", "hybrid")
"""Whatever `--source` takes; a test holds them equal to what `oryn.research.search` has."""
ENGINE = choice(*get_args(ResearchEngine))
