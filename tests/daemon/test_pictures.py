"""Who looks at sessions' pictures: all by one screencast, none without a viewer, and nobody waits for the slow."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from oryn.browsers.base import Page
from oryn.browsers.base.recording import ScreencastCallback, ScreencastFrame
from oryn.daemon.event_bus import EventBus
from oryn.daemon.live.screencasts import ScreencastHub, ScreencastViewer
from oryn.engine.takeover import SessionControl
from oryn.errors import BrowserFailed, OrynError, PageCrashed
from oryn.sessions.sessions import Sessions


class FilmedPage(Page):
    """A page of which only the screencast is asked for."""

    def __init__(self, failing: OrynError | None = None) -> None:
        self.shows: list[ScreencastCallback] = []
        self.starts = 0
        self.rate = 0.0
        self.failing = failing

    async def start_screencast(self, show: ScreencastCallback, *, frames_per_second: float = 25) -> None:
        if self.failing is not None:
            raise self.failing
        self.starts += 1
        self.rate = frames_per_second
        self.shows.append(show)

    async def stop_screencast(self, show: ScreencastCallback) -> None:
        self.shows.remove(show)

    def look_different(self, image: bytes) -> None:
        for show in self.shows:
            show(ScreencastFrame(image, 1.0))


class OneSession:
    """`Sessions` with one session, or none."""

    def __init__(self, page: FilmedPage | None) -> None:
        self.present: FilmedPage | None = page
        self.is_open = True
        self.control = SessionControl()

    def get(self, name: str) -> OneSession | None:
        return self if self.is_open and name == "shop" else None

    @property
    def page(self) -> FilmedPage:
        if self.present is None:
            raise BrowserFailed("the browser does not run")
        return self.present


def screencast_of(page: FilmedPage | None) -> tuple[OneSession, EventBus, ScreencastHub]:
    sessions, events = OneSession(page), EventBus()
    return sessions, events, ScreencastHub(cast("Sessions", cast("Any", sessions)), events)


async def turns(count: int = 5) -> None:
    """Let what is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def next_of(viewer: ScreencastViewer) -> bytes | None:
    async with asyncio.timeout(30):
        async for still in viewer:
            return None if still is None else still.image
    raise AssertionError("no more pictures")


async def test_all_share_one_screencast_which_ends_with_the_last() -> None:
    page = FilmedPage()
    _, _, pictures = screencast_of(page)
    assert pictures.watched == [] and page.starts == 0
    with pictures.view("shop") as first:
        await turns()
        page.look_different(b"1")
        with pictures.view("shop") as second:
            assert await next_of(first) == await next_of(second) == b"1", "who comes later sees what is there"
            page.look_different(b"2")
            assert await next_of(first) == await next_of(second) == b"2"
        assert (page.starts, len(page.shows), page.rate) == (1, 1, 5)
    await turns()
    assert page.shows == [] and pictures.watched == []


async def test_a_slow_viewer_misses_pictures_and_slows_nobody() -> None:
    page = FilmedPage()
    _, _, pictures = screencast_of(page)
    with pictures.view("shop") as quick, pictures.view("shop") as slow:
        await turns()
        for number in range(20):
            page.look_different(b"%d" % number)
            assert await next_of(quick) == b"%d" % number
        assert await next_of(slow) == b"19"


async def test_pictures_follow_the_session_from_page_to_page() -> None:
    page, other = FilmedPage(), FilmedPage()
    sessions, events, pictures = screencast_of(page)
    with pictures.view("shop") as viewer:
        await turns()
        sessions.present = other
        events.publish("action.finish", session="another")
        await turns()
        assert other.starts == 0
        events.publish("action.finish", session="shop")
        await turns()
        other.look_different(b"other")
        assert await next_of(viewer) == b"other"
        assert page.shows == []
        sessions.present = None
        events.publish("action.finish", session="shop")
        assert await next_of(viewer) is None
        sessions.present = other
        events.publish("action.finish", session="shop")
        await turns()
        assert other.starts == 2


async def test_a_session_that_is_closed_shows_nothing() -> None:
    page = FilmedPage()
    sessions, events, pictures = screencast_of(page)
    with pictures.view("shop") as viewer:
        await turns()
        sessions.is_open = False
        events.publish("session.closed", session="shop")
        assert await next_of(viewer) is None
        assert page.shows == []


@pytest.mark.parametrize("page", [None, FilmedPage(PageCrashed("the page crashed"))], ids=["no browser", "crashed"])
async def test_where_there_is_nothing_to_see_the_viewer_is_told(page: FilmedPage | None) -> None:
    _, _, pictures = screencast_of(page)
    with pictures.view("shop") as viewer, pictures.view("none") as other:
        assert await next_of(viewer) is None
        assert await next_of(other) is None
        assert sorted(pictures.watched) == ["none", "shop"]


async def test_viewers_go_when_the_daemon_ends() -> None:
    _, events, pictures = screencast_of(FilmedPage())
    with pictures.view("shop") as viewer:
        await turns()
        events.close()
        assert [still async for still in viewer] == []
