"""The client library (docs/clients.md): `Oryn`, and `SyncOryn` for programs without an event loop.

Importing this package imports neither: each is loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.client._generated.sync.client import SyncOryn
    from oryn.client.client import Oryn
    from oryn.client.result import Result
    from oryn.language.lexer import quote

__all__ = ["Oryn", "Result", "SyncOryn", "quote"]


def __getattr__(name: str) -> object:
    if name == "Oryn":
        from oryn.client.client import Oryn

        return Oryn
    if name == "SyncOryn":
        from oryn.client._generated.sync.client import SyncOryn

        return SyncOryn
    if name == "Result":
        from oryn.client.result import Result

        return Result
    if name == "quote":
        from oryn.language.lexer import quote

        return quote
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
