"""Where the worker enters the engine: `start` wires it to the browser."""

from __future__ import annotations

from oryn.engine import Session
from oryn.extension.bridge import Bridge, Host

__all__ = ["Session", "start"]


def start(host: Host) -> Bridge:
    """Called once by `extension/worker.js`, when the engine is loaded."""
    bridge = Bridge(host)
    bridge.attach()
    return bridge
