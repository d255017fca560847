"""Copying what a session needs out of a browser's profile, also while that browser runs, and changing nothing there.

Databases are copied as they are between two transactions, folders of LevelDB between two compactions: what is written
meanwhile may be missing, but what is there is whole. Caches, histories, locks and extensions stay behind.
https://www.sqlite.org/backup.html, https://github.com/google/leveldb/blob/main/doc/impl.md
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from oryn.errors import FileError
from oryn.profiles.installed import FIRST, LOCAL_STATE, PREFERENCES, Source

DATABASES = (
    "Cookies",
    "Network/Cookies",
    "Trust Tokens",
    "Network/Trust Tokens",
    "Login Data",
    "Login Data For Account",
    "Web Data",
    "ServerCertificate",
    "WebStorage/QuotaManager",
)
FOLDERS = ("Local Storage", "IndexedDB", "File System", "WebStorage")
FILES = ("TransportSecurity", "Network/TransportSecurity")

# The locks and logs of LevelDB, and what `DATABASES` has already.
_LEFT = ("LOCK", "LOG", "LOG.old", "CacheStorage", "QuotaManager*", "*-journal", "*-wal", "*-shm")
_CLOSE = "Close the browser and copy again."
_ATTEMPTS = 5
_BUSY_SECONDS = 2.0
_WRITE_AHEAD = 2
"""https://www.sqlite.org/fileformat.html#file_format_version_numbers"""


def copy_profile(source: Source, target: Path) -> None:
    """Make the new folder `target` user data with one profile, a copy of `source`. Raises `FileError`."""
    profile = target / FIRST
    try:
        profile.mkdir(mode=0o700, parents=True)
        _write(target / LOCAL_STATE, _keys(_read(source.user_data / LOCAL_STATE)))
        _write(profile / PREFERENCES, _quiet(_read(source.folder / PREFERENCES)))
        for name in FILES:
            if (source.folder / name).is_file():
                _copy_file(source.folder / name, profile / name)
        for name in DATABASES:
            if (source.folder / name).is_file():
                copy_database(source.folder / name, profile / name)
        for name in FOLDERS:
            if (source.folder / name).is_dir():
                copy_folder(source.folder / name, profile / name)
    except OSError as error:
        raise FileError(f"the profile can't be copied: {error.strerror}: {error.filename}") from error
    for path in target.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


# --- JSON ---


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(file: Path, data: dict[str, Any]) -> None:
    file.write_text(json.dumps(data), "utf-8")


def _keys(state: dict[str, Any]) -> dict[str, Any]:
    """Of all that concerns a browser's profiles together: the key that cookies and passwords are encrypted with."""
    return {"os_crypt": state["os_crypt"]} if "os_crypt" in state else {}


def _quiet(preferences: dict[str, Any]) -> dict[str, Any]:
    """Without extensions, which stay behind, and with an end in order, so that no window asks to restore pages."""
    kept = {name: value for name, value in preferences.items() if name != "extensions"}
    profile = kept.get("profile")
    ended = {"exit_type": "Normal", "exited_cleanly": True}
    return {**kept, "profile": {**profile, **ended} if isinstance(profile, dict) else ended}


# --- databases ---


def copy_database(source: Path, target: Path) -> None:
    """One transaction's state of an SQLite database. Raises `FileError`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if _writes_ahead(source):
            raise sqlite3.OperationalError("to read it SQLite would write beside it")
        with closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True, timeout=_BUSY_SECONDS)) as whole:
            with closing(sqlite3.connect(target)) as copy:
                whole.backup(copy, progress=_impatient(), sleep=0.05)
    except sqlite3.Error:
        _copy_files_of_database(source, target)


def _impatient() -> Callable[[int, int, int], object]:
    """Ends a backup that waits for somebody's lock: it would do so for ever."""
    end = time.monotonic() + _BUSY_SECONDS

    def progress(status: int, remaining: int, total: int) -> None:
        if time.monotonic() > end:
            raise sqlite3.OperationalError("database is locked")

    return progress


def _writes_ahead(database: Path) -> bool:
    with database.open("rb") as file:
        head = file.read(20)
    return len(head) == 20 and head[18] == _WRITE_AHEAD


def _copy_files_of_database(source: Path, target: Path) -> None:
    """The files as they are, until none has changed meanwhile and SQLite finds the copy whole."""
    endings = ("", "-wal", "-journal")
    for _ in range(_ATTEMPTS):
        before = _signature(source.parent, [source.name + ending for ending in endings])
        for ending in endings:
            Path(f"{target}{ending}").unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{source}{ending}", f"{target}{ending}")
        if _signature(source.parent, [source.name + ending for ending in endings]) == before and _is_whole(target):
            return
    raise FileError(f"{source} is damaged, or written to without a pause", _CLOSE)


def _is_whole(database: Path) -> bool:
    with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        return bool(opened.execute("PRAGMA quick_check").fetchone() == ("ok",))
    return False


# --- folders ---


def copy_folder(source: Path, target: Path) -> None:
    """A folder with LevelDB's files in it, until no table has come or gone meanwhile: a manifest must fit them."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(target, ignore_errors=True)
        before = _tables(source)
        with suppress(shutil.Error, FileNotFoundError):  # something has gone meanwhile: once more
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(*_LEFT), symlinks=True)
            if _tables(source) == before:
                return
    raise FileError(f"{source} is written to without a pause", _CLOSE)


def _tables(folder: Path) -> set[tuple[str, int, int]]:
    """What LevelDB's folders consist of, save its logs: a log may be copied at any moment."""
    names = [
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.startswith(("MANIFEST", "CURRENT"))
    ]
    return _signature(folder, names) | {(str(path), 0, 0) for path in folder.rglob("*.ldb")}


def _signature(folder: Path, names: list[str]) -> set[tuple[str, int, int]]:
    found = set()
    for name in names:
        with suppress(FileNotFoundError):
            status = (folder / name).stat()
            found.add((name, status.st_size, status.st_mtime_ns))
    return found


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
