"""The form of a HAR file, without a browser: http://www.softwareishard.com/blog/har-12-spec/"""

from __future__ import annotations

import io
import json
from typing import Any

from oryn.browsers.base.network import Body, Exchange, ExchangeWithBodies, Timings
from oryn.engine.recording.har import HarRecorder, entry, iso_time

BASIC = Exchange(
    1, "GET", "https://a.org/x?q=1&q=%20&e", "document", 1_700_000_000.25, seconds=0.5, status=200, document="d1"
)


def written(*transcripts: ExchangeWithBodies) -> dict[str, Any]:
    recording = HarRecorder()
    for each in transcripts:
        recording(each)
    file = io.BytesIO()
    recording.write(file, "Chrome/156.0")
    recording.close()
    log: dict[str, Any] = json.loads(file.getvalue())["log"]
    return log


def test_a_recording_without_entries() -> None:
    log = written()
    assert (log["version"], log["entries"], log["pages"]) == ("1.2", [], [])
    assert log["browser"] == {"name": "Chrome", "version": "156.0"}
    assert set(log["creator"]) == {"name", "version"}


def test_every_entry_has_what_the_form_demands() -> None:
    [made] = written(ExchangeWithBodies(BASIC))["entries"]
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(made)
    assert set(made["request"]) >= {
        "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
    }  # fmt: skip
    assert set(made["response"]) >= {
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
    }  # fmt: skip
    assert set(made["timings"]) >= {"send", "wait", "receive"}
    assert made["request"]["queryString"] == [
        {"name": "q", "value": "1"},
        {"name": "q", "value": " "},
        {"name": "e", "value": ""},
    ]
    assert made["startedDateTime"] == "2023-11-14T22:13:20.250+00:00" == iso_time(BASIC.started)


def test_times_add_up() -> None:
    phases = Timings(blocked=0.001, dns=0.002, connect=0.01, ssl=0.006, send=0.001, wait=0.02, receive=0.004)
    made = entry(ExchangeWithBodies(Exchange(1, "GET", "https://a.org/", "xhr", 0, seconds=0.04, phases=phases)), None)
    assert made["timings"] == {
        "blocked": 1.0, "dns": 2.0, "connect": 10.0, "ssl": 6.0, "send": 1.0, "wait": 20.0, "receive": 4.0,
    }  # fmt: skip
    assert made["time"] == 38.0  # the handshake is part of connecting
    bare = entry(ExchangeWithBodies(BASIC), None)
    assert (bare["time"], bare["timings"]["dns"], bare["timings"]["wait"]) == (500.0, -1, 500.0)


def test_pages_are_documents() -> None:
    other = Exchange(3, "GET", "https://b.org/", "document", 5.0, document="d2")
    image = Exchange(2, "GET", "https://a.org/i.png", "image", 2.0, document="d1")
    log = written(ExchangeWithBodies(BASIC), ExchangeWithBodies(image), ExchangeWithBodies(other))
    assert [(page["id"], page["title"]) for page in log["pages"]] == [
        ("page_1", BASIC.url),
        ("page_2", "https://b.org/"),
    ]
    assert [each["pageref"] for each in log["entries"]] == ["page_1", "page_1", "page_2"]


def test_bodies() -> None:
    sent = Exchange(
        1, "POST", "https://a.org/", "fetch", 0, mime="image/png", request_fields=(("Content-Type", "text/plain"),)
    )
    made = entry(ExchangeWithBodies(sent, Body(b"hi"), Body(b"\x89PNG\0")), None)
    assert made["request"]["postData"] == {"mimeType": "text/plain", "params": [], "text": "hi"}
    assert made["request"]["bodySize"] == 2
    assert made["response"]["content"] == {
        "size": 5,
        "mimeType": "image/png",
        "text": "iVBORwA=",
        "encoding": "base64",
    }
    lost = entry(ExchangeWithBodies(sent, None, Body(None, "gone")), None)["response"]["content"]
    assert lost == {"size": 0, "mimeType": "image/png", "comment": "gone"}


def test_cookies_and_redirects() -> None:
    exchange = Exchange(
        1,
        "GET",
        "https://a.org/",
        "document",
        0,
        status=302,
        protocol="h2",
        server="[::1]:443",
        request_fields=(("cookie", "a=1; b=2=3"),),
        response_fields=(("set-cookie", "s=x; Path=/p; Secure; HttpOnly"), ("location", "/next")),
    )
    made = entry(ExchangeWithBodies(exchange), None)
    assert made["request"]["cookies"] == [{"name": "a", "value": "1"}, {"name": "b", "value": "2=3"}]
    assert made["response"]["cookies"] == [{"name": "s", "value": "x", "path": "/p", "secure": True, "httpOnly": True}]
    assert made["response"]["redirectURL"] == "/next"
    assert (made["request"]["httpVersion"], made["serverIPAddress"]) == ("HTTP/2.0", "::1")


def test_a_request_without_an_answer_says_why() -> None:
    made = entry(
        ExchangeWithBodies(Exchange(1, "GET", "https://a.org/", "xhr", 0, failure="no (net::ERR_FAILED)")), None
    )
    assert (made["response"]["status"], made["comment"]) == (0, "no (net::ERR_FAILED)")


def test_a_long_recording_is_kept_outside_the_memory() -> None:
    recording = HarRecorder()
    for number in range(30):
        recording(ExchangeWithBodies(Exchange(number, "GET", "https://a.org/", "xhr", 0), None, Body(b"x" * 100_000)))
    assert recording._entries._rolled  # type: ignore[attr-defined]
    file = io.BytesIO()
    recording.write(file, "Chrome/1")
    recording.close()
    assert len(json.loads(file.getvalue())["log"]["entries"]) == 30
