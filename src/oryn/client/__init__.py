"""The client library: `Oryn` and its synchronous twin `SyncOryn` (docs/clients.md).

Importing this package imports neither: each is loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.client.client import Oryn
    from oryn.client.sync_client import SyncOryn
    from oryn.language.lexer import quote

__all__ = ["Oryn", "SyncOryn", "quote"]


def __getattr__(name: str) -> object:
    if name == "Oryn":
        from oryn.client.client import Oryn

        return Oryn
    if name == "SyncOryn":
        from oryn.client.sync_client import SyncOryn

        return SyncOryn
    if name == "quote":
        from oryn.language.lexer import quote

        return quote
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
