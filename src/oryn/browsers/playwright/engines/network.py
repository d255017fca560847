"""The network in Playwright's engines: headers, rules, the log of requests, its recording as a HAR file, offline.
https://playwright.dev/python/docs/network

The settings are applied again to the context of a browser that is started again."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import (
    Body,
    Exchange,
    ExchangeRecorder,
    ExchangeWithBodies,
    InterceptionRule,
    Network,
    Responder,
)
from oryn.browsers.playwright.error_mapping import limited
from oryn.core.json_edit import edited
from oryn.core.urls import url_pattern
from oryn.errors import BrowserFailed, NotSupported

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Request, Response, Route

MAX_EXCHANGES = 1000
_EVERYTHING = "**"


class HarRecording:
    """Playwright's recording of the requests of a context. It is lost with the browser."""

    def __init__(self) -> None:
        self.recorder: ExchangeRecorder | None = None
        self._context: BrowserContext | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def begin(self, context: BrowserContext, recorder: ExchangeRecorder, timeout: float) -> None:
        """Record the requests that begin from now on."""
        folder = tempfile.TemporaryDirectory(prefix="oryn-")
        await limited(context.tracing.start_har(Path(folder.name, "requests.har"), content="embed"), timeout)
        self.recorder, self._context, self._folder = recorder, context, folder

    async def end(self, context: BrowserContext | None, timeout: float) -> None:
        """End the recording, and give it to the recorder. Raises `BrowserFailed` if `context`, the present one, is not
        the one that was recorded."""
        recorder, recorded, folder = self.recorder, self._context, self._folder
        self.recorder = self._context = self._folder = None
        if recorder is None or recorded is None or folder is None:
            return
        with folder:
            if context is None or recorded is not context:
                raise BrowserFailed("the browser whose requests were recorded is gone", "Run 'har start' again.")
            await limited(context.tracing.stop_har(), timeout)
            file = Path(folder.name, "requests.har")
            har: dict[str, Any] = json.loads(await asyncio.to_thread(file.read_text, "utf-8"))
            recorder.add_log(har["log"])

    def discard(self) -> None:
        """Discard what was recorded."""
        folder = self._folder
        self.recorder = self._context = self._folder = None
        if folder is not None:
            folder.cleanup()


