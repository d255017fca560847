"""JavaScript in the page's own world: `eval`, `wait until`, and the two scanner commands that must run there.

https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from oryn.browsers.cdp import failures
from oryn.browsers.cdp.calls import Calls
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.failures import NotJson
from oryn.browsers.cdp.frames import Node
from oryn.browsers.common.life import DocumentGone
from oryn.errors import ScriptError, Timeout

# What becomes `{}` or less as JSON: its description says more.
_DESCRIBED = frozenset(
    {"node", "regexp", "date", "map", "set", "weakmap", "weakset", "iterator", "generator", "error", "proxy"}
    | {"typedarray", "arraybuffer", "dataview", "webassemblymemory", "wasmvalue", "trustedtype"}
)
POLL_SECONDS = 0.1


class Evaluation:
    """Runs scripts in the page's own world of one tab's frames."""

    def __init__(self, channel: Calls) -> None:
        self._channel = channel

    async def evaluate(self, expression: str, node: Node, timeout: float) -> Any:
        """The value of the last statement, as JSON data. Raises `ScriptError`, `Timeout`, `DocumentGone`."""
        params = {
            # Half a surrogate pair is not Unicode, and the browser would refuse the whole message.
            "expression": expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            # As in the console: `await` at the top, and names that may be declared again.
            "replMode": True,
            "userGesture": True,
            # The browser ends a script that loops, so that the page is not lost with it.
            "timeout": timeout * 1000,
            **_context(node),
        }
        answer = await self._channel.call("Runtime.evaluate", params, session=node.session, timeout=timeout)
        if answer["result"].get("subtype") == "promise" and "exceptionDetails" not in answer:
            promise = {"promiseObjectId": answer["result"]["objectId"]}
            answer = await self._channel.call("Runtime.awaitPromise", promise, session=node.session, timeout=timeout)
        return await self._value(answer, node, timeout)

    async def _value(self, answer: Answer, node: Node, timeout: float) -> Any:
        if "exceptionDetails" in answer:
            raise failures.from_exception(answer["exceptionDetails"])
        result = answer["result"]
        kind = result["type"]
        if "objectId" not in result:
            if kind == "undefined":
                return None
            return (
                result["value"] if "value" in result else result.get("unserializableValue", result.get("description"))
            )
        if kind in ("function", "symbol") or result.get("subtype") in _DESCRIBED:
            return result.get("description", kind)
        try:
            plain = await self._channel.call(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": "function(){return this}",
                    "objectId": result["objectId"],
                    "returnByValue": True,
                },
                session=node.session,
                timeout=timeout,
            )
        except NotJson:
            return result.get("description", kind)
        finally:
            node.session.send("Runtime.releaseObject", {"objectId": result["objectId"]})
        if "exceptionDetails" in plain:
            return result.get("description", kind)
        return plain["result"].get("value")

    # --- scanner commands of the page's own world (seed 003 §3.16, §3.17) ---

    async def execute(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
        """`execute`: the script is a function's body with `args` as `arguments`; an expression is one, too."""
        script, arguments = request.get("script"), request.get("args") or []
        if not isinstance(script, str) or not isinstance(arguments, list):
            return refusal("INVALID_REQUEST", "script and args are required")
        values = json.dumps(arguments)
        try:
            body = f"return ({script}\n)"
            if not await self._compiles(f"(async function(){{{body}}})", node, timeout):
                body = script
            call = f"(async function(){{{body}\n}}).apply(null, {values})"
            return {"ok": True, "data": {"result": await self.evaluate(call, node, timeout)}}
        except ScriptError as error:
            return refusal(error.code, error.message)

    async def wait_custom(self, request: dict[str, Any], node: Node, timeout: float) -> dict[str, Any]:
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
            self._channel.check()

    async def _compiles(self, script: str, node: Node, timeout: float) -> bool:
        params: dict[str, Any] = {"expression": script, "sourceURL": "", "persistScript": False}
        if node.worlds.page is not None:
            params["executionContextId"] = node.worlds.page
        answer = await self._channel.call("Runtime.compileScript", params, session=node.session, timeout=timeout)
        return "exceptionDetails" not in answer


def _context(node: Node) -> dict[str, Any]:
    return {} if node.worlds.page is None else {"contextId": node.worlds.page}


def refusal(code: str, error: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """A failed response of the scanner protocol."""
    return {"ok": False, "code": code, "error": error, **({"data": data} if data else {})}
