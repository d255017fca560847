"""Copies the parts of a browser's profile that a session needs, also while that browser runs, without changing it.

Databases are copied between two transactions, folders of LevelDB between two compactions: the copy is consistent, but
data written meanwhile may be missing. Caches, histories, locks and extensions are left out.
https://www.sqlite.org/backup.html, https://github.com/google/leveldb/blob/main/doc/impl.md

Cookies and passwords are encrypted with keys that may belong to a desktop or a program, so a copy may be only partly
readable (`CopiedCookies`). A value begins with the version of its encryption. `v10` is a public key on Linux, the
keychain's on macOS, and one in `Local State` for the user on Windows; `v11` is the key in a Linux desktop's keyring;
`v20` is a key that Windows gives only to the installed browser.
https://source.chromium.org/search?q=file:os_crypt"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from oryn.core.records import Record
from oryn.errors import FileError
from oryn.profiles.installations import DEFAULT_DIRECTORY, LOCAL_STATE, PREFERENCES, ProfileSource

_SYSTEM_KEY_VERSIONS = {"darwin": "v10", "linux": "v11"}
_QUERY = "SELECT CAST(substr(encrypted_value, 1, 3) AS TEXT), count(*) FROM cookies GROUP BY 1"


class CopiedCookies(Record):
    """The cookies in a copy, counted by the keys that encrypt them."""

    cookies: int
    """All of them."""
    desktop_bound: int
    """Those encrypted with the desktop's key, which only the same browser gets."""
    browser_bound: int
    """Those that only the installed browser itself can decrypt."""

    def notes(self, browser: str | None) -> list[str]:
        """What the user has to know about them. `browser` is the name of the source, if it is known."""
        of = browser or "the browser that it was copied from"
        notes = []
        if self.desktop_bound:
            notes.append(
                f"{self.desktop_bound} cookies are encrypted with this desktop's key: they are read in {of} only"
            )
        if self.browser_bound:
            notes.append(f"{self.browser_bound} cookies are bound to {of} and can't be read in a copy: log in again")
        return notes


def count_cookies(profile: Path, platform: str = sys.platform) -> CopiedCookies:
    """Count the cookies in the copy `profile` by their encryption."""
    versions: Counter[str] = Counter()
    for name in ("Cookies", "Network/Cookies"):
        file = profile / DEFAULT_DIRECTORY / name
        if file.is_file():
            with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as database:
                versions.update(dict(database.execute(_QUERY)))
    system = versions[_SYSTEM_KEY_VERSIONS[platform]] if platform in _SYSTEM_KEY_VERSIONS else 0
    return CopiedCookies(versions.total(), system, versions["v20"])


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

# The locks and logs of LevelDB, and files of `DATABASES`.
_EXCLUDED = ("LOCK", "LOG", "LOG.old", "CacheStorage", "QuotaManager*", "*-journal", "*-wal", "*-shm")
_CLOSE_HINT = "Close the browser and copy again."
_ATTEMPTS = 5
_BUSY_SECONDS = 2.0
_WRITE_AHEAD = 2
"""https://www.sqlite.org/fileformat.html#file_format_version_numbers"""


def copy_profile(source: ProfileSource, target: Path) -> None:
    """Create the user data folder `target` with one profile, a copy of `source`. Raises `FileError`."""
    profile = target / DEFAULT_DIRECTORY
    try:
        profile.mkdir(mode=0o700, parents=True)
        state = _read(source.user_data / LOCAL_STATE)
        # Only the key that encrypts cookies and passwords.
        _write(target / LOCAL_STATE, {"os_crypt": state["os_crypt"]} if "os_crypt" in state else {})
        _write(profile / PREFERENCES, _clean_preferences(_read(source.folder / PREFERENCES)))
        for name in FILES:
            if (source.folder / name).is_file():
                (profile / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source.folder / name, profile / name)
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


def _clean_preferences(preferences: dict[str, Any]) -> dict[str, Any]:
    """Preferences without extensions, and with a regular exit, so that the browser does not offer to restore pages."""
    copied = {name: value for name, value in preferences.items() if name != "extensions"}
    profile = copied.get("profile")
    ended = {"exit_type": "Normal", "exited_cleanly": True}
    return {**copied, "profile": {**profile, **ended} if isinstance(profile, dict) else ended}


# --- databases ---


def copy_database(source: Path, target: Path) -> None:
    """Copy an SQLite database as of one transaction. If SQLite can't read it without writing, its files are copied
    instead. Raises `FileError`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if _writes_ahead(source):
            raise sqlite3.OperationalError("to read it SQLite would write beside it")
        with closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True, timeout=_BUSY_SECONDS)) as db:
            with closing(sqlite3.connect(target)) as copy:
                db.backup(copy, progress=_backup_timeout(), sleep=0.05)
    except sqlite3.Error:
        _copy_files_of_database(source, target)


def _backup_timeout() -> Callable[[int, int, int], object]:
    """A callback that ends a backup which waits for a lock: it would wait without a limit."""
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
    """Copy the files of a database until none has changed meanwhile, and SQLite finds the copy intact. Raises
    `FileError`."""
    endings = ("", "-wal", "-journal")
    for _ in range(_ATTEMPTS):
        before = _signature(source.parent, [source.name + ending for ending in endings])
        for ending in endings:
            Path(f"{target}{ending}").unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{source}{ending}", f"{target}{ending}")
        if _signature(source.parent, [source.name + ending for ending in endings]) == before and _is_intact(target):
            return
    raise FileError(f"{source} is damaged, or written to without a pause", _CLOSE_HINT)


def _is_intact(database: Path) -> bool:
    with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        return bool(opened.execute("PRAGMA quick_check").fetchone() == ("ok",))
    return False


# --- folders ---


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder with LevelDB files until no table has changed meanwhile, so that the manifest matches the tables.
    Raises `FileError`."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(target, ignore_errors=True)
        before = _tables(source)
        with suppress(shutil.Error, FileNotFoundError):  # a file was deleted meanwhile: try again
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(*_EXCLUDED), symlinks=True)
            if _tables(source) == before:
                return
    raise FileError(f"{source} is written to without a pause", _CLOSE_HINT)


def _tables(folder: Path) -> set[tuple[str, int, int]]:
    """The signature of LevelDB's files, without logs, which can be copied at any moment."""
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
