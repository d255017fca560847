"""Requests are recorded without secrets, and matched to their answers. Without a browser."""

from __future__ import annotations

import json
from typing import Any

from oryn.browsers.base.network import (
    Body,
    Exchange,
    ExchangeWithBodies,
    HeldRequest,
    MockResponse,
    RequestFailure,
)
from oryn.testing.har_file import RecordedAnswers, parse_har, render_har
from oryn.testing.network_archive import ArchiveRecorder, ArchiveReplay, ArchiveScope

BASE = "http://localhost:4780"
CDN = "https://cdn.org/a"


def plain(data: Any) -> Any:
    return data


def masked(data: Any) -> Any:
    return json.loads(json.dumps(data).replace("hunter2", "•••"))


def exchange(
    number: int, url: str = CDN, *, sent: str | None = None, text: str = "", **more: Any
) -> ExchangeWithBodies:
    method = "GET" if sent is None else "POST"
    fields = {"seconds": 0.1, "status": 200, **more}
    return ExchangeWithBodies(
        Exchange(number, method, url, fields.pop("kind", "fetch"), 1_700_000_000 + number, **fields),
        None if sent is None else Body(sent.encode()),
        Body(text.encode()),
    )


def recorded(
    *exchanges: ExchangeWithBodies, everything: bool = False, mask: Any = plain
) -> tuple[RecordedAnswers, str]:
    recorder = ArchiveRecorder(ArchiveScope(BASE, everything), mask)
    for each in exchanges:
        recorder(each)
    text = render_har(recorder.entries(), "Chrome/1", BASE, everything=everything)
    return parse_har(text.encode(), "a.har"), text


def replay(har: RecordedAnswers, base: str = BASE, *, everything: bool = False, mask: Any = plain) -> ArchiveReplay:
    return ArchiveReplay(har, ArchiveScope(base, everything), mask)


def ask(replay: ArchiveReplay, url: str = CDN, sent: str | None = None) -> bytes | str | None:
    request = HeldRequest("GET" if sent is None else "POST", url, None if sent is None else sent.encode())
    answer = replay.answer(request)
    return answer.body if isinstance(answer, MockResponse) else answer.error


def test_the_scope_is_other_origins_or_everything() -> None:
    scope = ArchiveScope(f"{BASE}/shop")
    covered = {url: scope.covers(url) for url in (f"{BASE}/x", "http://localhost/x", CDN, "data:,x", "blob:http://a/1")}
    assert covered == {
        f"{BASE}/x": False, "http://localhost/x": True, CDN: True, "data:,x": False, "blob:http://a/1": False,
    }  # fmt: skip
    assert ArchiveScope("https://a.org:443").covers("https://a.org/") is False
    assert ArchiveScope(BASE, everything=True).covers(f"{BASE}/x")


def test_the_same_request_gets_its_answers_in_order_and_the_last_one_again() -> None:
    har, _ = recorded(exchange(2, text="second"), exchange(1, text="first"), exchange(3, f"{CDN}?b", text="other"))
    player = replay(har)
    assert [ask(player, f"{CDN}#top") for _ in range(3)] == [b"first", b"second", b"second"]
    assert ask(player, f"{CDN}?b") == b"other" and not player.has_unmatched


def test_bodies_tell_requests_apart_and_boundaries_do_not() -> None:
    form = '--{0}\r\nContent-Disposition: form-data; name="a"\r\n\r\n{1}\r\n--{0}--\r\n'
    har, _ = recorded(
        exchange(1, sent="q=1", text="one"),
        exchange(2, sent="q=2", text="two"),
        exchange(3, sent=form.format("WebKit12", "x"), text="form"),
    )
    player = replay(har)
    assert ask(player, sent="q=2") == b"two" and ask(player, sent="q=1") == b"one"
    assert ask(player, sent=form.format("WebKit34", "x")) == b"form"
    assert ask(player, sent=form.format("WebKit34", "y")) == "net::ERR_BLOCKED_BY_CLIENT"
    assert ask(player, "https://cdn.org/b") == ask(player, "https://cdn.org/b") == "net::ERR_BLOCKED_BY_CLIENT"
    assert [each.sentence for each in player.take_unmatched()] == [
        f"the HAR has no answer for POST {CDN} with this body",
        "the HAR has no answer for GET https://cdn.org/b",
    ]
    assert not player.take_unmatched()


