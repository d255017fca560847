"""Reads the body of a request as JSON, with limits on size and depth.

Rejects input that two parsers could read differently, such as duplicate names."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

from starlette.requests import ClientDisconnect

from oryn.errors import RequestError, RequestTooLarge

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Message, Receive

MAX_BODY_BYTES = 8 * 1024 * 1024
"""Maximum size of a request in bytes."""
MAX_DEPTH = 64
"""Maximum nesting depth of lists and objects."""

_PART = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


async def read_body(request: Request, largest: int = MAX_BODY_BYTES) -> bytes:
    """Read a request's body of at most `largest` bytes. Raises `RequestTooLarge`, `RequestError`."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > largest:
                raise RequestTooLarge(f"a request of more than {largest} bytes", "Send less at once.")
    except ClientDisconnect:
        raise RequestError("the request has no end") from None
    return bytes(body)


def replay_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` callable for an application behind the one that has read a request's body."""
    unread = [body]

    async def again() -> Message:
        return {"type": "http.request", "body": unread.pop(), "more_body": False} if unread else await receive()

    return again


def read_json(body: bytes) -> Any:
    """Parse a request's body as strict JSON.

    Raises `RequestError`, also for duplicate names in an object, unpaired surrogates and values such as `NaN`.

    https://www.rfc-editor.org/rfc/rfc8259#section-4, https://www.rfc-editor.org/rfc/rfc7493#section-2"""
    if _depth(body) > MAX_DEPTH:
        raise RequestError(f"the request has lists and objects within each other, more than {MAX_DEPTH} deep")
    try:
        text = body.decode()
        data = json.loads(text, object_pairs_hook=_object, parse_float=_number, parse_constant=_no_number)
        if _HALF_CHARACTER.search(body):
            json.dumps(data, ensure_ascii=False).encode()
    except ValueError:  # from decoding, from JSON, or from a character that can't be encoded
        raise RequestError("the request is not valid JSON") from None
    return data


def _depth(body: bytes) -> int:
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for found in _PART.finditer(body):
        if found[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in b"]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise RequestError(f"the request has {json.dumps(twice[:40])} twice")
    return found


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
