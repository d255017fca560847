"""The checks of `oryn doctor`: each reports its finding and, if something is missing or wrong, a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from oryn.cli.checks import installation, machine
from oryn.cli.checks.finding import FAILED_STATES, Check, Finding, State
from oryn.errors import OrynError
from oryn.settings import Configuration

__all__ = ["CHECKS", "FAILED_STATES", "Finding", "State", "run"]

CHECKS: dict[str, Check] = {
    "python": machine.python,
    "package": installation.package,
    "configuration": installation.configuration,
    "folders": machine.folders,
    "daemon": machine.daemon,
    "browser": machine.browser,
    "embedded": machine.webkit,
    "playwright": machine.playwright,
    "extension": machine.extension,
    "sandbox": machine.sandbox,
    "fonts": machine.fonts,
    "memory": machine.shared_memory,
    "mcp": partial(installation.extra, "mcp"),
    "assistants": machine.assistants,
    "agent": partial(installation.extra, "agent"),
    "research": partial(installation.extra, "research"),
    "search": installation.search_providers,
    "model": installation.embedding,
    "encryption": partial(installation.extra, "encryption"),
    "qdrant": partial(installation.extra, "qdrant"),
    "ray": partial(installation.extra, "ray"),
    "plugins": installation.plugins,
    "leftovers": machine.leftovers,
}


def run(configuration: Configuration, only: str | None = None, problem: OrynError | None = None) -> Iterator[Finding]:
    """Yield the findings of every check, or of the one called `only`, as they are made.

    `problem` is the error if the settings could not be read completely; `configuration` then has the rest of them."""
    for name, check in CHECKS.items():
        if only not in (None, name):
            continue
        if name == "configuration" and problem is not None:
            yield Finding(name, "wrong", problem.message, problem.hint or "")
            continue
        found = check(configuration)
        for each in found if isinstance(found, list) else [found]:
            yield Finding(name, *each)
