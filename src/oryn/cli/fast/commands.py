"""Names of the commands that the command line runs itself; every other word is a verb for the daemon."""

from __future__ import annotations

COMMANDS = (
    "do",
    "sessions",
    "run",
    "test",
    "headless",
    "embedded",
    "playwright",
    "remote",
    "agent",
    "mcp",
    "attach",
    "pairings",
    "daemon",
    "open",
    "token",
    "vault",
    "profile",
    "parse",
    "reference",
    "doctor",
    "install-browser",
    "config",
    "completion",
    "schema",
    "skill",
    "demo",
    "version",
)
"""Every command, in the order of `--help`; the module `oryn.cli.<command>` has a function of the same name, with
`_` for `-`."""

GROUPS = ("daemon", "pairings", "profile", "test", "token", "vault")
"""Commands with commands of their own (`daemon status`)."""

SHORTCUTS = {
    "start": "start",
    "stop": "stop",
    "restart": "restart",
    "serve": "serve",
    "status": "status",
    "pair": "pair",
    "logs": "logs",
    "watch": "watch",
    "history": "trace",
    "replay": "replay",
}
"""Commands of `oryn daemon` by their short names (`oryn status`). No short name is that of a verb: `trace` is a verb,
so its short name is `history`."""
