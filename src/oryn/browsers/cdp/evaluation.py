"""JavaScript in the page's own world, for `eval` and `wait until`.

https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate"""

from __future__ import annotations

import time
from typing import Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.error_mapping import NotJson
from oryn.browsers.cdp.frames import CdpFrameNode
from oryn.browsers.common.main_world import MainWorld
from oryn.browsers.common.protocol_session import Answer
from oryn.errors import InternalError, Timeout

# Objects that become `{}` or less as JSON; their description says more.
_DESCRIBED = frozenset(
    {"node", "regexp", "date", "map", "set", "weakmap", "weakset", "iterator", "generator", "error", "proxy"}
    | {"typedarray", "arraybuffer", "dataview", "webassemblymemory", "wasmvalue", "trustedtype"}
)


class CdpEvaluation(MainWorld[CdpFrameNode]):
    """Evaluates scripts in the page's own world, in the frames of one tab."""

    def __init__(self, channel: TabCommands) -> None:
        self._channel = channel

    def check(self) -> None:
        self._channel.check()

    async def run(self, expression: str, node: CdpFrameNode, timeout: float) -> Any:
        params = {
            # Half a surrogate pair is not Unicode, and the browser would refuse the whole message.
            "expression": expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            # As in the console: `await` at the top, and names that may be declared again.
            "replMode": True,
            "userGesture": True,
            # The browser terminates a script that loops, so that the page stays usable.
            "timeout": timeout * 1000,
            **({} if node.worlds.page is None else {"contextId": node.worlds.page}),
        }
        started = time.monotonic()
        try:
            answer = await self._channel.call("Runtime.evaluate", params, session=node.session, timeout=timeout)
        except InternalError:
            # The protocol's error for a script that the browser has terminated; usually our own timeout comes first.
            if time.monotonic() - started < timeout:
                raise
            raise Timeout("the browser has ended the script") from None
        if answer["result"].get("subtype") == "promise" and "exceptionDetails" not in answer:
            promise = {"promiseObjectId": answer["result"]["objectId"]}
            answer = await self._channel.call("Runtime.awaitPromise", promise, session=node.session, timeout=timeout)
        return await self._value(answer, node, timeout)

    async def _value(self, answer: Answer, node: CdpFrameNode, timeout: float) -> Any:
        if "exceptionDetails" in answer:
            raise error_mapping.error_from_exception(answer["exceptionDetails"])
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
        except (NotJson, InternalError):  # the protocol's error for a getter that throws
            return result.get("description", kind)
        finally:
            node.session.send("Runtime.releaseObject", {"objectId": result["objectId"]})
        if "exceptionDetails" in plain:
            return result.get("description", kind)
        return plain["result"].get("value")

    async def compiles(self, function: str, node: CdpFrameNode, timeout: float) -> bool:
        params: dict[str, Any] = {"expression": function, "sourceURL": "", "persistScript": False}
        if node.worlds.page is not None:
            params["executionContextId"] = node.worlds.page
        answer = await self._channel.call("Runtime.compileScript", params, session=node.session, timeout=timeout)
        return "exceptionDetails" not in answer
