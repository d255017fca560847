"""`trace start` and `trace stop`: one zip with Chrome's own trace, the commands with answers, and pictures."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.language import Line, Program
from oryn.sandbox.monty import new_interpreter

PAGE = """<title>Shop</title><button onclick="document.title = 'Bought'">Buy</button>
<input placeholder="Name"><input type="password" placeholder="Password">"""


@pytest.fixture(autouse=True)
def no_trace_is_left(oryn: Any, run: Any) -> Iterator[None]:
    yield
    while oryn.session.recorders:
        run(oryn.session.recorders.pop().close())


def archive(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def records(files: dict[str, bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files["commands.jsonl"].splitlines()]


@pytest.mark.slow
async def test_a_trace_has_commands_answers_pictures_and_chromes_own(oryn: Any, tmp_path: Path) -> None:
    file = tmp_path / "t.zip"
    await oryn.show(PAGE)
    assert await oryn("trace start") == "ok trace start"
    await oryn.ok("observe")
    await oryn.ok("click Buy")
    await oryn("click Nothing")
    assert await oryn(f"trace stop {file}") == f'ok trace stop {file}\n\n"{file}"\n3 commands'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    files = archive(file)
    assert [(one["number"], one["command"], one["ok"]) for one in records(files)] == [
        (1, "observe", True),
        (2, 'click "Buy"', True),
        (3, 'click "Nothing"', False),
    ]
    observed, clicked, failed = records(files)
    assert observed["before"] is None and observed["after"] is None
    assert '[1] button "Buy"' in observed["answer"]
    assert failed["answer"].startswith('error click "Nothing": element not found')
    assert 0 < observed["started"] < clicked["started"] and 0 < clicked["seconds"] < 10
    for when in ("before", "after"):
        assert files[clicked[when]].startswith(b"\xff\xd8")
    assert sorted(files) == sorted(
        ["trace.json", "commands.jsonl", "index.html"]
        + [f"pictures/000{number}-{when}.jpg" for number in (2, 3) for when in ("before", "after")]
    )
    events = json.loads(files["trace.json"])["traceEvents"]
    assert {"name", "ph", "pid", "tid", "ts"} <= events[-1].keys()
    assert any(event["name"] == "EventDispatch" and event["args"]["data"]["type"] == "click" for event in events)


@pytest.mark.slow
async def test_the_page_shows_it_all_without_network_or_script(oryn: Any, tmp_path: Path) -> None:
    """What a page says can't become markup of the viewer."""
    await oryn.show(
        f"{PAGE}<p>&lt;/pre&gt;&lt;script&gt;document.title = 'owned'&lt;/script&gt;&lt;img src=//a.example&gt;"
    )
    await oryn.ok("trace start")
    await oryn.ok("text")
    await oryn.ok('type Name "<b>Ada</b>"')
    await oryn.ok(f"trace stop {tmp_path / 't.zip'}")
    page = archive(tmp_path / "t.zip")["index.html"].decode()
    assert "<script" not in page and "<b>" not in page
    assert re.findall(r'(?:src|href)="(.{11})', page) == ["data:image/"] * 2
    await oryn.show(page, "/viewer")
    assert await oryn("title") == 'ok title\n\n"Oryn trace"'
    shown = await oryn.ok("text")
    assert "<script>document.title = 'owned'</script>" in shown and 'type "Name" "<b>Ada</b>"' in shown
    sizes = "[...document.images].map(one => one.decode().then(() => one.naturalWidth))"
    assert await oryn.session.page.evaluate(f"Promise.all({sizes})") == [1280, 1280]
    assert await oryn.session.page.evaluate("document.querySelectorAll('details').length") == 2


