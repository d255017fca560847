"""The extras of the package: what to say where one is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from oryn import DISTRIBUTION
from oryn.errors import NotSupported, OrynError

Extra = Literal["agent", "daemon", "encryption", "mcp", "qdrant", "ray", "research"]


PURPOSES: dict[Extra, str] = {
    "daemon": "every verb (oryn goto, oryn click …), oryn daemon, oryn open",
    "mcp": "oryn mcp, which assistants start, and the daemon's /mcp",
    "agent": "oryn agent",
    "research": "oryn search, extract, crawl, research, graph, index",
    "encryption": "oryn vault, and states that are encrypted",
    "qdrant": "an index of research on a Qdrant server",
    "ray": "research on many machines (--engine ray)",
}
"""What each extra is for: what fails without it."""


def requirement(extra: Extra) -> str:
    """The extra as pip takes it."""
    return f"{DISTRIBUTION}[{extra}]"


def installation(extra: Extra) -> str:
    """The command that installs the extra."""
    return f"pip install '{requirement(extra)}'"


def how_to_install(extra: Extra) -> str:
    """The hint of an error that the extra would mend."""
    return f"Install it: {installation(extra)}."


@contextmanager
def needed(extra: Extra, wish: str, error: type[OrynError] = NotSupported) -> Iterator[None]:
    """Around the imports of an extra's packages: where one is not installed, `error` says which, and that `wish` needs
    it. (A module of ours that is missing is a bug, and raised as such.)"""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "oryn":
            raise
        raise error(f"{wish} needs {missing.name}, which is not installed", how_to_install(extra)) from missing
