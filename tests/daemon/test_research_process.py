"""The research process: one for all, ended when it is idle, and what is said over its pipes."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.research_process import MAX_REQUESTS, JobObserver, ResearchProcessClient
from oryn.errors import (
    BodyTooLarge,
    Cancelled,
    DomainNotAllowed,
    FetchFailed,
    InternalError,
    NotSupported,
    OrynError,
    TooManyCommands,
    WorkerFailed,
)
from oryn.research.options import ResearchOptions
from oryn.research.process.protocol import (
    MAX_LINE_BYTES,
    error_form,
    error_of,
    line_of,
    message_of,
    options_form,
    options_of,
)
from tests.daemon.daemon_process import wait_for_end
from tests.research.server import Reply, Site

PAGE = """<html lang="en"><head><title>Fern</title></head><body><main><article><h1>Fern</h1>
<p>Ferns have fronds, which uncurl in spring, turn to the light, and are gone again when the first frost has come.</p>
<p>They grow by the brook, in the shade of the old trees, where it is never quite dry and never quite light.</p>
</article></main></body></html>"""


@pytest.fixture
def options(tmp_path: Path) -> ResearchOptions:
    return ResearchOptions(allow_private=True, throttle=0.001, page_cache=tmp_path / "pages", index=tmp_path / "index")


class RecordingObserver(JobObserver):
    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    async def item(self, item: dict[str, Any]) -> None:
        self.items.append(item)


async def extracted(researching: ResearchProcessClient, options: ResearchOptions, *urls: str) -> list[dict[str, Any]]:
    observer = RecordingObserver()
    await researching.request("extract", options, {"urls": urls}, observer)
    return observer.items


@pytest.mark.slow
async def test_one_process_for_all_requests_which_ends_when_it_is_idle(options: ResearchOptions) -> None:
    researching = ResearchProcessClient(idle=0.001)
    held = threading.Event()
    with Site() as site:
        site.put("/first", Reply(PAGE, wait=held))
        site.page("/second", PAGE)
        first = asyncio.create_task(extracted(researching, options, site.url("/first")))
        assert (await extracted(researching, options, site.url("/second")))[0]["article"]["title"] == "Fern"
        process = researching.pid
        held.set()
        assert (await first)[0]["article"]["title"] == "Fern"
        assert process is not None
        await asyncio.to_thread(wait_for_end, [process])
        assert (await extracted(researching, options, site.url("/second")))[0]["article"]
    await researching.close()
    assert researching.pid is None


@pytest.mark.slow
async def test_a_request_that_is_taken_back_has_ended(options: ResearchOptions) -> None:
    researching = ResearchProcessClient(idle=60)
    with Site() as site:
        asked, never = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def answer(_: Any) -> Reply:
            loop.call_soon_threadsafe(asked.set)
            return Reply(PAGE, wait=never)

        site.put("/", answer)
        request = asyncio.create_task(extracted(researching, options, site.url("/")))
        await asked.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        never.set()
        site.page("/", PAGE)
        assert await extracted(researching, options, site.url("/"))
    await researching.close()


@pytest.mark.slow
async def test_so_many_at_once(options: ResearchOptions) -> None:
    researching = ResearchProcessClient(idle=60)
    with Site() as site:
        never = threading.Event()
        site.put("/", Reply(PAGE, wait=never))
        many = [asyncio.create_task(extracted(researching, options, site.url("/"))) for _ in range(MAX_REQUESTS)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyCommands):
            await extracted(researching, options, site.url("/"))
        never.set()
        assert all(await asyncio.gather(*many))
    await researching.close()


@pytest.mark.slow
async def test_unknown_operation_is_an_internal_error_of_one_request(options: ResearchOptions) -> None:
    researching = ResearchProcessClient(idle=60)
    with pytest.raises(InternalError):
        await researching.request("dance", options, {}, JobObserver())
    with Site() as site:
        site.page("/", PAGE)
        assert await extracted(researching, options, site.url("/"))
    await researching.close()


async def test_a_process_that_writes_no_messages_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: ResearchOptions
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec yes\n")
    program.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(program))
    researching = ResearchProcessClient(idle=60)
    with pytest.raises(WorkerFailed):
        await extracted(researching, options, "http://127.0.0.1:9/")
    async with asyncio.timeout(60):
        await researching.close()


async def test_a_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch, options: ResearchOptions) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(WorkerFailed):
        await ResearchProcessClient(idle=60).request("index", options, {}, JobObserver())
    monkeypatch.setattr("sys.executable", "/bin/false")
    researching = ResearchProcessClient(idle=60)
    with pytest.raises(WorkerFailed):
        await researching.request("index", options, {}, JobObserver())
    await researching.close()


# --- the wire ---


@pytest.mark.parametrize(
    "error",
    [
        FetchFailed("gone", "Look elsewhere.", status=404),
        Cancelled(),
        DomainNotAllowed("a.org is not allowed"),
        NotSupported(),
        WorkerFailed("ended"),
    ],
    ids=lambda error: error.code,
)
def test_errors_keep_their_class(error: OrynError) -> None:
    read = error_of(error_form(error))
    assert (type(read), read.message, read.hint) == (type(error), error.message, error.hint)


def test_unknown_error_code_is_an_internal_error() -> None:
    assert type(error_of({"code": "NEW_ONE", "message": "x", "hint": None})) is InternalError


def test_options_keep_their_values() -> None:
    options = ResearchOptions(
        index=Path("/tmp/i"), page_cache=Path("/tmp/p"), denied_domains=("a.org",), throttle=0.5, allow_private=True
    )
    assert options_of(message_of(line_of({"id": 1, "options": options_form(options)}))["options"]) == options
    server = ResearchOptions(index="http://localhost:6333")
    assert options_of(options_form(server)) == server


def test_half_a_character_and_line_ends_go_over_it() -> None:
    message = {"id": 1, "item": "a\ud800b\n\u2028"}
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert message_of(line) == message


@pytest.mark.slow
def test_invalid_message_is_rejected() -> None:
    for line in (b"[]\n", b"{}\n", b'{"id": "x"}\n', b"\xff\n", b"\n"):
        with pytest.raises(ValueError):
            message_of(line)
    with pytest.raises(BodyTooLarge):
        line_of({"id": 1, "item": "x" * MAX_LINE_BYTES})
