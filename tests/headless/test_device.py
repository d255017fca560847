"""`viewport`, `device`, `devices`, `media`, `geolocation`, `locale`, `timezone`, `useragent` in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.errors import BrowserFailed

pytestmark = pytest.mark.browser

RESPONSIVE = """<!doctype html><meta name="viewport" content="width=device-width">
<style>
  @media (max-width: 500px) { #wide { display: none } }
  @media (prefers-color-scheme: dark) { #light { display: none } }
  @media (prefers-reduced-motion: reduce) { #lively { display: none } }
</style>
<button id=wide>Wide</button> <button id=light>Light</button> <button id=lively>Lively</button>"""
REFRESH = "\n\n# note\npages that are already loaded need a 'refresh' for the full effect"
UNDO = ("device reset", "useragent reset", "media reset", "geolocation off", "locale reset", "timezone reset")


@pytest.fixture(autouse=True)
def reset_device(oryn: Any, run: Any) -> Iterator[None]:
    """The browser is shared with other tests: take everything back."""
    yield
    oryn.session.json = False
    for line in UNDO:
        run(oryn.ok(line))


async def value_in_page(oryn: Any, expression: str) -> Any:
    """The value of an expression in the page."""
    return (await oryn.session.execute(f'eval "{expression}"')).data


# --- viewport ---


async def test_a_viewport_tells_what_it_changed(oryn: Any) -> None:
    await oryn.show(RESPONSIVE)
    await oryn.ok("observe")
    assert await oryn("viewport 390 844") == 'ok viewport 390 844\n\n# changes\n- [1] button "Wide"'
    assert await value_in_page(oryn, "[innerWidth, innerHeight, devicePixelRatio]") == [390, 844, 1]
    assert await oryn("viewport 1280 720") == 'ok viewport 1280 720\n\n# changes\n+ [1] button "Wide"'


async def test_click_after_viewport_change_uses_the_new_layout(oryn: Any) -> None:
    await oryn.show(
        "<style>body{margin:0;text-align:right}</style><button onclick=\"this.textContent='hit'\">Aim</button>"
    )
    await oryn.ok("observe")
    await oryn.ok("viewport 300 300")
    assert '"Aim"' in await oryn("observe --viewport")
    assert '"hit"' in await oryn("click 1")


@pytest.mark.slow
async def test_a_viewport_holds_for_every_tab(oryn: Any) -> None:
    await oryn.show("<p>one")
    await oryn.ok("viewport 500 400")
    oryn.pages["/two"] = "<p>two"
    await oryn.ok(f"tab new {oryn.pages.url('/two')}")
    assert await value_in_page(oryn, "innerWidth") == 500
    await oryn.ok("viewport 600 400")
    await oryn.ok("tab switch 1")
    assert await value_in_page(oryn, "innerWidth") == 600


@pytest.mark.parametrize("size", ["0 5", "5 0", "16385 10", "16384 16384", "99999999 1"])
async def test_a_viewport_that_is_none(oryn: Any, size: str) -> None:
    width, height = size.split()
    assert await oryn(f"viewport {size}") == (
        f"error viewport {size}: a viewport can't be {width}x{height}\n\n"
        "# hint\nEach side may be 1 to 16384 pixels, both together at most 40 million."
    )


async def test_a_viewport_that_is_too_large_for_the_device(oryn: Any) -> None:
    await oryn.ok('device "Galaxy S9+"')
    assert await oryn("viewport 8000 5000") == (
        "error viewport 8000 5000: 8000x5000 is too large for a device with 4.5 pixels to a CSS pixel\n\n"
        "# hint\nGive a smaller size, or run 'device reset' first."
    )
    await oryn.show("<p>still there")
    assert await value_in_page(oryn, "innerWidth") == 980


# --- devices ---


@pytest.mark.slow
async def test_a_device_has_viewport_screen_touch_and_user_agent(oryn: Any) -> None:
    await oryn.show(RESPONSIVE)
    await oryn.ok("observe")
    assert await oryn("device iPhone 14") == (
        f'ok device "iPhone 14"\n\niPhone 14: 390x664, scale 3, mobile, touch{REFRESH}\n\n# changes\n- [1] button "Wide"'
    )
    await oryn.ok("refresh")
    assert await value_in_page(oryn, "[innerWidth, screen.height, devicePixelRatio, screen.orientation.type]") == [
        390,
        844,
        3,
        "portrait-primary",
    ]
    assert await value_in_page(oryn, "'ontouchstart' in window && navigator.maxTouchPoints > 0") is True
    assert "iPhone OS" in await value_in_page(oryn, "navigator.userAgent")
    assert await value_in_page(oryn, "navigator.platform") == "iPhone"


async def test_a_device_of_chromium_has_the_browsers_version_and_client_hints(oryn: Any) -> None:
    oryn.pages["/"] = lambda request: f"<p>{request.headers['User-Agent']}|{request.headers['Sec-CH-UA-Mobile']}"
    await oryn.ok("device Pixel 7")
    await oryn.ok(f"goto {oryn.pages.url()}")
    major = (await oryn.session.browser.version()).partition("/")[2].partition(".")[0]
    expected = (
        "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Mobile Safari/537.36"
    )
    assert (await oryn("text")).endswith(f"| {expected}|?1")
    hints = await value_in_page(oryn, "navigator.userAgentData.getHighEntropyValues(['model', 'platformVersion'])")
    assert (hints["mobile"], hints["model"], hints["platform"], hints["platformVersion"]) == (
        True,
        "Pixel 7",
        "Android",
        "14",
    )
    assert major in {brand["version"] for brand in hints["brands"]}


async def test_a_page_laid_out_for_a_desk_is_clicked_where_it_is_on_a_phone(oryn: Any) -> None:
    await oryn.ok("device iPhone 14")
    await oryn.show("<div style='height:700px'>far</div><button onclick=\"this.textContent='hit'\">Far</button>")
    assert await value_in_page(oryn, "innerWidth") == 980
    assert '"hit"' in await oryn('click "Far"')


async def test_a_viewport_keeps_the_rest_of_the_device(oryn: Any) -> None:
    await oryn.ok("device Pixel 7 landscape")
    await oryn.ok("viewport 500 900")
    await oryn.show(RESPONSIVE)
    assert await value_in_page(oryn, "[innerWidth, innerHeight, devicePixelRatio, screen.height]") == [
        500,
        900,
        2.625,
        900,
    ]
    assert "Pixel 7" in await value_in_page(oryn, "navigator.userAgent")


@pytest.mark.slow
async def test_device_reset_is_the_settings_viewport_and_the_browsers_own_name(oryn: Any) -> None:
    await oryn.show(RESPONSIVE)
    own = await value_in_page(
        oryn, "[navigator.userAgent, innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints]"
    )
    await oryn.ok("device Galaxy S24")
    await oryn.ok("refresh")
    assert (await oryn("device reset")).startswith(f"ok device reset{REFRESH}")
    assert (
        await value_in_page(
            oryn, "[navigator.userAgent, innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints]"
        )
        == own
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("iPhone 99", "Did you mean iPhone "),
        ("Pixl 7", "Did you mean Pixel 7 or"),
        ("Toaster", "Run 'devices' to see the names."),
    ],
)
async def test_a_device_that_is_none(oryn: Any, name: str, hint: str) -> None:
    answer = await oryn(f"device {name}")
    assert answer.startswith(f'error device "{name}": there is no device "{name}"\n\n# hint\n{hint}')


async def test_devices_are_listed_by_family(oryn: Any) -> None:
    answer = await oryn("devices")
    assert "\nPixel: 2, 2 XL, 3, " in answer
    assert answer.count("\n") < 20
    assert "playwright-core 1." in answer
    assert "landscape" not in answer.partition("# note")[0]
    names = (await oryn.session.execute("devices")).data
    assert {"iPhone 14", "iPhone 14 landscape", "Desktop Chrome"} <= set(names)


async def test_every_listed_device_is_one(oryn: Any) -> None:
    from oryn.engine.handlers.device import device_names, find_device

    for name in device_names():
        found = find_device(name.upper())
        assert found.name == name
        assert min(*found.viewport, *found.screen, found.scale) >= 1
        assert "Mozilla/5.0" in found.user_agent


# --- media ---


async def test_media_preferences(oryn: Any) -> None:
    await oryn.show(RESPONSIVE)
    await oryn.ok("observe")
    assert await oryn("media color-scheme dark") == 'ok media color-scheme dark\n\n# changes\n- [2] button "Light"'
    assert (
        await oryn("media reduced-motion reduce")
        == 'ok media reduced-motion reduce\n\n# changes\n- [3] button "Lively"'
    )
    assert await value_in_page(oryn, "matchMedia('(prefers-color-scheme: dark)').matches") is True
    assert await oryn("media color-scheme light") == 'ok media color-scheme light\n\n# changes\n+ [2] button "Light"'
    assert await oryn("media reduced-motion no-preference") == (
        'ok media reduced-motion no-preference\n\n# changes\n+ [3] button "Lively"'
    )
    await oryn.ok("media color-scheme dark")
    assert '+ [2] button "Light"' in await oryn("media reset")


STYLED = """<button>Always</button><button id=screen>On screen</button><button id=lively>Soft</button><style>
  @media print { #screen { display: none } }
  @media (prefers-contrast: more) { #lively { display: none } }
</style>"""
MEDIA = (
    "['(prefers-contrast: more)', '(prefers-contrast: less)', '(prefers-contrast: custom)', '(forced-colors: active)',"
    " '(forced-colors: none)', 'print', 'screen'].filter(query => matchMedia(query).matches)"
)


@pytest.mark.slow
async def test_contrast_colours_and_paper(oryn: Any) -> None:
    await oryn.show(STYLED)
    await oryn.ok("observe")
    assert await oryn("media contrast more") == 'ok media contrast more\n\n# changes\n- [3] button "Soft"'
    assert await oryn("media type print") == 'ok media type print\n\n# changes\n- [2] button "On screen"'
    await oryn.ok("media forced-colors active")
    expected = ["(prefers-contrast: more)", "(forced-colors: active)", "print"]
    assert await value_in_page(oryn, MEDIA) == expected
    await oryn.ok("refresh")
    assert await value_in_page(oryn, MEDIA) == expected
    oryn.pages["/inner"] = "<p>inner"
    await oryn.show(f"<iframe src={oryn.pages.url('/inner', 'localhost')}></iframe>")
    await oryn.ok("frame css(iframe)")
    assert await value_in_page(oryn, MEDIA) == expected
    await oryn.ok("frame main")
    for line, query in (
        ("media contrast less", "(prefers-contrast: less)"),
        ("media contrast custom", "(prefers-contrast: custom)"),
        ("media type screen", "screen"),
        ("media forced-colors none", "(forced-colors: none)"),
    ):
        await oryn.ok(line)
        assert query in await value_in_page(oryn, MEDIA)
    await oryn.ok("media contrast no-preference")
    await oryn.ok("media reset")
    assert await value_in_page(oryn, MEDIA) == ["(forced-colors: none)", "screen"]


# --- place ---

ASK = "new Promise(done => navigator.geolocation.getCurrentPosition(p => done([p.coords.latitude, p.coords.longitude]), e => done(e.message)))"


@pytest.mark.slow
async def test_a_place_is_told_without_a_question(oryn: Any) -> None:
    await oryn.show("<p>here")
    assert await oryn("geolocation 48.86 -2.35") == "ok geolocation 48.86 -2.35"
    assert await value_in_page(oryn, ASK) == [48.86, -2.35]
    await oryn.ok("geolocation -90 180")
    assert await value_in_page(oryn, ASK) == [-90, 180]
    assert await oryn("geolocation off") == "ok geolocation off"
    assert (
        await value_in_page(oryn, "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)") != "granted"
    )


@pytest.mark.parametrize(("place", "wrong"), [("90.1 0", "latitude 90.1"), ("0 -181", "longitude -181")])
async def test_invalid_geolocation_is_rejected(oryn: Any, place: str, wrong: str) -> None:
    assert (await oryn(f"geolocation {place}")).startswith(
        f"error geolocation {place}: there is no {wrong}\n\n# hint\n"
    )


# --- language and time ---


@pytest.mark.slow
async def test_a_locale_is_the_servers_and_the_scripts(oryn: Any) -> None:
    oryn.pages["/"] = lambda request: f"<p>{request.headers['Accept-Language']}"
    assert await oryn("locale de-DE") == f"ok locale de-DE{REFRESH}"
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert (await oryn("text")).endswith("| de-DE,de;q=0.9")
    assert await value_in_page(oryn, "[navigator.language, (1234.5).toLocaleString(), navigator.languages]") == [
        "de-DE",
        "1.234,5",
        ["de-DE", "de"],
    ]
    await oryn.ok("locale reset")
    await oryn.ok("refresh")
    assert await value_in_page(oryn, "[navigator.language, (1234.5).toLocaleString()]") == ["en-US", "1,234.5"]


@pytest.mark.parametrize("tag", ["x", "de-DE-oops", "german"])
async def test_a_locale_that_is_none(oryn: Any, tag: str) -> None:
    assert await oryn(f"locale {tag}") == (
        f'error locale {tag}: "{tag}" is no language tag\n\n# hint\nGive one such as de-DE, fr or zh-Hant-TW.'
    )


async def test_a_time_zone(oryn: Any) -> None:
    await oryn.show("<p>now")
    assert await oryn("timezone Asia/Tokyo") == "ok timezone Asia/Tokyo"
    assert await value_in_page(oryn, "new Date(0).getHours()") == 9
    assert await oryn("timezone Mars/Base") == (
        "error timezone Mars/Base: the browser has no such time zone\n\n# hint\nGive a name such as Europe/Paris or UTC."
    )
    assert await value_in_page(oryn, "new Date(0).getHours()") == 9
    own = "Intl.DateTimeFormat().resolvedOptions().timeZone"
    assert await oryn("timezone reset") == "ok timezone reset"
    assert await value_in_page(oryn, own) != "Asia/Tokyo"


@pytest.mark.slow
async def test_tabs_of_one_process_agree_on_language_and_time(oryn: Any) -> None:
    """The browser keeps both by process: the tab that set them first takes them along when it closes."""
    await oryn.show("<a href='/two' target=_blank>Two</a>")
    await oryn.ok("timezone Asia/Tokyo")
    await oryn.ok("locale fr")
    oryn.pages["/two"] = "<p>two"
    await oryn.ok("click Two")
    first, second = (tab.number for tab in await oryn.session.browser.tabs())
    await oryn.ok(f"tab switch {second}")
    assert await value_in_page(oryn, "[new Date(0).getHours(), navigator.language]") == [9, "fr"]
    await oryn.ok("timezone Europe/Paris")
    await oryn.ok(f"tab close {first}")
    assert await value_in_page(oryn, "[new Date(0).getHours(), (0.5).toLocaleString()]") == [1, "0,5"]
    await oryn.ok("timezone Asia/Tokyo")
    assert await value_in_page(oryn, "new Date(0).getHours()") == 9


# --- the user agent ---


@pytest.mark.slow
async def test_a_user_agent_wins_over_the_devices(oryn: Any) -> None:
    oryn.pages["/"] = lambda request: f"<p>{request.headers['User-Agent']}|{request.headers['Sec-CH-UA']}"
    assert await oryn('useragent "Courteous/1.0"') == f'ok useragent "Courteous/1.0"{REFRESH}'
    await oryn.ok("device iPhone 14")
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert (await oryn("text")).endswith("| Courteous/1.0|None")
    assert await value_in_page(oryn, "navigator.userAgent") == "Courteous/1.0"
    assert await oryn("useragent reset") == f"ok useragent reset{REFRESH}"
    assert "iPhone" in await value_in_page(oryn, "navigator.userAgent")


async def test_a_user_agent_that_is_none(oryn: Any) -> None:
    assert await oryn('useragent "Bot\\nX-Forged: 1"') == (
        'error useragent "Bot\\nX-Forged: 1": a user agent is a line of printable ASCII characters\n\n'
        "# hint\nRemove the other characters."
    )
    assert (await oryn('useragent " "')).startswith("error")


# --- everywhere, and afterwards ---

ALL = "[navigator.userAgent, navigator.language, new Date(0).getHours(), matchMedia('(prefers-color-scheme: dark)').matches, navigator.maxTouchPoints]"


async def emulate(oryn: Any) -> list[Any]:
    for line in (
        "device iPhone 14",
        "useragent Bot/1.0",
        "locale fr",
        "timezone Asia/Tokyo",
        "media color-scheme dark",
    ):
        await oryn.ok(line)
    return ["Bot/1.0", "fr", 9, True, 5]


@pytest.mark.slow
async def test_frames_in_processes_of_their_own_are_told_as_well(oryn: Any) -> None:
    oryn.pages["/inner"] = "<p>inner"
    await oryn.show(f"<iframe src={oryn.pages.url('/inner', 'localhost')}></iframe>")
    expected = await emulate(oryn)
    for _ in range(2):  # those that are there, and those that come
        await oryn.ok("frame css(iframe)")
        assert await value_in_page(oryn, ALL) == expected
        await oryn.ok("frame main")
        await oryn.ok("refresh")


async def test_workers_are_told_as_well(oryn: Any) -> None:
    script = "postMessage([navigator.userAgent, navigator.language, new Date(0).getHours(), (0.5).toLocaleString()])"
    oryn.pages["/worker.js"] = (200, {"Content-Type": "text/javascript"}, script)
    for line in ("useragent Bot/1.0", "locale fr", "timezone Asia/Tokyo"):
        await oryn.ok(line)
    await oryn.show(
        "<script>told = new Promise(done => new Worker('/worker.js').onmessage = e => done(e.data))</script>"
    )
    assert await value_in_page(oryn, "told") == ["Bot/1.0", "fr", 9, "0,5"]


@pytest.mark.slow
async def test_another_session_is_another_device(oryn: Any, browser: ChromiumBrowser, tmp_path: Path) -> None:
    await emulate(oryn)
    await oryn.ok("geolocation 1 2")
    await oryn.show("<p>here")
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=Options(timeout=60))
    try:
        assert (await session.execute(f"goto {oryn.pages.url()}")).ok
        agent, language, _, dark, touches = (await session.execute(f'eval "{ALL}"')).data
        assert (language, dark, touches) == ("en-US", False, 0)
        assert "Headless" in agent
        state = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)"
        assert (await session.execute(f'eval "{state}"')).data != "granted"
        assert (await session.execute("geolocation 3 4")).ok
        assert (await session.execute(f'eval "{ASK}"')).data == [3, 4]
        assert await value_in_page(oryn, ASK) == [1, 2]
    finally:
        await session.close()


@pytest.mark.slow
async def test_a_tab_that_hangs_does_not_keep_the_others_from_changing(oryn: Any) -> None:
    await oryn.show("<p>hangs")
    hanging = oryn.session.page
    await oryn.ok("tab new about:blank")
    await hanging.evaluate("setTimeout(() => {for(;;);}); 0")
    oryn.pages["/two"] = "<p>two"
    await oryn.ok(f"goto {oryn.pages.url('/two', 'localhost')}")
    await oryn.ok("viewport 444 333")
    assert await value_in_page(oryn, "innerWidth") == 444
    await oryn.ok(f"tab close {(await oryn.session.browser.tabs())[0].number}")


async def test_an_open_dialog_is_named(oryn: Any) -> None:
    await oryn.show("<button onclick='confirm(1)'>Ask</button>")
    await oryn.ok("click Ask")
    for line in (
        "viewport 400 400",
        "device iPhone 14",
        "locale fr",
        "timezone UTC",
        "useragent x",
        "geolocation 1 2",
        "media reset",
    ):
        assert "a dialog is open" in await oryn(line)
    await oryn.ok("dialog dismiss")


@pytest.mark.slow
async def test_all_of_it_outlives_the_browser(tmp_path: Path, pages: Any) -> None:
    pages["/"] = RESPONSIVE
    browser = ChromiumBrowser(runtime_dir=tmp_path)
    session = Session(browser, options=Options(timeout=60))

    async def ok(line: str) -> Any:
        answer = await session.execute(line)
        assert answer.ok, answer.render()
        return answer

    session.ok = ok  # type: ignore[attr-defined]
    try:
        await ok(f"goto {pages.url()}")
        expected = await emulate(session)
        await ok("viewport 400 500")
        with suppress(BrowserFailed):
            await browser._connection.root.call("Browser.crash")
        await ok(f"goto {pages.url()}")
        assert (await ok(f'eval "{ALL}"')).data == expected
        assert (await ok('eval "[innerWidth, innerHeight]"')).data == [400, 500]
    finally:
        await session.close()


async def test_programs_get_the_same(oryn: Any) -> None:
    await oryn.ok("output json")
    answer = json.loads(await oryn("device Desktop Chrome"))
    assert answer["result"] == {"name": "Desktop Chrome", "width": 1280, "height": 720, "scale": 1, "mobile": False}
    assert json.loads(await oryn("device Nothing"))["error"]["code"] == "INVALID_VALUE"
