"""The journal of a trace without a browser: it never makes a command fail. Also runs in WebAssembly."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.browsers.base import Browser, Dialog, Page
from oryn.browsers.base.recording import ByteWriter, Tracing
from oryn.engine import Answer, Session
from oryn.engine.recording import archive, journal
from oryn.engine.recording.journal import Spool, TraceJournal
from oryn.errors import PageCrashed
from oryn.language import Help


class NoTracing(Tracing):
    async def stop(self, write: ByteWriter, *, timeout: float = 30) -> bool:
        return True

    async def discard(self) -> None:
        pass


class StillPage(Page):
    """A page of which there is one picture, or whatever `picture` does."""

    document = "1"
    url = "about:blank"
    dialog: Dialog | None = None

    async def screenshot(self, **options: Any) -> bytes:
        return await self.picture()

    async def picture(self) -> bytes:
        return b"\xff\xd8picture"


class StillBrowser(Browser):
    mode = "headless"

    def __init__(self) -> None:
        self._page = StillPage()

    @property
    def page(self) -> Page:
        return self._page

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass


Recorded = tuple[Session, TraceJournal]


@pytest.fixture
def recorded(run: Any) -> Iterator[Recorded]:
    session = Session(StillBrowser())
    book = TraceJournal(NoTracing(), None)
    session.recorders.append(book)
    yield session, book
    run(session.close())
    assert session.recorders == []


def page_of(session: Session) -> Any:
    return session.page


async def zipped(book: TraceJournal) -> list[dict[str, Any]]:
    file = io.BytesIO()
    await archive.write_archive(file, book, None)
    with zipfile.ZipFile(file) as opened:
        return [json.loads(line) for line in opened.read("commands.jsonl").splitlines()]


async def test_actions_have_pictures_and_looks_have_none(recorded: Recorded) -> None:
    session, book = recorded
    for line in ("help", "click 1", "nonsense", "# a comment", 'eval "1"'):
        await session.execute(line)
    assert [(one["command"], bool(one["before"]), bool(one["after"])) for one in await zipped(book)] == [
        ("help", False, False),
        ("click 1", True, True),
        ('eval "1"', True, True),
    ]


@pytest.mark.parametrize("picture", ["crashes", "hangs"])
async def test_a_picture_that_can_t_be_taken_is_left_out(
    recorded: Recorded, picture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crashes() -> bytes:
        raise PageCrashed("the page crashed")

    async def hangs() -> bytes:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    monkeypatch.setattr(journal, "SCREENSHOT_SECONDS", 0.01)
    session, book = recorded
    page_of(session).picture = {"crashes": crashes, "hangs": hangs}[picture]
    answer = await session.execute("click 1")
    (entry,) = await zipped(book)
    assert entry["answer"] == answer.render() and entry["before"] is None and entry["after"] is None


async def test_a_full_disk_costs_pictures_and_answers_only(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Spool, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    session, book = recorded
    monkeypatch.setattr(Spool, "add", full)
    answer = await session.execute("help click")
    assert answer.ok
    assert [(one["command"], one["answer"]) for one in await zipped(book)] == [("help click", "")]


async def test_a_journal_that_is_full_takes_no_more_pictures(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MAX_SPOOL_BYTES", 5)
    session, book = recorded
    for _ in range(2):
        await session.execute("click 1")
    first, second = await zipped(book)
    assert first["before"] and second["before"] is None and second["answer"]


class StepTracing(NoTracing):
    """A trace that records how deep its steps are."""

    def __init__(self) -> None:
        self.depth = 0
        self.steps: list[tuple[int, str]] = []

    async def begin_step(self, name: str) -> None:
        self.steps.append((self.depth, name))
        self.depth += 1

    async def end_step(self) -> None:
        self.depth -= 1


async def test_what_a_cancelled_program_left_open_is_ended() -> None:
    tracing = StepTracing()
    book = TraceJournal(tracing, None)
    browser, command, answer = StillBrowser(), Help(), Answer()

    async def cancelled_program() -> None:
        program = await book.before(browser, command, "program 1", None)
        await book.before(browser, command, "help 1", program)

    await asyncio.create_task(cancelled_program())
    program = await book.before(browser, command, "program 2", None)
    await book.before(browser, command, "help 2", program)
    await book.after(browser, "program 2", answer, program)  # it has run out of time
    line = await book.before(browser, command, "help 3", None)
    await book.after(browser, "help 3", answer, line)
    assert tracing.depth == 0
    assert tracing.steps == [(0, "program 1"), (1, "help 1"), (0, "program 2"), (1, "help 2"), (0, "help 3")]
    assert [(one["number"], one["program"], one["command"]) for one in await zipped(book)] == [
        (1, None, "program 2"), (2, None, "help 3")
    ]  # fmt: skip
    await book.close()
