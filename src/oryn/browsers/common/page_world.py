"""The two scanner commands that run in the page's own world (seed 003 §3.16, §3.17), over whatever evaluates there."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Generic

from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.tree import AnyNode
from oryn.errors import ScriptError, Timeout

POLL_SECONDS = 0.1
_WAIT_OR_LEAVE = "Wait longer with --timeout, or 'goto' another page if this one is busy."


class PageWorld(Generic[AnyNode]):
    """Runs scripts in the page's own world of one tab's frames."""

    def check(self) -> None:
        """Raise what would keep the page from answering."""
        raise NotImplementedError

    async def run(self, expression: str, node: AnyNode, timeout: float) -> Any:
        """As `evaluate`, with a `Timeout` of any words."""
        raise NotImplementedError

    async def evaluate(self, expression: str, node: AnyNode, timeout: float) -> Any:
        """The value of the last statement, as JSON data. Raises `ScriptError`, `Timeout`, `DocumentGone`."""
        try:
            return await self.run(expression, node, timeout)
        except Timeout:
            # The browser's clock and ours run out together: the answer is the same whichever is first.
            raise Timeout("the script did not end in time", _WAIT_OR_LEAVE) from None

    async def compiles(self, function: str, node: AnyNode, timeout: float) -> bool:
        """Whether a function in parentheses is one: it is not called."""
        raise NotImplementedError

    async def execute(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        """`execute`: the script is a function's body with `args` as `arguments`; an expression is one, too."""
        script, arguments = request.get("script"), request.get("args") or []
        if not isinstance(script, str) or not isinstance(arguments, list):
            return refusal("INVALID_REQUEST", "script and args are required")
        values = json.dumps(arguments)
        try:
            body = f"return ({script}\n)"
            if not await self.compiles(f"(async function(){{{body}}})", node, timeout):
                body = script
            call = f"(async function(){{{body}\n}}).apply(null, {values})"
            return {"ok": True, "data": {"result": await self.evaluate(call, node, timeout)}}
        except ScriptError as error:
            return refusal(error.code, error.message)

    async def wait_custom(self, request: dict[str, Any], node: AnyNode, timeout: float) -> dict[str, Any]:
        """`wait_for` with `custom`: until the expression is truthy, asked every `POLL_SECONDS` (variables make no
        events)."""
        expression = request.get("expression")
        if not isinstance(expression, str):
            return refusal("INVALID_REQUEST", "expression is required")
        loop = asyncio.get_running_loop()
        started = loop.time()
        limit = min(timeout, (request.get("timeout") or 30_000) / 1000)
        while True:
            left = started + limit - loop.time()
            try:
                result = await self.evaluate(expression, node, max(left, 0.01))
            except ScriptError as error:
                return refusal(error.code, error.message)
            except DocumentGone:
                result = None
            except Timeout:
                result, left = None, 0
            waited = round((loop.time() - started) * 1000)
            if result:
                return {"ok": True, "data": {"met": True, "waited": waited, "result": result}}
            if left <= POLL_SECONDS:
                return refusal("TIMEOUT", f"custom did not come within {round(limit * 1000)} ms", {"waited": waited})
            await asyncio.sleep(POLL_SECONDS)
            self.check()


def refusal(code: str, error: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """A failed response of the scanner protocol."""
    return {"ok": False, "code": code, "error": error, **({"data": data} if data else {})}
