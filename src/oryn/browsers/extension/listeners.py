"""Hints of elements that only listen for clicks: the debugger alone can tell, of the top document."""

from __future__ import annotations

from typing import Any

from oryn.browsers.cdp.listeners import ask_listeners
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.frames import TOP, Node
from oryn.scanner import LISTENERS_SCRIPT


async def listeners(debugger: Debugger, node: Node, levels: int, timeout: float) -> Any:
    """As `common.asking.Asking.listeners` says; None where no debugger is attached."""
    if node.id != TOP or not debugger.is_attached:
        return None
    return await ask_listeners(debugger, LISTENERS_SCRIPT, levels, timeout)
