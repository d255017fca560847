"""Frames of other sites in frames of other sites, each in a process of its own, which go away: what is told to all of a
page's targets is told to those that are there."""

from __future__ import annotations

import pytest

from oryn.browsers.chromium.page import CdpPage
from tests import soak
from tests.headless.conftest import Driver

pytestmark = pytest.mark.whole_browser

ICON = "<link rel=icon href=data:,>"
HOSTS = ("a.localhost", "b.localhost", "c.localhost", "d.localhost")
COMMANDS = (
    'device "iPhone 15"', "device reset", "media color-scheme dark", "media reset", 'useragent "x/1"', "useragent reset",
    "timezone Europe/Paris", "timezone reset", "geolocation 1 2", "geolocation off", "locale de-DE", "locale reset",
    "viewport 900 600",
)  # fmt: skip


async def nested(isolated: Driver, depth: int, more: str = "") -> None:
    """Go to a page whose frames nest so deep; each host is a site of its own."""
    inside = ""
    for level in reversed(range(depth)):
        isolated.pages[f"/{level}"] = f"<title>{level}</title>{inside}<p>level {level}"
        inside = f'<iframe src="{isolated.pages.url(f"/{level}", HOSTS[level])}"></iframe>'
    isolated.pages["/last"] = f"{ICON}<title>last</title>"
    await isolated.show(f"{ICON}<title>top</title>{inside}{more}", "/top")
    assert f"level {depth - 1}" in await isolated.ok("text")
    page = isolated.session.page
    assert isinstance(page, CdpPage)
    assert len(page.channel.sessions) == depth + 1


async def run_commands(isolated: Driver) -> None:
    for line in COMMANDS:
        await isolated.ok(line)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
async def test_leaving_a_page_leaves_its_frames(isolated: Driver, depth: int) -> None:
    await nested(isolated, depth)
    await isolated.ok(f"goto {isolated.pages.url('/last')}")
    page = isolated.session.page
    assert isinstance(page, CdpPage)
    assert page.channel.sessions == [page.channel.session]
    await run_commands(isolated)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1, 2])
async def test_a_script_takes_a_frame_out(isolated: Driver, level: int) -> None:
    """Of any depth; those within go with it, and those around stay."""
    await nested(isolated, 3)
    session = isolated.session
    frames = session.page.frames()
    await session.page.evaluate("document.querySelector('iframe').remove()", frames[level])
    page = session.page
    assert isinstance(page, CdpPage)
    await page.channel.signal.until(lambda: len(page.frames()) == level + 1, 10)
    await run_commands(isolated)
    assert len(page.channel.sessions) == level + 1
    assert [session.ended for session in page.channel.sessions] == [None] * (level + 1)


@pytest.mark.slow
async def test_a_frame_moves_to_another_process_and_back(isolated: Driver) -> None:
    await nested(isolated, 3)
    page = isolated.session.page
    assert isinstance(page, CdpPage)
    for url in (isolated.pages.url("/last"), isolated.pages.url("/0", HOSTS[3]), isolated.pages.url("/0", HOSTS[0])):
        await page.evaluate(f"document.querySelector('iframe').src = {url!r}")
        await page.channel.signal.until(lambda url=url: any(frame.url == url for frame in page.frames()), 10)
        await run_commands(isolated)


@pytest.mark.slow
@soak.repeated
async def test_frames_that_come_and_go_meanwhile(isolated: Driver) -> None:
    """They go while they are being told; the command is for the page, and is done."""
    # The next ones come once these have loaded: at a fixed rate a busy machine would be left with nothing but processes.
    flicker = f"""<script>const turn = () => {{
        document.querySelectorAll('.b').forEach(it => it.remove());
        let loading = {len(HOSTS[2:])};
        for (const host of {list(HOSTS[2:])}) {{
            const it = document.createElement('iframe');
            it.className = 'b'; it.src = 'http://' + host + ':' + location.port + '/1';
            it.onload = () => --loading || setTimeout(turn, 50);
            document.body.append(it);
        }}
    }}; turn()</script>"""
    await nested(isolated, 2)
    await isolated.show(f"{ICON}<title>top</title><body>{flicker}", "/top")
    try:
        for _ in range(soak.repetitions(1, 8)):
            await run_commands(isolated)
    finally:  # it would keep the machine busy
        await isolated.ok(f"goto {isolated.pages.url('/last')}")
    await run_commands(isolated)
