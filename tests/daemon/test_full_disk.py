"""A disk that is really full: a small one, of memory, on which a daemon and its browser have all their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.small_disk import Disk, small_disk

PAGE = "<title>Shop</title><button>Go</button>"


@pytest.fixture
def disk() -> Iterator[Disk]:
    with small_disk() as disk:
        yield disk


@pytest.fixture
def full_daemon(disk: Disk, run: Any) -> Iterator[RunningDaemon]:
    (disk.folder / "tmp").mkdir()
    daemon = RunningDaemon(disk.folder / "home", {"TMPDIR": str(disk.folder / "tmp")})
    yield daemon
    run(daemon.stop())
    run(daemon.no_process())


@pytest.mark.slow
async def test_commands_that_write_files_report_a_full_disk(
    full_daemon: RunningDaemon, disk: Disk, pages: Pages
) -> None:
    pages["/"] = PAGE
    daemon = full_daemon
    await daemon.ok(f"goto {pages.url()}")
    await daemon.ok(f"record start {disk.folder / 'film.webm'}")
    disk.fill()
    for line in (
        f"pdf {disk.folder / 'page.pdf'}",
        f"screenshot --output {disk.folder / 'page.png'}",
        "screenshot",
        f"state save {disk.folder / 'state.json'}",
        "record stop",
    ):
        answer = await daemon.ask(line)
        assert (answer["ok"], answer["error_kind"]) == (False, "file_error"), answer["text"]
        assert "report" not in (answer["hint"] or "")
    assert (await daemon.ok("title"))["data"]["result"] == "Shop"
    disk.make_room()
    await daemon.ok("record stop", timeout_ms=120_000)
    await daemon.ok(f"pdf {disk.folder / 'page.pdf'}")
    assert (disk.folder / "page.pdf").read_bytes().startswith(b"%PDF")
    assert "internal_error" not in {row["error_kind"] for row in daemon.rows()}


async def test_unwritten_history_rows_are_reported(full_daemon: RunningDaemon, disk: Disk) -> None:
    daemon, answers = full_daemon, []
    before = await daemon.ok("help click")
    assert "history" not in before["text"]
    disk.fill()
    for topic in ("goto", "type", "tabs", "press", "text") * 4:
        answers.append(await daemon.ok(f"help {topic}"))
    unwritten = [answer for answer in answers if "the history can't be written (" in answer["text"]]
    assert unwritten and all("the history can't be written (" in " ".join(each["data"]["notes"]) for each in unwritten)
    await daemon.kill()
    disk.make_room()
    daemon.start()
    await daemon.ok("help press")
    rows = daemon.rows()
    kept = {row["action_id"] for row in rows}
    assert len(kept) == len(rows)
    lost = {answer["action_id"] for answer in answers} - kept
    assert lost <= {answer["action_id"] for answer in unwritten}, "each answer whose row may be lost has said so"


@pytest.mark.slow
async def test_rows_are_written_when_there_is_room(full_daemon: RunningDaemon, disk: Disk) -> None:
    daemon = full_daemon
    disk.fill()
    topics = ["goto", "type", "tabs", "press"] * 10
    for topic in topics:
        await daemon.ok(f"help {topic}")
    disk.make_room()
    assert "history" not in (await daemon.ok("help click"))["text"]
    assert [row["args"]["line"] for row in daemon.rows()] == [*(f"help {topic}" for topic in topics), "help click"]
