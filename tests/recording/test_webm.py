"""WebM files, read back element by element (RFC 9559), and the timing of a film's frames."""

from __future__ import annotations

import io
import itertools
import struct
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from oryn.recording.encoder import KEY_FRAME_MILLISECONDS, MAX_FRAME_MILLISECONDS, StoredPicture, video_frames
from oryn.recording.webm import WebmWriter

PARENTS = {0x18538067, 0x114D9B74, 0x4DBB, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0, 0x1F43B675, 0x1C53BB6B, 0xBB, 0xB7}


def elements(data: bytes, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, bytes]]:
    """Each element's id, position and content, those inside others too."""
    at, end = start, len(data) if end is None else end
    while at < end:
        begin = at
        length = 9 - data[at].bit_length()
        number = int.from_bytes(data[at : at + length], "big")
        at += length
        assert data[at] == 1, "sizes have eight bytes"
        size = int.from_bytes(data[at + 1 : at + 8], "big")
        at += 8
        yield number, begin, data[at : at + size]
        if number in PARENTS:
            yield from elements(data, at, at + size)
        at += size
    assert at == end


def written() -> bytes:
    file = io.BytesIO()
    webm = WebmWriter(file, codec="V_VP9", width=640, height=360, seconds=40.5)
    webm.add(0, b"first", key=True)
    webm.add(40, b"second", key=False)
    webm.add(5000, b"third", key=True)
    webm.add(36_000, b"fourth", key=False)
    webm.finish()
    return file.getvalue()


def test_the_header_and_the_track() -> None:
    found = {number: content for number, _, content in elements(written())}
    assert b"webm" in found[0x1A45DFA3]
    assert struct.unpack(">d", found[0x4489]) == (40_500,)
    assert found[0x86] == b"V_VP9"
    assert (int.from_bytes(found[0xB0], "big"), int.from_bytes(found[0xBA], "big")) == (640, 360)


def test_frames_are_in_clusters_by_their_times() -> None:
    blocks, cluster = [], 0
    for number, _, content in elements(written()):
        if number == 0xE7:
            cluster = int.from_bytes(content, "big")
        if number == 0xA3:
            track, relative, flags = struct.unpack(">BhB", content[:4])
            assert track == 0x81
            blocks.append((cluster, cluster + relative, flags, content[4:]))
    assert blocks == [
        (0, 0, 0x80, b"first"),
        (0, 40, 0, b"second"),
        (5000, 5000, 0x80, b"third"),
        (36_000, 36_000, 0, b"fourth"),  # a block is at most 32 s after its cluster's begin
    ]


def test_the_index_is_found_and_names_the_clusters_of_key_frames() -> None:
    data = written()
    found = list(elements(data))
    segment = next(position for number, position, _ in found if number == 0x18538067) + 12
    places = {position - segment: number for number, position, _ in found}
    (index,) = (int.from_bytes(content, "big") for number, _, content in found if number == 0x53AC)
    assert places[index] == 0x1C53BB6B
    times = [int.from_bytes(content, "big") for number, _, content in found if number == 0xB3]
    clusters = [int.from_bytes(content, "big") for number, _, content in found if number == 0xF1]
    assert times == [0, 5000] and [places[one] for one in clusters] == [0x1F43B675] * 2


def test_a_still_is_repeated_and_the_last_picture_lasts_to_the_end() -> None:
    shown = video_frames([StoredPicture(0, 10, 100.0), StoredPicture(10, 10, 102.5)], 103.2)
    assert [(one.picture.start, one.milliseconds) for one in shown] == [
        (0, 0),
        (0, 1000),
        (0, 2000),
        (10, 2500),
        (10, 3200),
    ]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30), st.floats(0, 200))
def test_frames_are_in_order_whatever_the_clocks_say(times: list[float], ended: float) -> None:
    shown = video_frames([StoredPicture(number, 1, time) for number, time in enumerate(times)], ended)
    moments = [one.milliseconds for one in shown]
    assert moments[0] == 0 and shown[0].key
    assert all(0 < later - earlier for earlier, later in itertools.pairwise(moments))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30).map(sorted), st.floats(100, 200))
def test_players_can_seek_everywhere(times: list[float], ended: float) -> None:
    shown = video_frames([StoredPicture(number, 1, time) for number, time in enumerate(times)], ended)
    moments = [one.milliseconds for one in shown]
    keys = [one.milliseconds for one in shown if one.key]
    assert all(later - earlier <= MAX_FRAME_MILLISECONDS for earlier, later in itertools.pairwise(moments))
    assert all(
        later - earlier <= KEY_FRAME_MILLISECONDS + MAX_FRAME_MILLISECONDS
        for earlier, later in itertools.pairwise(keys)
    )
    assert moments[-1] == round((ended - times[0]) * 1000)
