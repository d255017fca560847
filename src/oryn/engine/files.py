"""The files that commands read and write: where they may be, and that they are whole.

Every path of a command passes here. A file appears under its name only when all of it is written, for its owner alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from oryn.errors import FileError, PathNotAllowed
from oryn.records import Record

FOLDER: ContextVar[Path | None] = ContextVar("FOLDER", default=None)
"""The caller's folder where it is another one than this process's own."""
CALLERS_ROOTS: ContextVar[Sequence[Path] | None] = ContextVar("CALLERS_ROOTS", default=None)
"""The folders that the caller lets a command use, whatever else its session may; None means that it does not say."""


class Files(Record):
    """`roots` are the folders that commands may use (`--files-root`), with all below them; none means every folder.

    Paths are relative to the first root, or to the caller's (first) folder where there is none; `~` is the home
    folder."""

    roots: Sequence[Path] = ()

    def readable(self, path: str) -> Path:
        """The absolute path of a file that is there. Raises `FileError`, `PathNotAllowed`."""
        found = self._allowed(path)
        if not found.exists():
            raise FileError(f"there is no file {found}")
        if not found.is_file():
            raise FileError(f"{found} is not a file")
        return found

    def writable(self, path: str) -> Path:
        """The absolute path of a file that may be made or replaced. Raises `FileError`, `PathNotAllowed`."""
        found = self._allowed(path)
        if found.is_dir():
            raise FileError(f"{found} is a folder", "Name a file in it.")
        if not found.parent.is_dir():
            raise FileError(f"there is no folder {found.parent}", "Make it, or name another.")
        return found

    def shown(self, path: str) -> str:
        """What a file that is read is called in answers. Raises as `readable`."""
        return str(self.readable(path))

    def read_bytes(self, path: str, limit: int = 64_000_000) -> bytes:
        """The content of a file of at most `limit` bytes. Raises `FileError`, `PathNotAllowed`."""
        found = self.readable(path)
        try:
            with found.open("rb") as file:
                content = file.read(limit + 1)
        except OSError as error:
            raise _failed(found, "read", error) from error
        if len(content) > limit:
            raise FileError(f"{found} is larger than {limit} bytes", "Choose a smaller file.")
        return content

    def write_bytes(self, path: str, content: bytes) -> Path:
        """Write a file whole or not at all; its absolute path. Raises `FileError`, `PathNotAllowed`."""
        with self.writing(path) as file:
            file.write(content)
        return self.writable(path)

    @contextmanager
    def writing(self, path: str) -> Iterator[BinaryIO]:
        """A file to write, which takes its name when the block ends well and vanishes when it does not.

        Raises `FileError`, `PathNotAllowed`."""
        target = self.writable(path)
        draft = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                os.replace(draft, target)
            except BaseException:  # given up, too: nothing half-written stays
                with suppress(OSError):
                    draft.unlink()
                raise
        except OSError as error:
            raise _failed(target, "written", error) from error

    def allows(self, path: Path) -> bool:
        """Whether an absolute path lies in one of the roots, links followed."""
        return not self.roots or _within(path, self.roots)

    def _allowed(self, path: str) -> Path:
        callers = CALLERS_ROOTS.get()
        folder = next(iter((*self.roots, *(callers or ()))), None) or FOLDER.get() or Path.cwd()
        try:
            found = Path(folder, Path(path).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"{path!r} is no path") from error
        for roots in (self.roots or None, callers):
            if roots is not None and not _within(found, roots):
                allowed = ", ".join(map(str, roots))
                raise PathNotAllowed(f"{found} is outside the allowed folders", f"Allowed: {allowed or 'none'}.")
        return found


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.resolve().is_relative_to(root.resolve()) for root in roots)


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
