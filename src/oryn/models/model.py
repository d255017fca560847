"""`Model`: one conversation's turn at an endpoint, as a stream, again where that may help.

`httpx` and `httpx-sse` are imported here alone. `openai` would be 30 MB more, and repeats requests by itself: nobody
who watches would learn why nothing comes.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx
import httpx_sse

from oryn.engine.escape import quoted, shortened
from oryn.errors import ModelError, ModelFailed, ModelUnauthorized, ModelUnreachable
from oryn.models.endpoint import Endpoint, Message
from oryn.models.failures import SHOWN, refusal_of
from oryn.models.reading import LONGEST, Reading, Reply
from oryn.models.usage import Usage, estimated_tokens

ATTEMPTS = 5
LONGEST_WAIT = 60.0
"""Seconds. An endpoint that wants a longer one is not waited for."""
CONNECTING = 10.0
_OPTIONAL = ("stream_options", "response_format")
"""What an endpoint may leave us without, where it says that it does not take it."""
SILENCE = 600.0
"""Seconds without a word: a model on a small computer reads a long conversation for minutes."""


class Listener(Protocol):
    """Who watches a reply come."""

    def said(self, text: str) -> None:
        """Another piece of it."""

    def again(self, error: ModelError, seconds: float) -> None:
        """It came to nothing; the request is made again, from the beginning, in so many seconds."""


class Model:
    """Asks one endpoint. `pause` is the first wait between two attempts, in seconds; each further one is twice as
    long."""

    def __init__(self, endpoint: Endpoint, *, pause: float = 0.5, silence: float = SILENCE) -> None:
        self._endpoint = endpoint
        self._pause = pause
        self._timeout = httpx.Timeout(silence, connect=CONNECTING)
        self._refused: set[str] = set()
        """Options that the endpoint does not take."""

    @property
    def name(self) -> str:
        return self._endpoint.model

    async def reply(
        self, messages: Sequence[Message], listener: Listener, *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """What the model says; `usage` is there always. With a `schema` the endpoint is asked to hold it to that, which
        not every one can. Raises `ModelError`, and what getting the key does."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                reply = await self._once(messages, listener, schema)
            except ModelError as error:
                wait = error.wait if error.wait is not None else self._backoff(attempt)
                if not error.again or attempt == ATTEMPTS or wait > LONGEST_WAIT:
                    raise
                listener.again(error, wait)
                await asyncio.sleep(wait)
            else:
                return reply if reply.usage else reply.replace(usage=_estimate(messages, reply))
        raise AssertionError("the last attempt returns or raises")

    def _backoff(self, attempt: int) -> float:
        return float(self._pause * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))

    async def _once(self, messages: Sequence[Message], listener: Listener, schema: Mapping[str, Any] | None) -> Reply:
        key = await self._endpoint.key()
        if key and not (key.isascii() and key.isprintable()):
            raise ModelUnauthorized("the key has characters that no key has")
        while True:
            try:
                return await self._asked(messages, listener, schema, key)
            except ModelFailed as error:
                named = {option for option in _OPTIONAL if option in error.message} - self._refused
                if not named:
                    raise
                self._refused |= named

    async def _asked(
        self, messages: Sequence[Message], listener: Listener, schema: Mapping[str, Any] | None, key: str | None
    ) -> Reply:
        whole = self._endpoint.body(messages, schema)
        body = {name: value for name, value in whole.items() if name not in self._refused}
        async with self._answer(body, key) as response:
            reading = Reading()
            async for text in _texts(response, reading):
                if text:
                    listener.said(text)
            return reading.end()

    @asynccontextmanager
    async def _answer(self, body: dict[str, Any], key: str | None) -> AsyncIterator[httpx.Response]:
        """The answer, of which only the head was read. Whatever `httpx` raises meanwhile becomes a `ModelError`."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        content, url = json.dumps(body).encode(), self._endpoint.completions
        try:
            async with (
                httpx.AsyncClient(timeout=self._timeout, trust_env=not self._endpoint.is_local) as client,
                client.stream("POST", url, content=content, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise refusal_of(response.status_code, _json_or_text(await _start(response)), response.headers)
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise failure(error, self._endpoint.url) from None
        except ModelError as error:
            if key:
                error.withhold(key)
            raise


async def _texts(response: httpx.Response, reading: Reading) -> AsyncIterator[str]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        async for event in httpx_sse.EventSource(response).aiter_sse():
            yield reading.feed(event.data)
    elif kind == "application/json":
        yield reading.whole(await _start(response, 4 * LONGEST))
    else:
        said = quoted(shortened(kind, SHOWN)) if kind else "nothing that it names"
        raise ModelFailed(f"the endpoint answered {said} and no stream of events", "Is it one for chat completions?")


async def _start(response: httpx.Response, limit: int = 20_000) -> str:
    """The first bytes of a body, as text."""
    found = b""
    async for chunk in response.aiter_bytes():
        found += chunk
        if len(found) >= limit:
            break
    return found[:limit].decode("utf-8", "replace")


def _json_or_text(body: str) -> dict[str, Any] | str:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return found if isinstance(found, dict) else body


def _estimate(messages: Sequence[Message], reply: Reply) -> Usage:
    return Usage(estimated_tokens(each.content for each in messages), estimated_tokens([reply.text]), estimated=True)


def failure(error: Exception, url: str) -> ModelError:
    """What `httpx` raises, as an error of ours."""
    where = quoted(shortened(url, SHOWN))
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return ModelUnreachable(f"nothing answers at {where} within {CONNECTING:g} s", again=True)
        case httpx.TimeoutException():
            return ModelUnreachable(f"the endpoint at {where} has gone silent", again=True)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return ModelUnreachable(f"{where} is no address of an endpoint")
        case httpx.ConnectError() | httpx.ProxyError():
            return ModelUnreachable(f"nothing answers at {where}: {_reason(error)}", again=True)
        case httpx.TransportError():
            return ModelUnreachable("the connection to the endpoint broke off", again=True)
        case _:
            return ModelFailed(f"the endpoint's answer can't be read: {_reason(error)}")


def _reason(error: Exception) -> str:
    return quoted(shortened(str(error) or type(error).__name__, SHOWN))
