"""Scripts in a tab's documents: requests to the scanner, which is injected into each document when it is first needed,
and the user's own scripts (`evaluate` in `page.js`)."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.main_world import MainWorld, function_bodies
from oryn.browsers.common.scanner_client import ScannerClient
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webdriver.channel import INJECTION_SECONDS, MAX_RETRIES, MISSING, WebDriverChannel, decode_answer
from oryn.browsers.webdriver.error_mapping import unreadable_page
from oryn.browsers.webdriver.frames import WebDriverFrameNode
from oryn.errors import BrowserFailed, OrynError, ScriptError
from oryn.scanner import ENTRY, bundle, page_script

if TYPE_CHECKING:
    from oryn.scanner.protocol import PageResponse, ViewportSize

_SCAN = f"""const done = arguments[arguments.length - 1];
const scan = globalThis[arguments[0]];
const fail = (error) => done('error ' + error);
if (!scan) done('missing');
else {{
  const answer = scan(arguments[1]);
  if (typeof answer === 'string') done('=' + answer);
  else answer.then((value) => done('=' + value), fail);
}}
//# sourceURL={ENTRY}"""
# Its walk is that of the scanner in the page's own world, with another function in place of the console's.
_LISTENERS = f"""const page = globalThis[Symbol.for('oryn.page')];
if (!page) return null;
const getEventListeners = page.listenersOf;
return '=' + JSON.stringify({page_script("listeners")}(arguments[0]));"""
_PART = """const done = arguments[arguments.length - 1];
globalThis[Symbol.for('oryn.page')].answer"""
SCANNER_PROTOCOL = "1"
"""The major version of the scanner's protocol that Oryn speaks."""
_CLOSED = "return window.closed;"


@cache
def scanner_script() -> str:
    """The scanner in ASCII characters: WebKit keeps a script with others at two bytes a character, in each process that
    it goes through. An escape stands for its character in all literals and names of JavaScript."""
    return re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], bundle())


class WebDriverScannerClient(ScannerClient[WebDriverFrameNode]):
    """The scanner of one tab."""

    def __init__(self, channel: WebDriverChannel) -> None:
        super().__init__()
        self._channel = channel

    async def call(self, node: WebDriverFrameNode, request: str, timeout: float) -> Any:
        channel = self._channel
        for _ in range(MAX_RETRIES):
            answer = await channel.execute_async(_SCAN, [ENTRY, request], node.path, timeout=timeout)
            if isinstance(answer, str) and answer.startswith("="):
                if not answer.startswith("={"):
                    raise unreadable_page()
                return answer[1:]
            if answer == MISSING:
                await channel.execute(scanner_script(), (), node.path, timeout=min(timeout, INJECTION_SECONDS))
                await self._check_version(node, timeout)
            else:
                await channel.check_dialog()
        raise DocumentGone("the document went away", "Run 'observe' to see what is there now.")

    async def _check_version(self, node: WebDriverFrameNode, timeout: float) -> None:
        """Ask the session's first scanner for its protocol (docs/spec/scanner-protocol.md#versions). Raises
        `BrowserFailed` if it speaks another one: the driver's browser may have got it from another Oryn."""
        if self._channel.session.scanner_protocol:
            return
        self._channel.session.scanner_protocol = "asked"
        answer = decode_answer("=" + await self.call(node, '{"cmd": "version"}', timeout))
        try:
            self._channel.session.scanner_protocol = protocol = str(answer["data"]["protocol"])
        except (TypeError, KeyError):
            raise unreadable_page() from None
        if protocol.partition(".")[0] != SCANNER_PROTOCOL:
            raise BrowserFailed(
                f"the page has a scanner of protocol {protocol}, not {SCANNER_PROTOCOL}", "Start the browser again."
            )

    async def is_closing(self) -> bool:
        try:
            return bool(await self._channel.execute(_CLOSED, timeout=5))
        except OrynError:
            return False  # the next command meets the same failure

    async def listeners(self, node: WebDriverFrameNode, levels: int, timeout: float) -> Any:
        """Those that `page.js` knows of: it sees listeners that are added while it is in the document."""
        try:
            answer = await self._channel.execute(
                _LISTENERS, [levels], node.path, timeout=min(timeout, INJECTION_SECONDS)
            )
        except OrynError:
            return None  # only hints: the request that uses them meets the same failure
        return decode_answer(answer) if isinstance(answer, str) and answer.startswith("=") else None


def error_page_data(url: str, viewport: ViewportSize) -> PageResponse:
    """The scanner's `page_data` of an error page."""
    return {
        "url": url,
        "title": "",
        "viewport": viewport,
        "scroll": {"x": 0, "y": 0, "max_x": 0, "max_y": 0},
        "ready_state": "complete",
    }


class WebDriverEvaluation(MainWorld[WebDriverFrameNode]):
    """Evaluates scripts in the frames of one tab."""

    def __init__(self, channel: WebDriverChannel) -> None:
        self._channel = channel

    def check(self) -> None:
        self._channel.check()

    async def run(self, expression: str, node: WebDriverFrameNode, timeout: float) -> Any:
        answer = await self._evaluate(expression, False, node, timeout)
        if "error" in answer:
            raise ScriptError(str(answer["error"]))
        return answer.get("value")

    async def compiles(self, function: str, node: WebDriverFrameNode, timeout: float) -> bool:
        return "value" in await self._evaluate(function, True, node, timeout)

    async def _evaluate(
        self, script: str, compile_only: bool, node: WebDriverFrameNode, timeout: float
    ) -> dict[str, Any]:
        """The answer of `evaluate`: `{"value": …}` or `{"error": …}`."""
        # Half a surrogate pair is not Unicode, and the driver would refuse the whole message.
        valid = script.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        answer = await self._channel.call("evaluate", valid, compile_only, path=node.path, timeout=timeout)
        if isinstance(answer, dict) and answer.get("refused"):
            return await self._evaluate_as_part(valid, compile_only, node, timeout)
        return answer if isinstance(answer, dict) else {}

    async def _evaluate_as_part(
        self, script: str, compile_only: bool, node: WebDriverFrameNode, timeout: float
    ) -> dict[str, Any]:
        """The answer of a script in a page whose policy forbids `eval`: it becomes a part of the driver's own script,
        to which the policy does not apply."""
        bodies = [f"return true;\nvoid ({script}\n)"] if compile_only else list(function_bodies(script))
        keyword = "async function" if re.search(r"\bawait\b", script) else "function"
        for body in bodies:
            try:
                part = f"{_PART}({keyword} () {{ {body}\n}}, (value) => done('=' + value));"
                answer = await self._channel.execute_async(part, (), node.path, timeout=timeout)
            except ScriptError as error:  # it is not JavaScript: nothing of it has run
                failure = error
                continue
            found = decode_answer(answer) if isinstance(answer, str) and answer.startswith("=") else None
            return found if isinstance(found, dict) else {}
        return {"error": failure.message}
