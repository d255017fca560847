"""Firefox's events of navigations, as Firefox 153 sends them, in Chromium's shape and order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oryn.browsers.extension.firefox_navigation import FirefoxNavigations, error_page_cause, network_error

PAGE = "http://127.0.0.1/a"
ABORTED = "Error code 2152398850"


class RecordedEvents:
    """What passes through: `(event, URL, document or error)`."""

    def __init__(self) -> None:
        self.passed: list[tuple[str, str, str]] = []
        self.changed = asyncio.Event()
        self.failed_frames: list[str] = []
        self.navigations = FirefoxNavigations(self._navigated, self._requested, self.failed_frames.append)

    def _navigated(self, kind: str, event: dict[str, Any]) -> None:
        self.passed.append((kind, event["url"], event.get("error") or event.get("documentId", "")))
        self.changed.set()

    def _requested(self, kind: str, event: dict[str, Any]) -> None:
        self.passed.append((f"request {kind}", event["url"], ""))

    def navigated(self, kind: str, url: str = PAGE, document: str = "", error: str = "", frame: int = 0) -> None:
        event = {"url": url, "frameId": frame, "documentId": document} | ({"error": error} if error else {})
        self.navigations.on_navigated(kind, event)

    def requested(self, kind: str, url: str = PAGE, **more: Any) -> None:
        self.navigations.on_requested(kind, {"url": url, "requestId": "1", "statusCode": 200} | more)

    async def until(self, kind: str) -> None:
        async with asyncio.timeout(10):
            while kind not in [each[0] for each in self.passed]:
                self.changed.clear()
                await self.changed.wait()


@pytest.mark.parametrize("again_first", [False, True], ids=["abort first", "beginning first"])
async def test_a_change_of_process_is_one_navigation(again_first: bool) -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.requested("onBeforeRequest")
    twice = [("onErrorOccurred", "old", ABORTED), ("onBeforeNavigate", "", "")]
    for kind, document, error in reversed(twice) if again_first else twice:
        played.navigated(kind, document=document, error=error)
    played.requested("onResponseStarted")
    played.navigated("onCommitted", document="new")
    assert played.passed == [
        ("onBeforeNavigate", PAGE, ""),
        ("request onBeforeRequest", PAGE, ""),
        ("request onResponseStarted", PAGE, ""),
        ("onCommitted", PAGE, "new"),
    ]


async def test_a_document_waits_for_its_response_and_what_follows_it_for_the_document() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.navigated("onCommitted", document="new")
    played.navigated("onDOMContentLoaded", document="new")
    played.navigated("onCommitted", url="http://b/", document="inner", frame=7)
    assert [kind for kind, *_ in played.passed] == ["onBeforeNavigate"]
    played.requested("onBeforeRequest")
    played.requested("onResponseStarted")
    assert played.passed[3:] == [
        ("onCommitted", PAGE, "new"),
        ("onDOMContentLoaded", PAGE, "new"),
        ("onCommitted", "http://b/", "inner"),
    ]


async def test_a_document_without_a_response_does_not_wait_for_ever() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.navigated("onCommitted", document="new")
    await played.until("onCommitted")


async def test_a_document_that_comes_back_has_no_response() -> None:
    played = RecordedEvents()
    for _ in range(2):
        played.navigated("onBeforeNavigate")
        played.requested("onResponseStarted")
        played.navigated("onCommitted", document="first")
    played.navigated("onBeforeNavigate")
    played.navigated("onCommitted", document="first")
    assert played.passed[-1] == ("onCommitted", PAGE, "first")


async def test_a_request_that_is_reported_first_belongs_to_its_navigation() -> None:
    played = RecordedEvents()
    played.requested("onBeforeRequest")
    played.requested("onBeforeRequest", url="http://other/", requestId="2")
    played.navigated("onBeforeNavigate")
    assert played.passed == [("onBeforeNavigate", PAGE, ""), ("request onBeforeRequest", PAGE, "")]


async def test_a_redirect_may_begin_again_at_its_target() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate", url="http://127.0.0.1/old")
    played.requested("onBeforeRequest", url="http://127.0.0.1/old")
    played.requested("onBeforeRedirect", url="http://127.0.0.1/old", redirectUrl=PAGE)
    played.navigated("onBeforeNavigate")
    played.navigated("onErrorOccurred", url="http://127.0.0.1/old", error=ABORTED)
    played.requested("onResponseStarted")
    played.navigated("onCommitted", document="new")
    assert [kind for kind, *_ in played.passed].count("onBeforeNavigate") == 1
    assert played.passed[-1] == ("onCommitted", PAGE, "new")


async def test_an_error_comes_with_the_document_of_its_page() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.navigated("onErrorOccurred", document="old", error="Error code 2152398878")
    played.navigated("onCommitted", document="page")
    played.navigated("onDOMContentLoaded", url=f"about:neterror?e=dnsNotFound&u={PAGE}", document="page")
    assert played.passed[1:] == [("onErrorOccurred", PAGE, "net::ERR_NAME_NOT_RESOLVED")]


async def test_a_blocked_port_is_known_by_its_error_page() -> None:
    played = RecordedEvents()
    played.navigated("onCommitted", url="http://127.0.0.1:1/", document="page")
    played.navigated("onDOMContentLoaded", url="about:neterror?e=deniedPortAccess", document="page")
    assert played.passed == [("onErrorOccurred", "http://127.0.0.1:1/", "net::ERR_UNSAFE_PORT")]


async def test_an_error_page_that_is_ready_late_is_reported() -> None:
    """Its document has been passed on as a page meanwhile, as no response was reported."""
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.navigated("onCommitted", document="new")
    await played.until("onCommitted")
    played.navigated("onDOMContentLoaded", url="about:neterror?e=deniedPortAccess&u=http", document="new")
    assert played.passed[-1] == ("onErrorOccurred", PAGE, "net::ERR_UNSAFE_PORT")
    played.navigated("onDOMContentLoaded", url="about:neterror?e=deniedPortAccess&u=http", document="new")
    assert [kind for kind, *_ in played.passed].count("onErrorOccurred") == 1


@pytest.mark.parametrize("is_released", [False, True], ids=["waits for its response", "passed on"])
async def test_an_error_page_that_is_ready_after_the_next_commit_is_not_of_that(is_released: bool) -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate", url="http://127.0.0.1:1/")
    played.navigated("onErrorOccurred", url="http://127.0.0.1:1/", document="old", error="Error code 2152398861")
    played.navigated("onCommitted", url="http://127.0.0.1:1/", document="error page")
    played.navigated("onBeforeNavigate")
    played.navigated("onCommitted", document="new")
    if is_released:
        await played.until("onCommitted")
    played.navigated("onDOMContentLoaded", url="about:neterror?e=connectionFailure", document="error page")
    await played.until("onCommitted")
    assert [each for each in played.passed if each[0] != "onBeforeNavigate"] == [
        ("onErrorOccurred", "http://127.0.0.1:1/", "net::ERR_CONNECTION_REFUSED"),
        ("onCommitted", PAGE, "new"),
    ]


async def test_a_response_without_content_ends_its_navigation_at_once() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.requested("onResponseStarted", statusCode=204)
    played.navigated("onErrorOccurred", document="old", error=ABORTED)
    assert played.passed[-1] == ("onErrorOccurred", PAGE, "net::ERR_ABORTED")


@pytest.mark.slow
async def test_an_aborted_navigation_that_does_not_begin_again_has_ended() -> None:
    played = RecordedEvents()
    played.navigated("onBeforeNavigate")
    played.navigated("onErrorOccurred", document="old", error=ABORTED)
    assert len(played.passed) == 1
    await played.until("onErrorOccurred")


async def test_an_error_page_in_a_frame_is_reported() -> None:
    played = RecordedEvents()
    played.navigated("onDOMContentLoaded", url="about:neterror?e=netReset", document="inner", frame=7)
    assert played.failed_frames == ["inner"]


def test_errors_are_chromiums() -> None:
    assert network_error("Error code 2152398861") == "net::ERR_CONNECTION_REFUSED"
    assert network_error(f"Error code {0x805A1FF3}") == "net::ERR_CERT_INVALID"
    assert network_error("Error code 1") == "net::ERR_FAILED (Error code 1)"
    assert network_error("net::ERR_FAILED") == "net::ERR_FAILED"
    assert error_page_cause("about:certerror?e=nssBadCert&u=x") == "net::ERR_CERT_INVALID"
    assert error_page_cause("about:blank") is None