def test_a_body_that_the_browser_did_not_report_may_be_any() -> None:
    unreported = ExchangeWithBodies(exchange(1, sent="").exchange, Body(None, "it is gone"), Body(b"any"))
    har, _ = recorded(unreported, exchange(2, sent="q=1", text="one"))
    player = replay(har)
    assert [ask(player, sent=body) for body in ("q=1", "q=2")] == [b"one", b"any"]


def test_failures_and_requests_that_got_no_answer_are_so_again() -> None:
    har, _ = recorded(
        exchange(1, status=None, failure="it was refused (net::ERR_CONNECTION_REFUSED)"),
        exchange(2, f"{CDN}/slow", status=None, seconds=None),
        exchange(3, f"{CDN}/old", status=304, text="what the browser had"),
    )
    player = replay(har)
    assert ask(player) == "net::ERR_CONNECTION_REFUSED"
    assert player.answer(HeldRequest("GET", f"{CDN}/slow")) == RequestFailure(None)
    assert player.answer(HeldRequest("GET", f"{CDN}/old")) == MockResponse(200, (), b"what the browser had")


def test_no_secret_comes_into_the_file() -> None:
    secrets = {
        "request_fields": (("Cookie", "a=s3cret"), ("Authorization", "Bearer s3cret"), ("X-Api-Key", "s3cret")),
        "response_fields": (("Set-Cookie", "a=s3cret; Path=/"), ("Content-Type", "text/plain")),
    }
    har, text = recorded(exchange(1, f"{CDN}?key=hunter2", sent="pw=hunter2", text="ok", **secrets), mask=masked)
    assert "s3cret" not in text and "hunter2" not in text and "(withheld)" in text
    player = replay(har, mask=masked)
    answer = player.answer(HeldRequest("POST", f"{CDN}?key=hunter2", b"pw=hunter2"))
    assert answer == MockResponse(200, (("Content-Type", "text/plain"),), b"ok")


def test_everything_is_replayed_for_another_base_too() -> None:
    moved = (("Location", f"{BASE}/cart"), ("Content-Encoding", "gzip"), ("Access-Control-Allow-Origin", BASE))
    har, _ = recorded(
        exchange(1, f"{BASE}/", status=302, response_fields=moved),
        exchange(2, f"{BASE}/cart", text="cart"),
        exchange(3, "ws://localhost:4780/live", kind="websocket"),
        exchange(4, f"{BASE}/cart", kind="preflight"),
        everything=True,
    )
    assert len(har.exchanges) == 2
    other = "http://127.0.0.1:9"
    player = replay(har, other, everything=True)
    assert player.answer(HeldRequest("GET", f"{other}/")) == MockResponse(302, (("Location", f"{other}/cart"),))
    assert ask(player, f"{other}/cart") == b"cart"


def test_events_come_once() -> None:
    fields = (("Content-Type", "text/event-stream"),)
    stream = {"response_fields": fields, "mime": "text/event-stream", "kind": "eventsource"}
    har, _ = recorded(
        exchange(1, text="data: 1\n\n", **stream),
        exchange(2, text="data: 2\n\n", failure="it was cancelled (net::ERR_ABORTED)", **stream),
    )
    player = replay(har)
    assert ask(player) == b"data: 1\n\n"  # the page connects again
    assert ask(player) == b"data: 2\n\n\n\nretry: 2147483647\n\n"


def test_the_log_of_a_backend_is_taken_without_its_secrets() -> None:
    recorder = ArchiveRecorder(ArchiveScope(BASE), plain)
    form = {
        "pageref": "page_1",
        "request": {"method": "GET", "url": CDN, "cookies": [{"name": "a", "value": "s3cret"}], "headers": []},
        "response": {"status": 200, "cookies": [], "headers": [], "content": {"text": "x"}},
    }
    own = {"request": {"method": "GET", "url": BASE, "headers": []}, "response": {}}
    recorder.add_log({"pages": [], "entries": [form, own]})
    assert "s3cret" not in str(recorder.entries()) and len(recorder.entries()) == 1