class PlaywrightNetwork(Network):
    """The network of one session."""

    def __init__(self) -> None:
        self._context: BrowserContext | None = None
        self._rules: dict[tuple[str, str | None], InterceptionRule] = {}
        self._routed: BrowserContext | None = None
        """The context whose requests go through the rules."""
        self._offline = False
        self._har = HarRecording()
        self._headers: dict[str, str] = {}
        self._log: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        self._numbers: dict[Request, int] = {}
        self._last = 0

    async def apply(self, context: BrowserContext) -> None:
        """Apply the settings to a new context, and follow its requests."""
        self._context = context
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfinished", lambda request: self._end(request))
        context.on("requestfailed", lambda request: self._end(request, request.failure or "it failed"))
        if self._headers:
            await limited(context.set_extra_http_headers(self._headers))
        await self._apply_rules()
        if self._offline:
            await limited(context.set_offline(True))

    # --- headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        return {"": dict(self._headers)} if self._headers else {}

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        if domain:
            raise NotSupported(hint="In this engine headers are for all requests: leave the domain out.")
        self._headers = dict(headers)
        if self._context is not None:
            await limited(self._context.set_extra_http_headers(self._headers))

    # --- rules ---

    @property
    def rules(self) -> Sequence[InterceptionRule]:
        return list(self._rules.values())

    async def add_rule(self, rule: InterceptionRule) -> None:
        self._rules.pop((rule.pattern, rule.kind), None)
        self._rules[rule.pattern, rule.kind] = rule
        await self._apply_rules()

    async def remove_rules(self, pattern: str | None = None) -> int:
        gone = [each for each in self._rules if pattern in (None, each[0])]
        for each in gone:
            del self._rules[each]
        await self._apply_rules()
        return len(gone)

    async def _apply_rules(self) -> None:
        """Hold requests back while there is a rule that does something with them."""
        context = self._context
        is_needed = any(rule.acts for rule in self._rules.values())
        if context is None or is_needed == (self._routed is context):
            return
        if is_needed:
            await limited(context.route(_EVERYTHING, self._on_route))
            self._routed = context
        else:
            await limited(context.unroute(_EVERYTHING, self._on_route))
            self._routed = None

    def _rule_for(self, request: Request) -> InterceptionRule | None:
        fitting = (rule for rule in reversed(self._rules.values()) if rule.is_for_kind(request.resource_type))
        return next((rule for rule in fitting if url_pattern(rule.pattern).search(request.url)), None)

    async def _on_route(self, route: Route) -> None:
        from playwright.async_api import Error

        rule = self._rule_for(route.request)
        try:
            if rule is not None and rule.delay:
                await asyncio.sleep(rule.delay)
            if rule is not None and rule.block:
                await route.abort("blockedbyclient")
            elif rule is not None and rule.reply is not None:
                reply = rule.reply
                await route.fulfill(status=reply.status, headers=dict(reply.fields), body=reply.body)
            elif rule is not None and rule.edit is not None:
                await self._edit(route, rule.edit)
            else:
                await route.continue_()
        except Error:
            pass  # the page that has sent it is gone

    async def _edit(self, route: Route, edit: Mapping[str, Any]) -> None:
        """Answer a request with the server's response as `edit` changes it; without a change if it is no JSON."""
        response = await route.fetch(max_redirects=0)
        try:
            content = json.dumps(edited(json.loads(await response.body()), edit), ensure_ascii=False)
        except LookupError as error:
            self._change(route.request, unedited=str(error.args[0]))
        except (ValueError, RecursionError):
            self._change(route.request, unedited="the answer is no JSON")
        else:
            await route.fulfill(response=response, body=content)
            return
        await route.fulfill(response=response)

    async def answer_by(self, responder: Responder | None) -> None:
        if responder is not None:
            raise NotSupported("Playwright's drivers of Firefox and WebKit do not hold redirects back")

    # --- conditions ---

    @property
    def offline(self) -> bool:
        return self._offline

    async def set_offline(self, offline: bool) -> None:
        self._offline = offline
        if self._context is not None:
            await limited(self._context.set_offline(offline))

    # --- recording ---

    @property
    def recorder(self) -> ExchangeRecorder | None:
        return self._har.recorder

    def discard(self) -> None:
        """Discard a recording, because the session has ended."""
        self._har.discard()

    async def record(self, recorder: ExchangeRecorder | None, *, timeout: float = 30) -> None:
        if recorder is None:
            await self._har.end(self._context, timeout)
            return
        if self._context is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        await self._har.begin(self._context, recorder, timeout)

    # --- the log ---

    def exchanges(self) -> list[Exchange]:
        return list(self._log)

    async def exchange_with_bodies(self, number: int, *, timeout: float = 30) -> ExchangeWithBodies | None:
        found = next((each for each in self._log if each.number == number), None)
        request = next((one for one, its_number in self._numbers.items() if its_number == number), None)
        if found is None or request is None:
            return None
        sent = request.post_data_buffer
        return ExchangeWithBodies(found, Body(sent) if sent else None, await self._received(request, timeout))

    async def _received(self, request: Request, timeout: float) -> Body | None:
        try:
            async with asyncio.timeout(timeout):
                response = await request.response()
                return None if response is None else Body(await response.body())
        except Exception:  # noqa: BLE001 - of Playwright: redirects, and what the browser no longer has
            return Body(None, "the browser no longer has it")

    def _on_request(self, request: Request) -> None:
        self._last += 1
        if request.redirected_from is not None:
            self._change(request.redirected_from, next=self._last)
        if len(self._log) == MAX_EXCHANGES:
            oldest = self._log[0].number
            self._numbers = {one: number for one, number in self._numbers.items() if number > oldest}
        self._numbers[request] = self._last
        fields = tuple(request.headers.items())
        rule = self._rule_for(request)
        self._log.append(
            Exchange(
                self._last,
                request.method,
                request.url,
                request.resource_type,
                time.time(),
                request_fields=fields,
                rule=None if rule is None else rule.pattern,
            )
        )

    def _on_response(self, response: Response) -> None:
        self._change(
            response.request,
            status=response.status,
            status_text=response.status_text,
            response_fields=tuple(response.headers.items()),
            mime=response.headers.get("content-type", "").partition(";")[0],
        )

    def _end(self, request: Request, failure: str | None = None) -> None:
        started = next((each.started for each in self._log if each.number == self._numbers.get(request)), None)
        if started is not None:
            self._change(request, seconds=time.time() - started, failure=failure)

    def _change(self, request: Request, **changes: object) -> None:
        number = self._numbers.get(request)
        if number is None or not self._log or number < self._log[0].number:
            return
        index = number - self._log[0].number
        self._log[index] = replace(self._log[index], **changes)  # type: ignore[arg-type]
