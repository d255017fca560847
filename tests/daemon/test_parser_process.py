"""Large requests, which a process of its own reads: what it tells is what the daemon itself would have read."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.request import parser_pool, parser_process
from oryn.daemon.request.json_body import read_json
from oryn.daemon.request.parser import ParsedRequest, parse_request
from oryn.daemon.request.parser_pool import MAX_INLINE_BYTES, RequestParserPool
from oryn.errors import LanguageError, OrynError, RequestError, RequestTooLarge
from oryn.language import api_vocabulary, parse
from oryn.language.command import HOST_SCOPES
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.tools import line_of
from tests.daemon.daemon_process import RunningDaemon, wait_for_end


@asynccontextmanager
async def running_pool() -> AsyncIterator[RequestParserPool]:
    one = RequestParserPool()
    try:
        yield one
    finally:
        await one.close()
    assert not one._pool.idle


def padded(envelope: dict[str, Any]) -> bytes:
    """The same request, large."""
    return json.dumps(envelope).encode() + b" " * MAX_INLINE_BYTES


SPECS = [spec for verb in api_vocabulary().verbs.values() for spec in verb.commands if spec.example]


def test_every_command_comes_back_as_it_is() -> None:
    """With the table's own parts: not copies of them."""
    for spec in SPECS:
        assert spec.example
        line = parse(spec.example, api_vocabulary() if spec.scope in HOST_SCOPES else LINE_VOCABULARY)
        good, again = pickle.loads(parser_process.pack((True, line)))
        assert good and again == line and again.canonical == line.canonical
        assert again.tree.spec is line.tree.spec
        for ours, theirs in zip(line.tree.arguments, again.tree.arguments, strict=True):
            assert theirs.argument is ours.argument and theirs.argument.kind is ours.argument.kind
        for option, other in zip(line.tree.options, again.tree.options, strict=True):
            assert other.option is option.option


REQUESTS: list[dict[str, Any]] = [
    {"line": 'click "Sign in" near "Total" --double # a comment'},
    {"line": "@work type 3 \"x\" --enter", "session": "other", "timeout_ms": 5000},
    {"line": "define x:\n  click 1\n  type 2 \"a\""},
    {"argv": ["observe", "--json", "--session", "default"]},
    {"argv": ["type", "3", "x" * 20_000]},
    {"action": "navigate", "args": {"url": "about:blank"}, "settings": {"profile": "work"}},
    {"action": "fill_form", "args": {"values_by_field": {"Name": "Ann"}}},
    {"line": "fly away"},
    {"action": "click", "args": {"target": {"css": "a", "id": 3}}},
    {"argv": ["click", "3", "--colour", "red"]},
    {"line": ""},
]  # fmt: skip


async def test_parser_process_parses_as_the_daemon_does() -> None:
    async with running_pool() as one:
        for request in REQUESTS:
            body = padded(request)
            there, here = await one.parse_command(body), parse_request(read_json(body))
            assert isinstance(there, ParsedRequest)
            assert (there.envelope, there.as_json) == (here.envelope, here.as_json)
            if isinstance(here.line, LanguageError):
                assert type(there.line) is type(here.line)
                assert (str(there.line), there.line.hint) == (str(here.line), here.line.hint)  # type: ignore[union-attr]
            else:
                assert there.line == here.line
        assert await one.parse_json(padded({"code": "K7P2QX"})) == {"code": "K7P2QX"}
        text = "x" * 3 * MAX_INLINE_BYTES
        assert await one.parse_tool_call("type", {"target": "3", "text": text}) == line_of(
            "type", {"target": "3", "text": text}
        )
        with pytest.raises(LanguageError):
            await one.parse_tool_call("type", {"text": text})


