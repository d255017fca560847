"""The scanner commands that run in the page's own (main) world (docs/spec/scanner-protocol.md#injection), for any
backend."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeGuard

from oryn.browsers.common.frame_tree import AnyNode
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import ScriptError, Timeout
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.scanner.protocol import (
        EditorStep,
        ErrorCode,
        ExecuteRequest,
        ReadEditorRequest,
        ScannerRequest,
        ScannerResponse,
        WaitForRequest,
    )

    MainWorldRequest = ExecuteRequest | ReadEditorRequest | WaitForRequest

POLL_SECONDS = 0.1
MAX_STATEMENT_ENDS = 30
_WAIT_OR_LEAVE = "Wait longer with --timeout, or 'goto' another page if this one is busy."


def is_for_main_world(request: ScannerRequest) -> TypeGuard[MainWorldRequest]:
    """Whether a scanner command runs in the page's own world instead of the scanner's."""
    if request["cmd"] == "wait_for":
        return request["condition"] == "custom"
    return request["cmd"] in ("execute", "read_editor")


class MainWorld(Generic[AnyNode]):
    """Runs scripts in the main world of one tab's frames. Subclasses evaluate them."""

    def check(self) -> None:
        """Raise the error of a tab that can't answer."""
        raise NotImplementedError

    async def run(self, expression: str, node: AnyNode, timeout: float) -> Any:
        """Evaluate a script, see `evaluate`; the message of a `Timeout` does not matter."""
        raise NotImplementedError

    async def evaluate(self, expression: str, node: AnyNode, timeout: float) -> Any:
        """The value of the last statement, as JSON data. Raises `ScriptError`, `Timeout`, `DocumentGone`."""
        try:
            return await self.run(expression, node, timeout)
        except Timeout:
            # The browser's time limit and ours end together: the message is the same for both.
            raise Timeout("the script did not end in time", _WAIT_OR_LEAVE) from None

    async def compiles(self, function: str, node: AnyNode, timeout: float) -> bool:
        """Whether the source of a function in parentheses is valid; the function is not called."""
        raise NotImplementedError

    async def answer(self, request: MainWorldRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """The response to a command for which `is_for_main_world` is true."""
        if request["cmd"] == "execute":
            return await self._execute(request, node, timeout)
        if request["cmd"] == "read_editor":
            return await self._read_editor(request, node, timeout)
        return await self._wait_custom(request, node, timeout)

    async def _read_editor(self, request: ReadEditorRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """The command `read_editor`: the whole text of the editor at `path`; null if its object is out of reach."""
        try:
            text = await self.editor_text(request["path"], node, timeout)
        except ScriptError:
            text = None
        return {"ok": True, "data": {"text": text if isinstance(text, str) else None}}

    async def editor_text(self, path: Sequence[EditorStep], node: AnyNode, timeout: float) -> Any:
        """The unchecked result of the page script `editor`. Raises what `evaluate` raises."""
        return await self.evaluate(page_call("editor", path), node, timeout)

    async def _execute(self, request: ExecuteRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """The command `execute`: run the body of a function, or an expression, with `args` as its `arguments`."""
        script, arguments = request.get("script"), request.get("args") or []
        if not isinstance(script, str) or not isinstance(arguments, list):
            return error_response("INVALID_REQUEST", "script and args are required")
        values = json.dumps(arguments)
        try:
            body = f"return ({script}\n)"
            if not await self.compiles(f"(async function(){{{body}}})", node, timeout):
                body = script
            call = f"(async function(){{{body}\n}}).apply(null, {values})"
            return {"ok": True, "data": {"result": await self.evaluate(call, node, timeout)}}
        except ScriptError as error:
            return error_response("SCRIPT_ERROR", error.message)

    async def _wait_custom(self, request: WaitForRequest, node: AnyNode, timeout: float) -> ScannerResponse:
        """The command `wait_for` with `custom`: wait until the expression is truthy. It is polled every `POLL_SECONDS`,
        because changes of variables cause no events."""
        expression = request.get("expression")
        if not isinstance(expression, str):
            return error_response("INVALID_REQUEST", "expression is required")
        loop = asyncio.get_running_loop()
        started = loop.time()
        limit = min(timeout, (request.get("timeout") or 30_000) / 1000)
        while True:
            left = started + limit - loop.time()
            try:
                result = await self.evaluate(expression, node, max(left, 0.01))
            except ScriptError as error:
                return error_response("SCRIPT_ERROR", error.message)
            except DocumentGone:
                result = None
            except Timeout:
                result, left = None, 0
            waited = round((loop.time() - started) * 1000)
            if result:
                return {"ok": True, "data": {"met": True, "waited": waited, "result": result}}
            if left <= POLL_SECONDS:
                return error_response(
                    "TIMEOUT", f"custom did not come within {round(limit * 1000)} ms", {"waited": waited}
                )
            await asyncio.sleep(POLL_SECONDS)
            self.check()


def error_response(code: ErrorCode, error: str, data: dict[str, Any] | None = None) -> ScannerResponse:
    """A failed response of the scanner protocol."""
    response: ScannerResponse = {"ok": False, "code": code, "error": error}
    return {**response, "data": data} if data else response


def function_bodies(script: str) -> Iterator[str]:
    """The bodies of functions that may return the value of a script's last statement, the likeliest first."""
    yield f"return ({script}\n)"
    statements = script.rstrip().rstrip(";")
    ends = [found.end() for found in re.finditer(r"[;}\n]", statements)]
    for end in ends[: -MAX_STATEMENT_ENDS - 1 : -1]:
        yield f"{statements[:end]}\nreturn ({statements[end:]}\n)"
    yield script
