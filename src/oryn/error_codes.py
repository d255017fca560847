"""Errors by their codes, for who hears of one from another process."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.errors import OrynError


def class_of(code: str, otherwise: type[OrynError] = OrynError) -> type[OrynError]:
    """The class of the whole tree that declares this code."""
    import oryn.research.failures  # noqa: F401  the branch that stands there

    return next((each for each in _below(OrynError) if vars(each).get("code") == code), otherwise)


def _below(base: type[OrynError]) -> Iterator[type[OrynError]]:
    for each in base.__subclasses__():
        yield each
        yield from _below(each)
