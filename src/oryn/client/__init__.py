"""The client library, `Oryn` and its synchronous twin `SyncOryn` (docs/clients.md), and what speaks to a daemon.

The latter is in a hurry: a verb of the command line may cost twice what Python's own start does, so what runs for one
imports next to nothing (`benchmarks/command_line.py`), and the library only when it is asked for."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.client.blocking import SyncOryn
    from oryn.client.library import Oryn
    from oryn.language.strings import quote

__all__ = ["Oryn", "SyncOryn", "quote"]


def __getattr__(name: str) -> object:
    if name == "Oryn":
        from oryn.client.library import Oryn

        return Oryn
    if name == "SyncOryn":
        from oryn.client.blocking import SyncOryn

        return SyncOryn
    if name == "quote":
        from oryn.language.strings import quote

        return quote
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
