"""`ChatModel`: one turn of a conversation at an endpoint, as a stream, with retries.

Only this module imports `httpx` and `httpx-sse`. The package `openai` would be 30 MB more, and it retries requests
silently, so that a user would not see the reason for a delay."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx
import httpx_sse

from oryn.core.text_safety import quoted, shortened
from oryn.errors import ModelError, ModelFailed, ModelUnauthorized, ModelUnreachable
from oryn.models.endpoint import ChatMessage, ModelEndpoint
from oryn.models.responses import (
    MAX_QUOTED_CHARACTERS,
    MAX_REPLY_CHARACTERS,
    ModelReply,
    ReplyParser,
    Usage,
    error_from_response,
    estimated_tokens,
)

ATTEMPTS = 5
MAX_WAIT_SECONDS = 60.0
"""If an endpoint demands a longer wait, the request fails instead."""
CONNECT_SECONDS = 10.0
_OPTIONAL = ("stream_options", "response_format")
"""Options that are left out if an endpoint reports that it does not support them."""
SILENCE_SECONDS = 600.0
"""The default time without data in seconds. A model on a small computer reads a long conversation for minutes."""


class ReplyListener(Protocol):
    """Receives a reply while it is streamed."""

    def on_text(self, text: str) -> None:
        """Receive another piece of the reply."""

    def on_retry(self, error: ModelError, seconds: float) -> None:
        """Note that the request has failed; it is retried in `seconds`, and the reply starts over."""


class ChatModel:
    """A model at one endpoint. `pause` is the wait in seconds before the first retry, doubled for each further one;
    `silence` the seconds without data after which a request fails."""

    def __init__(self, endpoint: ModelEndpoint, *, pause: float = 0.5, silence: float = SILENCE_SECONDS) -> None:
        self._endpoint = endpoint
        self._pause = pause
        self._timeout = httpx.Timeout(silence, connect=CONNECT_SECONDS)
        self._refused: set[str] = set()
        """Options that the endpoint does not support."""

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._endpoint.model

    async def reply(
        self, messages: Sequence[ChatMessage], listener: ReplyListener, *, schema: Mapping[str, Any] | None = None
    ) -> ModelReply:
        """Return the reply to a conversation, always with `usage`. With a `schema`, the request constrains the reply to
        it, which not every endpoint supports. Retries transient errors. Raises `ModelError`, and the errors of the key
        provider."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                reply = await self._attempt(messages, listener, schema)
            except ModelError as error:
                wait = error.wait if error.wait is not None else self._backoff(attempt)
                if not error.again or attempt == ATTEMPTS or wait > MAX_WAIT_SECONDS:
                    raise
                listener.on_retry(error, wait)
                await asyncio.sleep(wait)
            else:
                if reply.usage:
                    return reply
                sent, received = estimated_tokens(each.content for each in messages), estimated_tokens([reply.text])
                return reply.replace(usage=Usage(sent, received, estimated=True))
        raise AssertionError("the last attempt returns or raises")

    def _backoff(self, attempt: int) -> float:
        return float(self._pause * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))

    async def _attempt(
        self, messages: Sequence[ChatMessage], listener: ReplyListener, schema: Mapping[str, Any] | None
    ) -> ModelReply:
        key = await self._endpoint.key()
        if key and not (key.isascii() and key.isprintable()):
            raise ModelUnauthorized("the key has characters that no key has")
        while True:
            try:
                return await self._request(messages, listener, schema, key)
            except ModelFailed as error:
                named = {option for option in _OPTIONAL if option in error.message} - self._refused
                if not named:
                    raise
                self._refused |= named

    async def _request(
        self,
        messages: Sequence[ChatMessage],
        listener: ReplyListener,
        schema: Mapping[str, Any] | None,
        key: str | None,
    ) -> ModelReply:
        whole = self._endpoint.body(messages, schema)
        body = {name: value for name, value in whole.items() if name not in self._refused}
        async with self._answer(body, key) as response:
            reading = ReplyParser()
            async for text in _texts(response, reading):
                if text:
                    listener.on_text(text)
            return reading.end()

    @asynccontextmanager
    async def _answer(self, body: dict[str, Any], key: str | None) -> AsyncIterator[httpx.Response]:
        """Yield the response after reading its head only. Errors of `httpx` become `ModelError`s."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        content, url = json.dumps(body).encode(), self._endpoint.completions
        try:
            # Reading the authorities takes 20 ms, and plain HTTP without a proxy needs none.
            is_local, verify = self._endpoint.is_local, url.startswith("https:") or not self._endpoint.is_local
            async with (
                httpx.AsyncClient(timeout=self._timeout, trust_env=not is_local, verify=verify) as client,
                client.stream("POST", url, content=content, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise error_from_response(
                        response.status_code, _json_or_text(await _read_start(response)), response.headers
                    )
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise error_from_httpx(error, self._endpoint.url) from None
        except ModelError as error:
            if key:
                error.withhold(key)
            raise


async def _texts(response: httpx.Response, reading: ReplyParser) -> AsyncIterator[str]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        async for event in httpx_sse.EventSource(response).aiter_sse():
            yield reading.feed(event.data)
    elif kind == "application/json":
        yield reading.whole(await _read_start(response, 4 * MAX_REPLY_CHARACTERS))
    else:
        answered = quoted(shortened(kind, MAX_QUOTED_CHARACTERS)) if kind else "nothing that it names"
        raise ModelFailed(
            f"the endpoint answered {answered} and no stream of events", "Is it one for chat completions?"
        )


async def _read_start(response: httpx.Response, limit: int = 20_000) -> str:
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


def error_from_httpx(error: Exception, url: str) -> ModelError:
    """Return the `ModelError` for an exception of `httpx`."""
    where = quoted(shortened(url, MAX_QUOTED_CHARACTERS))
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return ModelUnreachable(f"nothing answers at {where} within {CONNECT_SECONDS:g} s", again=True)
        case httpx.TimeoutException():
            return ModelUnreachable(f"the endpoint at {where} stopped responding", again=True)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return ModelUnreachable(f"{where} is no address of an endpoint")
        case httpx.ConnectError() | httpx.ProxyError():
            return ModelUnreachable(f"nothing answers at {where}: {_reason(error)}", again=True)
        case httpx.TransportError():
            return ModelUnreachable("the connection to the endpoint broke off", again=True)
        case _:
            return ModelFailed(f"the endpoint's answer can't be read: {_reason(error)}")


def _reason(error: Exception) -> str:
    return quoted(shortened(str(error) or type(error).__name__, MAX_QUOTED_CHARACTERS))