@pytest.mark.slow
async def test_secrets_are_dots(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    await oryn.ok("trace start")
    await oryn('login "ada" "s3cret-word"')
    await oryn.ok(f"trace stop {tmp_path / 't.zip'}")
    files = archive(tmp_path / "t.zip")
    assert records(files)[0]["command"].startswith('login "ada" "••')
    assert b"s3cret-word" not in files["commands.jsonl"] + files["index.html"]


async def test_the_path_may_be_given_first_or_not_at_all(oryn: Any, tmp_path: Path) -> None:
    await oryn.ok(f"trace start {tmp_path / 'first.zip'}")
    assert (await oryn("trace stop")).endswith(f'"{tmp_path / "first.zip"}"\n0 commands')
    oryn.session.options = Options(timeout=60, trace_folder=tmp_path / "traces")
    await oryn.ok("trace start")
    await oryn.ok("title")
    answer = await oryn.ok("trace stop")
    (name,) = names_in(tmp_path / "traces")
    assert answer.endswith(f'"{tmp_path / "traces" / name}"\n1 command') and re.fullmatch(r"trace-[\w-]+\.zip", name)
    assert records(archive(tmp_path / "traces" / name))[0]["command"] == "title"


async def test_errors(oryn: Any, tmp_path: Path) -> None:
    assert await oryn("trace stop") == "error trace stop: no trace is running\n\n# hint\nBegin one: trace start."
    answer = await oryn.session.execute("trace start /nowhere/at/all/t.zip")
    assert answer.error is not None and answer.error.code == "FILE_ERROR"
    await oryn.ok("trace start")
    answer = await oryn.session.execute("trace start")
    assert answer.render() == ("error trace start: a trace is running already\n\n# hint\nEnd it first: trace stop.")
    assert answer.error.code == "ALREADY_RUNNING"
    answer = await oryn.session.execute("trace stop /nowhere/at/all/t.zip")
    assert answer.error.code == "FILE_ERROR"
    assert (await oryn(f"trace stop {tmp_path / 't.zip'}")).endswith("2 commands"), "a wrong path ends nothing"
    answer = await oryn.session.execute("trace stop")
    assert answer.error.code == "NOT_RUNNING"


async def test_a_trace_that_gets_no_time(oryn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracing = oryn.session.browser.tracing
    stop = tracing.stop
    monkeypatch.setattr(tracing, "stop", lambda write, timeout: stop(write, timeout=0))
    await oryn.ok("trace start --timeout 5s")
    answer = await oryn.session.execute(f"trace stop {tmp_path / 't.zip'}")
    assert answer.error is not None and answer.error.code == "TIMEOUT"
    assert names_in(tmp_path) == [] and oryn.session.recorders == []
    monkeypatch.undo()
    await oryn.ok("trace start")
    await oryn.ok(f"trace stop {tmp_path / 't.zip'} --timeout 10s")


async def test_a_process_traces_once_at_a_time(oryn: Any, browser: ChromiumBrowser, tmp_path: Path) -> None:
    other = Session(browser, "other", Options(timeout=60))
    other.startup.launch()
    await other.execute("trace start")
    assert await oryn("trace start") == (
        "error trace start: a trace is running in this browser already\n\n"
        "# hint\nIt may be another session's: end it there with 'trace stop'."
    )
    assert oryn.session.recorders == []
    await other.recorders.pop().close()
    await oryn.ok("trace start")
    await oryn.ok(f"trace stop {tmp_path / 't.zip'}")


@pytest.mark.slow
async def test_an_action_that_a_dialog_interrupts_has_no_second_picture(oryn: Any, tmp_path: Path) -> None:
    await oryn.show("<button onclick=\"confirm('Sure?')\">Ask</button>")
    await oryn.ok("trace start")
    await oryn.ok("click Ask")
    await oryn.ok("dialog accept")
    await oryn.ok(f"trace stop {tmp_path / 't.zip'}")
    clicked, accepted = records(archive(tmp_path / "t.zip"))
    assert clicked["before"] and clicked["after"] is None
    assert accepted["before"] is None and accepted["after"]


@pytest.mark.slow
async def test_a_crashed_browser_takes_only_its_own_trace_along(tmp_path: Path) -> None:
    browser = ChromiumBrowser(runtime_dir=tmp_path / "run")
    session = Session(browser, options=Options(timeout=60))
    try:
        await session.execute("trace start")
        await session.execute("goto about:blank")
        root = browser.page.channel.session.connection.root  # type: ignore[attr-defined]
        info = await root.call("SystemInfo.getProcessInfo")
        (process,) = (one["id"] for one in info["processInfo"] if one["type"] == "browser")
        os.kill(process, signal.SIGKILL)
        failed = (await session.execute("observe")).render()
        assert failed.startswith("error observe")
        answer = (await session.execute(f"trace stop {tmp_path / 't.zip'}")).render()
        assert answer == (
            f'ok trace stop {tmp_path / "t.zip"}\n\n"{tmp_path / "t.zip"}"\n2 commands\n\n'
            "# note\nwithout the browser's own trace: the browser that was traced is gone"
        )
        files = archive(tmp_path / "t.zip")
        assert "trace.json" not in files and [one["ok"] for one in records(files)] == [True, False]
        assert "was lost with the browser" in files["index.html"].decode()
    finally:
        await session.close()


@pytest.mark.slow
async def test_closing_the_session_leaves_nothing(tmp_path: Path) -> None:
    browser = ChromiumBrowser(runtime_dir=tmp_path / "run")
    session = Session(browser, options=Options(timeout=60))
    await session.execute(f"trace start {tmp_path / 't.zip'}")
    await session.execute("goto about:blank")
    await session.close()
    assert session.recorders == [] and names_in(tmp_path / "run") == [] and names_in(tmp_path) == ["run"]


@pytest.mark.slow
async def test_a_page_that_hangs_in_another_session_does_not_hold_up_a_trace(
    oryn: Any, isolated: Any, tmp_path: Path
) -> None:
    await isolated.show("<title>Busy</title>")
    busy = "const end = Date.now() + 15000; while (Date.now() < end);"
    assert "the script did not end in time" in await isolated(f"eval '{busy}' --timeout 500ms")
    await oryn.show(PAGE)
    await oryn.ok("trace start --timeout 8s")
    await oryn.ok("click Buy")
    await oryn.ok(f"trace stop {tmp_path / 't.zip'}")
    events = json.loads(archive(tmp_path / "t.zip")["trace.json"])["traceEvents"]
    assert any(event.get("args", {}).get("data", {}).get("type") == "click" for event in events)


@pytest.mark.slow
async def test_the_commands_of_a_program_are_under_it(oryn: Any, tmp_path: Path) -> None:
    pytest.importorskip("pydantic_monty")
    oryn.session.new_interpreter = new_interpreter
    await oryn.show(PAGE)
    await oryn.ok("trace start")
    text = """observe()
for name in ['Buy', 'Sell']:
    try:
        click(name, timeout=1)
    except OrynError:
        title()"""
    assert (await oryn.session.execute(Line.of(Program(text=text)))).ok
    await oryn.ok("title")
    file = tmp_path / "t.zip"
    assert "6 commands" in await oryn.ok(f"trace stop {file}")
    files = archive(file)
    found = records(files)
    assert [(one["number"], one["program"], one["command"].split()[0]) for one in found] == [
        (1, None, "program"), (2, 1, "observe"), (3, 1, "click"), (4, 1, "click"), (5, 1, "title"), (6, None, "title")
    ]  # fmt: skip
    program, *inner, _ = found
    assert program["started"] < inner[0]["started"]
    assert sum(one["seconds"] for one in inner) < program["seconds"]
    assert files[program["before"]].startswith(b"\xff\xd8")
    await oryn.show(files["index.html"].decode(), "/viewer")
    script = "[...document.querySelectorAll('details')].map(e => e.parentElement.closest('details') ? 1 : 0).join('')"
    assert "| 011110" in await oryn(f'eval "{script}"')
