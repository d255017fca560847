"""Two sessions and a person on the tabs of one attached browser: who may act on which tab."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Session
from tests.headless.attached_browser import Client, RunningChromium, client_of
from tests.headless.conftest import OPTIONS, Pages
from tests.headless.test_foreign_changes import FORM, number_of

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]


class Guest:
    """A session in the context of the browser's user, with the shorthand of the tests."""

    def __init__(self, name: str, endpoint: str, folder: Path, other: ChromiumBrowser | None = None) -> None:
        self.browser = ChromiumBrowser(
            runtime_dir=folder / "run", endpoint=endpoint, shared_with=other, shares_context=True
        )
        self.session = Session(self.browser, name, OPTIONS.replace(timeout=20.0, tab_lease=60.0))

    async def __call__(self, line: str) -> Answer:
        return await self.session.execute(line)

    async def ok(self, line: str) -> str:
        answer = await self(line)
        assert answer.ok, answer.render()
        return answer.render()

    async def refused(self, line: str, code: str = "TAB_HELD") -> str:
        answer = await self(line)
        assert answer.error is not None, answer.render()
        assert answer.error.code == code, answer.render()
        return answer.render()

    async def number(self, url: str) -> int:
        """The number that a tab with this URL has for the session, as soon as it has it."""
        assert await self.browser.wait_for_tabs(lambda tabs: any(tab.url == url for tab in tabs), timeout=5)
        return next(tab.number for tab in self.browser.open_tabs() if tab.url == url)

    async def row(self, number: int) -> dict[str, Any]:
        return next(row for row in (await self("tabs")).data if row["number"] == number)


