"""A session without a working browser: what it answers all the same. Also runs in WebAssembly."""

from __future__ import annotations

import json

import pytest

from oryn.browsers.base import Browser, Page
from oryn.engine import Options, Session
from oryn.engine.handlers.registry import SESSION_COMMANDS
from oryn.errors import BrowserFailed
from oryn.language import COMMANDS


class UnstartedBrowser(Browser):
    """A browser with nothing but a page that can do nothing: every method is as `base` declares it."""

    mode = "headless"

    def __init__(self) -> None:
        self.starts = 0

    async def start(self) -> None:
        self.starts += 1

    async def close(self) -> None:
        pass

    @property
    def page(self) -> Page:
        return Page()


class FailingBrowser(UnstartedBrowser):
    async def start(self) -> None:
        self.starts += 1
        raise BrowserFailed("the browser did not start", "Run 'oryn doctor'.")


async def answer(line: str, session: Session | None = None) -> str:
    return (await (session or Session(UnstartedBrowser())).execute(line)).render()


async def test_errors_of_the_language_say_where_and_what_to_do() -> None:
    assert await answer("clik 5") == 'error clik 5: unknown command "clik" (at 0)\n\n# hint\ndid you mean click?'
    text = await answer("click 5#x")
    assert text.startswith("error click 5#x: ")
    assert "(at 7)" in text


@pytest.mark.parametrize("line", ["", "   ", "# only a comment"])
async def test_a_blank_line_has_an_empty_answer(line: str) -> None:
    assert await answer(line) == ""


async def test_commands_that_need_no_browser_start_none() -> None:
    browser = UnstartedBrowser()
    session = Session(browser)
    assert "click <target>" in await answer("help click", session)
    assert await answer("output json", session) == '{"ok":true,"command":"output json"}'
    assert json.loads(await answer("nope", session))["error"]["code"] == "UNKNOWN_COMMAND"
    assert await answer("output text # back", session) == "ok output text"
    left = await session.execute("quit")
    assert left.exit
    assert left.render() == "ok exit"
    assert browser.starts == 0


async def test_unsupported_browser_command_is_not_supported() -> None:
    hint = "# hint\nUse another command, or a mode that supports this one."
    assert await answer("observe") == f"error observe: not supported in this mode\n\n{hint}"
    assert await answer("pdf /x.pdf") == f"error pdf /x.pdf: not supported in this mode\n\n{hint}"


async def test_every_command_is_handled_or_says_that_it_is_not_supported() -> None:
    unhandled = {command.spec.name for command in COMMANDS if SESSION_COMMANDS.handler_of(command) is None}
    assert not unhandled & {"goto", "observe", "click", "type", "wait", "extract", "tabs", "frame", "login", "eval"}


async def test_a_browser_that_does_not_start_is_an_error_and_is_tried_again() -> None:
    browser = FailingBrowser()
    session = Session(browser)
    for _ in range(2):
        assert await answer("title", session) == (
            "error title: the browser did not start\n\n# hint\nRun 'oryn doctor'."
        )
    assert browser.starts == 2
    await session.close()


async def test_another_session_is_not_found_here() -> None:
    session = Session(UnstartedBrowser(), "work")
    assert (await answer("@other title", session)).startswith("error @other title: session not found")
    assert await answer("@work help click", session) == (await answer("help click", session)).replace(
        "ok help", "ok @work help"
    )


async def test_a_command_that_hangs_ends_at_its_time() -> None:
    class HangingBrowser(UnstartedBrowser):
        async def start(self) -> None:
            import asyncio

            await asyncio.Event().wait()

    session = Session(HangingBrowser(), options=Options(timeout=0.05))
    assert (await answer("title", session)).startswith("error title: not done after 0.05 s")
    await session.close()


async def test_a_long_line_is_not_repeated_whole() -> None:
    text = await answer("frob " + "x" * 100_000)
    assert len(text) < 1_000
    assert len(text.splitlines()[0]) < 300
