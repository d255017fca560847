"""What stands before `send`: a stream of one event becomes JSON, any other stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.mcp.http import JsonResponseSend

STREAM = [(b"cache-control", b"no-cache"), (b"content-type", b"text/event-stream; charset=utf-8"), (b"mcp", b"1")]
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"text":"a: b\\n\xc3\xa9"}}'
END = {"type": "http.response.body", "body": b"", "more_body": False}


def start(headers: list[tuple[bytes, bytes]], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}


def part(body: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": True}


def event(data: bytes) -> bytes:
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


async def sent(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        told.append(message)

    answer = JsonResponseSend(send)
    for message in messages:
        await answer(message)
    return told


@pytest.mark.parametrize("between", [(), (part(b": ping - 2026\r\n\r\n"),)])
async def test_an_answer_alone_is_json(between: tuple[dict[str, Any], ...]) -> None:
    begun, told = await sent(start(STREAM), part(event(ANSWER)), *between, END)
    assert begun == start(
        [(b"mcp", b"1"), (b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]
    )
    assert told == {"type": "http.response.body", "body": ANSWER, "more_body": False}


@pytest.mark.parametrize(
    "first",
    [
        event(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"result":1}}'),
        event(b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}'),
        b": ping - 2026-11-22\r\n\r\n",
        b"id: 7\r\ndata: \r\n\r\n",
        b"",
    ],
)
async def test_response_with_several_messages_is_a_stream(first: bytes) -> None:
    messages = [start(STREAM), part(first), part(event(ANSWER)), END]
    assert await sent(*messages) == messages


async def test_a_stream_begins_when_there_is_something_in_it() -> None:
    assert await sent(start(STREAM)) == []
    assert len(await sent(start(STREAM), part(b": ping\r\n\r\n"))) == 2


async def test_a_stream_that_ends_without_an_answer_ends() -> None:
    assert await sent(start(STREAM), END) == [start(STREAM), END]


async def test_response_that_is_not_a_stream_is_unchanged() -> None:
    messages = [start([(b"content-type", b"application/json")], 404), part(b"data: {}"), END]
    assert await sent(*messages) == messages
