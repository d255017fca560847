"""The latest messages of web sockets and server-sent events, in bounded memory: no browser."""

from __future__ import annotations

import pytest

from oryn.browsers.cdp.network.messages import MAX_CONTENT_CHARACTERS, MAX_MESSAGES, MAX_STORED_CHARACTERS, MessageLog


def text(content: str) -> dict[str, object]:
    return {"opcode": 1, "payloadData": content}


@pytest.fixture
def log():
    return MessageLog()


def stored(log: MessageLog) -> int:
    return sum(len(message.content) for message in log.select())


def test_counts_are_of_all_and_the_latest_are_stored(log):
    for number in range(MAX_MESSAGES + 30):
        log.add_frame(1, float(number), text(f"m{number}"), sent=number % 2 == 0)
    assert log.counts(1) == (65, 65)
    found = log.select(1)
    assert len(found) == MAX_MESSAGES
    assert (found[0].number, found[-1].number, found[-1].content) == (31, 130, "m129")


def test_many_long_messages_stay_within_the_limit(log):
    for request in range(100):
        for _ in range(2 * MAX_MESSAGES):
            log.add_frame(request, 0.0, text("x" * 100_000), sent=False)
    assert stored(log) <= MAX_STORED_CHARACTERS
    assert len(log.select(99)) == MAX_MESSAGES
    assert log.select(99)[0].size == 100_000 and len(log.select(99)[0].content) == MAX_CONTENT_CHARACTERS


def test_a_noisy_request_does_not_drop_the_messages_of_others(log):
    log.add_frame(1, 0.0, text("quiet"), sent=False)
    for _ in range(10_000):
        log.add_frame(2, 1.0, text("x" * 5000), sent=False)
    assert [message.content for message in log.select(1)] == ["quiet"]


def test_frames_of_control_are_no_messages(log):
    log.add_frame(1, 0.0, {"opcode": 9, "payloadData": ""}, sent=True)
    assert log.select() == [] and log.counts(1) == (0, 0)


def test_binary_content_is_bytes_and_its_size_is_exact(log):
    log.add_frame(1, 0.0, {"opcode": 2, "payloadData": "AAH/+A=="}, sent=False)
    assert (log.select()[0].content, log.select()[0].size) == (b"\x00\x01\xff\xf8", 4)
    log.add_frame(1, 0.0, {"opcode": 2, "payloadData": "AAAA" * 2000}, sent=False)
    assert (len(log.select()[1].content), log.select()[1].size) == (MAX_CONTENT_CHARACTERS // 4 * 3, 6000)


def test_sizes_are_bytes(log):
    log.add_frame(1, 0.0, text("ä€😀"), sent=False)
    assert log.select()[0].size == 9


def test_what_is_forgotten_frees_its_part(log):
    for request in range(3):
        log.add_frame(request, 0.0, text("x" * 100), sent=False)
        log.add_event(request, 0.0, {"data": "y", "eventName": "price", "eventId": "1"})
        log.forget(request)
    assert log._characters == 0 and log.select() == []


def test_messages_of_several_requests_are_in_their_order(log):
    for request, content in ((2, "a"), (1, "b"), (2, "c")):
        log.add_frame(request, 0.0, text(content), sent=False)
    assert [message.content for message in log.select()] == ["a", "b", "c"]
    assert [message.number for message in log.select()] == [1, 1, 2]
