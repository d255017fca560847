from __future__ import annotations

import os
from pathlib import Path

import pytest

from oryn.hosts.process_io import LineReader, Writer


async def read_all(descriptor: int) -> list[object]:
    return [line async for line in LineReader(descriptor)]


async def test_reads_a_regular_file(tmp_path: Path) -> None:
    file = tmp_path / "script.oil"
    file.write_bytes(b"one\ntwo\r\nthree")
    descriptor = os.open(file, os.O_RDONLY)
    assert await read_all(descriptor) == [b"one", b"two", b"three"]
    os.close(descriptor)


async def test_reads_the_null_device_as_empty() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    assert await read_all(descriptor) == []
    os.close(descriptor)


async def test_a_closed_input_is_an_ended_one() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    assert await read_all(descriptor) == []


@pytest.mark.slow
async def test_many_short_lines_arrive_in_order(tmp_path: Path) -> None:
    file = tmp_path / "many"
    file.write_bytes(b"".join(b"%d\n" % number for number in range(50_000)))
    descriptor = os.open(file, os.O_RDONLY)
    assert await read_all(descriptor) == [b"%d" % number for number in range(50_000)]
    os.close(descriptor)


async def test_writes_to_a_file_whole_and_in_order(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    writer = Writer(descriptor)
    await writer.write(b"a" * 100_000)
    await writer.write(b"b")
    os.close(descriptor)
    assert (tmp_path / "out").read_bytes() == b"a" * 100_000 + b"b"


async def test_write_to_a_closed_pipe_raises_broken_pipe_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        await Writer(writer).write(b"x")
    os.close(writer)
