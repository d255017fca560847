"""Finds the class of an error by its code, for errors that another process reports."""

from __future__ import annotations

from oryn.errors import OrynError

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Iterator


def error_class_of(code: str, otherwise: type[OrynError] = OrynError) -> type[OrynError]:
    """The class that declares `code`; `otherwise` if no class does, as with a code of a later version."""
    return next((each for each in _all_subclasses(OrynError) if vars(each).get("code") == code), otherwise)


def _all_subclasses(base: type[OrynError]) -> Iterator[type[OrynError]]:
    for each in base.__subclasses__():
        yield each
        yield from _all_subclasses(each)
