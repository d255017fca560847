"""When the debugger is attached to a tab, and what becomes of it there: against a browser that a test plays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.feature import CdpTarget, TargetFeature
from oryn.browsers.extension.bridge import Bridge
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugged_features import DebuggedFeatures
from oryn.browsers.extension.debugger import CLOSED_BAR_NOTICE, OTHER_DEBUGGER_NOTICE, TabDebugger
from oryn.core.urls import DomainRefusal
from oryn.errors import BrowserFailed, DialogOpen, OrynError, TabNotFound

TAB = 7
TARGET = {"tabId": TAB}


class Browser:
    """A host whose debugger may be held by `another`, or by an earlier life of the worker (`ours`)."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.attached = False
        self.another = False
        self.deliver: Callable[[str, str], None] = lambda event, values: None
        self.hanging = False
        self.sessions: dict[str, str] = {}
        """The session that each method was sent to last."""

    def attach(self, deliver: Callable[[str, str], None]) -> None:
        self.deliver = deliver

    async def call(self, name: str, arguments: str) -> str:
        values = json.loads(arguments)
        self.calls.append(values[1] if name == "debugger.sendCommand" else name)
        if name == "debugger.sendCommand":
            self.sessions[values[1]] = values[0].get("sessionId", "")
        error = None
        value: Any = {"of": values[1] if len(values) > 1 else None}
        match name:
            case "debugger.getTargets":
                value = [{"id": "worker", "type": "worker"}, {"id": "T", "type": "page", "tabId": TAB}]
            case "debugger.attach" if self.another or self.attached:
                error = f"Another debugger is already attached to the tab with id: {TAB}."
            case "debugger.attach":
                self.attached = True
            case "debugger.detach" if not self.attached:
                error = f"Debugger is not attached to the tab with id: {TAB}."
            case "debugger.detach":
                self.attached = False
            case "debugger.sendCommand" if self.hanging:
                await asyncio.get_running_loop().create_future()
            case "debugger.sendCommand" if values[1] == "Page.fails":
                error = '{"code":-32000,"message":"Cannot find context with specified id"}'
            case "debugger.sendCommand" if values[1] == "Page.getFrameTree":
                value = {"frameTree": {"frame": {"id": "T", "loaderId": "L", "url": "http://a.test/"}}}
            case "debugger.sendCommand" if values[1] == "Page.isDetached":
                error = "Detached while handling command."
        return json.dumps({"error": error} if error else {"value": value})

    def emit(self, event: str, *values: Any) -> None:
        self.deliver(event, json.dumps(values))

    def listen(self, event: str, options: str) -> None: ...

    def unlisten(self, event: str) -> None: ...

    def open(self, url: str) -> int:
        raise NotImplementedError

    def send(self, socket: int, text: str) -> None: ...

    def close(self, socket: int, code: int, reason: str) -> None: ...

    def post(self, port: int, message: str) -> None: ...

    def engine(self) -> str:
        return "{}"


class NavigationLog:
    def refuse(self, loader: str, url: str, refusal: DomainRefusal) -> None: ...


class RecordedEvents:
    def __init__(self) -> None:
        self.browser = Browser()
        bridge = Bridge(self.browser)
        bridge.attach()
        self.channel = ExtensionChannel(bridge, TAB)
        self.allowed = self.reachable = True
        self.features = DebuggedFeatures(self.browser)
        self.debugger = TabDebugger(
            self.channel,
            allowed=lambda: self.allowed,
            reachable=lambda: self.reachable,
            policy=lambda: None,
            features=lambda: self.features,
            navigations=NavigationLog(),
        )


@pytest.fixture
def played() -> RecordedEvents:
    return RecordedEvents()