class Person:
    """Whoever sits at the browser: input that no session has made, in the tab with a URL."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def use(self, url: str, method: str, **params: Any) -> None:
        tabs = (await self._client("Target.getTargets"))["targetInfos"]
        target = next(tab["targetId"] for tab in tabs if tab["url"] == url)
        session = (await self._client("Target.attachToTarget", {"targetId": target, "flatten": True}))["sessionId"]
        await self._client(method, params, session)
        await self._client("Target.detachFromTarget", {"sessionId": session})

    async def press(self, url: str) -> None:
        """In a corner where nothing is."""
        where = {"x": 600, "y": 400, "button": "left", "clickCount": 1}
        await self.use(url, "Input.dispatchMouseEvent", type="mousePressed", **where)
        await self.use(url, "Input.dispatchMouseEvent", type="mouseReleased", **where)


class Scene:
    """`ann` and `bob` on the form in one tab, which `ann` has opened; `url` is its address."""

    def __init__(self, ann: Guest, bob: Guest, person: Person, url: str) -> None:
        self.ann = ann
        self.bob = bob
        self.person = person
        self.url = url
        self.seen_by_ann = self.seen_by_bob = ""

    async def begin(self) -> None:
        await self.ann.ok(f"goto {self.url}")
        await self.bob.ok("tabs")
        await self.bob.ok(f"tab switch {await self.bob.number(self.url)}")
        self.seen_by_ann, self.seen_by_bob = await self.ann.ok("observe"), await self.bob.ok("observe")

    async def until_held_by(self, name: str) -> None:
        """Wait until the form's tab is somebody's: the page reports a person's input as it comes."""
        leases, tab = self.ann.browser._shared.leases, self.ann.browser._target_of(None)

        def is_held() -> bool:
            lease = leases.lease(tab)
            return lease is not None and lease.holder.name == name

        await until(is_held)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what the leases, which no test may disturb, have no event for."""
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


Play = Callable[[Callable[[Scene], Any]], None]


@pytest.fixture(scope="module")
def chromium(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChromium]:
    browser = RunningChromium(tmp_path_factory.mktemp("chromium"))
    run(browser.ready())
    yield browser
    browser.end()


@pytest.fixture
def play(run: Any, chromium: RunningChromium, pages: Pages, tmp_path: Path) -> Play:
    """Runs a test in a scene."""
    pages.bodies.clear()
    pages["/order"] = FORM

    @asynccontextmanager
    async def scene() -> AsyncIterator[Scene]:
        ann = Guest("ann", chromium.endpoint, tmp_path)
        bob = Guest("bob", chromium.endpoint, tmp_path, ann.browser)
        async with client_of(chromium.endpoint) as client:
            try:
                made = Scene(ann, bob, Person(client), pages.url("/order"))
                await made.begin()
                yield made
            finally:
                await ann.session.close()
                await bob.session.close()

    def start(test: Callable[[Scene], Any]) -> None:
        async def whole() -> None:
            async with scene() as made:
                await test(made)

        run(whole())

    return start


@pytest.mark.slow
def test_act_on_a_tab_of_another_session_is_refused(play: Play) -> None:
    async def test(scene: Scene) -> None:
        save = number_of(scene.seen_by_bob, "Save")
        number = await scene.bob.number(scene.url)
        for line in (f"click {save}", 'click "Save"', "press enter", "goto about:blank", "refresh", 'eval "1"',
                     f"hover {save}", f"highlight {save}", "scroll down", 'type "Name" "x"', f"tab close {number}"):  # fmt: skip
            answer = await scene.bob.refused(line)
            assert f"tab {number} belongs to session ann since " in answer
            assert f"tab take {number}" in answer
        assert await scene.ann.session.page.evaluate("out.textContent + document.getElementById('name').value") == ""

    play(test)


@pytest.mark.slow
def test_everybody_may_look(play: Play) -> None:
    async def test(scene: Scene) -> None:
        for line in ("observe", "text", "snapshot", "title", "url", "screenshot", 'exists "Save"', "tabs"):
            await scene.bob.ok(line)
        await scene.ann.ok('click "Save"')

    play(test)


def test_tabs_shows_whose_they_are(play: Play) -> None:
    async def test(scene: Scene) -> None:
        mine, other = await scene.ann.number(scene.url), await scene.bob.number(scene.url)
        assert f"{mine} " in (lines := await scene.ann.ok("tabs"))
        assert "(yours since 20" in lines
        assert "(of session ann since 20" in await scene.bob.ok("tabs")
        row = await scene.bob.row(other)
        assert (row["holder"], row["own"]) == ("ann", False)
        assert row["since"].endswith("Z")
        await scene.ann.ok("tab release")
        assert not {"holder", "since"} & (await scene.bob.row(other)).keys()

    play(test)


@pytest.mark.slow
def test_free_tab_is_taken_by_the_first_act(play: Play) -> None:
    async def test(scene: Scene) -> None:
        await scene.ann.ok("tab release")
        await scene.bob.ok('click "Save"')
        await scene.ann.refused('click "Save"')
        await scene.bob.session.close()
        await scene.ann.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_released_tab_is_taken_at_once_and_the_holder_is_asked(play: Play) -> None:
    async def test(scene: Scene) -> None:
        number = await scene.bob.number(scene.url)
        taking = asyncio.create_task(scene.bob(f"tab take {number}"))
        await until(lambda: bool(list(scene.ann.browser._shared.leases.requests_to(scene.ann.browser.leases.holder))))
        answer = await scene.ann.ok("title")
        assert "session bob waits for tab" in answer
        assert "session bob" not in await scene.ann.ok("title")
        await scene.ann.ok("tab release")
        freed = time.perf_counter()
        assert (await taking).ok
        assert time.perf_counter() - freed < 0.5  # with the answer, which asks the page; the lease itself: benchmarks
        await scene.bob.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_taking_ends_with_the_time_limit(play: Play) -> None:
    async def test(scene: Scene) -> None:
        number = await scene.bob.number(scene.url)
        began = time.monotonic()
        await scene.bob.refused(f"tab take {number} --timeout 300ms")
        assert time.monotonic() - began < 3
        await scene.ann.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_number_that_another_session_has_changed_is_refused(play: Play) -> None:
    async def test(scene: Scene) -> None:
        save = number_of(scene.seen_by_bob, "Save")
        await scene.ann.ok('click "Rename"')
        await scene.ann.ok("tab release")
        answer = await scene.bob.refused(f"click {save}", "ELEMENT_CHANGED")
        assert "has changed since session ann used the tab at" in answer
        assert 'button "Delete"' in answer
        await scene.bob.ok(f"click {save}")

    play(test)


@pytest.mark.slow
def test_number_that_nobody_has_changed_is_accepted(play: Play) -> None:
    async def test(scene: Scene) -> None:
        save = number_of(scene.seen_by_bob, "Save")
        await scene.ann.ok('type "Name" "Ann"')
        await scene.ann.ok("tab release")
        assert 'value: "Ann"' in await scene.bob.ok(f"click {save}")

    play(test)


@pytest.mark.slow
def test_person_who_uses_the_tab_has_it(play: Play) -> None:
    async def test(scene: Scene) -> None:
        await scene.ann.ok('click "Save"')
        await scene.person.press(scene.url)
        await scene.until_held_by("the person")
        for guest in (scene.ann, scene.bob):
            assert "belongs to the person since" in await guest.refused('click "Save"')
        assert (await scene.ann.row(await scene.ann.number(scene.url)))["holder"] == "the person"

    play(test)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Input.dispatchKeyEvent", {"type": "keyDown", "key": "a", "text": "a"}),
        ("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 500, "y": 400}]}),
    ],
    ids=["key", "touch"],
)
def test_every_kind_of_input_is_noticed(play: Play, method: str, params: dict[str, Any]) -> None:
    async def test(scene: Scene) -> None:
        await scene.person.use(scene.url, method, **params)
        await scene.until_held_by("the person")

    play(test)


@pytest.mark.slow
def test_input_of_sessions_is_no_persons(play: Play) -> None:
    async def test(scene: Scene) -> None:
        ann = scene.ann
        for line in ('click "Save"', 'click "Save" --double', 'type "Name" "Ann and Bob"', "press control+a", "press x",
                     "scroll down", "mouse wheel down", 'hover "Save"', "tap at(50,50)", 'clear "Name"', "keydown shift",
                     "keyup shift", 'click "Save" --right'):  # fmt: skip
            await ann.ok(line)
        assert (await ann.row(await ann.number(scene.url)))["holder"] == "ann"

    play(test)


@pytest.mark.slow
def test_person_who_only_scrolls_does_not_use_the_tab(play: Play) -> None:
    async def test(scene: Scene) -> None:
        wheel = {"type": "mouseWheel", "x": 5, "y": 5, "deltaX": 0, "deltaY": 40}
        await scene.person.use(scene.url, "Input.dispatchMouseEvent", **wheel)
        await scene.ann.ok("wait 200ms")
        await scene.ann.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_page_can_feign_no_person(play: Play) -> None:
    async def test(scene: Scene) -> None:
        script = (
            "for (const kind of ['pointerdown', 'keydown']) window.dispatchEvent(new Event(kind));"
            "document.getElementById('save').click(); Object.getOwnPropertyNames(window).filter(k => /oryn/i.test(k)).length"
        )
        assert "\n\n| 0" in await scene.ann.ok(f'eval "{script}"')
        await scene.ann.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_page_can_hide_no_person(play: Play) -> None:
    async def test(scene: Scene) -> None:
        script = "for (const kind of ['pointerdown', 'mousedown']) addEventListener(kind, e => e.stopImmediatePropagation(), true); 1"
        await scene.ann.ok(f'eval "{script}"')
        await scene.person.press(scene.url)
        await scene.until_held_by("the person")

    play(test)


@pytest.mark.slow
def test_takeover_has_the_tab_until_it_is_given_back(play: Play) -> None:
    async def test(scene: Scene) -> None:
        await scene.ann.ok("tab release")
        takeover = scene.ann.session.control.take("token")
        assert "belongs to the person" in await scene.bob.refused('click "Save"')
        scene.ann.session.control.release(takeover, returned=True)
        await scene.bob.ok('click "Save"')

    play(test)


@pytest.mark.slow
def test_lease_ends_with_the_tab(play: Play) -> None:
    async def test(scene: Scene) -> None:
        leases, tab = scene.ann.browser._shared.leases, scene.ann.browser._target_of(None)
        await scene.ann.ok(f"tab new {scene.url}?again")
        await scene.ann.ok(f"tab close {await scene.ann.number(scene.url)}")
        await until(lambda: leases.lease(tab) is None)

    play(test)


@pytest.mark.slow
def test_new_tabs_and_their_popups_are_the_sessions(play: Play, pages: Pages) -> None:
    pages["/popup"] = "<button onclick=\"window.open('/order?popup')\">Open</button>"

    async def test(scene: Scene) -> None:
        await scene.ann.ok(f"tab new {pages.url('/popup')}")
        assert "order?popup" in await scene.ann.ok('click "Open"')
        for url in (pages.url("/popup"), pages.url("/order?popup")):
            number = await scene.bob.number(url)
            assert (await scene.bob.row(number))["holder"] == "ann", url
            await scene.bob.refused(f"tab close {number}")

    play(test)
