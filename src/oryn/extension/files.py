"""The files of a command, in a folder of its own in memory: those that the server sends for it, and those that it
writes. Written files are sent to the server, which stores them under its own rules
(docs/spec/extension-protocol.md#files)."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oryn.core.text_safety import plain
from oryn.engine import Answer
from oryn.engine.file_access import CALLER_FOLDER, Files
from oryn.errors import FileError, NotSupported
from oryn.extension_server.messages import FILE_LIMIT, File, is_file_name

_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


MAX_RECEIVED_FILES = 16
"""Files that may wait for their commands; older ones are dropped."""
MAX_RECEIVED_BYTES = 64 * 1024 * 1024
"""Bytes of all of them together; files beyond it are dropped."""


class ReceivedFiles:
    """The files that a server has sent for commands that have not arrived yet."""

    def __init__(self) -> None:
        self._files: dict[tuple[int, str], bytearray] = {}

    def add(self, piece: File) -> None:
        """Store a file for its command, or the next piece of one."""
        key = piece.id, piece.name
        content = self._files.setdefault(key, bytearray())
        content += piece.content
        if len(content) > FILE_LIMIT or sum(map(len, self._files.values())) > MAX_RECEIVED_BYTES:
            del self._files[key]
        elif len(self._files) > MAX_RECEIVED_FILES:
            del self._files[next(iter(self._files))]

    def take(self, id: int) -> list[File]:
        """Remove and return the files of a command."""
        found = [key for key in self._files if key[0] == id]
        return [File(*key, bytes(self._files.pop(key))) for key in found]


class CommandFiles(Files):
    """Maps every path to a file of that name in the command's folder: the folders in paths are the server's."""

    def readable(self, path: str) -> Path:
        """Only files that the server has sent for the command, or that it has written, can be read. Raises
        `NotSupported`."""
        if not self._absolute(path).is_file():
            raise NotSupported(hint="The browser reads no files of the server's computer.")
        return super().readable(path)

    def display_path(self, path: str) -> str:
        """The file's name: the server decides in which folder it is stored."""
        return self.readable(path).name

    def _absolute(self, path: str) -> Path:
        folder, name = CALLER_FOLDER.get(), Path(path).name
        if folder is None or not is_file_name(name):
            raise FileError(f"not a valid path: {path!r}")
        return folder / name


@contextmanager
def command_folder(root: Path, id: int, received: Sequence[File] = ()) -> Iterator[Path]:
    """A folder for the files of command `id`, with those that it has received; deleted at the end of the block."""
    folder = root / str(id)
    folder.mkdir(parents=True, exist_ok=True)
    token = CALLER_FOLDER.set(folder)
    try:
        for file in received:
            (folder / file.name).write_bytes(file.content)
        yield folder
    finally:
        CALLER_FOLDER.reset(token)
        shutil.rmtree(folder, ignore_errors=True)


def written_files(folder: Path, id: int, answer: Answer, received: Sequence[File] = ()) -> list[File]:
    """The files that the command has written. Adds a note to the answer for each file that is too large to be sent."""
    found = []
    received_names = {file.name for file in received}
    for path in sorted(folder.iterdir()):
        if path.name in received_names:
            continue
        if path.stat().st_size > FILE_LIMIT:
            answer.notes.append(f"{path.name} is larger than {FILE_LIMIT} bytes: it was not sent")
        else:
            found.append(File(id, path.name, path.read_bytes()))
    return found


def put_inline(answer: Answer, folder: Path, files: list[File]) -> None:
    """Replace the paths in the answer by `data:` URLs of the files, for a server that takes no files."""
    for file in files:
        kind = _TYPES.get(Path(file.name).suffix.lower(), "application/octet-stream")
        address = f"data:{kind};base64,{base64.b64encode(file.content).decode()}"
        path = str(folder / file.name)
        answer.lines = [line.replace(f'"{plain(path)}"', f'"{address}"') for line in answer.lines]
        answer.data = _replaced(answer.data, path, address)


def _replaced(data: Any, old: str, new: str) -> Any:
    """JSON data with each string `old` replaced by `new`."""
    if isinstance(data, dict):
        return {key: _replaced(value, old, new) for key, value in data.items()}
    if isinstance(data, list):
        return [_replaced(value, old, new) for value in data]
    return new if data == old else data
