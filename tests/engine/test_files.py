"""Files of commands: allowed folders, whole or not at all, for their owner alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.engine.file_access import Files
from oryn.errors import FileError, PathNotAllowed


def test_a_written_file_is_whole_and_its_owners_alone(tmp_path: Path) -> None:
    written = Files().write_bytes(str(tmp_path / "a.bin"), b"abc")
    assert written.read_bytes() == b"abc"
    assert written.stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_not_finished_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), Files().writing(str(file)) as draft:
        draft.write(b"ne")
        raise ZeroDivisionError
    assert file.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("path", ["../outside", "/etc/hostname", "inside/../../outside", "link/outside"])
def test_paths_outside_the_roots_are_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "inside").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path)
    (tmp_path / "outside").write_text("secret")
    files = Files([root])
    for refused in (files.readable, files.writable):
        with pytest.raises(PathNotAllowed, match="outside the allowed folders"):
            refused(path)


def test_relative_paths_start_at_the_first_root(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here")
    assert Files([tmp_path]).read_bytes("a.txt") == b"here"


@pytest.mark.parametrize("path", ["missing", "folder", "bad\0name"])
def test_unreadable_path_is_a_file_error(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError) as failure:
        Files([tmp_path]).readable(path)
    assert failure.value.hint


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"12345")
    with pytest.raises(FileError, match="larger than 4 bytes"):
        Files([tmp_path]).read_bytes("large", 4)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"):
        Files([tmp_path]).write_bytes("missing/a.txt", b"")