async def test_it_is_attached_where_the_user_allows_it(played: RecordedEvents) -> None:
    played.allowed = False
    await played.debugger.update_attachment()
    assert (played.debugger.is_attached, played.browser.calls) == (False, [])
    played.allowed = True
    await asyncio.gather(played.debugger.update_attachment(), played.debugger.update_attachment())
    assert played.debugger.is_attached
    assert played.browser.calls.count("debugger.attach") == 1
    played.allowed = False
    await played.debugger.update_attachment()
    assert (played.debugger.is_attached, played.browser.attached) == (False, False)
    with pytest.raises(BrowserFailed, match="'Real keys and mouse' has ended"):
        played.debugger.session  # noqa: B018 - asking is what raises


async def test_commands_and_their_errors(played: RecordedEvents) -> None:
    await played.debugger.update_attachment()
    assert await played.debugger.call("Page.works", {"a": 1}) == {"of": "Page.works"}
    with pytest.raises(Exception, match="the document went away"):
        await played.debugger.call("Page.fails")
    assert {"Page.enable", "Emulation.setFocusEmulationEnabled"} <= set(played.browser.calls)


async def test_closing_the_debugger_bar_ends_trusted_input(played: RecordedEvents) -> None:
    await played.debugger.update_attachment()
    played.browser.hanging = True
    waiting = asyncio.ensure_future(played.debugger.call("Input.never"))
    await asyncio.sleep(0)
    played.browser.attached = False
    played.browser.emit("debugger.onDetach", TARGET, "canceled_by_user")
    with pytest.raises(BrowserFailed, match="'Real keys and mouse' has ended"):
        await waiting
    assert played.debugger.notices == [CLOSED_BAR_NOTICE]
    refused = played.debugger.missing()
    assert refused.message == "not supported in this mode" and "has closed the browser's bar" in (refused.hint or "")
    await played.debugger.update_attachment()
    assert not played.debugger.is_attached
    # Until the setting is switched off and on again.
    played.allowed = False
    await played.debugger.update_attachment()
    played.allowed = True
    await played.debugger.update_attachment()
    assert played.debugger.is_attached


class RecordingFeature(TargetFeature):
    """Records the targets that it is attached to."""

    def __init__(self) -> None:
        self.sessions: list[CdpSession] = []
        self.workers: list[CdpSession] = []

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        assert session in page.channel.sessions
        session.send("Page.partWasHere")
        self.sessions.append(session)

    def attach_worker(self, page: CdpTarget, session: CdpSession) -> None:
        self.workers.append(session)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        self.sessions.remove(session)


async def test_the_features_of_a_session_are_attached_with_it(played: RecordedEvents) -> None:
    early = played.features.register(RecordingFeature())
    await played.debugger.update_attachment()
    late = played.features.register(RecordingFeature())
    (page,) = played.features.tabs
    assert early.sessions == late.sessions == [played.debugger.session] == page.channel.sessions
    assert page.target_id == "T"
    await page.channel.session.call("Page.works")
    assert page.frame_tree.top.loader == "L"
    assert played.browser.calls.count("Page.partWasHere") == 2
    assert {"Network.enable", "Runtime.enable", "Log.enable"} <= set(played.browser.calls)
    played.allowed = False
    await played.debugger.update_attachment()
    assert [*early.sessions, *late.sessions, *played.features.tabs] == []
    played.allowed = True
    await played.debugger.update_attachment()
    assert early.sessions == late.sessions == played.features.tabs[0].channel.sessions


async def test_a_tab_has_the_features_of_one_session(played: RecordedEvents) -> None:
    first, second = played.features, DebuggedFeatures(played.browser)
    ours, theirs = first.register(RecordingFeature()), second.register(RecordingFeature())
    await played.debugger.update_attachment()
    played.features = second  # another session's command comes to the tab
    await played.debugger.update_attachment()
    assert played.browser.calls.count("debugger.detach") == 1
    assert (ours.sessions, theirs.sessions) == ([], [played.debugger.session])


async def test_a_tab_that_commands_may_not_reach_has_no_debugger(played: RecordedEvents) -> None:
    await played.debugger.update_attachment()
    played.reachable = False
    await played.debugger.update_attachment()
    assert (played.debugger.is_attached, played.browser.attached) == (False, False)
    played.reachable = True
    await played.debugger.update_attachment()
    assert played.debugger.is_attached


