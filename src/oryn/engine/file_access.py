"""Access to the files that commands read and write: checks paths, and writes files atomically.

Every path of a command is checked here. A file gets its name only after it was written completely, with access for its
owner only. The ledger records which files Oryn has written: only these are replaced without `--overwrite`.

The ledger is a folder of the host with a small file for each path, named by the path's hash. It contains the device,
inode, size and modification time of the written file. So it works across processes and restarts, on every file system,
and without a lock. A file that was changed or replaced since then belongs to another program or user. (An extended
attribute would not detect that: it stays if the content changes, and not every file system stores one.)"""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from oryn.core.records import Record
from oryn.errors import FileError, FileNotOurs, PathNotAllowed

log = logging.getLogger(__name__)

MAX_ENTRIES = 4096
"""Maximum number of entries; beyond it the older half is removed."""

SIZE_UNFINISHED = -1
"""Replaces the size while the file is still being written."""

FileIdentity = tuple[int, int, int, int]
"""Device, inode, size, and modification time in nanoseconds."""


def file_identity(status: os.stat_result) -> FileIdentity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class FileLedger:
    """The files that Oryn has written. `folder` is created with the first entry. An entry that can't be written there
    is only in this object."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[Path, FileIdentity] = {}
        self._granted: set[Path] = set()

    def grant(self, path: Path) -> None:
        """Allow this file to be replaced, once."""
        self._granted.add(path)

    def allows(self, path: Path, status: os.stat_result) -> bool:
        """Return whether the file at an absolute path, with this status, may be replaced."""
        if path in self._granted:
            return True
        noted, found = self._identity_of(path), file_identity(status)
        return noted is not None and (noted == found or (noted[2] == SIZE_UNFINISHED and noted[:2] == found[:2]))

    def note(self, path: Path, status: os.stat_result, *, growing: bool = False) -> None:
        """Record that Oryn has created this file, or has begun to write it (`growing`)."""
        device, inode, size, changed = file_identity(status)
        noted = device, inode, SIZE_UNFINISHED if growing else size, changed
        self._entries[path] = noted
        self._granted.discard(path)
        draft = self._folder / f".{os.urandom(8).hex()}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(" ".join(map(str, noted)))
            os.replace(draft, self._entry(path))
        except OSError as error:  # the file itself is written: at worst its next writer needs --overwrite
            log.warning("it can't be noted that %s is ours: %s", path, error.strerror)
            with suppress(OSError):
                draft.unlink()
        else:
            self._forget_old()

    def _identity_of(self, path: Path) -> FileIdentity | None:
        try:
            device, inode, size, changed = map(int, self._entry(path).read_text("ascii").split())
        except (OSError, ValueError):  # no entry, or an incomplete one: only this object may know the file
            return self._entries.get(path)
        return device, inode, size, changed

    def _entry(self, path: Path) -> Path:
        import hashlib  # imported late, to speed up the start of a host

        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:40]

    def _forget_old(self) -> None:
        folder = self._folder
        with os.scandir(folder) as found:
            names = [entry.name for entry in found]
        if len(names) <= MAX_ENTRIES:
            return
        entries = []
        for name in names:
            with suppress(OSError):  # another process may remove entries at the same time
                entries.append((os.stat(folder / name).st_mtime_ns, name))
        for _, name in sorted(entries)[: MAX_ENTRIES // 2]:
            with suppress(OSError):
                os.unlink(folder / name)


CALLER_FOLDER: ContextVar[Path | None] = ContextVar("FOLDER", default=None)
"""The caller's working folder, if it differs from that of this process."""
CALLER_ROOTS: ContextVar[Sequence[Path] | None] = ContextVar("CALLERS_ROOTS", default=None)
"""The folders to which the caller restricts a command, in addition to the session's limits; None means no
restriction."""
CONFINED: ContextVar[bool] = ContextVar("CONFINED", default=False)
"""Whether the caller gets the session's private folders if no others were chosen."""


