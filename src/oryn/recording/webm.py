"""Writes WebM files with one video track.

https://www.webmproject.org/docs/container/ and, for the elements' ids, https://www.rfc-editor.org/rfc/rfc9559
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from oryn import __version__

_EBML, _SEGMENT, _SEEK_HEAD, _SEEK, _INFO = 0x1A45DFA3, 0x18538067, 0x114D9B74, 0x4DBB, 0x1549A966
_TRACKS, _TRACK, _VIDEO, _CLUSTER, _BLOCK = 0x1654AE6B, 0xAE, 0xE0, 0x1F43B675, 0xA3
_CUES, _CUE, _CUE_POSITIONS = 0x1C53BB6B, 0xBB, 0xB7

_MILLISECOND = 1_000_000
"""In nanoseconds: the unit of all times in the file."""

_MAX_CLUSTER_MILLISECONDS = 30_000
"""Milliseconds; a block's time in its cluster is a signed 16-bit number."""

_KEY = 0x80


class WebmWriter:
    """Writes encoded frames in the order of their times."""

    def __init__(self, file: BinaryIO, *, codec: str, width: int, height: int, seconds: float) -> None:
        """`file` must be seekable; `seconds` is the length of the video."""
        self._file = file
        self._cluster = bytearray()
        self._cluster_time = 0
        self._cues: list[tuple[int, int]] = []
        file.write(_element(_EBML, _HEADER))
        file.write(_id(_SEGMENT))
        self._size_at = file.tell()
        file.write(_long_size(0))
        self._start = file.tell()
        file.write(_seek_head(0))
        file.write(_element(_INFO, _info(seconds)))
        file.write(_element(_TRACKS, _track(codec, width, height)))

    def add(self, milliseconds: int, data: bytes, *, key: bool) -> None:
        """Write an encoded frame. `key` says that it can be decoded without earlier ones."""
        if key or milliseconds - self._cluster_time > _MAX_CLUSTER_MILLISECONDS:
            self._end_cluster()
            self._cluster_time = milliseconds
            if key:
                self._cues.append((milliseconds, self._file.tell() - self._start))
        relative = struct.pack(">h", milliseconds - self._cluster_time)
        self._cluster += _element(_BLOCK, b"\x81" + relative + bytes([_KEY if key else 0]) + data)

    def finish(self) -> None:
        """Write the last frames, the index, and the position of the index."""
        self._end_cluster()
        cues = self._file.tell() - self._start
        self._file.write(_element(_CUES, b"".join(_cue(time, position) for time, position in self._cues)))
        end = self._file.tell()
        self._file.seek(self._size_at)
        self._file.write(_long_size(end - self._start))
        self._file.write(_seek_head(cues))
        self._file.seek(end)

    def _end_cluster(self) -> None:
        if self._cluster:
            self._file.write(_element(_CLUSTER, _number(0xE7, self._cluster_time) + self._cluster))
            self._cluster = bytearray()


def _id(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _long_size(size: int) -> bytes:
    """A size in eight bytes, so that it can be overwritten by any other."""
    return (size | 1 << 56).to_bytes(8, "big")


def _element(number: int, content: bytes | bytearray) -> bytes:
    return _id(number) + _long_size(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _element(number, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def _text(number: int, value: str) -> bytes:
    return _element(number, value.encode("ascii"))


_HEADER = (
    _number(0x4286, 1)  # version, version to read, longest id, longest size
    + _number(0x42F7, 1)
    + _number(0x42F2, 4)
    + _number(0x42F3, 8)
    + _text(0x4282, "webm")
    + _number(0x4287, 4)
    + _number(0x4285, 2)
)


def _seek_head(cues: int) -> bytes:
    """The element with the position of the index; its length does not depend on the position."""
    return _element(
        _SEEK_HEAD, _element(_SEEK, _element(0x53AB, _id(_CUES)) + _element(0x53AC, cues.to_bytes(8, "big")))
    )


def _info(seconds: float) -> bytes:
    app = f"oryn {__version__}"
    duration = _element(0x4489, struct.pack(">d", seconds * 1000))
    return _number(0x2AD7B1, _MILLISECOND) + _text(0x4D80, app) + _text(0x5741, app) + duration


def _track(codec: str, width: int, height: int) -> bytes:
    video = _element(_VIDEO, _number(0xB0, width) + _number(0xBA, height))
    about = _number(0xD7, 1) + _number(0x73C5, 1) + _number(0x83, 1) + _number(0x9C, 0) + _text(0x86, codec)
    return _element(_TRACK, about + video)


def _cue(milliseconds: int, position: int) -> bytes:
    place = _element(_CUE_POSITIONS, _number(0xF7, 1) + _number(0xF1, position))
    return _element(_CUE, _number(0xB3, milliseconds) + place)
