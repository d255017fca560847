"""The files that commands read and write: where they may be, and that they are whole.

Every path of a command passes here. A file appears under its name only when all of it is written, for its owner alone.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from oryn.engine.ledger import Ledger
from oryn.errors import FileError, FileNotOurs, PathNotAllowed
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine.options import Options

FOLDER: ContextVar[Path | None] = ContextVar("FOLDER", default=None)
"""The caller's folder where it is another one than this process's own."""
CALLERS_ROOTS: ContextVar[Sequence[Path] | None] = ContextVar("CALLERS_ROOTS", default=None)
"""The folders that the caller lets a command use, whatever else its session may; None means that it does not say."""
CONFINED: ContextVar[bool] = ContextVar("CONFINED", default=False)
"""The caller gets the session's private folders, where nobody has chosen any others."""


class Places(Record):
    """The host's folders, as far as files of commands go."""

    own: Sequence[Path] = ()
    """Oryn's own, with all below them: nothing there is opened, whatever is allowed else …"""
    shared: Sequence[Path] = ()
    """… save in these: what commands have written for the user."""
    private: Sequence[Path] = ()
    """The session's, for one that is confined; made when the first is needed."""


class Files(Record):
    """`roots` are the folders that commands may use (`--files-root`), with all below them; none means every folder, or
    the private ones where the session is `confined` and its caller names none. With a `ledger` only files that it knows
    are replaced.

    Paths are relative to the first root, or to the caller's (first) folder where there is none; `~` is the home
    folder."""

    roots: Sequence[Path] = ()
    places: Places = Places()
    confined: bool = False
    ledger: Ledger | None = None

    @property
    def bounds(self) -> Sequence[Sequence[Path]]:
        """Sets of folders, in one of each of which a file has to be: of the user's choice and of the caller's."""
        callers = CALLERS_ROOTS.get()
        if self.roots:
            return (self.roots,) if callers is None else (self.roots, callers)
        if callers is not None:
            return (callers,)
        return (self.places.private,) if self.places.private and (self.confined or CONFINED.get()) else ()

    def check(self, path: Path, bounds: Sequence[Sequence[Path]] | None = None) -> Path:
        """An absolute path with its links followed, where it may be opened; `bounds` are those that hold now, unless
        they are given. Raises `PathNotAllowed`."""
        try:
            found = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"{str(path)!r} is no path") from error
        for roots in self.bounds if bounds is None else bounds:
            if not _within(found, roots):
                allowed = ", ".join(map(str, roots))
                raise PathNotAllowed(
                    f"{found} is outside the allowed folders",
                    f"Allowed: {allowed or 'none'}. Only the user can allow more (--files-root).",
                )
        if _is_in(found, self.places.own) and not _is_in(found, self.places.shared):
            raise PathNotAllowed(f"{found} is in one of Oryn's own folders")
        return found

    def readable(self, path: str) -> Path:
        """The absolute path of a file that is there. Raises `FileError`, `PathNotAllowed`."""
        found = self.check(self._absolute(path))
        if not found.exists():
            raise FileError(f"there is no file {found}")
        if not found.is_file():
            raise FileError(f"{found} is not a file")
        return found

    def writable(self, path: str, *, overwrite: bool = False) -> Path:
        """The absolute path of a file that may be made or replaced; with `overwrite` also one that Oryn has not made,
        until it is written. Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        named = self._absolute(path)
        found = self.check(named)
        if found.is_dir():
            raise FileError(f"{found} is a folder", "Name a file in it.")
        if named.is_symlink():
            raise FileError(f"{named} is a link to {found}", "Name a file that is none.")
        if not found.parent.is_dir():
            raise FileError(f"there is no folder {found.parent}", "Make it, or name another.")
        if overwrite and self.ledger is not None:
            self.ledger.grant(found)
        self._replaceable(found)
        return found

    def _replaceable(self, path: Path) -> os.stat_result | None:
        """The status of the file that is there, if any. Raises `FileError`, `FileNotOurs` for one that stays."""
        try:
            status = path.lstat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed(path, "written", error) from error
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{path} is not a regular file", "Name a file that is, or a new one.")
        if self.ledger is not None and not self.ledger.allows(path, status):
            raise FileNotOurs(f"{path} is there already, and Oryn has not made it")
        return status

    def begin(self, path: str, *, overwrite: bool = False) -> Path:
        """As `writable`, for a file that somebody else writes for us, bit by bit: it is made now, empty, unless it is
        there. `finish` says that it is whole."""
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
        if self.ledger is not None:
            with suppress(FileNotFoundError):
                self.ledger.note(path, path.lstat())

    def shown(self, path: str) -> str:
        """What a file that is read is called in answers. Raises as `readable`."""
        return str(self.readable(path))

    def read_bytes(self, path: str, limit: int = 64_000_000) -> bytes:
        """The content of a file of at most `limit` bytes. Raises `FileError`, `PathNotAllowed`."""
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
        """Write a file whole or not at all; its absolute path. Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        with self.writing(path, overwrite=overwrite) as file:
            file.write(content)
        return self.check(self._absolute(path))

    @contextmanager
    def writing(self, path: str, *, overwrite: bool = False) -> Iterator[BinaryIO]:
        """A file to write, which takes its name when the block ends well and vanishes when it does not.

        Raises `FileError`, `FileNotOurs`, `PathNotAllowed`."""
        target = self.writable(path, overwrite=overwrite)
        draft = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                self._put(draft, target)
            except BaseException:  # given up, too: nothing half-written stays
                with suppress(OSError):
                    draft.unlink()
                raise
        except OSError as error:
            raise _failed(target, "written", error) from error

    def _put(self, draft: Path, target: Path) -> None:
        """Give a file its name: in the place of one that may be replaced, and of no other that came meanwhile."""
        status = draft.stat()
        reserved = self._replaceable(target) is None
        if reserved:
            try:
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600))
            except FileExistsError:
                raise FileNotOurs(f"{target} is there already, and Oryn has not made it") from None
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
        """Whether an absolute path lies in one of the roots, links followed."""
        return not self.roots or _within(path, self.roots)

    def _absolute(self, path: str) -> Path:
        """The path, of which the folder's links are followed."""
        bounds = self.bounds
        folder = next((root for roots in bounds for root in roots), None) or FOLDER.get() or Path.cwd()
        try:
            if bounds and bounds[0] is self.places.private:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            named = Path(folder, Path(path).expanduser())
            return named.parent.resolve() / named.name if named.name not in ("", "..") else named.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"{path!r} is no path") from error


_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    """Whether a path whose links were followed lies in a folder, by whatever spelling: of another case, or by another
    mount of the same file system."""
    if not folders:
        return False
    known = {key for folder in folders if (key := _key(folder))}
    return any(path.is_relative_to(folder) for folder in folders) or any(
        key in known for each in (path, *path.parents) if (key := _key(each))
    )


def _key(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.resolve().is_relative_to(root.resolve()) for root in roots)


def files_of(options: Options) -> Files:
    """What a session with these options may read and write."""
    confined = options.policy is not None and options.policy.read_only
    ledger = Ledger(options.ledger_folder) if options.ledger_folder else None
    return Files(options.files_root, options.places, confined, ledger)


def new_path(folder: Path | None, suffix: str, prefix: str = "") -> Path:
    """A path that no file has yet in a folder of the host's own, which is made where it is not there; None is the
    system's temporary one. Raises `FileError`."""
    import tempfile

    place = folder or Path(tempfile.gettempdir())
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(place, "made", error) from error
    return place / f"{prefix}{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(4).hex()}{suffix}"


def _failed(path: Path, what: str, error: OSError) -> FileError:
    return FileError(f"{path} can't be {what}: {error.strerror or error}")