class HostFolders(Record):
    """The host's folders that matter for files of commands."""

    own: Sequence[Path] = ()
    """Oryn's own folders, with everything below them. No file in them is opened, even if it is allowed otherwise …"""
    shared: Sequence[Path] = ()
    """… except in these, which contain what commands have written for the user."""
    private: Sequence[Path] = ()
    """The session's private folders, used if it is confined; created on first use."""


class Files(Record):
    """Access to files for commands.

    `roots` are the folders that commands may use (`--files-root`), with everything below them. If there are none, every
    folder is allowed. But a `confined` session whose caller names no folders is limited to the private ones. With a
    `ledger`, only files in it are replaced.

    Paths are relative to the first folder of `bounds`, else to the caller's folder, else to the working folder. `~` is
    the home folder."""

    roots: Sequence[Path] = ()
    host_folders: HostFolders = HostFolders()
    confined: bool = False
    ledger: FileLedger | None = None

    @property
    def bounds(self) -> Sequence[Sequence[Path]]:
        """Sets of folders; a file must be in a folder of each set: the user's and the caller's."""
        callers = CALLER_ROOTS.get()
        if self.roots:
            return (self.roots,) if callers is None else (self.roots, callers)
        if callers is not None:
            return (callers,)
        return (self.host_folders.private,) if self.host_folders.private and (self.confined or CONFINED.get()) else ()

    def check(self, path: Path, bounds: Sequence[Sequence[Path]] | None = None) -> Path:
        """Return a path with its links followed, if it may be opened. `path` is absolute; `bounds` default to the
        current ones. Raises `PathNotAllowed`, `FileError` if the path is invalid."""
        try:
            found = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"not a valid path: {str(path)!r}") from error
        for roots in self.bounds if bounds is None else bounds:
            if not _within(found, roots):
                allowed = ", ".join(map(str, roots))
                raise PathNotAllowed(
                    f"{found} is outside the allowed folders",
                    f"Allowed: {allowed or 'none'}. Only the user can allow more (--files-root).",
                )
        if _is_in(found, self.host_folders.own) and not _is_in(found, self.host_folders.shared):
            raise PathNotAllowed(f"{found} is in one of Oryn's own folders")
        return found

    def readable(self, path: str) -> Path:
        """Return the absolute path of an existing file. Raises `FileError`, `PathNotAllowed`."""
        found = self.check(self._absolute(path))
        if not found.exists():
            raise FileError(f"there is no file {found}")
        if not found.is_file():
            raise FileError(f"{found} is not a file")
        return found

    def existing(self, path: str) -> Path:
        """Return the absolute path of an existing file or folder. Raises `FileError`, `PathNotAllowed`."""
        found = self.check(self._absolute(path))
        if not found.exists():
            raise FileError(f"there is no file or folder {found}")
        return found

    def writable(self, path: str, *, overwrite: bool = False) -> Path:
        """Return the absolute path of a file that may be created or replaced. `overwrite` also allows one that Oryn has
        not created, until it is written. Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        named = self._absolute(path)
        found = self.check(named)
        if found.is_dir():
            raise FileError(f"{found} is a folder", "Name a file in it.")
        if named.is_symlink():
            raise FileError(f"{named} is a link to {found}", "Name a file that is not a link.")
        if not found.parent.is_dir():
            raise FileError(f"there is no folder {found.parent}", "Make it, or name another.")
        if overwrite and self.ledger is not None:
            self.ledger.grant(found)
        self._replaceable(found)
        return found

    def _replaceable(self, path: Path) -> os.stat_result | None:
        """Return the status of an existing file, or None. Raises `FileError`, `FileNotOurs` if it must
        not be replaced."""
        try:
            status = path.lstat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed(path, "written", error) from error
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{path} is not a regular file", "Name a file that is, or a new one.")
        if self.ledger is not None and not self.ledger.allows(path, status):
            raise FileNotOurs(f"{path} already exists, and Oryn did not create it or it has changed since")
        return status

    def begin(self, path: str, *, overwrite: bool = False) -> Path:
        """Like `writable`, for a file that another program writes bit by bit. It is created empty unless it exists.
        Call `finish` when it is complete."""
        found = self.writable(path, overwrite=overwrite)
        try:
            descriptor = os.open(found, os.O_WRONLY | os.O_CREAT | _NO_LINK, 0o600)
        except OSError as error:
            raise _failed(found, "written", error) from error
        with os.fdopen(descriptor) as file:
            if self.ledger is not None:
                self.ledger.note(found, os.fstat(file.fileno()), growing=True)
        return found

    def finish(self, path: Path) -> None:
        """Record that a file of `begin` is complete."""
        if self.ledger is not None:
            with suppress(FileNotFoundError):
                self.ledger.note(path, path.lstat())

    def display_path(self, path: str) -> str:
        """Return the name of a readable file in answers. Raises the errors of `readable`."""
        return str(self.readable(path))

    def read_bytes(self, path: str, limit: int = 64_000_000) -> bytes:
        """Return the content of a file of at most `limit` bytes. Raises `FileError`, `PathNotAllowed`."""
        found = self.readable(path)
        try:
            with open(os.open(found, os.O_RDONLY | _NO_LINK), "rb") as file:
                content = file.read(limit + 1)
        except OSError as error:
            raise _failed(found, "read", error) from error
        if len(content) > limit:
            raise FileError(f"{found} is larger than {limit} bytes", "Choose a smaller file.")
        return content

    def write_bytes(self, path: str, content: bytes, *, overwrite: bool = False) -> Path:
        """Write a file atomically and return its absolute path. Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        with self.writing(path, overwrite=overwrite) as file:
            file.write(content)
        return self.check(self._absolute(path))

    @contextmanager
    def writing(self, path: str, *, overwrite: bool = False) -> Iterator[BinaryIO]:
        """Open a file for writing. It gets its name if the block succeeds, and is removed otherwise.

        Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        target = self.writable(path, overwrite=overwrite)
        draft = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                self._put(draft, target)
            except BaseException:  # also if cancelled: no partial file must stay
                with suppress(OSError):
                    draft.unlink()
                raise
        except OSError as error:
            raise _failed(target, "written", error) from error

    def _put(self, draft: Path, target: Path) -> None:
        """Rename a draft to its target. It replaces a file that may be replaced, but not one that was created
        meanwhile."""
        status = draft.stat()
        reserved = self._replaceable(target) is None
        if reserved:
            try:
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600))
            except FileExistsError:
                raise FileNotOurs(
                    f"{target} already exists, and Oryn did not create it or it has changed since"
                ) from None
        try:
            os.replace(draft, target)
        except OSError:
            if reserved:
                with suppress(OSError):
                    target.unlink()
            raise
        if self.ledger is not None:
            self.ledger.note(target, status)

    def allows(self, path: Path) -> bool:
        """Return whether an absolute path is in one of the roots, with links followed."""
        return not self.roots or _within(path, self.roots)

    def _absolute(self, path: str) -> Path:
        """Return the absolute path; links of its folder are followed."""
        bounds = self.bounds
        folder = next((root for roots in bounds for root in roots), None) or CALLER_FOLDER.get() or Path.cwd()
        try:
            if bounds and bounds[0] is self.host_folders.private:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            named = Path(folder, Path(path).expanduser())
            return named.parent.resolve() / named.name if named.name not in ("", "..") else named.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"not a valid path: {path!r}") from error


_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    """Return whether a path, with links followed, is in a folder, however it is spelled: in another case, or by another
    mount of the same file system."""
    if not folders:
        return False
    keys = {key for folder in folders if (key := _key(folder))}
    return any(path.is_relative_to(folder) for folder in folders) or any(
        key in keys for each in (path, *path.parents) if (key := _key(each))
    )


def _key(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.resolve().is_relative_to(root.resolve()) for root in roots)


def new_path(folder: Path | None, suffix: str, prefix: str = "") -> Path:
    """Return an unused path in a folder of the host, which is created if it is missing. None means the system's
    temporary folder. Raises `FileError`."""
    import tempfile

    place = folder or Path(tempfile.gettempdir())
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(place, "made", error) from error
    return place / f"{prefix}{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(4).hex()}{suffix}"


def _failed(path: Path, what: str, error: OSError) -> FileError:
    return FileError(f"{path} can't be {what}: {error.strerror or error}")
