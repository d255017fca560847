"""What Playwright brings for every engine: the size of the viewport, the location, headers, and the requests that were
sent. https://playwright.dev/python/docs/api/class-browsercontext

Each feature keeps its settings, and applies them to the context of a browser that is started again."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.browsers.base.emulation import Device
from oryn.browsers.base.network import Body, Exchange, ExchangeWithBodies, Network
from oryn.browsers.playwright.error_mapping import call_error
from oryn.errors import NotSupported, Timeout

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request, Response

MAX_EXCHANGES = 1000


async def _limited(call: Awaitable[object], timeout: float = 30) -> None:
    try:
        async with asyncio.timeout(timeout):
            await call
    except TimeoutError:
        raise Timeout(f"the browser did not answer within {timeout:g} s") from None
    except Exception as error:  # whatever Playwright raises
        raise call_error(error) from error


class PlaywrightDevice(Device):
    """The viewport and the location. Playwright sets other properties of a device when it creates a context."""

    def __init__(self) -> None:
        self._context: BrowserContext | None = None
        self._size: tuple[int, int] | None = None
        self._place: tuple[float, float] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def apply(self, context: BrowserContext) -> None:
        """Apply the settings to a new context, and to tabs that it opens later."""
        self._context = context
        context.on("page", self._on_page)
        await self._resize(30)
        if self._place is not None:
            await self.set_geolocation(self._place)

    def _on_page(self, page: Page) -> None:
        if self._size is not None:
            task = asyncio.get_running_loop().create_task(self._resize_page(page, self._size, 30))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # of a tab that has closed

    async def _resize(self, timeout: float) -> None:
        if self._context is not None and self._size is not None:
            for page in self._context.pages:
                await self._resize_page(page, self._size, timeout)

    @staticmethod
    async def _resize_page(page: Page, size: tuple[int, int], timeout: float) -> None:
        await _limited(page.set_viewport_size({"width": size[0], "height": size[1]}), timeout)

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        self._size = width, height
        await self._resize(timeout)

    async def set_geolocation(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        self._place = place
        if self._context is None:
            return
        position = None if place is None else {"latitude": place[0], "longitude": place[1], "accuracy": 10.0}
        permissions: list[str] = [] if place is None else ["geolocation"]
        await _limited(self._context.clear_permissions(), timeout)
        if permissions:
            await _limited(self._context.grant_permissions(permissions), timeout)
        await _limited(self._context.set_geolocation(position), timeout)


class PlaywrightNetwork(Network):
    """Headers of all requests, and the log of requests."""

    def __init__(self) -> None:
        self._context: BrowserContext | None = None
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
            await _limited(context.set_extra_http_headers(self._headers))

    # --- headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        return {"": dict(self._headers)} if self._headers else {}

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        if domain:
            raise NotSupported(hint="In this engine headers are for all requests: leave the domain out.")
        self._headers = dict(headers)
        if self._context is not None:
            await _limited(self._context.set_extra_http_headers(self._headers))

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
        self._log.append(
            Exchange(self._last, request.method, request.url, request.resource_type, time.time(), request_fields=fields)
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
