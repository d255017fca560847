"""Copying databases and LevelDB's folders, whatever is done to them meanwhile."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from oryn.errors import FileError
from oryn.profiles import copy
from oryn.profiles.copy import CopiedCookies, copy_database, copy_folder, copy_profile, count_cookies
from oryn.profiles.installations import ProfileSource


def tree(folder: Path) -> dict[str, tuple[int, str]]:
    """Everything that a folder holds, with when it was changed."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in folder.rglob("*")
    }


@contextmanager
def database(file: Path, mode: str = "DELETE") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, isolation_level=None)) as opened:
        opened.execute(f"PRAGMA journal_mode = {mode}")
        opened.execute("CREATE TABLE cookies (name TEXT, encrypted_value BLOB)")
        opened.execute("INSERT INTO cookies VALUES ('a', x'763130')")
        yield opened


def names(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as opened:
        return [name for (name,) in opened.execute("SELECT name FROM cookies ORDER BY 1")]


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "WAL"])
def test_a_database_in_use_is_copied_as_it_is_between_two_transactions(tmp_path: Path, mode: str) -> None:
    source = tmp_path / "source" / "Cookies"
    source.parent.mkdir()
    with database(source, mode) as opened:
        opened.execute("INSERT INTO cookies VALUES ('b', x'763130')")
        before = tree(source.parent)
        copy_database(source, tmp_path / "copy" / "Cookies")
        assert tree(source.parent) == before
    assert names(tmp_path / "copy" / "Cookies") == ["a", "b"]


def test_a_transaction_that_is_not_done_is_not_in_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy, "_BUSY_SECONDS", 0.05)
    source = tmp_path / "Cookies"
    with database(source) as opened:
        opened.execute("PRAGMA cache_size = 1")
        opened.execute("BEGIN EXCLUSIVE")
        opened.executemany("INSERT INTO cookies VALUES (?, x'')", [(f"{number:0200}",) for number in range(500)])
        copy_database(source, tmp_path / "copy")
        opened.execute("ROLLBACK")
    assert names(tmp_path / "copy") == ["a"]


def test_journal_of_a_killed_browser_is_applied_in_the_copy_only(tmp_path: Path) -> None:
    source = tmp_path / "killed" / "Cookies"
    source.parent.mkdir()
    with database(tmp_path / "Cookies") as opened:
        opened.execute("PRAGMA cache_size = 1")
        opened.execute("BEGIN IMMEDIATE")
        opened.executemany("INSERT INTO cookies VALUES (?, x'')", [(f"{number:0200}",) for number in range(500)])
        for name in ("Cookies", "Cookies-journal"):
            shutil.copyfile(tmp_path / name, source.parent / name)
    before = tree(source.parent)
    copy_database(source, tmp_path / "copy" / "Cookies")
    assert tree(source.parent) == before
    assert names(tmp_path / "copy" / "Cookies") == ["a"]


def test_file_that_is_not_a_database_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "Cookies").write_bytes(b"no database" * 1000)
    with pytest.raises(FileError, match="Cookies"):
        copy_database(tmp_path / "Cookies", tmp_path / "copy")


def test_a_folder_that_changes_meanwhile_is_copied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "leveldb"
    source.mkdir()
    for name in ("CURRENT", "MANIFEST-1", "000001.ldb", "000002.log", "LOCK", "LOG"):
        (source / name).write_text(name)
    copytree, seen = shutil.copytree, []

    def compacted_once(*arguments: object, **more: object) -> object:
        seen.append(copytree(*arguments, **more))  # type: ignore[call-overload]
        if len(seen) == 1:
            (source / "000001.ldb").rename(source / "000003.ldb")
            (source / "MANIFEST-1").write_text("MANIFEST-1 and 3")
        return seen[-1]

    monkeypatch.setattr(copy.shutil, "copytree", compacted_once)
    copy_folder(source, tmp_path / "copy")
    assert len(seen) == 2
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "000002.log", "000003.ldb", "CURRENT", "MANIFEST-1",
    ]  # fmt: skip

    monkeypatch.setattr(copy, "_tables", lambda folder: {object()})
    with pytest.raises(FileError, match="without a pause"):
        copy_folder(source, tmp_path / "copy")


def test_a_profile_is_copied_for_its_owner_alone_without_what_sessions_do_not_need(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for path, text in {
        "Local State": '{"os_crypt": {"encrypted_key": "x"}, "profile": {"info_cache": {}}}',
        "SingletonLock": "",
        "Default/Preferences": '{"extensions": {"a": 1}, "profile": {"exit_type": "Crashed", "name": "Ada"}}',
        "Default/History": "",
        "Default/Cache/index": "",
        "Default/Extensions/a/manifest.json": "{}",
        "Default/Local Storage/leveldb/CURRENT": "",
        "Default/Service Worker/CacheStorage/x/index": "",
        "Default/WebStorage/7/CacheStorage/index": "",
        "Default/WebStorage/7/IndexedDB/CURRENT": "",
    }.items():
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_text(text)
    with database(data / "Default" / "Cookies"):
        pass
    before = tree(data)
    copy_profile(ProfileSource(None, data, "Default"), tmp_path / "copy")
    assert tree(data) == before
    copied = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(tmp_path / "copy")) for path in copied) == [
        "Default/Cookies",
        "Default/Local Storage/leveldb/CURRENT",
        "Default/Preferences",
        "Default/WebStorage/7/IndexedDB/CURRENT",
        "Local State",
    ]  # fmt: skip
    assert (tmp_path / "copy" / "Local State").read_text() == '{"os_crypt": {"encrypted_key": "x"}}'
    assert (tmp_path / "copy" / "Default" / "Preferences").read_text() == (
        '{"profile": {"exit_type": "Normal", "name": "Ada", "exited_cleanly": true}}'
    )
    for path in (tmp_path / "copy").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    ("platform", "found"),
    [("linux", CopiedCookies(5, 2, 1)), ("darwin", CopiedCookies(5, 1, 1)), ("win32", CopiedCookies(5, 0, 1))],
)
def test_who_can_read_the_cookies(tmp_path: Path, platform: str, found: CopiedCookies) -> None:
    (tmp_path / "Default").mkdir()
    with database(tmp_path / "Default" / "Cookies") as opened:
        for version in (b"v11", b"v11", b"v20", b""):
            opened.execute("INSERT INTO cookies VALUES ('x', ?)", (version and version + b"secret",))
    assert count_cookies(tmp_path, platform) == found


def test_notes_say_who_can_read_the_cookies() -> None:
    assert CopiedCookies(3, 0, 0).notes("Chrome") == []
    assert CopiedCookies(3, 2, 1).notes("Chrome") == [
        "2 cookies are encrypted with this desktop's key: they are read in Chrome only",
        "1 cookies are bound to Chrome and can't be read in a copy: log in again",
    ]
