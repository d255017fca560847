"""What is added to `sessions.json` between two writings of it, and read again after any end of its host: no browser."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import json
import os
import random
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oryn.sessions.persistence.journal import SessionJournal
from oryn.sessions.persistence.models import (
    CLOSED,
    SessionRecord,
    SessionSnapshot,
    TabSnapshot,
    encode_index,
    journal_line,
    record_data,
    replay_journal,
    snapshot_of,
    to_saved_state,
)
from oryn.sessions.persistence.store import SessionStore, read_saved_sessions

HERE = "https://example.org"
ROW = SessionRecord("work", "headless", None, False, {}, "2026-01-24T10:30:00Z", (f"{HERE}/",), 0, 1, ids=(1,))


def at(page: int, name: str = "work", **changes: object) -> SessionRecord:
    return ROW.replace(name=name, tabs=(f"{HERE}/{page}",), generation=page, **changes)


def saved_by_name(folder: Path) -> dict[str, SessionRecord]:
    return {kept.name: kept.replace(updated_at=0.0) for kept in read_saved_sessions(folder)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "daemon"


@pytest.fixture
def store(folder: Path) -> SessionStore:
    return SessionStore(folder, folder.parent / "profiles")


# --- the lines ---


def test_a_row_is_on_disk_when_it_is_noted(store: SessionStore, folder: Path) -> None:
    store.record(at(1))
    store.record(at(2))
    assert saved_by_name(folder) == {"work": at(2)}
    assert not (folder / "sessions.json").exists()
    first, second = map(json.loads, (folder / "sessions.journal").read_text().splitlines())
    assert first == {"session": "work", **json.loads(json.dumps(record_data(at(1))))}
    assert second == {"session": "work", "tabs": [f"{HERE}/2"], "generation": 2, "last_url": f"{HERE}/2"}
    store.record(at(2, updated_at=5.0))
    assert (folder / "sessions.journal").read_text().count("\n") == 2  # the time alone is nothing new


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_it_is_for_the_owner_alone(store: SessionStore, folder: Path) -> None:
    before = os.umask(0)
    try:
        store.record(at(1))
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "sessions.journal").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_journal_lines_are_idempotent() -> None:
    lines = [
        journal_line("work", record_data(at(1))),
        journal_line("work", {"generation": 2}),
        journal_line("work", CLOSED),
    ]
    lines += [
        journal_line("work", record_data(at(3))),
        journal_line("other", record_data(at(4, "other"))),
        journal_line("work", {"generation": 9}),
    ]
    journal = b"".join(lines).decode()
    once = replay_journal({}, journal)
    assert once.wrong == []
    assert once.closed == set()
    for begin in range(len(lines)):
        assert replay_journal(once.rows, b"".join(lines[begin:]).decode()).rows == once.rows


@pytest.mark.parametrize("torn", ["{", '{"session": "work", "closed": true}', "\udcff", "[" * 100_000])
def test_a_last_line_without_an_end_says_nothing(torn: str) -> None:
    now = replay_journal({}, journal_line("work", record_data(at(1))).decode() + torn)
    assert list(now.rows) == ["work"]
    assert now.wrong == []


@pytest.mark.slow
async def test_journal_restores_a_consistent_state_after_truncation(store: SessionStore, folder: Path) -> None:
    """A host may die between any two bytes."""
    chance = random.Random(4)
    states = [dict[str, SessionRecord]()]
    for page in range(200):
        name = chance.choice(("a", "b", "c"))
        match chance.randrange(8):
            case 0:
                await store.forget(name)
            case 1:
                await store.save(at(page, name))
            case _:
                store.record(at(page, name, behind=chance.random() < 0.3, shown=("blob:x",) * (page % 2)))
        states.append({each: kept for each in store.names if (kept := store.get(each))})
        assert saved_by_name(folder) == states[-1]
    journal = folder / "sessions.journal"
    content = journal.read_bytes()
    index = {kept.name: kept for kept in listed_without(folder)}
    for end in range(len(content)):
        journal.write_bytes(content[:end])
        assert saved_by_name(folder) in (*states, index)


def listed_without(folder: Path) -> list[SessionRecord]:
    """What the index alone says."""
    journal = folder / "sessions.journal"
    content = journal.read_bytes()
    journal.unlink()
    try:
        return [kept.replace(updated_at=0.0) for kept in read_saved_sessions(folder)]
    finally:
        journal.write_bytes(content)


# --- a host that died ---


def test_the_next_host_writes_it_into_one_file_again(store: SessionStore, folder: Path) -> None:
    store.record(at(1))
    store.record(at(2, "other"))
    later = SessionStore(folder, folder)
    assert later.names == ["other", "work"]
    assert not (folder / "sessions.journal").exists()
    assert json.loads((folder / "sessions.json").read_text())["sessions"].keys() == {"work", "other"}


async def test_a_death_in_the_middle_of_a_writing(store: SessionStore, folder: Path) -> None:
    store.record(at(1))
    await store.save(at(2))
    store.record(at(3, "other"))
    journal = (folder / "sessions.journal").read_bytes()
    # The index is there, the lines that it has are, too, and files that were begun.
    draft = folder / ".sessions.json.999999999"
    state = folder / "sessions" / ".work.json.999999999"
    state.parent.mkdir()
    for each in (draft, state):
        each.write_text("{")
    (folder / "sessions.json").write_text(encode_index([at(2), at(3, "other")]))
    (folder / "sessions.journal").write_bytes(
        journal_line("work", record_data(at(1))) + journal_line("work", record_data(at(2))) + journal
    )
    later = SessionStore(folder, folder)
    assert later.get("work") == at(2)
    assert later.get("other") == at(3, "other")
    assert not draft.exists()
    assert not state.exists()


async def test_a_session_that_was_closed_stays_so_and_leaves_no_cookies(store: SessionStore, folder: Path) -> None:
    await store.save(at(1))
    file = store.state_file("work")
    file.parent.mkdir()
    file.write_text("{}")
    store._drop("work")  # and the host is killed
    assert file.exists()
    assert SessionStore(folder, folder).names == []
    assert not file.exists()


def test_a_damaged_line_costs_itself_alone(store: SessionStore, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    store.record(at(1))
    with (folder / "sessions.journal").open("a") as journal:
        journal.write('nonsense\n[1]\n{"session": 5}\n')
    store.record(at(2))
    assert SessionStore(folder, folder).get("work") == at(2)
    assert "line 2 is invalid; line 3 is invalid; line 4 is invalid" in caplog.text
    assert "nonsense" in (folder / "sessions.journal.damaged-1").read_text()


def test_a_line_after_one_that_was_cut_off_is_whole(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "sessions.journal").write_bytes(journal_line("work", record_data(at(1))) + b'{"session": "wo')
    journal = SessionJournal(folder / "sessions.journal")
    journal.append(journal_line("work", {"generation": 7}))
    journal.close()
    assert saved_by_name(folder)["work"].generation == 7


# --- a journal that can't be written ---


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: a write that would is cut off there, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_said_once_and_leaves_no_half_line(
    store: SessionStore, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.record(at(1))
    with room_for((folder / "sessions.journal").stat().st_size + 10):
        for page in (2, 3, 4):
            store.record(at(page))
            assert saved_by_name(folder) == {"work": at(1)}
    assert caplog.text.count("sessions can't be saved") == 1
    store.record(at(4, behind=True))
    assert saved_by_name(folder) == {"work": at(4, behind=True)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
async def test_where_nothing_can_be_written_nothing_fails(
    store: SessionStore, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir(mode=0o700)
    (folder / "sessions.journal").symlink_to("/dev/full")  # which is read without end
    store.record(at(1))
    assert "sessions can't be saved" in caplog.text
    await store.save(at(2))
    assert saved_by_name(folder) == {"work": at(2)}
    await store.forget("work")
    assert saved_by_name(folder) == {}


def test_a_journal_that_somebody_removes_begins_anew(store: SessionStore, folder: Path) -> None:
    store.record(at(1))
    (folder / "sessions.journal").unlink()
    store.record(at(2))
    assert b'"generation":2' in (folder / "sessions.journal").read_bytes()


async def test_it_does_not_grow_for_ever(store: SessionStore, folder: Path) -> None:
    for page in range(2000):
        store.record(at(page, behind=page % 2 == 0))
    assert (folder / "sessions.journal").stat().st_size > 100_000
    await store.save(at(2000, behind=True))
    assert (folder / "sessions.journal").read_bytes() == journal_line("work", {"behind": True})
    assert saved_by_name(folder) == {"work": at(2000, behind=True)}


def test_rows_added_during_an_index_write_are_kept(store: SessionStore, folder: Path) -> None:
    store.record(at(1))
    size = store._journal.size
    store.record(at(2))
    store._journal.discard(size)
    assert b'"generation":1' not in (folder / "sessions.journal").read_bytes()
    store.record(at(3))
    (folder / "sessions.json").write_text(encode_index([at(1)]))
    assert saved_by_name(folder) == {"work": at(3)}
    assert sorted(each.name for each in folder.iterdir()) == ["sessions.journal", "sessions.json"]


# --- which storage is whose ---


def test_storage_goes_to_the_tab_that_had_it() -> None:
    from oryn.browsers.base.storage import OriginStorage

    area = OriginStorage(HERE, HERE, {"who": "the second"}, {})
    state = to_saved_state(
        SessionSnapshot((TabSnapshot("about:blank"), TabSnapshot(f"{HERE}/2", (area,)))), "2026-01-24T10:30:00Z", (4, 7)
    )
    closed = snapshot_of(ROW.replace(tabs=(f"{HERE}/2", f"{HERE}/3"), ids=(7, 8)), state)
    assert closed.tabs == (TabSnapshot(f"{HERE}/2", (area,)), TabSnapshot(f"{HERE}/3"))
    gone = snapshot_of(ROW.replace(tabs=(f"{HERE}/3", f"{HERE}/1"), ids=(8, 4)), state)
    assert gone.tabs == (TabSnapshot(f"{HERE}/3"), TabSnapshot(f"{HERE}/1"))