async def test_frames_in_other_processes_and_workers_have_the_features_too(played: RecordedEvents) -> None:
    feature = played.features.register(RecordingFeature())
    await played.debugger.update_attachment()
    frame = {"sessionId": "F", "targetInfo": {"type": "iframe", "targetId": "frame"}}
    worker = {"sessionId": "W", "targetInfo": {"type": "worker", "targetId": "worker"}}
    played.browser.emit("debugger.onEvent", TARGET, "Target.attachedToTarget", frame)
    played.browser.emit("debugger.onEvent", {**TARGET, "sessionId": "F"}, "Target.attachedToTarget", worker)
    assert [each.id for each in feature.sessions] == ["tab", "F"]
    assert [each.id for each in feature.workers] == ["W"]
    await feature.sessions[1].call("Page.works")
    assert played.browser.sessions["Page.works"] == "F"
    assert played.browser.calls.count("Runtime.runIfWaitingForDebugger") == 2
    played.browser.emit("debugger.onEvent", TARGET, "Target.detachedFromTarget", {"sessionId": "F"})
    assert [each.id for each in feature.sessions] == ["tab"]
    assert feature.workers[0].ended


@pytest.mark.parametrize(
    "method", ["Network.getCookies", "Network.getAllCookies", "Network.setCookie", "Storage.getCookies"]
)
async def test_cookies_are_out_of_the_debuggers_reach(played: RecordedEvents, method: str) -> None:
    await played.debugger.update_attachment()
    with pytest.raises(OrynError, match="out of an extension's reach"):
        await played.debugger.call(method)
    assert method not in played.browser.calls


async def test_a_tab_that_closes_ends_its_commands(played: RecordedEvents) -> None:
    await played.debugger.update_attachment()
    waiting = [asyncio.ensure_future(played.debugger.call("Page.isDetached")) for _ in range(2)]
    await asyncio.sleep(0)
    played.browser.attached = False
    played.browser.emit("debugger.onDetach", TARGET, "target_closed")
    for each in waiting:
        with pytest.raises(TabNotFound, match="the tab is closed"):
            await each
    assert played.debugger.notices == []


async def test_another_program_holds_the_tab(played: RecordedEvents) -> None:
    played.browser.another = True
    await played.debugger.update_attachment()
    await played.debugger.update_attachment()
    assert (played.debugger.is_attached, played.debugger.notices) == (False, [OTHER_DEBUGGER_NOTICE])
    assert "which another extension has attached" in (played.debugger.missing().hint or "")
    played.browser.another = False
    await played.debugger.update_attachment()
    assert played.debugger.is_attached


async def test_one_that_an_earlier_life_of_the_worker_left_is_taken_over(played: RecordedEvents) -> None:
    played.browser.attached = True
    await played.debugger.update_attachment()
    assert played.debugger.is_attached
    assert played.debugger.notices == []


async def test_a_dialog_ends_what_the_page_would_answer(played: RecordedEvents) -> None:
    await played.debugger.update_attachment()
    played.browser.hanging = True
    waiting = asyncio.ensure_future(played.debugger.call("Input.dispatchMouseEvent"))
    await asyncio.sleep(0)
    opening = {"type": "confirm", "message": "Sure?"}
    played.browser.emit("debugger.onEvent", {"tabId": 8}, "Page.javascriptDialogOpening", opening)
    assert played.debugger.dialogs.open is None
    played.browser.emit("debugger.onEvent", TARGET, "Page.javascriptDialogOpening", opening)
    with pytest.raises(DialogOpen, match="a confirm dialog is open"):
        await waiting
    with pytest.raises(DialogOpen):
        played.debugger.check()
    # Nobody tells any more when it closes.
    played.browser.emit("debugger.onDetach", TARGET, "target_closed")
    played.debugger.check()
    assert played.debugger.notices == []
