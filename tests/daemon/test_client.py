"""`Oryn("daemon")`: the Python library in the sessions of a daemon."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from oryn import Oryn
from oryn.client.daemon_engine import record_of
from oryn.errors import ElementNotFound, NotConnected, OrynError, UnknownCommand
from oryn.language.vocabulary import api_vocabulary
from scripts.clients.methods import methods
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

PAGE = "<title>Shop</title><button onclick=\"this.textContent = 'Sold'\">Buy</button>"


@pytest.fixture
def home(daemon: RunningDaemon, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORYN_HOME", str(daemon.home))
    return daemon.home


@pytest.mark.slow
async def test_a_session_of_the_daemon_in_methods(
    daemon: RunningDaemon, home: Path, pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages["/"] = PAGE
    monkeypatch.chdir(tmp_path)
    async with Oryn("daemon", session="library") as oryn:
        opened = await oryn.goto(pages.url())
        assert opened.page and opened.page.title == "Shop" and opened.command == f"goto {pages.url()}"
        assert [each.kind for each in (await oryn.click("Buy")).changes] == ["changed"]
        assert (await oryn.send("title")) == 'ok title\n\n"Shop"'
        assert (await oryn.screenshot(output="here.png")).path == tmp_path / "here.png"
        await oryn.network_start()
        assert (await oryn.network_stop()).data == {"requests": 0}
        with pytest.raises(ElementNotFound, match="element not found"):
            await oryn.click("Sell")
        with pytest.raises(UnknownCommand):
            await oryn.run("clck 3")
    with pytest.raises(NotConnected):
        await oryn.title()
    async with Oryn("daemon") as again:
        other = again.with_options(session="library")
        assert (await other.title()).data == "Shop"
        assert (await other.end_session()).data == {"closed": ["library"]}


async def queued(daemon: RunningDaemon, session: str) -> list[str]:
    """The actions that run or wait in a session; other tests share the daemon."""
    sessions = (await daemon.client.get("/status")).json()["sessions"]
    return [each["action"] for one in sessions if one["name"] == session for each in one["queue"]]


async def test_a_command_that_is_given_up_is_cancelled(daemon: RunningDaemon, home: Path) -> None:
    async with Oryn("daemon", session="waits") as oryn:
        await oryn.goto("about:blank")
        waiting = asyncio.create_task(oryn.wait(60))
        while not await queued(daemon, "waits"):
            pass
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await oryn.title()).data == ""
        rows = (await daemon.client.get("/history", params={"session": "waits"})).json()["rows"]
        assert [row["error_kind"] for row in rows if row["action"] == "wait"] == ["cancelled"]
        await oryn.end_session()


async def test_requests_that_the_daemon_rejects(daemon: RunningDaemon, home: Path) -> None:
    async with Oryn("daemon", session="x" * 200) as oryn:
        with pytest.raises(OrynError, match="session"):
            await oryn.title()


@pytest.mark.slow
async def test_a_daemon_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORYN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ORYN_IDLE_STOP", "5s")
    async with Oryn("daemon") as oryn:
        assert (await oryn.devices()).data
        stop = [sys.executable, "-m", "oryn", "daemon", "stop"]
        process = await asyncio.create_subprocess_exec(*stop, stdout=asyncio.subprocess.DEVNULL)
        assert await process.wait() == 0
        assert (await oryn.title()).data == ""  # by the next daemon


def test_boundaries_are_no_part_of_a_record() -> None:
    response = {
        "ok": False,
        "action": "click",
        "text": "error …",
        "error": "ELEMENT_NOT_FOUND",
        "error_kind": "element_not_found",
        "hint": None,
        "data": {
            "command": "click 3",
            "boundary": "0a",
            "page-0a": {"error": {"message": "element not found", "hint": "Look."}, "page": {"url": "u", "title": "t"}},
        },
    }
    assert record_of(response) == {
        "ok": False,
        "command": "click 3",
        "text": "error …",
        "page": {"url": "u", "title": "t"},
        "error": {"code": "ELEMENT_NOT_FOUND", "message": "element not found", "hint": "Look."},
    }


async def test_the_description_has_the_result_of_every_command(daemon: RunningDaemon) -> None:
    description = (await daemon.client.get("/openapi.json")).json()
    schemas = description["components"]["schemas"]
    results = schemas["Results"]["properties"]
    names = {each.action for each in methods()}
    assert names <= set(results)
    assert {name.split("_")[0] for name in results} <= {name.split("_")[0] for name in api_vocabulary().verbs}
    titles = Draft202012Validator({**results["tabs"], "components": description["components"]})
    assert titles.is_valid([{"number": 1, "url": "about:blank", "title": "", "current": True}])
    assert not titles.is_valid([{"number": 1}])
    assert schemas["Response"]["properties"]["data"]["anyOf"][0] == {"$ref": "#/components/schemas/Answer"}
