"""JavaScript in the page's own world, for `eval` and `wait until`.

The inspector evaluates scripts as a console does, whatever the page's policy. It knows no `await` at the top, for which
the script becomes a function, and refuses names that are declared again, which become assignments.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Runtime.json"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.main_world import MainWorld, function_bodies
from oryn.browsers.webkit.frames import WebKitFrameNode
from oryn.errors import ScriptError

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient

_AWAIT = re.compile(r"\bawait\b")
_DECLARED_AGAIN = re.compile(r"^SyntaxError: Can't create duplicate variable: '([^']+)'")
# Objects that become `{}` or less as JSON; their description says more.
_DESCRIBED = frozenset({"node", "regexp", "date", "map", "set", "weakmap", "weakset", "iterator", "error", "proxy"})
_DESCRIBED_CLASSES = frozenset(
    {"ArrayBuffer", "SharedArrayBuffer", "DataView", "Generator"}
    | {f"{kind}Array" for kind in ("Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32")}
    | {f"{kind}Array" for kind in ("Float32", "Float64", "BigInt64", "BigUint64")}
)
_MAX_DECLARED = 20


class WebKitEvaluation(MainWorld[WebKitFrameNode]):
    """Evaluates scripts in the page's own world, in the frames of one tab."""

    def __init__(self, channel: WebKitChannel, scanner: WebKitScannerClient) -> None:
        self._channel = channel
        self._scanner = scanner

    def check(self) -> None:
        self._channel.check()

    async def run(self, expression: str, node: WebKitFrameNode, timeout: float) -> Any:
        # Half a surrogate pair is not Unicode, and the browser would refuse the whole message.
        script = expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if _AWAIT.search(script):
            script = await self._asynchronous(script, timeout)
        answer = await self._evaluate(script, node, timeout)
        for _ in range(_MAX_DECLARED):
            found = _DECLARED_AGAIN.match(_description(answer)) if answer.get("wasThrown") else None
            if found is None or (assigning := _assigning(script, found[1])) == script:
                break
            script = assigning
            answer = await self._evaluate(script, node, timeout)
        if found is not None:  # in a block of its own
            answer = await self._evaluate(f"{{\n{script}\n}}", node, timeout)
        if _is_promise(answer):
            answer = await self._settled(answer, node, timeout)
        return await self._value(answer, node, timeout)

    async def _asynchronous(self, script: str, timeout: float) -> str:
        """A script with `await` at the top as the call of a function; as it is if it needs none, or is invalid."""
        if await self._parses(script, timeout):
            return script
        for body in function_bodies(script):
            call = f"(async function(){{{body}\n}}).call(globalThis)"
            if await self._parses(call, timeout):
                return call
        return script

    async def _parses(self, script: str, timeout: float) -> bool:
        answer = await self._channel.call("Runtime.parse", {"source": script}, timeout=timeout)
        return bool(answer["result"] == "none")

    async def _evaluate(self, script: str, node: WebKitFrameNode, timeout: float) -> Answer:
        context = await self._scanner.context(node, timeout)
        params = {
            "expression": script,
            "contextId": context,
            "objectGroup": "oryn",
            "doNotPauseOnExceptionsAndMuteConsole": True,
            "emulateUserGesture": True,
        }
        return await self._channel.call("Runtime.evaluate", params, timeout=timeout)

    async def _settled(self, answer: Answer, node: WebKitFrameNode, timeout: float) -> Answer:
        promise = {"promiseObjectId": answer["result"]["objectId"]}
        context = node.context
        waiting = self._channel.call("Runtime.awaitPromise", promise, timeout=timeout)
        return await self._scanner.until_left(node, context, waiting)

    async def _value(self, answer: Answer, node: WebKitFrameNode, timeout: float) -> Any:
        result = answer["result"]
        if answer.get("wasThrown"):
            raise ScriptError(_error_text(result))
        kind = result["type"]
        if "objectId" not in result:
            if kind == "undefined":
                return None
            is_special = kind == "number" and (result["value"] is None or result.get("description") == "-0")
            return result["description"] if is_special else result.get("value", result.get("description"))
        try:
            return await self._object_value(result, node, timeout)
        finally:
            self._channel.session.send("Runtime.releaseObject", {"objectId": result["objectId"]})

    async def _object_value(self, result: dict[str, Any], node: WebKitFrameNode, timeout: float) -> Any:
        """An object as JSON data, as the scanner's realm reads it, or the text that describes it."""
        kind, subtype = result["type"], result.get("subtype")
        described: str = result.get("description", kind)
        if kind in ("function", "symbol"):
            return described
        handle = await self._scanner.handle(node, timeout=timeout)
        value = {"objectId": result["objectId"]}
        if subtype == "node":
            text = await self._scanner.call_handle(node, handle, "nodeText", value, timeout=timeout)
            return described if text is None else text
        if subtype in _DESCRIBED or result.get("className") in _DESCRIBED_CLASSES:
            return f"{described}({result['size']})" if "size" in result else described
        found = await self._scanner.call_handle(node, handle, "json", value, timeout=timeout)
        return described if found is None else json.loads(found)

    async def compiles(self, function: str, node: WebKitFrameNode, timeout: float) -> bool:
        return await self._parses(function, timeout)


def _is_promise(answer: Answer) -> bool:
    return answer["result"].get("className") == "Promise" and not answer.get("wasThrown")


def _description(answer: Answer) -> str:
    return str(answer["result"].get("description", ""))


def _error_text(thrown: dict[str, Any]) -> str:
    """The message for what a script threw (`Runtime.RemoteObject`)."""
    if "value" in thrown:
        return thrown["value"] if isinstance(thrown["value"], str) else json.dumps(thrown["value"])
    is_plain = thrown["type"] == "object" and thrown.get("subtype") != "error"
    return str(thrown.get("className" if is_plain else "description", "the script threw"))


def _assigning(script: str, name: str) -> str:
    """A script that assigns to a name instead of declaring it."""
    declaration = rf"(?<![\w$.])(?:let|const|var)(\s+{re.escape(name)}\s*=(?!=))"
    return re.sub(declaration, r"\1", script, count=1)
