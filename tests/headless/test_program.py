"""Programs in a real browser: their functions, what stops them, how they go on, and what their answers say."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Options, Session
from oryn.engine.policy.policy import Policy
from oryn.engine.takeover import Takeover
from oryn.errors import OrynError
from oryn.language import Line, Program
from oryn.sandbox.monty import new_interpreter
from tests.headless.conftest import OPTIONS, Driver, Pages

pytest.importorskip("pydantic_monty")

SHOP = """<link rel=icon href=data:,><title>shop</title>
<ul><li>Fern 12 <button onclick="add('fern')">Add fern</button><li>Palm 45 <button onclick="add('palm')">Add palm</button>
<li>Aloe 8 <button onclick="add('aloe')">Add aloe</button></ul>
<p id=cart>cart:</p><button>Idle</button><button onclick="alert('stop')">Warn</button><a href="/away">Away</a>
<label>Note <input></label><label>Password <input type=password></label>
<script>function add(name) { document.getElementById('cart').textContent += ' ' + name }</script>"""


@pytest.fixture
def oryn(oryn: Driver) -> Driver:
    oryn.session.new_interpreter = new_interpreter
    return oryn


async def run_program(oryn: Driver, text: str, **options: Any) -> Answer:
    return await oryn.session.execute(Line.of(Program(text=text, **options)))


async def value_of(oryn: Driver, text: str, **options: Any) -> Any:
    answer = await run_program(oryn, text, **options)
    assert answer.error is None, answer.render()
    return answer.data["value"]


def error_of(answer: Answer) -> OrynError:
    assert answer.error is not None, answer.render()
    return answer.error


# --- functions ---


async def test_a_program_looks_and_acts_with_a_loop_and_a_condition(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = """import re
for button in observe():
    if button.name.startswith("Add"):
        price = int(re.search(button.name.split()[1].title() + r" (\\d+)", text()).group(1))
        if price < 30:
            click(button)
