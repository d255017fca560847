"""The history: rows are whole, none is lost or written twice, and the file is turned over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.history.log import ActionHistory, HistoryRow


def row(number: int, **more: Any) -> HistoryRow:
    about = {"session": "default", "action": "click", "args": {"line": f"click {number}"}, **more}
    return HistoryRow(f"{number:016x}", f"2026-05-26T19:00:{number:02}.000000Z", 1.5, True, **about)


def numbers(rows: Any) -> list[int]:
    return [int(each.action_id, 16) for each in rows]


def test_rows_come_back_and_the_file_is_its_owners(tmp_path: Path) -> None:
    history = ActionHistory(tmp_path / "daemon")
    history.append(row(1, error_kind="TIMEOUT", error="not done"))
    assert list(history.rows()) == [row(1, error_kind="TIMEOUT", error="not done")]
    assert history.file.stat().st_mode & 0o777 == 0o600


def test_history_file_is_rotated(tmp_path: Path) -> None:
    history = ActionHistory(tmp_path, max_rows=3)
    for number in range(7):
        history.append(row(number))
    assert numbers(history.rows()) == [6]
    assert numbers(history.rows(previous=True)) == [3, 4, 5]
    assert history.find(row(4).action_id) == row(4)
    assert history.find(row(1).action_id) is None


def test_rows_of_an_earlier_daemon_count(tmp_path: Path) -> None:
    ActionHistory(tmp_path, max_rows=2).append(row(1))
    history = ActionHistory(tmp_path, max_rows=2)
    history.append(row(2))
    history.append(row(3))
    assert numbers(history.rows()) == [3]


def test_a_torn_last_row_is_cut_off(tmp_path: Path) -> None:
    ActionHistory(tmp_path).append(row(1))
    file = tmp_path / "actions.jsonl"
    file.write_bytes(file.read_bytes() + b'{"action_id": "torn')
    assert numbers(ActionHistory(tmp_path).rows()) == [1]
    history = ActionHistory(tmp_path)
    history.append(row(2))
    assert numbers(history.rows()) == [1, 2]
    assert file.read_bytes().count(b"\n") == 2


def test_selecting(tmp_path: Path) -> None:
    history = ActionHistory(tmp_path)
    for number in range(6):
        history.append(row(number, session="ab"[number % 2], action="goto" if number < 2 else "click"))
    assert numbers(history.select(session="a")) == [0, 2, 4]
    assert numbers(history.select(action="goto")) == [0, 1]
    assert numbers(history.select(since=row(3).ts, last=2)) == [4, 5]


def test_unwritten_rows_are_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = ActionHistory(tmp_path)
    history.append(row(1))
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:5]))
    history.append(row(2))
    history.append(row(3))
    assert history.failing == "no space left on the device"
    assert history.file.read_bytes().count(b"\n") == 1 and history.file.read_bytes().endswith(b"\n")
    monkeypatch.undo()
    history.append(row(4))
    assert history.failing is None
    assert numbers(history.rows()) == [1, 2, 3, 4]


def at(number: int, ts: str, elapsed_ms: float = 10.0, **more: Any) -> HistoryRow:
    return row(number, **more).replace(ts=f"2026-05-26T{ts}Z", elapsed_ms=elapsed_ms)


@pytest.mark.parametrize(
    ("times", "since", "expected"),
    [
        (["10:00:00", "10:01:00", "10:02:00"], "10:00:30", [1, 2]),
        (["10:00:00", "10:01:00", "09:00:00", "09:01:00"], "09:00:30", [3]),
        (["10:00:00", "10:01:00", "09:00:00", "09:01:00"], "08:59:00", [2, 3]),
        (["10:00:00", "10:01:00"], "11:00:00", []),
    ],
)
def test_since_a_moment_also_where_the_clock_was_set_back(
    tmp_path: Path, times: list[str], since: str, expected: list[int]
) -> None:
    history = ActionHistory(tmp_path)
    for number, ts in enumerate(times):
        history.append(at(number, ts))
    assert numbers(history.select(since=f"2026-05-26T{since}Z")) == expected


def test_select_since_includes_commands_that_ended_later(tmp_path: Path) -> None:
    history = ActionHistory(tmp_path)
    history.append(at(1, "10:04:00"))
    history.append(at(2, "10:00:00", elapsed_ms=300_000))
    history.append(at(3, "10:03:00", elapsed_ms=0, error_kind="daemon_failed"))
    history.append(at(4, "10:05:10"))
    assert numbers(history.select(since="2026-05-26T10:03:30Z")) == [1, 2, 4]
    history.append(at(5, "10:05:20"))
    assert numbers(history.select(since="2026-05-26T10:05:15Z")) == [5]


def test_unfinished_commands_are_recovered_after_a_kill(tmp_path: Path) -> None:
    killed = ActionHistory(tmp_path)
    for number in (1, 2, 3):
        killed.begin(row(number, error_kind="daemon_failed"))
    killed.append(row(2))
    journal = tmp_path / "actions.started.jsonl"
    journal.write_bytes(journal.read_bytes() + b'\n{"action_id": "torn')
    assert journal.stat().st_mode & 0o777 == 0o600
    for _ in range(2):
        history = ActionHistory(tmp_path)
        history.recover()
        assert numbers(history.rows()) == [2, 1, 3]
    assert [each.error_kind for each in history.rows()] == [None, "daemon_failed", "daemon_failed"]
    history.close()
    assert not journal.exists()


def test_the_journal_stays_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oryn.daemon.history.inflight_log.MAX_LOG_BYTES", 2000)
    history, journal = ActionHistory(tmp_path), tmp_path / "actions.started.jsonl"
    history.begin(row(0))
    for number in range(1, 100):
        history.begin(row(number))
        history.append(row(number))
        assert journal.stat().st_size < 3000
    after = ActionHistory(tmp_path)
    after.recover()
    assert sorted(numbers(after.rows())) == list(range(100))
    history.append(row(0))
    assert journal.stat().st_size == 0
