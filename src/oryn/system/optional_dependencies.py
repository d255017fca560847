"""The package's extras: what each is for, and the error if one is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from oryn import DISTRIBUTION
from oryn.errors import NotSupported, OrynError

Extra = Literal[
    "agent",
    "daemon",
    "encryption",
    "grid",
    "junit",
    "mcp",
    "metrics",
    "playwright",
    "program",
    "qdrant",
    "qr",
    "ray",
    "records",
    "research",
    "tracing",
]


PURPOSES: dict[Extra, str] = {
    "daemon": "every verb (oryn goto, oryn click …), oryn daemon, oryn open",
    "mcp": "oryn mcp, which assistants start, and the daemon's /mcp",
    "metrics": "metrics of the daemon for Prometheus",
    "tracing": "traces of the daemon's commands for OpenTelemetry",
    "agent": "oryn agent",
    "playwright": "oryn playwright, and sessions with --backend playwright",
    "program": "oryn program: many commands in one call, in a sandbox",
    "research": "oryn search, extract, crawl, research, graph, index",
    "encryption": "oryn vault, and states that are encrypted",
    "grid": "browsers of a Selenium Grid (the setting providers)",
    "junit": "oryn test run --junit: reports for CI systems",
    "qdrant": "an index of research on a Qdrant server",
    "qr": "oryn vault set --qr: keys of one-time passwords from pictures",
    "records": "several daemons with one database (--records): sessions that any of them continues",
    "ray": "research on many machines (--engine ray)",
}
"""The features that need each extra."""


def extra_requirement(extra: Extra) -> str:
    """The extra as a requirement for pip."""
    return f"{DISTRIBUTION}[{extra}]"


def install_command(extra: Extra) -> str:
    """The command that installs the extra."""
    return f"pip install '{extra_requirement(extra)}'"


def install_hint(extra: Extra) -> str:
    """The hint of an error that installing the extra would solve."""
    return f"Install it: {install_command(extra)}."


@contextmanager
def require_extra(extra: Extra, wish: str, error: type[OrynError] = NotSupported) -> Iterator[None]:
    """Convert a failed import of an extra's packages in the block into `error`, which names the package and says that
    `wish` needs it.

    A missing module of Oryn itself is a bug, and raised unchanged."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "oryn":
            raise
        raise error(f"{wish} needs {missing.name}, which is not installed", install_hint(extra)) from missing