text("#cart") if False else text(selector="#cart")"""
    answer = await run_program(oryn, text)
    assert answer.data["value"] == "cart: fern aloe", answer.render()
    assert answer.data["commands"] == {"text": 4, "click": 2, "observe": 1}
    assert answer.data["failed"] == 0
    assert "7 commands in" in answer.lines[0]
    assert answer.page == (oryn.pages.url("/"), "shop")


async def test_what_acts_returns_its_changes(oryn: Driver) -> None:
    await oryn.show(SHOP)
    assert await value_of(oryn, "[change.kind for change in click('Add fern')]") == ["text"]
    assert await value_of(oryn, "click('Idle')") == []


async def test_elements_have_number_role_name_state_and_value(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = "type('Note', 'hello')\nnote = [e for e in observe() if e.name == 'Note'][0]\n"
    assert await value_of(oryn, text + "[note.type, note.name, note.value, type('Note', '2') != 0, page.title]") == [
        "input", "Note", "hello", True, "shop"
    ]  # fmt: skip


@pytest.mark.slow
async def test_an_element_of_an_earlier_page_is_never_another_one(oryn: Driver) -> None:
    page = "<title>list</title>" + "".join(f"<a href=/{n}>Plant</a><a href=/{n}>Plant {n}</a>" for n in range(2))
    oryn.pages["/0"] = "<title>zero</title>"
    await oryn.show(page, "/list")
    text = "links = observe()\nclick(links[{}])\nback()\nclick(links[{}])\npage.title"
    assert await value_of(oryn, text.format(1, 1)) == "zero"
    await oryn.show(page, "/list")
    assert error_of(await run_program(oryn, text.format(0, 0))).code == "AMBIGUOUS"


async def test_a_name_may_be_a_command_and_a_variable(oryn: Driver) -> None:
    await oryn.show(SHOP)
    assert await value_of(oryn, "title = title()\ntitle") == "shop"


# --- errors ---


async def test_an_act_that_is_not_done_is_an_exception(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = "try:\n    click('Nothing')\nexcept OrynError as error:\n    found = error.code\nfound"
    answer = await run_program(oryn, text)
    assert answer.data["value"] == "ELEMENT_NOT_FOUND"
    assert "failed: 1 click" in answer.lines[0]  # though the program does not say so


@pytest.mark.slow
async def test_an_error_stops_it_with_line_command_variables_and_how_to_go_on(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = "done = 0\nfor name in ['Add fern', 'Add cactus', 'Add aloe']:\n    click(name)\n    done += 1\ndone"
    answer = await run_program(oryn, text)
    error = error_of(answer)
    assert error.code == "ELEMENT_NOT_FOUND"
    assert error.message.startswith('line 3, click "Add cactus": ')
    stopped = answer.data["stopped"]
    assert stopped["line"] == 3
    assert stopped["variables"] == {"done": "1", "name": "'Add cactus'"}
    await oryn.ok(
        """eval "document.body.append(Object.assign(document.createElement('button'), {textContent: 'Add cactus'}))" """
    )
    again = await oryn.session.execute(f"program --from {stopped['resume']}")
    assert again.data["value"] == 3, again.render()
    assert "fern aloe" in await oryn.ok("text --selector '#cart'"), "nothing ran twice"
    assert error_of(await oryn.session.execute(f"program --from {stopped['resume']}")).code == "PROGRAM_NOT_FOUND"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("x = 1\ny = (", "INVALID_PROGRAM", "line 2, column 6: "),
        ("x = 1\ndel x", "INVALID_PROGRAM", "line 2, column 1: "),
        ("clik('Save')", "PROGRAM_FAILED", "line 1, column 1: NameError: name 'clik' is not defined. did you mean click"),
        ("\nclick('a', 'b')", "PROGRAM_FAILED", "line 2, column 1: TypeError: click takes 1 positional value"),
        ("import os\nos.listdir('/')", "PROGRAM_FAILED", "line 2, column 1: PermissionError: "),
        ("while True:\n    x = 1", "PROGRAM_LIMIT", ""),
        ("def f(): return f()\nf()", "PROGRAM_LIMIT", "line 1, column 17: RecursionError: "),
        ("x = 'a'\nwhile True: x += x", "PROGRAM_LIMIT", ""),
    ],
)  # fmt: skip
async def test_bad_input(oryn: Driver, monkeypatch: pytest.MonkeyPatch, text: str, code: str, message: str) -> None:
    monkeypatch.setattr("oryn.sandbox.monty.MAX_COMPUTING_SECONDS", 0.5)
    error = error_of(await run_program(oryn, text))
    assert (error.code, error.message[: len(message)]) == (code, message)


async def test_long_output_is_cut(oryn: Driver) -> None:
    answer = await run_program(oryn, "for i in range(2000): print('x' * 5000)")
    assert answer.block is not None and len(answer.block) < 21_000
    assert "9982000 characters more were printed" in answer.block


# --- surprises ---


async def test_a_dialog_stops_it_and_can_be_allowed(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = "try:\n    click('Warn')\nexcept:\n    pass\nclick('Add fern')\n'end'"
    answer = await run_program(oryn, text)
    assert error_of(answer).code == "PROGRAM_STOPPED"
    assert answer.data["stopped"]["line"] == 2
    again = await oryn.session.execute(f"program --from {answer.data['stopped']['resume']}")
    assert again.data["value"] == "end", again.render()
    assert again.data["commands"] == {"click": 1}, "the click that was done is not repeated"
    assert await value_of(oryn, "allow(dialogs=True)\nclick('Warn')\n'end'") == "end"


@pytest.mark.slow
async def test_another_origin_stops_it_and_can_be_allowed(oryn: Driver) -> None:
    away = oryn.pages.url("/there", "localhost")
    oryn.pages["/away"] = (302, {"Location": away}, "")
    oryn.pages["/there"] = "<title>there</title>"
    await oryn.show(SHOP)
    answer = await run_program(oryn, "click('Away')\npage.title")
    assert error_of(answer).code == "PROGRAM_STOPPED"
    assert "localhost" in error_of(answer).message
    again = await oryn.session.execute(f"program --from {answer.data['stopped']['resume']}")
    assert again.data["value"] == "there", again.render()
    await oryn.show(SHOP)
    host = away.split("/")[2]
    assert await value_of(oryn, f"allow(origins=['{host}'])\nclick('Away')\npage.title") == "there"


@pytest.mark.slow
async def test_a_takeover_stops_it(oryn: Driver) -> None:
    await oryn.show(SHOP)
    takeovers: list[Takeover] = []

    def take(command: object) -> None:
        oryn.session.on_answer = None
        takeovers.append(oryn.session.control.take("token"))

    oryn.session.on_answer = take
    answer = await run_program(oryn, "title()\nclick('Add fern')")
    takeover = takeovers[0]
    oryn.session.control.release(takeover, returned=True)
    assert error_of(answer).code == "TAKEN_OVER"
    assert answer.data["stopped"]["line"] == 2
    again = await oryn.session.execute(f"program --from {answer.data['stopped']['resume']}")
    assert again.ok, again.render()


async def test_a_cancelled_program_ends_at_once_and_the_session_is_good(oryn: Driver) -> None:
    await oryn.show(SHOP)
    for text in ("while True: pass", "wait(20)", "import time\ntime.sleep(20)"):
        running = asyncio.create_task(run_program(oryn, text))
        await asyncio.sleep(0.2)  # no event says that a loop without commands runs
        running.cancel()
        begun = time.perf_counter()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert time.perf_counter() - begun < 0.1
        assert await oryn.ok("title") == 'ok title\n\n"shop"'


@pytest.mark.slow
async def test_the_process_of_a_program_is_killed(oryn: Driver) -> None:
    await oryn.show(SHOP)
    running = asyncio.create_task(run_program(oryn, "click('Add fern')\nwhile True: pass"))
    ended = asyncio.Event()
    oryn.session.on_answer = lambda command: ended.set()
    await ended.wait()
    oryn.session.on_answer = None
    for worker in children():
        os.kill(worker, signal.SIGKILL)
    answer = await running
    assert error_of(answer).code == "PROGRAM_FAILED"
    assert answer.data["commands"] == {"click": 1}
    assert "cart: fern" in await oryn.ok("text --selector '#cart'")
    assert await value_of(oryn, "1 + 1") == 2


def children() -> set[int]:
    """The workers of programs that run below this process."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"monty" in words and parent == os.getpid():
            found.add(int(folder.name))
    return found


