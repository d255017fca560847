"""Oryn: the browser for AI agents. `Oryn` and `SyncOryn` are the Python library (docs/clients.md)."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from oryn.client import Oryn, Result, SyncOryn

__all__ = ["DISTRIBUTION", "PROTOCOL_VERSION", "Oryn", "Result", "SyncOryn", "__version__"]

__version__ = "0.1.0"

DISTRIBUTION = "oryn-browser"
"""What this is called on PyPI, and its client for Node on npm: `oryn` is another project's there. The product, its
program and this package are called `oryn` all the same. Whatever says how to install it is made of this."""

PROTOCOL_VERSION = 2
"""Version of the line protocol and of the extension's (docs/spec/line-protocol.md#protocol-versions): 2 added named
sessions."""


def __getattr__(name: str) -> object:
    # Programs of Oryn import this package first: each class is loaded on first use.
    if name in ("Oryn", "Result", "SyncOryn"):
        from oryn import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
