"""The settings: `declared` has them all, `setting` says what one is, `configuration` what holds in a process.

Precedence: flag over environment (`ORYN_…`) over `config.toml` over default. `docs/settings.md` and the command line's
options are made from this table.
"""

from oryn.settings.configuration import Configuration, Origin, load
from oryn.settings.declared import (
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
