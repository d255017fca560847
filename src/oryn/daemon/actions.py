"""The names of actions: what a caller said (`navigate`, `tab list`), and the command that it means. Pure."""

from __future__ import annotations

from functools import cache

from oryn.language import doors


@cache
def aliases() -> frozenset[str]:
    """Every name that is another one of a command."""
    return frozenset((*doors().aliases, *(" ".join(phrase) for phrase in doors().phrases)))


@cache
def door_of(name: str) -> str:
    """The name at doors of the command that a name means: `tab list` → `tabs`."""
    words = name.lower().split()
    phrase = tuple(words[:2]) in doors().phrases
    verb = doors().find(*words[:2]) if phrase else doors().find(words[0]) if words else None
    return " ".join((verb.name, *words[2 if phrase else 1 :])) if verb else name


def is_asked(action: str, wanted: str) -> bool:
    """Whether an action of the history is of the kind that somebody looks for, whichever of its names either has;
    `cookies` is all of `cookies set` and its like."""
    found, kind = door_of(action), door_of(wanted)
    return found == kind or any(each.startswith(f"{kind} ") for each in (found, action))
