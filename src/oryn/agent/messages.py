"""What the agent is told besides snapshots, word for word (seed 001, System Messages). Pure.

Whatever a page or a model said in a message is on one line and escaped (`markup`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oryn.agent.context import Shown, address
from oryn.agent.markup import text, trusted
from oryn.engine import escape
from oryn.errors import OrynError

WHOLE = Shown("off")

NOTHING = "System: There is nothing new."

LONGEST = 600
"""Characters of an error."""


RESTARTED = (
    "System: The browser's side was restarted. Your last command may not have been executed, and all elements have new "
    "numbers."
)


def timed_out(seconds: float) -> str:
    return f"System: Action executed but no DOM change detected within {seconds:g} seconds."


def error(words: str) -> str:
    """Of our own words, in which what others said is escaped already."""
    return f"System Error: {words}"


def element_not_found(number: object) -> str:
    return error(f"Element ID {text(str(number), 40)} not found.")


def failed_to_open(url: str, reason: str) -> str:
    """`url` as the model or the user wrote it."""
    return error(f'Failed to open URL "{text(escape.url(url))}". {text(reason, LONGEST)}')


def tool_not_found(name: str, known: Iterable[str]) -> str:
    names = ", ".join(f'"{trusted(each)}"' for each in known)
    return error(f'Tool "{text(name, 100)}" not found. Available tools: {names or "none"}')


# The addresses of tabs are those of their snapshots.


def tab_released(limit: int, url: str, shown: Shown = WHOLE) -> str:
    return f"System: Tab limit ({limit}) reached. Released tab: {address(url, shown)}"


def tab_opened(url: str, shown: Shown = WHOLE) -> str:
    return f"System: The page opened a new tab, which is a target now: {address(url, shown)}"


def tabs_left(count: int) -> str:
    return f"System: Pages opened {count} more {'tab' if count == 1 else 'tabs'}, which are no targets."


def tab_closed(url: str, shown: Shown = WHOLE) -> str:
    return f"System: A target tab was closed: {address(url, shown)}"


def no_snapshot(url: str, reason: str, shown: Shown = WHOLE) -> str:
    return error(f"No snapshot of {address(url, shown)}: {text(reason, LONGEST)}")


def failed(failure: OrynError) -> str:
    """An error of the engine: what happened, and what to do next."""
    said = text(failure.message, LONGEST).rstrip(".")
    return error(f"{said}. {text(failure.hint, LONGEST)}" if failure.hint else f"{said}.")


def note(words: str) -> str:
    return f"System: {text(words, LONGEST)}"


def correction(words: str) -> str:
    """What the user says while it runs (SEND COMMAND)."""
    return f"User: {trusted(words)}"


def joined(parts: Sequence[str]) -> str:
    """Parts of a message, each a line or a block."""
    return "\n\n".join(part for part in parts if part)
