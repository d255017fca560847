"""The settings: `definitions` declares them, `types` has the types of their values, `setting` describes one setting,
`configuration` resolves those of a process, and `flags` parses them from a command line.

Precedence: flag, environment (`ORYN_…`), `config.toml`, default. `docs/settings.md` and the command line's options are
generated from this table."""

from oryn.settings.configuration import Configuration, Origin, load
from oryn.settings.definitions import (
    AGENT,
    BROWSING,
    EVERYWHERE,
    LIMITS,
    RESEARCH,
    SERVING,
    SETTINGS,
    STORING,
    Settings,
)
from oryn.settings.setting import Setting

__all__ = [
    "AGENT",
    "BROWSING",
    "EVERYWHERE",
    "LIMITS",
    "RESEARCH",
    "SERVING",
    "SETTINGS",
    "STORING",
    "Configuration",
    "Origin",
    "Setting",
    "Settings",
    "load",
]
