"""*Moving*: between pages."""

from __future__ import annotations

from oryn.language.command import Command, argument, flag, option
from oryn.language.effects import SCRIPT, Effect
from oryn.language.kinds import HEADERS, URL
from oryn.language.kinds.text import holds_credentials, holds_page

__all__ = [
    "Back",
    "Forward",
    "Goto",
    "Refresh",
    "Url",
]

_FAMILY = "Moving"


class Goto(
    Command,
    path="goto",
    family=_FAMILY,
    effects=("navigate",),
    help="Go to a URL",
    aliases=("navigate", "nav", "go to", "open"),
    example="goto example.com/login",
):
    """`url` has its scheme; one that starts with `/`, `?`, `./` or `../` is relative (`oryn.language.resolve_url`)."""

    url: str = argument(URL, "the URL; without a scheme it is https, or http on this computer")
    headers: dict[str, str] | None = option(HEADERS, "extra headers of this request only")

    @property
    def effects(self) -> tuple[Effect, ...]:
        carried: tuple[Effect, ...] = ("request",) if self.headers or holds_credentials(self.url) else ()
        return *self.spec.effects, *carried, *(SCRIPT if holds_page(self.url) else ())


class Back(Command, path="back", family=_FAMILY, safe=True, help="Go back in the history"):
    """One entry back."""


class Forward(Command, path="forward", family=_FAMILY, safe=True, help="Go forward in the history"):
    """One entry forward."""


class Refresh(Command, path="refresh", family=_FAMILY, safe=True, help="Load the page again", aliases=("reload",)):
    """Reload the current page."""

    hard: bool = flag("bypass the cache")


class Url(Command, path="url", family=_FAMILY, result="str", safe=True, reads=True, help="Show the URL of the page"):
    """The URL of the top document."""
