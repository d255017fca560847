"""The log of requests and what is decided about them, from events alone: no browser."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.cdp.network import headers
from oryn.browsers.cdp.network.exchanges import exchange
from oryn.browsers.cdp.network.interception import _fetch_pattern
from oryn.browsers.cdp.network.log import MAX_EXCHANGES, RequestLog
from oryn.core.urls import clean_domain, matches_domain
from oryn.errors import InvalidValue


class FakeSession:
    """Hands events to those that listen."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}
        self.ended = None

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def __call__(self, event: str, **params: Any) -> None:
        self.handlers[f"Network.{event}"](params)


class FakePage:
    target_id = "top"

    def __init__(self, session: Any) -> None:
        self.channel = type("Channel", (), {"session": session})()
        top = type("Top", (), {"loader": "L1"})()
        self.frame_tree = type("Frames", (), {"top": top})()


@pytest.fixture
def traffic():
    """A log, and the session whose events it records."""
    log, session = RequestLog(), FakeSession()
    log.attach(FakePage(session), session)
    return log, session


def sent(emit, key="r", url="https://a.org/", at=1.0, **more: Any) -> None:
    request = {"url": url, "method": "GET", "headers": {"A": "provisional"}}
    emit("requestWillBeSent", requestId=key, request=request, timestamp=at, wallTime=100.0 + at, type="Fetch", **more)


def answered(emit, key="r", status=200, wired=True, **more: Any) -> None:
    response = {"status": status, "statusText": "", "headers": {"B": "parsed"}, **more}
    emit("responseReceived", requestId=key, type="Fetch", response=response, hasExtraInfo=wired, timestamp=1.5)


def exchanges(log):
    return [exchange(hop) for hop in log]


def test_headers_on_the_wire_may_come_before_what_they_belong_to(traffic):
    log, emit = traffic
    emit("requestWillBeSentExtraInfo", requestId="r", headers={"A": "wire", "Cookie": "c"})
    emit("responseReceivedExtraInfo", requestId="r", headers={"B": "wire"}, statusCode=304)
    sent(emit)
    answered(emit)
    emit("loadingFinished", requestId="r", timestamp=1.75, encodedDataLength=12.0)
    [found] = exchanges(log)
    assert dict(found.request_fields) == {"A": "wire", "Cookie": "c"}
    assert (dict(found.response_fields), found.status, found.size, found.seconds) == ({"B": "wire"}, 304, 12, 0.75)


def test_a_redirect_from_the_cache_has_no_headers_of_the_wire(traffic):
    log, emit = traffic
    sent(emit)
    hop = {"status": 301, "headers": {"Location": "/b"}, "fromDiskCache": True}
    emit("requestWillBeSentExtraInfo", requestId="r", headers={"A": "second"})
    sent(emit, url="https://a.org/b", at=2.0, redirectResponse=hop, redirectHasExtraInfo=False)
    first, second = exchanges(log)
    assert (first.status, first.next, dict(first.request_fields)) == (301, 2, {"A": "provisional"})
    assert dict(second.request_fields) == {"A": "second"}


def test_data_urls_are_left_out_and_numbers_go_on(traffic):
    log, emit = traffic
    sent(emit, "d", "data:text/plain,x")
    sent(emit, "e")
    sent(emit, "e")  # told again, by a worker
    assert [found.number for found in exchanges(log)] == [1]


def test_it_is_bounded_and_so_is_what_it_keeps_of_requests_that_it_does_not_show(traffic):
    log, emit = traffic
    for number in range(MAX_EXCHANGES + 5):
        sent(emit, f"r{number}")
    for number in range(3 * MAX_EXCHANGES):
        emit("requestServedFromCache", requestId=f"data{number}")
    assert len(exchanges(log)) == MAX_EXCHANGES
    assert log.get(5) is None and log.get(6) is not None
    assert len(log._chains) <= 2 * MAX_EXCHANGES


def test_long_bodies_are_not_kept(traffic):
    log, emit = traffic
    request = {"url": "https://a.org/", "method": "POST", "headers": {}, "hasPostData": True, "postData": "x" * 5000}
    emit("requestWillBeSent", requestId="r", request=request, timestamp=1.0, wallTime=1.0, type="XHR")
    assert "postData" not in log.get(1).request and log.get(1).request["hasPostData"]
    assert request["postData"]  # others read the same event


def test_what_a_closing_tab_had_under_way_has_failed(traffic):
    log, emit = traffic
    sent(emit)
    log.detach(FakePage(emit), emit)
    assert exchanges(log)[0].failure is None  # another tab's
    page = log.get(1).page
    log.detach(page, emit)
    assert "ERR_ABORTED" in (exchanges(log)[0].failure or "")
    assert (log.get(1).page, log.get(1).session) == (None, None)


@pytest.mark.parametrize(
    ("domain", "url", "covered"),
    [
        ("a.org", "https://a.org/x", True),
        ("a.org", "https://api.a.org:8443/x", True),
        ("a.org", "https://aa.org/", False),
        ("a.org", "https://a.org.evil.com/", False),
        ("a.org", "https://evil.com/?a.org/", False),
        ("a.org", "https://a.org@evil.com/", False),
        ("a.org:81", "http://a.org:81/", True),
        ("a.org:81", "http://a.org/", False),
        ("[::1]", "http://[::1]:8000/", True),
    ],
)
def test_domains(domain, url, covered):
    assert matches_domain(domain, url) is covered


@pytest.mark.parametrize("text", ["", "a.org/x", "http://a.org", "a b", "a*", "u@a.org", "*."])
def test_what_is_no_domain(text):
    with pytest.raises(InvalidValue):
        clean_domain(text)


def test_domains_are_told_apart_by_their_letters_alone():
    assert clean_domain("*.A.org.") == "a.org"


def test_patterns_of_the_browser():
    assert _fetch_pattern("/a?b") == "*/a\\?b*"
    assert _fetch_pattern("*\\*?") == "*\\\\*\\?"


def test_a_preflight_that_is_there_for_our_headers_alone():
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-ours"}
    request = {"method": "OPTIONS", "headers": asked, "url": "https://a.org/"}
    assert (
        headers.is_preflight(request)
        and headers.requests_any(request, ["X-Ours"])
        and headers.requests_only(request, ["X-Ours"])
    )
    put = {**request, "headers": {**asked, "Access-Control-Request-Method": "PUT"}}
    assert not headers.requests_only(put, ["X-Ours"])
    assert not headers.is_preflight({**request, "headers": {}})
    assert headers.add_allowed_headers([("access-control-allow-headers", "X-A"), ("Vary", "Origin")], ["X-Ours"]) == [
        ("Vary", "Origin"),
        ("Access-Control-Allow-Headers", "X-A, X-Ours"),
    ]
