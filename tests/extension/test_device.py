"""`viewport`, `device`, `media`, `locale`, `timezone`, `useragent`, `offline` and `throttle` in the user's own browser:
with 'Real keys and mouse', and how all of it is gone when that ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.popup_user import paired_with
from tests.headless.test_device import ASK

__all__ = ["paired_browser", "trusted", "untrusted"]

RESPONSIVE = """<!doctype html><meta name="viewport" content="width=device-width">
<style>
  @media (max-width: 500px) { #wide { display: none } }
  @media (prefers-color-scheme: dark) { #light { display: none } }
</style>
<button id=wide>Wide</button> <button id=light>Light</button>"""
REFRESH = "\n\n# note\npages that are already loaded need a 'refresh' for the full effect"
UNDO = (
    "device reset",
    "useragent reset",
    "media reset",
    "locale reset",
    "timezone reset",
    "geolocation off",
    "throttle off",
    "offline off",
)
HERE = (
    "[navigator.userAgent, navigator.language, new Date(0).getHours(), navigator.maxTouchPoints,"
    " matchMedia('(prefers-color-scheme: dark)').matches, innerWidth, devicePixelRatio, navigator.onLine]"
)
"""All that can be another."""
PRETENDING = ("device iPhone 14", "useragent Bot/1.0", "locale fr", "timezone Asia/Tokyo", "media color-scheme dark")
PRETENDED = ["Bot/1.0", "fr", 9, 5, True, 390, 3, False]


@pytest.fixture
def device(trusted: PairedBrowser, run: Any) -> Iterator[PairedBrowser]:
    """The session goes on with the next test: take everything back."""
    yield trusted
    run(trusted.trust(True))
    for line in UNDO:
        run(trusted.ok(line))


async def value_in_page(paired_browser: PairedBrowser, expression: str = HERE) -> Any:
    """A value in the page in front, as Oryn's own browser would see it: the test looks in from outside."""
    assert paired_browser.target is not None
    return await paired_browser.target.evaluate(expression)


async def emulate(paired_browser: PairedBrowser) -> None:
    for line in PRETENDING:
        await paired_browser.ok(line)
    await paired_browser.ok("refresh")
    await paired_browser.ok("offline on")
    assert await value_in_page(paired_browser) == PRETENDED


@pytest.mark.parametrize(
    "line",
    [
        "viewport 800 600",
        'device "iPhone 14"',
        "device reset",
        "media color-scheme dark",
        "media reset",
        "locale de-AT",
        "locale reset",
        "timezone Asia/Tokyo",
        "timezone reset",
        'useragent "Bot/1.0"',
        "useragent reset",
        "offline on",
        "throttle slow-3g",
        "throttle off",
    ],
)
async def test_without_the_setting(untrusted: PairedBrowser, line: str) -> None:
    await untrusted.show("<p>here")
    before = await value_in_page(untrusted)
    assert await untrusted(line) == (
        f"error {line}: not supported in this mode\n\n"
        "# hint\nIt needs 'Real keys and mouse', a setting of the extension in Chromium."
    )
    assert await value_in_page(untrusted) == before


@pytest.mark.slow
async def test_a_viewport_tells_what_it_changed(device: PairedBrowser) -> None:
    await device.show(RESPONSIVE)
    await device.ok("observe")
    assert await device("viewport 390 844") == 'ok viewport 390 844\n\n# changes\n- [1] button "Wide"'
    assert await value_in_page(device, "[innerWidth, innerHeight]") == [390, 844]
    assert await device("viewport 1000 720") == 'ok viewport 1000 720\n\n# changes\n+ [1] button "Wide"'


async def test_a_viewport_that_is_none(device: PairedBrowser) -> None:
    assert (await device("viewport 0 5")).startswith("error viewport 0 5: a viewport can't be 0x5\n\n# hint\n")
    await device.ok('device "Galaxy S9+"')
    assert "8000x5000 is too large for a device with 4.5 pixels to a CSS pixel" in await device("viewport 8000 5000")


@pytest.mark.slow
async def test_a_device(device: PairedBrowser) -> None:
    await device.show(RESPONSIVE)
    await device.ok("observe")
    assert await device("device iPhone 14") == (
        f'ok device "iPhone 14"\n\niPhone 14: 390x664, scale 3, mobile, touch{REFRESH}\n\n'
        '# changes\n- [1] button "Wide"'
    )
    await device.ok("refresh")
    assert await value_in_page(device, "[innerWidth, screen.height, devicePixelRatio, navigator.platform]") == [
        390,
        844,
        3,
        "iPhone",
    ]
    assert "iPhone OS" in await value_in_page(device, "navigator.userAgent")


async def test_a_device_of_chromium_has_the_browsers_version(device: PairedBrowser) -> None:
    brands = "navigator.userAgentData.brands.map((each) => each.version).join(' ')"
    own = await value_in_page(device, brands)
    device.pages["/"] = lambda request: f"<p>{request.headers['User-Agent']}|{request.headers['Sec-CH-UA-Mobile']}"
    await device.ok("device Pixel 7")
    await device.ok(f"goto {device.pages.url()}")
    told = await device("text")
    major = told.partition("Chrome/")[2].partition(".")[0]
    assert major in own.split()
    assert told.endswith(f"(KHTML, like Gecko) Chrome/{major}.0.0.0 Mobile Safari/537.36|?1")
    assert await value_in_page(device, brands) == own


async def test_what_is_clicked_is_where_the_device_shows_it(device: PairedBrowser) -> None:
    await device.ok("device iPhone 14")
    await device.show("<div style='height:700px'>far</div><button onclick=\"this.textContent='hit'\">Far</button>")
    assert '"hit"' in await device('click "Far"')


async def test_media(device: PairedBrowser) -> None:
    await device.show(RESPONSIVE)
    await device.ok("observe")
    assert await device("media color-scheme dark") == 'ok media color-scheme dark\n\n# changes\n- [2] button "Light"'
    await device.ok("media reduced-motion reduce")
    assert await value_in_page(device, "matchMedia('(prefers-reduced-motion: reduce)').matches") is True
    assert '+ [2] button "Light"' in await device("media reset")


@pytest.mark.slow
async def test_a_locale_is_the_servers_and_the_scripts(device: PairedBrowser) -> None:
    device.pages["/"] = lambda request: f"<p>{request.headers['Accept-Language']}"
    assert await device("locale de-DE") == f"ok locale de-DE{REFRESH}"
    await device.ok(f"goto {device.pages.url()}")
    assert (await device("text")).endswith("| de-DE,de;q=0.9")
    assert await value_in_page(device, "[navigator.language, (1234.5).toLocaleString()]") == ["de-DE", "1.234,5"]


async def test_a_time_zone(device: PairedBrowser) -> None:
    await device.show("<p>now")
    assert await device("timezone Asia/Tokyo") == "ok timezone Asia/Tokyo"
    assert await value_in_page(device, "new Date(0).getHours()") == 9
    assert (await device("timezone Mars/Base")).startswith(
        "error timezone Mars/Base: the browser has no such time zone\n"
    )
    assert await value_in_page(device, "new Date(0).getHours()") == 9


async def test_a_user_agent(device: PairedBrowser) -> None:
    device.pages["/"] = lambda request: f"<p>{request.headers['User-Agent']}|{request.headers['Sec-CH-UA']}"
    assert await device('useragent "Courteous/1.0"') == f'ok useragent "Courteous/1.0"{REFRESH}'
    await device.ok(f"goto {device.pages.url()}")
    assert (await device("text")).endswith("| Courteous/1.0|None")


PERMITTED = "navigator.permissions.query({name: 'geolocation'}).then(status => status.state)"


@pytest.mark.slow
async def test_where_it_is(device: PairedBrowser) -> None:
    await device.show("<p>here")
    usual = await value_in_page(device, PERMITTED)
    assert await device("geolocation 48.86 -2.35") == "ok geolocation 48.86 -2.35"
    assert await value_in_page(device, ASK) == [48.86, -2.35]
    assert await value_in_page(device, PERMITTED) == "granted"
    await device.ok("geolocation -90 180")
    assert await value_in_page(device, ASK) == [-90, 180]
    await device.ok("refresh")
    assert await value_in_page(device, ASK) == [-90, 180]
    assert await device("geolocation off") == "ok geolocation off"
    assert await value_in_page(device, PERMITTED) == usual
    await device.ok("refresh")
    assert await value_in_page(device, PERMITTED) == usual


@pytest.mark.slow
async def test_who_watches_where_it_is_is_told_when_that_changes(device: PairedBrowser) -> None:
    await device.ok("geolocation 1 2")
    await device.show(
        """<script>
          seen = []
          watch = navigator.geolocation.watchPosition(({ coords, timestamp }) =>
            seen.push([coords.latitude, coords.longitude, coords.accuracy, coords.speed, timestamp > 1e12]))
        </script>"""
    )
    await device.ok('wait until "seen.length === 1"')
    await device.ok("geolocation 3 4")
    await device.ok('wait until "seen.length === 2"')
    assert await value_in_page(device, "seen") == [[1, 2, 10, None, True], [3, 4, 10, None, True]]
    await device.ok('eval "navigator.geolocation.clearWatch(watch)"')
    await device.ok("geolocation 5 6")
    assert await value_in_page(device, f"{ASK}.then(() => seen.length)") == 2
    await device.ok("geolocation off")


@pytest.mark.slow
async def test_a_page_that_may_not_ask_learns_nothing(device: PairedBrowser) -> None:
    device.pages["/"] = (200, {"Content-Type": "text/html", "Permissions-Policy": "geolocation=()"}, "<p>here")
    await device.ok("geolocation 1 2")
    await device.ok(f"goto {device.pages.url()}")
    assert "disabled in this document" in await value_in_page(device, ASK)
    await device.show("<p>here")
    looks = "[Geolocation.prototype.getCurrentPosition.toString().includes('[native code]'), "
    looks += "Object.keys(Geolocation.prototype).join()]"
    assert await value_in_page(device, looks) == [True, "clearWatch,getCurrentPosition,watchPosition"]
    assert (await device("geolocation 91 0")).startswith("error geolocation 91 0: there is no latitude 91")
    await device.ok("geolocation off")


@pytest.mark.slow
async def test_offline(device: PairedBrowser) -> None:
    await device.show("<p>here")
    asked = "fetch('/').then(() => 'an answer', () => 'none')"
    assert await device("offline on") == "ok offline on"
    assert await value_in_page(device, "navigator.onLine") is False
    assert await value_in_page(device, asked) == "none"
    assert "ERR_INTERNET_DISCONNECTED" in await device(f"goto {device.pages.url()}")
    assert await device("offline off") == "ok offline off"
    await device.show("<p>here")
    assert await value_in_page(device, asked) == "an answer"


@pytest.mark.slow
async def test_throttle(device: PairedBrowser) -> None:
    await device.show("<p>here")
    asked = "(begun => fetch('/').then(() => performance.now() - begun))(performance.now())"
    assert await device("throttle slow-3g") == "ok throttle slow-3g\n\n2000 ms, 50.0 kB/s down, 50.0 kB/s up"
    assert await value_in_page(device, asked) >= 2000
    assert await value_in_page(device, "navigator.connection.rtt") > 1000
    assert await device("throttle off") == "ok throttle off"
    assert await value_in_page(device, "navigator.connection.rtt") < 1000


@pytest.mark.slow
async def test_it_holds_for_every_tab_from_its_first_page_on(device: PairedBrowser) -> None:
    first = device.target
    await device.show("<p>one")
    await device.ok("viewport 500 400")
    await device.ok("timezone Asia/Tokyo")
    device.pages["/two"] = "<p><script>document.write(innerWidth, ' ', new Date(0).getHours())</script>"
    await device.ok(f"tab new {device.pages.url('/two')}")
    assert (await device("text")).endswith("| 500 9")
    await device.ok("viewport 600 400")
    assert first is not None
    assert await first.evaluate("[innerWidth, new Date(0).getHours()]") == [600, 9]
    await device.ok("tab close")


@pytest.mark.slow
async def test_servers_of_frames_and_workers_are_told(device: PairedBrowser) -> None:
    """What a script in a frame of another site sees is the browser's own: docs/remote.md says so."""
    script = "postMessage([navigator.userAgent, new Date(0).getHours(), (0.5).toLocaleString()])"
    device.pages["/worker.js"] = (200, {"Content-Type": "text/javascript"}, script)
    device.pages["/inner"] = lambda request: f"<p>{request.headers['User-Agent']} {request.headers['Accept-Language']}"
    for line in ("useragent Bot/1.0", "locale fr", "timezone Asia/Tokyo"):
        await device.ok(line)
    await device.show(
        f"<iframe src='{device.pages.url('/inner', 'localhost')}'></iframe>"
        "<script>told = new Promise(done => new Worker('/worker.js').onmessage = e => done(e.data))</script>"
    )
    assert await value_in_page(device, "told") == ["Bot/1.0", 9, "0,5"]
    await device.ok("frame css(iframe)")
    assert (await device("text")).endswith("| Bot/1.0 fr")
    await device.ok("frame main")


@pytest.mark.slow
async def test_it_ends_with_the_setting(device: PairedBrowser) -> None:
    await device.show("<!doctype html><meta name=viewport content='width=device-width'><p>here")
    own = await value_in_page(device)
    await emulate(device)
    await device.trust(False)
    await device.ok(f"goto {device.pages.url()}")
    assert await value_in_page(device) == own


async def test_it_is_taken_up_with_the_setting(device: PairedBrowser) -> None:
    await device.show("<p>here")
    await device.ok("timezone Asia/Tokyo")
    await device.trust(False)
    assert await value_in_page(device, "new Date(0).getHours()") != 9
    await device.trust(True)
    await device.ok("text")
    assert await value_in_page(device, "new Date(0).getHours()") == 9


@pytest.mark.slow
async def test_it_ends_with_the_connection(device: PairedBrowser) -> None:
    await device.show("<!doctype html><meta name=viewport content='width=device-width'><p>here")
    own = await value_in_page(device)
    await emulate(device)
    try:
        await device.user.asks(type="disconnect")
        await device.user.asks(type="revoke", endpoint=device.server.url)
        await device.user.sees("state.status === 'disconnected' && !state.paired.length")
        assert device.target is not None
        await device.target.until("new Date(0).getHours() !== 9 && navigator.onLine")
        await device.target.evaluate("globalThis.earlier = true; location.reload() || 1")
        await device.target.until(
            f"!globalThis.earlier && document.readyState === 'complete' && navigator.userAgent === {own[0]!r}"
        )
        assert await value_in_page(device) == own
    finally:
        # The tests after this one are in the same pairing.
        device.connection, _ = await paired_with(device.user, device.server)
        await device.user.sees("state.status === 'connected'")
    # Another session knows nothing of it.
    await device.ok("text")
    assert await value_in_page(device) == own