# --- limits of the user ---


@pytest.fixture
def limited(
    request: pytest.FixtureRequest, browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> Iterator[Driver]:
    """A session with the policy that the test names."""
    pages.bodies.clear()
    options: Options = OPTIONS.replace(policy=Policy.of(**request.param))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=options)
    session.new_interpreter = new_interpreter
    yield Driver(session, pages)
    run(session.close())


@pytest.mark.parametrize("limited", [{"read_only": True}], indirect=True)
async def test_a_read_only_session_runs_programs_that_only_look(limited: Driver) -> None:
    await limited.show(SHOP)
    assert await value_of(limited, "len(observe()) > 3") is True
    answer = await run_program(limited, "try:\n    click('Add fern')\nexcept Exception:\n    pass")
    assert error_of(answer).code == "READ_ONLY"


@pytest.mark.slow
@pytest.mark.parametrize("limited", [{"confirm": ["click"]}], indirect=True)
async def test_a_confirmation_stops_it_and_its_command_is_done_once(limited: Driver) -> None:
    await limited.show(SHOP)
    answer = await run_program(limited, "click('Add fern')\nclick('Add aloe')\n'end'")
    error = error_of(answer)
    assert error.code == "CONFIRMATION_REQUIRED"
    assert (await limited.session.confirmations.confirm(error.id)).ok  # type: ignore[attr-defined]
    again = await limited.session.execute(f"program --from {answer.data['stopped']['resume']}")
    assert error_of(again).code == "CONFIRMATION_REQUIRED"
    limited.session.confirmations.deny(again.error.id)  # type: ignore[union-attr]
    refused = await limited.session.execute(f"program --from {again.data['stopped']['resume']}")
    assert error_of(refused).code == "CONFIRMATION_DENIED"
    assert "cart: fern\n" in await limited.ok("text --selector '#cart'") + "\n"


# --- answers ---


@pytest.mark.slow
async def test_reports_of_acts_are_a_choice(oryn: Driver) -> None:
    await oryn.show(SHOP)
    text = "click('Add fern')\nclick('Idle')\nclick('Add aloe')"
    acts = {
        choice: [act["command"] for act in (await run_program(oryn, text, report=choice)).data["acts"]]
        for choice in ("none", "last", "all")
    }
    assert acts == {
        "none": [],
        "last": ['click "Idle"', 'click "Add aloe"'],
        "all": ['click "Add fern"', 'click "Idle"', 'click "Add aloe"'],
    }


async def test_monty_missing_is_a_hint(oryn: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydantic_monty", None)
    error = error_of(await run_program(oryn, "1"))
    assert error.code == "NOT_SUPPORTED"
    assert "pip install 'oryn-browser[program]'" in str(error.hint)
    await oryn.show(SHOP)


async def test_other_commands_run_between_those_of_a_yielding_program(oryn: Driver) -> None:
    await oryn.show(SHOP)
    ran: list[str] = []
    oryn.session.on_answer = lambda command: ran.append(type(command).__name__)
    text = "title()\nurl()\ntitle()"
    for yielding, expected in ((False, 4), (True, 1)):
        ran.clear()
        running = asyncio.create_task(run_program(oryn, text, yielding=yielding))
        await asyncio.sleep(0)  # the program has its turn
        await oryn.ok("count li")
        assert (await running).ok
        assert ran.index("Count") == expected
    oryn.session.on_answer = None
