"""Films that can't keep all their pictures, and those that nobody wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.browsers.base import Browser
from oryn.browsers.base.recording import ScreencastFrame
from oryn.recording import encoder


def create_encoder(folder: Path) -> encoder.BrowserVideoEncoder:
    return encoder.BrowserVideoEncoder(folder, Browser)


async def test_a_film_lies_below_the_runtime_folder_until_it_is_discarded(tmp_path: Path) -> None:
    one = create_encoder(tmp_path)
    assert one.is_empty
    one.add(ScreencastFrame(b"picture", 1.0))
    assert not one.is_empty and count_files(tmp_path) == 1
    await one.discard()
    await one.discard()
    assert count_files(tmp_path) == 0


def count_files(folder: Path) -> int:
    return len(list(folder.iterdir()))


async def test_a_film_that_is_full_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "MAX_PICTURES_BYTES", 10)
    one = create_encoder(tmp_path)
    for second in range(5):
        one.add(ScreencastFrame(b"12345678", float(second)))
    assert one.lost == "the film is full after 0 GB of pictures"
    assert [taken.start for taken in one._pictures] == [0, 8]
    await one.discard()


async def test_a_full_disk_ends_a_film_without_an_error(tmp_path: Path) -> None:
    one = create_encoder(tmp_path)
    one.add(ScreencastFrame(b"first", 1.0))

    class FullDisk:
        def write(self, data: bytes) -> int:
            raise OSError(28, "No space left on device")

    file, one._file = one._file, FullDisk()  # type: ignore[assignment]
    one.add(ScreencastFrame(b"second", 2.0))
    one.add(ScreencastFrame(b"third", 3.0))
    one._file = file
    assert one.lost == "no more pictures could be kept: No space left on device"
    assert len(one._pictures) == 1
    await one.discard()
