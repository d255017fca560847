from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oryn import __version__
from oryn.hosts.line_protocol import ready_line
from oryn.sessions.framing import MAX_LINE_BYTES


def test_the_ready_line_names_engine_version_and_protocol() -> None:
    assert ready_line("oryn-h") == f"ready oryn-h v{__version__} protocol=2"


async def test_each_line_gets_one_answer_in_order(host: Any) -> None:
    async with host() as client:
        await client.send(b"url\n\ntitle\r\nback")
        client.end_input()
        assert [await client.receive() for _ in range(4)] == [b"ok url", b"", b"ok title", b"ok back"]
        await client.ended
        assert client.session.lines == ["url", "", "title", "back"]


async def test_exit_is_answered_and_ends_the_host(host: Any) -> None:
    async with host() as client:
        assert await client.ask(b"exit") == b"ok exit"
        await client.ended


async def test_the_end_of_the_input_ends_the_host(host: Any) -> None:
    async with host() as client:
        client.end_input()
        await client.ended


@pytest.mark.parametrize("line", [b"\0", b"a\0b", b"\r", b"\x1b[2J", b"x" * 1024 * 1024, "ß☃".encode()])
async def test_any_line_is_passed_to_the_session(host: Any, line: bytes) -> None:
    async with host() as client:
        assert (await client.ask(line)).startswith(b"ok ") or line == b"\r"
        assert await client.ask(b"url") == b"ok url"


@pytest.mark.parametrize("line", [b"\xff\xfe", b'type 1 "\xe9"', b"\xc3", b"\xed\xa0\x80"])
async def test_bytes_that_are_no_text_are_refused_and_the_next_command_works(host: Any, line: bytes) -> None:
    async with host() as client:
        assert (await client.ask(line)).startswith(b"error line: not UTF-8 at byte")
        assert await client.ask(b"url") == b"ok url"
        assert client.session.lines == ["url"]


async def test_a_line_over_the_limit_is_refused_and_the_next_command_works(host: Any) -> None:
    async with host() as client:
        answer = await client.ask(b"x" * (MAX_LINE_BYTES + 1))
        assert answer.startswith(b"error line: a line of 8388609 bytes")
        assert await client.ask(b"x" * MAX_LINE_BYTES) == b"ok " + b"x" * MAX_LINE_BYTES
        assert client.session.lines == ["x" * MAX_LINE_BYTES]


async def test_a_client_that_stops_reading_ends_the_host(host: Any) -> None:
    async with host() as client:
        client.stop_reading()
        await client.send(b"url\n")
        await client.ended


async def test_the_event_loop_runs_on_while_a_client_does_not_read(host: Any) -> None:
    async with host() as client:
        await client.send(b"long\n")  # more than a pipe holds
        await client.session.hears.wait()
        assert len(await client.receive()) == 1024 * 1024


async def test_a_cancelled_host_does_not_wait_for_its_command(host: Any) -> None:
    async with host() as client:
        await client.send(b"wait\n")
        await client.session.hears.wait()
        client.ended.cancel()
        await asyncio.wait([client.ended])
        assert client.ended.cancelled()
        client.ended = asyncio.create_task(asyncio.sleep(0))
