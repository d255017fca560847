"""What a page believes of its device: location, language, time zone, user agent, preferences."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from tests.headless.conftest import Driver, Pages

_FACTS = """<script>
const facts = () => JSON.stringify([
  new Date(1790000000000).toString(), new Date(2026, 0, 1, 12).toISOString(), new Date('2026-07-01T12:00').getTime(),
  new Date(1790000000000).toLocaleDateString(), (1234.5).toLocaleString(), navigator.language, navigator.languages,
  Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(1790000000000).getTimezoneOffset(),
]);
early = facts();
</script><p>here"""


@pytest.fixture
def browser(wpe: WebKitBrowser) -> WebKitBrowser:
    return wpe


@pytest.fixture
def oryn(embedded: Driver) -> Driver:
    return embedded


def value(run: Any, oryn: Driver, script: str) -> str:
    """The value of a script, as text."""
    return str(run(oryn.ok(f'eval "{script}"'))).partition("\n\n| ")[2]


def test_a_time_zone(oryn: Driver, run: Any) -> None:
    run(oryn.show(_FACTS))
    run(oryn.ok("timezone Europe/Berlin"))
    expected = [
        "Mon Sep 21 2026 16:13:20 GMT+0200 (Central European Summer Time)",
        "2026-01-01T11:00:00.000Z",
        "1782900000000",
        "Europe/Berlin",
        "-120",
    ]
    for place in ("facts()", "early"):  # at once, and before the scripts of the next document
        text = value(run, oryn, place)
        assert all(each in text for each in expected), text
        run(oryn.ok("refresh"))
    assert value(run, oryn, "new Date(1790000000000).getHours()") == "16"
    assert value(run, oryn, "const d = new Date(1790000000000); d.setHours(0, 0, 0, 0); d.toISOString()") == (
        "2026-09-20T22:00:00.000Z"
    )
    assert value(run, oryn, "new Date() instanceof Date && Date.name") == "Date"
    # The hour that clocks repeat, and the one that they leave out.
    assert value(run, oryn, "new Date(2026, 2, 29, 2, 30).toISOString()") == "2026-03-29T01:30:00.000Z"
    assert value(run, oryn, "new Date(2026, 9, 25, 2, 30).toISOString()") == "2026-10-25T00:30:00.000Z"
    run(oryn.ok("timezone America/New_York"))
    assert value(run, oryn, "new Date(1790000000000).getHours()") == "10"
    assert run(oryn("timezone Nowhere/Land")).startswith("error")
    run(oryn.ok("timezone reset"))
    assert value(run, oryn, "new Date(1790000000000).getTimezoneOffset()") == "0"


def test_a_language(oryn: Driver, pages: Pages, run: Any) -> None:
    languages: list[str | None] = []

    def page(request: Any) -> str:
        languages.append(request.headers.get("Accept-Language"))
        return _FACTS

    pages["/"] = page
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok("locale de-DE"))
    run(oryn.ok("refresh"))
    assert languages[-1] == "de-DE,de"
    text = value(run, oryn, "early")
    assert "21.9.2026" in text
    assert "1.234,5" in text
    assert "de-DE" in text
    assert value(run, oryn, "navigator.languages.join()") == "de-DE,de"
    run(oryn.ok("locale reset"))
    run(oryn.ok("refresh"))
    assert languages[-1] == languages[0]
    assert value(run, oryn, "(1234.5).toLocaleString()") == "1,234.5"


def test_a_location(oryn: Driver, pages: Pages, run: Any) -> None:
    ask = (
        "new Promise(done => navigator.geolocation.getCurrentPosition(p => done(p.coords.latitude), e => done(e.code)))"
    )
    pages["/"] = f"<script>early = {ask}</script>"
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok("geolocation 52.5 13.4"))
    assert value(run, oryn, ask) == "52.5"
    run(oryn.ok("refresh"))
    assert value(run, oryn, "early") == "52.5"
    run(oryn.ok("geolocation off"))
    assert value(run, oryn, ask) != "52.5"


def test_a_user_agent(oryn: Driver, pages: Pages, run: Any) -> None:
    agents: list[str | None] = []

    def page(request: Any) -> str:
        agents.append(request.headers.get("User-Agent"))
        return "<p>here"

    pages["/"] = page
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok('useragent "Oryn/1"'))
    run(oryn.ok("refresh"))
    assert agents[-1] == "Oryn/1"
    assert value(run, oryn, "navigator.userAgent") == "Oryn/1"
    run(oryn.ok("useragent reset"))
    run(oryn.ok("refresh"))
    assert agents[-1] == agents[0]
    assert value(run, oryn, "navigator.userAgent") == agents[0]


def test_preferences(oryn: Driver, browser: WebKitBrowser, run: Any) -> None:
    run(oryn.show("<p>here"))
    dark = "matchMedia('(prefers-color-scheme: dark)').matches"
    run(oryn.ok("media color-scheme dark"))
    assert value(run, oryn, dark) == "true"
    run(oryn.ok("refresh"))
    assert value(run, oryn, dark) == "true"
    run(oryn.ok("media reset"))
    assert value(run, oryn, dark) == "false"
    answer = run(oryn("media reduced-motion reduce"))
    if run(browser.version()).startswith("MiniBrowser/2.38"):
        assert answer.startswith("error")
    else:
        assert value(run, oryn, "matchMedia('(prefers-reduced-motion: reduce)').matches") == "true"
        run(oryn.ok("media contrast more"))
        assert value(run, oryn, "matchMedia('(prefers-contrast: more)').matches") == "true"
    for line, reason in (
        ("media forced-colors active", "forced-colors: active"),
        ("media contrast less", "prefers-contrast: less"),
    ):
        assert reason in run(oryn(line))
    run(oryn.ok("media reset"))


def test_a_media_type(oryn: Driver, run: Any) -> None:
    run(oryn.show("<p>here"))
    on_paper = "matchMedia('print').matches"
    run(oryn.ok("media type print"))
    assert value(run, oryn, on_paper) == "true"
    run(oryn.ok("refresh"))
    assert value(run, oryn, on_paper) == "true"
    run(oryn.ok("media type screen"))
    assert value(run, oryn, on_paper) == "false"
    run(oryn.ok("media type print"))
    run(oryn.ok("media reset"))
    assert value(run, oryn, on_paper) == "false"


def test_a_window_of_one_size(oryn: Driver, browser: WebKitBrowser, run: Any) -> None:
    run(oryn.show("<p>here"))
    run(oryn.ok("viewport 1280 720"))
    if not browser.engine.sets_window:
        answer = run(oryn("viewport 390 844"))
        assert answer.startswith("error")
        assert "1280x720" in answer
        assert run(oryn('device "iPhone 15"')).startswith("error")
    run(oryn.ok("device reset"))
