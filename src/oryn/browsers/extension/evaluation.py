"""JavaScript in the page's own world: a function of the extension that evaluates there (`extension/page_world.ts`), or
the DevTools protocol, as in headless mode, in the top document of a tab whose debugger is attached.

Without the debugger a page's content security policy may forbid it, `let` and `const` do not last from one script to
the next, and a script that loops is not ended."""

from __future__ import annotations

import json
from typing import Any

from oryn.browsers.cdp import frames as cdp
from oryn.browsers.cdp.evaluation import CdpEvaluation as Protocol
from oryn.browsers.common.main_world import MainWorld
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import TRUSTED_INPUT_SETTING
from oryn.browsers.extension.frames import TOP, ExtensionFrameNode
from oryn.errors import FrameNotFound, ScriptError

_TRUSTED_INPUT_HINT = f"With {TRUSTED_INPUT_SETTING}, scripts run there too."


class ExtensionEvaluation(MainWorld[ExtensionFrameNode]):
    """Runs scripts in the page's own world of one tab's frames."""

    def __init__(self, channel: ExtensionChannel, debugger: TabDebugger) -> None:
        self._channel = channel
        self._debugger = debugger
        self._protocol = Protocol(debugger)

    def check(self) -> None:
        self._channel.check()

    async def run(self, expression: str, node: ExtensionFrameNode, timeout: float) -> Any:
        if node.id == TOP and self._debugger.is_attached:
            top = cdp.CdpFrameNode(id=TOP, parent=None, session=self._debugger.session)
            return await self._protocol.run(expression, top, timeout)
        # A lone surrogate is not valid Unicode.
        valid = expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        answer = _fields(await self.call("evaluate", [valid, False], node, timeout))
        if answer.get("forbidden"):
            hint = (
                _TRUSTED_INPUT_HINT
                if node.id == TOP
                else "Its elements can be used all the same: 'observe' shows them."
            )
            raise ScriptError("the page's content security policy forbids scripts that are given as text", hint)
        if "error" in answer:
            raise ScriptError(str(answer["error"]))
        return answer.get("value")

    async def compiles(self, function: str, node: ExtensionFrameNode, timeout: float) -> bool:
        if node.id == TOP and self._debugger.is_attached:
            top = cdp.CdpFrameNode(id=TOP, parent=None, session=self._debugger.session)
            return await self._protocol.compiles(function, top, timeout)
        # A script that is forbidden fails when it is run.
        answer = _fields(await self.call("evaluate", [function, True], node, timeout))
        return "value" in answer

    async def call(self, function: str, arguments: list[Any], node: ExtensionFrameNode, timeout: float) -> Any:
        """Call a function of `extension/page_world.ts` in the page's own world; its answer as JSON data, whose shape is
        not to be trusted. Raises `DocumentGone`."""
        where = {"documentIds": [node.document]} if node.document else {"frameIds": [int(node.id)]}
        injection = {
            "target": {"tabId": self._channel.tab, **where},
            "world": "MAIN",
            "injectImmediately": True,
            "func": function,
            "args": arguments,
        }
        try:
            results = await self._channel.script(injection, timeout=timeout)
        except FrameNotFound as error:
            raise DocumentGone("the document went away", error.hint) from None
        try:
            return json.loads(results[0]["result"])
        except (TypeError, KeyError, IndexError, ValueError):
            raise DocumentGone("the document went away", "Run 'observe' to see what is there now.") from None


def _fields(answer: Any) -> dict[str, Any]:
    return answer if isinstance(answer, dict) else {}
