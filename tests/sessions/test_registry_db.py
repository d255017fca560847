"""The record of sessions in SQLite."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import oryn
from oryn.engine import Session
from oryn.sessions import registry_db
from oryn.sessions.browsers import NullBrowser
from oryn.sessions.registry_db import FILE, RegistryDatabase, RegistryRow, RegistryWriter
from oryn.sessions.sessions import Sessions
from oryn.system import paths


def row(name: str, process: int = 1, **more: object) -> RegistryRow:
    about = {"profile": None, "ws_endpoint": None, "headful": False, "started_at": "2026-01-24T10:30:00Z", **more}
    return RegistryRow(id=name, pid=process, **about)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE


def test_rows_are_read_latest_first(file: Path) -> None:
    work = row("work", 7, profile="p", ws_endpoint="ws://x", headful=True)
    RegistryDatabase(file).put([row("default"), work])
    assert RegistryDatabase(file).rows({("work", 7), ("default", 1)}) == [work, row("default")]


def test_the_table_is_the_seeds(file: Path) -> None:
    RegistryDatabase(file).put([row("work", 7, headful=True)])
    with sqlite3.connect(file) as database:
        columns = [name for _, name, *_ in database.execute("PRAGMA table_info(sessions)")]
        values = list(database.execute("SELECT id, pid, headful, status FROM sessions"))
    database.close()
    assert columns == ["id", "profile", "pid", "ws_endpoint", "headful", "started_at", "status"]
    assert values == [("work", 7, 1, "running")]


def test_it_is_the_owners_alone(file: Path) -> None:
    RegistryDatabase(file).put([row("work")])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_has_ended_is_marked_and_nobody_can_attach_to_it(file: Path) -> None:
    kept = RegistryDatabase(file)
    kept.put([row("work", 1, ws_endpoint="ws://x"), row("other", 2)])
    kept.put([], [("work", 1), ("other", 1)])
    assert kept.rows({("other", 2)}) == [row("other", 2), row("work", 1, status="ended")]


def test_rows_of_dead_processes_are_marked_on_reading(file: Path) -> None:
    kept = RegistryDatabase(file)
    kept.put([row("work", 1), row("other", 2)])
    assert [each.status for each in kept.rows({("other", 2), ("work", 3)})] == ["running", "ended"]
    assert [each.status for each in kept.rows({("other", 2), ("work", 1)})] == ["running", "ended"]


def test_a_name_has_one_row_the_latest(file: Path) -> None:
    kept = RegistryDatabase(file)
    kept.put([row("work", 1), row("other", 1)])
    kept.put([row("work", 2)])
    assert kept.rows({("work", 2), ("other", 1)}) == [row("work", 2), row("other", 1)]


def test_old_ended_rows_are_pruned(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_db, "MAX_ENDED", 2)
    kept = RegistryDatabase(file)
    kept.put([row(f"s{number}") for number in range(5)], [(f"s{number}", 1) for number in (0, 2, 3, 4)])
    assert [each.id for each in kept.rows({("s1", 1)})] == ["s4", "s3", "s1"]


def test_nothing_is_made_by_reading(file: Path) -> None:
    assert RegistryDatabase(file).rows(()) == []
    assert not file.parent.exists()


def test_a_damaged_file_is_set_aside(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.parent.mkdir(mode=0o700)
    file.write_bytes(b"no database" * 1000)
    kept = RegistryDatabase(file)
    kept.put([row("work")])
    assert kept.rows({("work", 1)}) == [row("work")]
    assert file.with_suffix(".damaged").read_bytes().startswith(b"no database")
    [warning] = caplog.records
    assert warning.getMessage().endswith("was set aside as sessions.damaged")


def test_a_locked_file_is_a_warning(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(registry_db, "BUSY_SECONDS", 0.05)
    RegistryDatabase(file).put([row("work")])
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    RegistryDatabase(file).put([row("other")])
    other.execute("ROLLBACK")
    other.close()
    assert "database is locked" in caplog.text
    assert [each.id for each in RegistryDatabase(file).rows({("work", 1)})] == ["work"]


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "data").write_text("")
    RegistryDatabase(tmp_path / "data" / FILE).put([row("work")])
    assert "can't make the folder" in caplog.text


WRITER = """
import sys
from pathlib import Path
from oryn.sessions.registry_db import RegistryDatabase, RegistryRow
kept = RegistryDatabase(Path(sys.argv[1]))
for number in range(20):
    kept.put([RegistryRow(f"{sys.argv[2]}{number}", None, 1, None, False, "2026-01-24T10:30:00Z")])
"""


@pytest.mark.slow
def test_several_processes_write_at_once(file: Path) -> None:
    source = {**os.environ, "PYTHONPATH": str(Path(oryn.__file__).parents[1])}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), name], env=source, stderr=subprocess.PIPE)
        for name in "abcd"
    ]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 4
    names = {(f"{name}{number}", 1) for name in "abcd" for number in range(20)}
    assert {(each.id, each.pid) for each in RegistryDatabase(file).rows(names) if each.status == "running"} == names


# --- a host ---


async def test_changes_are_written_once_and_later(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_db, "DEBOUNCE_SECONDS", 0)
    kept, present = RegistryDatabase(file), {"work": row("work")}
    written: list[object] = []
    put = kept.put
    monkeypatch.setattr(kept, "put", lambda *what: (written.append(what), put(*what)))
    recording = RegistryWriter(kept, lambda: present.values())
    for _ in range(3):
        recording.schedule()
        recording.schedule()
        assert recording._writing is not None
        await recording._writing
    assert written == [([row("work")], [])]
    present["work"] = row("work", ws_endpoint="ws://x")
    present["other"] = row("other")
    recording.schedule()
    await recording.close()
    assert kept.rows({("work", 1), ("other", 1)}) == [row("other"), row("work", ws_endpoint="ws://x")]
    present.clear()
    await recording.close()
    assert {each.status for each in kept.rows({("work", 1), ("other", 1)})} == {"ended"}


async def test_a_hosts_sessions_are_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_db, "DEBOUNCE_SECONDS", 0)
    place = paths.find({"ORYN_HOME": str(tmp_path)})
    kept = RegistryDatabase(place.data / FILE)
    made = lambda name, _: Session(NullBrowser(), name)  # noqa: E731
    sessions = Sessions(made, made("default", {}), place)
    await sessions.execute("help")
    assert sessions._peers._start_task is not None
    await sessions._peers._start_task
    assert sessions._peers._registry_writer is not None
    assert sessions._peers._registry_writer._writing is not None
    await sessions._peers._registry_writer._writing
    [one] = kept.rows({("default", os.getpid())})
    assert (one.id, one.pid, one.status, one.headful, one.profile) == ("default", os.getpid(), "running", False, None)
    await sessions.close()
    assert [each.status for each in kept.rows({("default", os.getpid())})] == ["ended"]


async def test_a_database_that_cannot_be_written_breaks_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(registry_db, "DEBOUNCE_SECONDS", 0)
    caplog.set_level(logging.WARNING)
    place = paths.find({"ORYN_HOME": str(tmp_path)})
    (place.data / FILE).mkdir(parents=True)
    sessions = Sessions(lambda name, _: Session(NullBrowser(), name), Session(NullBrowser(), "default"), place)
    assert (await sessions.execute("help")).ok
    assert sessions._peers._start_task is not None
    await sessions._peers._start_task
    assert (await sessions.execute("help")).ok
    async with asyncio.timeout(10):
        await sessions.close()
    assert "the record of sessions" in caplog.text