@pytest.mark.parametrize(
    "body",
    [
        b"{" + b" " * MAX_INLINE_BYTES,
        b"[]" + b" " * MAX_INLINE_BYTES,
        b'{"line": "x", "line": "y"}' + b" " * MAX_INLINE_BYTES,
        b"[" * 3 * MAX_INLINE_BYTES,
    ],
)
async def test_parser_process_raises_the_errors_of_the_daemon(body: bytes) -> None:
    async with running_pool() as one:
        with pytest.raises(RequestError) as here:
            parse_request(read_json(body))
        with pytest.raises(RequestError) as there:
            await one.parse_command(body)
    assert (type(there.value), str(there.value), there.value.hint) == (
        type(here.value),
        str(here.value),
        here.value.hint,
    )


@pytest.mark.slow
async def test_too_many_parts() -> None:
    many = {f"n{number}": number for number in range(100_000)}
    async with running_pool() as one:
        for body in (padded({"action": "goto", "args": many}), padded({"line": "help", "settings": many})):
            with pytest.raises(RequestTooLarge, match="too many parts"):
                await one.parse_command(body)
        with pytest.raises(RequestTooLarge, match="too many parts"):
            await one.parse_command(padded({"line": "click 1 " + "--double " * 20_000}))
        assert (await one.parse_command(padded({"line": "help"}))).envelope.line == "help"


async def test_one_that_takes_too_long_is_given_up() -> None:
    async with running_pool() as one:
        one._pool.seconds = 0.0
        with pytest.raises(RequestTooLarge, match="took more than 0 s"):
            await one.parse_command(padded({"line": "help"}))
        one._pool.seconds = parser_pool.READ_SECONDS
        assert (await one.parse_command(padded({"line": "help"}))).envelope.line == "help"


@pytest.mark.slow
async def test_a_process_that_ends_costs_its_own_request() -> None:
    async with running_pool() as one:
        command, one._pool.command = one._pool.command, (sys.executable, "-c", "pass")
        with pytest.raises(OrynError, match="could not be read"):
            await one.parse_command(padded({"line": "help"}))
        one._pool.command = command
        await one.parse_command(padded({"line": "help"}))
        (process,) = one._pool.idle
        process.kill()
        await process.wait()
        assert (await one.parse_command(padded({"line": "help"}))).envelope.line == "help"


async def test_a_process_ends_whose_response_is_read_in_part(tmp_path: Path) -> None:
    started = tmp_path / "started"
    program = (
        "import itertools, pathlib, sys\n"
        "sys.stdout.buffer.write((2**31).to_bytes(8, 'big'))\n"
        "for number in itertools.count():\n"
        "    sys.stdout.buffer.write(bytes(65536))\n"
        "    if number == 16: pathlib.Path(sys.argv[1]).touch()\n"
    )
    async with running_pool() as one:
        one._pool.command = (sys.executable, "-c", program, str(started))
        parsing = asyncio.create_task(one.parse_command(padded({"line": "help"})))
        while not started.exists():
            await asyncio.to_thread(time.sleep, 0.01)  # nothing tells of a file that is made
        parsing.cancel()
        await asyncio.wait([parsing])
        async with asyncio.timeout(60):
            await one.close()


@pytest.mark.slow
async def test_large_commands_through_a_daemon(daemon_of: Callable[..., RunningDaemon]) -> None:
    """They do what they say, and their process ends with the daemon."""
    daemon = daemon_of()
    text = 'é"\\\n' * 50_000
    await daemon.ok({"action": "goto", "args": {"url": "data:text/html,<textarea></textarea>"}})
    await daemon.ok({"action": "eval", "args": {"script": f"document.title = {json.dumps(text)}.length"}})
    assert (await daemon.ok("title"))["data"]["result"] == "200000"
    wrong = await daemon.ask({"line": "fly " + "x" * 100_000})
    assert wrong["error_kind"] == "unknown_command"
    refused = await daemon.client.post("/command", json={"argv": ["click"] * 100_000})
    assert (refused.status_code, refused.json()["error_kind"]) == (413, "request_too_large")
    children = [int(each) for each in children_of(daemon.process.pid) if "parser_process" in command_of(each)]
    assert len(children) == 1
    await daemon.kill()
    wait_for_end(children)


def children_of(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def command_of(process: str) -> str:
    return Path(f"/proc/{process}/cmdline").read_text()
