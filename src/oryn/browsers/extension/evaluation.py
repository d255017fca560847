"""JavaScript in the page's own world: a function of the extension's that evaluates there (`extension/page_world.js`),
or, in the top document of a tab whose debugger is attached, the DevTools protocol as headless has it.

Without the debugger a page's policy may forbid it, `let` and `const` do not last from one script to the next, and a
script that loops is not ended.
"""

from __future__ import annotations

import json
from typing import Any

from oryn.browsers.cdp import frames as cdp
from oryn.browsers.cdp.evaluation import Evaluation as Protocol
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.page_world import PageWorld
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.dialogs import SETTING
from oryn.browsers.extension.frames import TOP, Node
from oryn.errors import FrameNotFound, ScriptError

_TRUST = f"With {SETTING}, scripts run there too."


class Evaluation(PageWorld[Node]):
    """Runs scripts in the page's own world of one tab's frames."""

    def __init__(self, channel: Channel, debugger: Debugger) -> None:
        self._channel = channel
        self._debugger = debugger
        self._protocol = Protocol(debugger)

    def check(self) -> None:
        self._channel.check()

    async def run(self, expression: str, node: Node, timeout: float) -> Any:
        if node.id == TOP and self._debugger.is_attached:
            top = cdp.Node(id=TOP, parent=None, session=self._debugger.session)
            return await self._protocol.run(expression, top, timeout)
        # Half a surrogate pair is not Unicode.
        whole = expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        told = await self._run(node, [whole, False], timeout)
        if told.get("forbidden"):
            hint = _TRUST if node.id == TOP else "Its elements can be used all the same: 'observe' shows them."
            raise ScriptError("the page's content security policy forbids scripts that are given as text", hint)
        if "error" in told:
            raise ScriptError(str(told["error"]))
        return told.get("value")

    async def compiles(self, function: str, node: Node, timeout: float) -> bool:
        if node.id == TOP and self._debugger.is_attached:
            top = cdp.Node(id=TOP, parent=None, session=self._debugger.session)
            return await self._protocol.compiles(function, top, timeout)
        # What is forbidden says so when it is run.
        told = await self._run(node, [function, True], timeout)
        return "value" in told

    async def _run(self, node: Node, arguments: list[Any], timeout: float) -> dict[str, Any]:
        """What the function answers: of the page's own world, so its shape is not to be trusted."""
        where = {"documentIds": [node.document]} if node.document else {"frameIds": [int(node.id)]}
        injection = {
            "target": {"tabId": self._channel.tab, **where},
            "world": "MAIN",
            "injectImmediately": True,
            "func": "evaluate",
            "args": arguments,
        }
        try:
            results = await self._channel.script(injection, timeout=timeout)
        except FrameNotFound as error:
            raise DocumentGone("the document went away", error.hint) from None
        try:
            told = json.loads(results[0]["result"])
        except (TypeError, KeyError, IndexError, ValueError):
            raise DocumentGone("the document went away", "Run 'observe' to see what is there now.") from None
        return told if isinstance(told, dict) else {}
