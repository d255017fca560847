"""The client libraries (docs/clients.md). `oryn.Oryn` and `oryn.SyncOryn` have a method for every command; what is
called `Oryn` and `SyncOryn` here sends lines and returns texts.

Importing this package imports none of them: each is loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.client.client import LineClient as Oryn
    from oryn.client.sync.client import SyncLineClient as SyncOryn
    from oryn.language.lexer import quote

__all__ = ["Oryn", "SyncOryn", "quote"]


def __getattr__(name: str) -> object:
    if name == "Oryn":
        from oryn.client.client import LineClient

        return LineClient
    if name == "SyncOryn":
        from oryn.client.sync.client import SyncLineClient

        return SyncLineClient
    if name == "quote":
        from oryn.language.lexer import quote

        return quote
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
