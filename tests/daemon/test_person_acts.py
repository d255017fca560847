"""What a person does on the live page while a test is recorded becomes its steps, in the words of commands."""

from __future__ import annotations

import json

import pytest

from oryn.testing.files import OpenRecording, OpenRecordings
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.live import LivePage
from tests.headless.conftest import Pages

FORM = """<title>Form</title><style>* { margin: 0; font: 20px sans-serif }
  input, button { position: absolute; left: 100px; width: 300px; height: 40px }
  #user { top: 50px } #secret { top: 120px } #go { top: 190px } p { position: absolute; top: 260px }</style>
<input id=user aria-label=User value=old><input id=secret type=password aria-label=Password>
<button id=go onclick="say.textContent = 'Hello, ' + user.value"><b>Go</b></button><p id=say role=status></p>"""
USER, SECRET, GO = (200, 70), (200, 140), (200, 210)


@pytest.fixture
def form(pages: Pages) -> str:
    pages["/form"] = FORM
    return pages.url("/form")


def rows(daemon: RunningDaemon) -> list[dict[str, object]]:
    text = (daemon.home / "data" / "daemon" / "actions.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def drive(live: LivePage, form: str) -> list[dict[str, object]]:
    """The rows of what a person does in the form."""
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    before = len(rows(live.daemon))
    await live.take_over()
    await live.press_at(*USER)
    await live.session.page.keyboard.press(("control", "a"))
    await live.type_keys("Ada")
    await live.press_at(*SECRET)
    await live.type_keys("lovelace")
    await live.press_at(*GO)
    await live.give_back()
    assert (await live.daemon.ok("eval secret.value"))["data"]["result"] == "lovelace"
    return rows(live.daemon)[before:-1]


@pytest.mark.slow
async def test_presses_and_texts_are_rows_while_a_test_is_recorded(live: LivePage, form: str) -> None:
    recordings = OpenRecordings(live.daemon.home / "data" / "daemon" / "recordings")
    recordings.begin(OpenRecording("/tmp/a.oryntest", "default", "2026-11-30T00:00:00.000000Z"))
    try:
        found = await drive(live, form)
    finally:
        recordings.end("default")
    assert [each["args"] for each in found] == [
        {"line": 'click input "User"'},
        {"line": 'type input "User" "Ada"'},
        {"line": 'click input "Password"'},
        {"line": 'type input "Password" "••••"'},
        {"line": 'click button "Go"'},
    ]
    assert found[4]["report"] == ['+ status "Hello, Ada"'] and found[3]["withheld"] and found[4]["targets"]
    assert "lovelace" not in json.dumps(found)


@pytest.mark.slow
async def test_nothing_is_recorded_without_a_test(live: LivePage, form: str) -> None:
    assert await drive(live, form) == []
