"""Traces and logs (docs/monitoring.md): what a daemon sends to an endpoint, and writes, of commands in a browser."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from oryn.core.spans import SpanName, span, trace_headers
from oryn.settings import load
from oryn.system.logs import LOG_FIELDS, JsonFormatter
from oryn.system.paths import find
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.otlp import Receiver, attributes, children, command, named
from tests.headless.conftest import Pages

PAGE = Path(__file__).parents[2] / "docs" / "monitoring.md"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture(scope="module")
def traced(
    run: Callable[..., object], receiver: Receiver, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDaemon]:
    """A daemon that sends its traces to the receiver, soon, and logs in JSON."""
    environment = {
        "ORYN_TRACING": receiver.url,
        "ORYN_LOG_FORMAT": "json",
        "ORYN_LOG_LEVEL": "info",
        "OTEL_BSP_SCHEDULE_DELAY": "50",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
    }
    daemon = RunningDaemon(tmp_path_factory.mktemp("traced"), environment)
    yield daemon
    run(daemon.stop())


async def traced_command(daemon: RunningDaemon, receiver: Receiver, line: str, **headers: str) -> tuple[Span, Span]:
    """The spans of a command and of its request."""
    response = await daemon.client.post("/command", json={"line": line, "session": "shop"}, headers=headers)
    action_id = response.json()["action_id"]
    done = await asyncio.to_thread(receiver.wait_for, lambda spans: command(spans, action_id))
    request = await asyncio.to_thread(
        receiver.wait_for, lambda spans: next((each for each in spans if each.span_id == done.parent_span_id), None)
    )
    return done, request


@pytest.mark.slow
async def test_a_command_is_a_span_in_the_callers_trace(
    traced: RunningDaemon, receiver: Receiver, pages: Pages
) -> None:
    pages["/"] = "<title>Payroll</title><button onclick='this.textContent=1'>Confidential</button>"
    url = pages.url("/")
    opened, _ = await traced_command(traced, receiver, f"goto {url}")
    clicked, request = await traced_command(
        traced, receiver, "click Confidential", traceparent=f"00-{TRACE}-{PARENT}-01"
    )
    spans = receiver.spans
    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
    assert (request.name, request.kind) == ("POST /command", Span.SPAN_KIND_SERVER)
    assert attributes(request)["http.response.status_code"] == 200
    assert [each.name for each in children(spans, request)] == ["parse", "click"]
    assert clicked.trace_id.hex() == TRACE
    about = attributes(clicked)
    assert about.pop("oryn.action_id")
    assert about == {"oryn.verb": "click", "oryn.session": "shop", "oryn.backend": "headless"}
    assert [each.name for each in children(spans, clicked)] == ["wait for turn", "act"]
    assert named(spans, named(spans, clicked, "act"), "settle")
    assert named(spans, opened, "open browser").end_time_unix_nano <= named(spans, opened, "act").start_time_unix_nano
    for each in spans:
        assert each.start_time_unix_nano <= each.end_time_unix_nano
    for secret in (b"Confidential", b"Payroll", url.encode()):
        assert secret not in receiver.raw
    assert {"service.name": "oryn", "deployment.environment.name": "test"}.items() <= receiver.resources[0].items()


@pytest.mark.slow
async def test_an_error_is_marked_by_its_code_alone(traced: RunningDaemon, receiver: Receiver, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title>"
    await traced.ok(f"goto {pages.url('/')}", session="shop")
    failed, request = await traced_command(traced, receiver, "click hunter2 --timeout 1s")
    assert attributes(failed)["error.type"] == "element_not_found"
    assert failed.status.code == Status.STATUS_CODE_ERROR
    assert request.status.code == Status.STATUS_CODE_UNSET, "the request was answered"
    assert not failed.events, "an exception's text may be a page's"
    assert b"hunter2" not in receiver.raw


@pytest.mark.slow
async def test_commands_of_a_program_are_spans_inside_of_its_own(
    traced: RunningDaemon, receiver: Receiver, pages: Pages
) -> None:
    pytest.importorskip("pydantic_monty")
    pages["/"] = "<title>Shop</title><button onclick='this.textContent=1'>Buy</button>"
    await traced.ok(f"goto {pages.url('/')}", session="shop")
    envelope = {"action": "program", "args": {"text": "title()\nclick('Buy')"}, "session": "shop"}
    action_id = (await traced.ok(envelope))["action_id"]
    program = await asyncio.to_thread(receiver.wait_for, lambda spans: command(spans, action_id))
    running = named(receiver.spans, program, "act")
    assert [each.name for each in children(receiver.spans, running)] == ["title", "click"]
    clicked = named(receiver.spans, running, "click")
    assert named(receiver.spans, named(receiver.spans, clicked, "act"), "settle")


@pytest.mark.slow
async def test_a_call_of_a_tool_continues_the_trace_in_its_meta_data(
    traced: RunningDaemon, receiver: Receiver, pages: Pages
) -> None:
    pytest.importorskip("mcp")
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    pages["/"] = "<title>Confidential</title>"
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {traced.token}"}, timeout=120) as client,
        Client(streamable_http_client(f"{traced.url}/mcp?session=shop", http_client=client), mode="auto") as assistant,
    ):
        meta: Any = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        answer = await assistant.call_tool("goto", {"url": pages.url("/")}, meta=meta)
        assert not answer.is_error
    action_id = traced.rows()[-1]["action_id"]
    done = await asyncio.to_thread(receiver.wait_for, lambda spans: command(spans, action_id))
    assert (done.name, done.trace_id.hex()) == ("goto", TRACE)
    assert named(receiver.spans, done, "act")
    assert b"Confidential" not in receiver.raw


@pytest.mark.slow
async def test_messages_in_json_say_which_command_they_belong_to(
    daemon_of: Callable[..., RunningDaemon], receiver: Receiver
) -> None:
    daemon = daemon_of(ORYN_LOG_FORMAT="json", ORYN_LOG_LEVEL="info", ORYN_TRACING=receiver.url)
    await asyncio.to_thread((daemon.home / "data" / "daemon" / "actions.started.jsonl").mkdir)  # nothing can write it
    answer = await daemon.ok("help")
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
    writer.write(b"\0\1\2\r\n\r\n")
    assert b" 400 " in await reader.readline()
    writer.close()
    lines = [json.loads(line) for line in daemon.log().splitlines()]
    (listening,) = [each for each in lines if each["message"].startswith("listening on")]
    assert (listening["level"], listening["logger"]) == ("info", "oryn.daemon.server")
    assert re.fullmatch(r"[0-9-]{10}T[0-9:.]{15}Z", listening["ts"])
    assert "action_id" not in listening
    failing = next(each for each in lines if each["message"].startswith("the history can't be written"))
    assert (failing["level"], failing["action_id"], failing["session"]) == ("error", answer["action_id"], "default")
    assert re.fullmatch("[0-9a-f]{32}", failing["trace_id"])
    assert [each["level"] for each in lines if each["logger"] == "uvicorn.error"] == ["warning"]


@pytest.mark.slow
async def test_an_endpoint_that_is_away_delays_neither_commands_nor_the_end(
    daemon_of: Callable[..., RunningDaemon],
) -> None:
    away = daemon_of(ORYN_TRACING="http://127.0.0.1:9", OTEL_BSP_SCHEDULE_DELAY="50")
    assert (await away.ask("help"))["ok"]
    assert (await away.client.get("/healthz")).text == "ok"
    started = time.monotonic()
    assert await away.stop() == 0
    assert time.monotonic() - started < 20


# --- parts ---


def test_the_page_describes_each_span() -> None:
    table = PAGE.read_text("utf-8").partition("## Traces")[2].partition("\n## ")[0]
    assert set(get_args(SpanName)) <= set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))


def test_without_a_tracer_a_span_is_nothing() -> None:
    with span("act") as nothing:
        assert nothing is None
    assert trace_headers() == {}


@pytest.mark.parametrize(
    ("given", "endpoint"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/traces"),
        ("https://otel.example/", "https://otel.example/v1/traces"),
        ("https://otel.example/tenant/traces", "https://otel.example/tenant/traces"),
    ],
)
def test_the_path_of_an_endpoint_is_added(tmp_path: Path, given: str, endpoint: str) -> None:
    settings = load({"tracing": given}, find({"ORYN_HOME": str(tmp_path)}), {}).settings
    assert settings.tracing == endpoint


def test_a_message_is_one_line_whatever_is_in_it() -> None:
    formatter = JsonFormatter()
    token = LOG_FIELDS.set({"action_id": "1f", "session": "shop"})
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        problem = (type(error), error, error.__traceback__)
    record = logging.LogRecord("oryn.daemon", logging.ERROR, __file__, 1, "a %s\nb\u2028", ("\x1b[2J",), problem)
    line = formatter.format(record)
    LOG_FIELDS.reset(token)
    assert line.isascii() and line.isprintable()
    found = json.loads(line)
    assert (found["level"], found["logger"], found["message"]) == ("error", "oryn.daemon", "a \x1b[2J\nb\u2028")
    assert (found["action_id"], found["session"]) == ("1f", "shop")
    assert found["exception"].endswith("ValueError: two\nlines")
