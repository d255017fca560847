"""Finds, reads and writes the files of tests, and the marks of tests that are being recorded, which outlive the command
that begins one."""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oryn.core.records import Record
from oryn.errors import FileError, InvalidTest, InvalidValue, NoTestsFound, RecordingExists, RecordingNotFound
from oryn.system.paths import private_folder, write_private
from oryn.testing.test_file import MAX_CHARACTERS, SUFFIX, RecordedTest, parse_test, render_test


def find_tests(paths: Iterable[Path]) -> list[Path]:
    """The tests that are meant: files, and all in folders, in the order of their names. Raises `NoTestsFound`."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob(f"*{SUFFIX}") if each.is_file())
            if not inside:
                raise NoTestsFound(f"there is no test in {path}")
            found |= dict.fromkeys(inside)
        elif path.is_file():
            found[path] = None
        else:
            raise NoTestsFound(f"there is no test {path}")
    return list(found)


def read_test(file: Path) -> RecordedTest:
    """Read one test. Raises `InvalidTest`, `FileError`."""
    content = read_file(file, MAX_CHARACTERS * 4)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise InvalidTest(f"{file}:{line}:{column}: not UTF-8") from error
    return parse_test(text, str(file))


def write_test(file: Path, test: RecordedTest) -> None:
    """Write a test; the file has the old text or the new one, whatever happens. Raises `FileError`."""
    replace_file(file, render_test(test).encode())


def read_file(file: Path, limit: int, hint: str | None = None) -> bytes:
    """Read a file, at most so many bytes of it. Raises `FileError`."""
    try:
        with file.open("rb") as stream:
            return stream.read(limit)
    except OSError as error:
        raise FileError(f"can't read {file}: {error.strerror}", hint) from error


def replace_file(file: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file; it has the old content or the new one, whatever happens.

    private: only its owner may read it. Raises `FileError`."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.draft")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if private else 0o666), "wb") as stream:
            stream.write(content)
        os.replace(draft, file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FileError(f"can't write {file}: {error.strerror}", "Make room, or name another place.") from error


def shard_of(files: Sequence[Path], text: str) -> list[Path]:
    """The part `2/4` of the tests: which part a test is in depends on its name alone. Raises `InvalidValue`."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise InvalidValue("a shard is a number of how many, from 1: 1/4")
    return [file for place, file in enumerate(sorted(files)) if place % int(count) == int(number) - 1]


def changed_tests(files: Sequence[Path], reference: str) -> list[Path]:
    """The tests that differ from a commit of Git, or are not in it; a test counts as changed if the state that it loads
    is. Raises `InvalidValue`."""
    changed: set[Path] = set()
    for folder in {file.absolute().parent for file in files}:
        top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
        names = _git(folder, "diff", "--name-only", "--merge-base", reference, "--", str(folder)).splitlines()
        names += _git(top, "ls-files", "--others", "--exclude-standard", "--", str(folder)).splitlines()
        changed |= {top / name for name in names}
    return [file for file in files if {file.resolve(), *_files_of(file)} & {each.resolve() for each in changed}]


def _files_of(file: Path) -> set[Path]:
    state = read_test(file).preparation.state
    return {(file.absolute().parent / state).resolve()} if state else set()


def _git(folder: Path, *arguments: str) -> str:
    try:
        ended = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise InvalidValue("--changed-only needs git, which is not installed") from error
    if ended.returncode:
        raise InvalidValue(f"git can't tell what has changed: {ended.stderr.strip().splitlines()[-1:]}")
    return ended.stdout


# --- recordings ---


class OpenRecording(Record):
    """A test that is being recorded. `since` is when it began, as in rows of the history."""

    file: str
    session: str
    since: str
    url: str = ""
    preparation: Mapping[str, str] = {}


class OpenRecordings:
    """The recordings that have begun: a file for each session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _file(self, session: str) -> Path:
        return self._folder / f"{session}-{zlib.crc32(session.encode()):08x}.json"  # also where case is not told apart

    def begin(self, recording: OpenRecording) -> None:
        """Raises `RecordingExists`, `FileError`."""
        if self._file(recording.session).exists():
            raise RecordingExists(f"a test of the session {recording.session} is being recorded already")
        private_folder(self._folder)
        write_private(self._file(recording.session), json.dumps(recording.values()))

    def get(self, session: str) -> OpenRecording:
        """Raises `RecordingNotFound`."""
        try:
            fields: Any = json.loads(self._file(session).read_text("utf-8"))
            return OpenRecording(**fields)
        except (FileNotFoundError, ValueError, TypeError):
            raise RecordingNotFound(f"no test of the session {session} is being recorded") from None

    def is_open(self, session: str) -> bool:
        return self._file(session).exists()

    def end(self, session: str) -> None:
        self._file(session).unlink(missing_ok=True)
