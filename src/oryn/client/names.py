"""The commands of the command line's own, by name: every other word is a verb for the daemon."""

from __future__ import annotations

COMMANDS = (
    "do",
    "sessions",
    "run",
    "headless",
    "remote",
    "agent",
    "mcp",
    "pairings",
    "daemon",
    "open",
    "vault",
    "profile",
    "parse",
    "reference",
    "doctor",
    "config",
    "completion",
    "schema",
    "skill",
    "demo",
    "version",
)
"""Every command, in the order of `--help`; `oryn.cli.<command>` has it under its own name."""

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
"""Commands of `oryn daemon` by what they are called without it (`oryn status`). No verb has such a name; `trace` is
one."""
