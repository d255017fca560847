"""Settings that are one of a few words: as types, and as kinds."""

from __future__ import annotations

from typing import Literal, get_args

from oryn.kinds import choice

OutputForm = Literal["text", "json"]
ColourUse = Literal["auto", "always", "never"]
StateEncryption = Literal["off", "environment", "keyring"]
VaultUse = Literal["auto", "keyring", "file"]
LogLevel = Literal["debug", "info", "warning", "error"]
Backend = Literal["headless", "remote"]
Redaction = Literal["off", "values", "all"]
ResearchEngine = Literal["local", "ray"]

FORM = choice(*get_args(OutputForm))
COLOUR = choice(*get_args(ColourUse))
STATE_ENCRYPTION = choice(*get_args(StateEncryption))
VAULT = choice(*get_args(VaultUse))
LEVEL = choice(*get_args(LogLevel))
BACKEND = choice(*get_args(Backend))
REDACTION = choice(*get_args(Redaction))
ENGINE = choice(*get_args(ResearchEngine))
