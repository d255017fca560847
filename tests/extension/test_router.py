"""Which tab a command goes to, when it starts, and that it is answered once. A page that does as it is told."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Browser, Page
from oryn.engine import Session
from oryn.errors import BrowserFailed
from oryn.extension import router as routing
from oryn.extension.files import MAX_RECEIVED_FILES, ReceivedFiles
from oryn.extension.popup.activity import CommandActivity
from oryn.extension.router import Router
from oryn.extension.sessions import TabSessions
from oryn.extension_server.messages import AnswerOptions, Cancel, EngineOptions, File, WireMessage


class FakeTabs:
    def __init__(self) -> None:
        self.active: int | None = 1
        self.numbers = {1, 2, 3}

    def has(self, number: int) -> bool:
        return number in self.numbers

    def on_left(self) -> None: ...


class FakePage(Page):
    """`eval` is all that it can: a script is the name of an event to wait for, or `fail`."""

    def __init__(self, router: FakeRouter, tab: int | None) -> None:
        self._one = router
        self._tab = tab

    async def evaluate(self, script: str, frame: Any = None, *, timeout: float = 30) -> Any:
        self._one.begun.append((script, self._tab))
        if script == "fail":
            raise RuntimeError("a bug")
        await self._one.event(script).wait()
        self._one.done.append(script)
        return script

    async def screenshot(self, **_: Any) -> bytes:
        return b"\x89PNG"


class FakeRemote(Browser):
    mode = "remote"

    def __init__(self, router: FakeRouter, tab: int | None) -> None:
        self._page = FakePage(router, tab)
        self._one = router
        self.closed = False

    @property
    def page(self) -> Page:
        return self._page

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        self.closed = True


class FakeRouter:
    """A router, and what it sends."""

    def __init__(self, folder: Path) -> None:
        self.tabs = FakeTabs()
        self.sent: list[str] = []
        self.begun: list[tuple[str, int | None]] = []
        self.done: list[str] = []
        self.browsers: list[FakeRemote] = []
        self.activity = CommandActivity(lambda: None)
        self.folder = folder
        self._events: dict[str, asyncio.Event] = {}
        self._something = asyncio.Event()
        self.sessions = TabSessions(self.tabs, self._make)
        self.router = Router(self.sessions, self.tabs, self._send, self.activity, folder)
        self.router.begin(files=True)

    def _make(self, name: str, tab: int | None) -> Session:
        browser = FakeRemote(self, tab)
        self.browsers.append(browser)
        return routing.create_session(browser, name)

    def _send(self, frame: str) -> None:
        self.sent.append(frame)
        self._something.set()

    @property
    def session(self) -> Session:
        """The default one."""
        return self.sessions.default

    def event(self, name: str) -> asyncio.Event:
        return self._events.setdefault(name, asyncio.Event())

    def says(self, *frames: str) -> None:
        for frame in frames:
            self.router.receive(WireMessage.read(frame, 10_000))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let the router work until it has done something."""
        async with asyncio.timeout(10):
            while not holds():  # noqa: ASYNC110 - turns of the loop, not time
                await asyncio.sleep(0)

    async def answers(self, count: int = 1) -> list[str]:
        """So many frames that it sends."""
        await self.until(lambda: len(self.sent) >= count)
        sent, self.sent = self.sent, []
        return sent

    async def scripts(self, *names: str) -> None:
        """Until these, and no others, have begun."""
        await self.until(lambda: len(self.begun) >= len(names))
        assert tuple(name for name, _ in self.begun) == names
        self.begun.clear()


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeRouter:
    # What `eval` does besides needs a page that can be scanned.
    async def execute(self: Session, command: Any) -> Any:
        from oryn.engine import Answer

        value = await self.page.evaluate(command.script)
        return Answer(lines=[value], data=value)

    from oryn.engine.handlers.registry import SESSION_COMMANDS
    from oryn.language import Eval

    SESSION_COMMANDS.handler_of(Eval)
    monkeypatch.setitem(SESSION_COMMANDS._handlers, Eval, execute)
    return FakeRouter(tmp_path / "files")


async def test_a_command_is_answered_with_its_id(router: FakeRouter) -> None:
    router.event("a").set()
    router.says('7:eval "a"')
    assert await router.answers() == ['7:ok eval "a"\n\na']
    assert router.router.controlled == {1}


async def test_serial_in_a_tab_and_concurrent_across_tabs(router: FakeRouter) -> None:
    router.says('1:eval "a"', '2:eval "b"', '3:@tab2 eval "c"', '4:@tab2 eval "d"', '5:@tab3 eval "e"')
    await router.scripts("a", "c", "e")
    router.event("e").set()
    router.event("b").set()
    assert await router.answers() == ['5:ok @tab3 eval "e"\n\ne']
    router.event("a").set()
    assert await router.answers(2) == ['1:ok eval "a"\n\na', '2:ok eval "b"\n\nb']
    router.event("c").set()
    router.event("d").set()
    assert await router.answers(2) == ['3:ok @tab2 eval "c"\n\nc', '4:ok @tab2 eval "d"\n\nd']
    assert router.router.controlled == {1, 2, 3}


async def test_the_active_tab_named_by_its_number_is_the_same_tab(router: FakeRouter) -> None:
    router.says('1:eval "a"', '2:@tab1 eval "b"', '3:session tab1 eval "c"')
    await router.scripts("a")
    for name in "abc":
        router.event(name).set()
    assert [each[0] for each in await router.answers(3)] == ["1", "2", "3"]


async def test_each_tab_has_a_session_of_its_own(router: FakeRouter) -> None:
    router.event("a").set()
    router.says('1:eval "a"', '2:@tab2 eval "a"', '3:@default eval "a"')
    await router.answers(3)
    assert router.begun == [("a", None), ("a", 2), ("a", None)]
    router.says("4:sessions")
    assert await router.answers() == ["4:ok sessions\n\n# active sessions\n- default (current)\n- tab2"]


async def test_a_tab_that_is_not_there(router: FakeRouter) -> None:
    router.says("1:@tab9 title")
    assert await router.answers() == [
        "1:error @tab9 title: tab not found\n\n# hint\nRun 'tabs' to see which there are."
    ]
    router.says("2:@work title")
    (answer,) = await router.answers()
    assert answer.startswith("2:error @work title: session not found")


async def test_a_tab_that_was_closed_is_not_found_any_more(router: FakeRouter) -> None:
    router.event("a").set()
    router.says('1:@tab2 eval "a"')
    await router.answers()
    router.tabs.numbers.remove(2)
    router.says('2:@tab2 eval "a"', "3:sessions")
    answers = await router.answers(2)
    assert any(each.startswith('2:error @tab2 eval "a": tab not found') for each in answers)
    await router.until(lambda: router.browsers[-1].closed)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (
            "session new work",
            "error session new work: not supported in this mode\n\n# hint\n"
            "There is one session for each tab: '@tab2 …' runs a line in tab 2.",
        ),
        (
            "session tab2",
            "error session tab2: not supported in this mode\n\n# hint\n"
            "'tab switch 2' makes the tab the active one, '@tab2 …' runs one line in it.",
        ),
        ("session close tab2", "error session close tab2: session not found\n\n# hint\nSessions: default."),
        (
            "session close default",
            "error session close default: not supported in this mode\n\n# hint\n"
            "The default session is the user's browser: only its user closes that.",
        ),
        ("session work", "error session work: session not found\n\n# hint\nSessions: default."),
        ("exit", "ok exit"),
        ("# a comment", ""),
        ("", ""),
        ("clik 5", 'error clik 5: unknown command "clik" (at 0)\n\n# hint\ndid you mean click?'),
        (
            "observe",
            "error observe: not supported in this mode\n\n# hint\n"
            "Use another command, or a mode that supports this one.",
        ),
    ],
)
async def test_answers_that_need_no_page(router: FakeRouter, line: str, answer: str) -> None:
    router.says(f"1:{line}")
    assert await router.answers() == [f"1:{answer}"]


async def test_output_json_holds_for_all_tabs_of_a_connection(router: FakeRouter) -> None:
    router.event("a").set()
    router.says("1:output json")
    assert await router.answers() == ['1:{"ok":true,"command":"output json"}']
    router.says('2:@tab2 eval "a"', "3:nope")
    answers = {each[0]: json.loads(each[2:]) for each in await router.answers(2)}
    assert (answers["2"]["ok"], answers["3"]["ok"]) == (True, False)
    router.router.drop()
    router.router.begin(files=True)
    router.says("1:help exit")
    assert (await router.answers())[0].startswith("1:ok help exit")


async def test_data_comes_before_the_answer_where_it_is_wanted(router: FakeRouter) -> None:
    router.event("a").set()
    router.router.on_control(AnswerOptions(True))
    router.says('1:eval "a"')
    data, answer = await router.answers(2)
    assert data == '0:data 1 {"answer":{"ok":true,"command":"eval \\"a\\"","result":"a"},"generation":0}'
    assert answer == '1:ok eval "a"\n\na'
    router.router.on_control(AnswerOptions(False))
    router.says('2:eval "a"')
    assert await router.answers() == ['2:ok eval "a"\n\na']


async def test_engine_options_apply_to_later_commands(router: FakeRouter) -> None:
    router.router.on_control(EngineOptions(timeout=7, strict=True, settle_limit=0.5, observe_limit=3))
    router.says("1:title")
    router.router.on_control(EngineOptions(strict=True))
    await router.answers()
    options = router.session.options
    assert (options.timeout, options.strict, options.settle_limit, options.observe_limit) == (7, True, 0.5, 3)
    router.says("2:title")
    await router.answers()
    options = router.session.options
    assert (options.timeout, options.strict, options.observe_limit, options.only_clicks_press) == (30, True, 200, False)
    router.router.on_control(EngineOptions(confirms_presses=True))
    router.says("3:title")
    await router.answers()
    assert router.session.options.only_clicks_press
    router.router.drop()
    router.router.begin(files=True)
    router.says("1:title")
    await router.answers()
    assert not router.session.options.strict


async def test_a_file_of_the_servers_is_there_for_its_command_alone(router: FakeRouter) -> None:
    router.event("a").set()
    router.router.on_control(File(4, "page.html", b"<title>Told</title>"))
    router.says("3:intercept https://a.example/ --respond-file page.html")
    assert (await router.answers())[0].endswith("The browser reads no files of the server's computer.")
    router.says("4:intercept https://a.example/ --respond-file ../page.html")
    (answer,) = await router.answers()
    assert ": not supported in this mode" in answer and "reads no files" not in answer
    router.router.on_control(File(5, "page.html", b""))
    router.router.begin(files=True)
    router.says("5:intercept https://a.example/ --respond-file page.html")
    assert (await router.answers())[0].endswith("The browser reads no files of the server's computer.")


async def test_files_without_commands_do_not_pile_up(router: FakeRouter) -> None:
    given = ReceivedFiles()
    for id in range(1, MAX_RECEIVED_FILES + 2):
        given.add(File(id, "a.js", b""))
    assert given.take(1) == []
    assert given.take(2) == [File(2, "a.js", b"")]
    assert given.take(2) == []


async def test_a_file_comes_before_the_answer(router: FakeRouter) -> None:
    router.says("5:screenshot --output shop.png")
    file, answer = await router.answers(2)
    assert (
        file == f"0:file 5 {base64.b64encode(b'shop.png').decode()} {base64.b64encode(bytes([137]) + b'PNG').decode()}"
    )
    assert answer == f'5:ok screenshot --output shop.png\n\n"{router.folder}/5/shop.png"'
    assert not (router.folder / "5").exists()


async def test_a_picture_without_a_name_is_a_file_too(router: FakeRouter) -> None:
    router.says("5:screenshot")
    file, answer = await router.answers(2)
    assert file.startswith("0:file 5 ")
    name = base64.b64decode(file.split(" ")[2]).decode()
    assert answer == f'5:ok screenshot\n\n"{router.folder}/5/{name}"'


@pytest.mark.parametrize("path", ["/etc/passwd.png", "../../x.png", "~/x.png"])
async def test_every_path_is_a_name_in_the_commands_own_folder(router: FakeRouter, path: str) -> None:
    router.says(f"5:screenshot --output {path}")
    file, _ = await router.answers(2)
    assert base64.b64decode(file.split(" ")[2]).decode() == Path(path).name


async def test_a_server_that_takes_no_files_gets_the_picture_in_the_answer(router: FakeRouter) -> None:
    router.router.begin(files=False)
    router.router.on_control(AnswerOptions(True))
    router.says("5:screenshot --output shop.png")
    data, answer = await router.answers(2)
    address = "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()
    assert answer == f'5:ok screenshot --output shop.png\n\n"{address}"'
    assert json.loads(data.partition("5 ")[2])["answer"]["result"]["path"] == address


async def test_files_of_the_servers_computer_are_not_read(router: FakeRouter) -> None:
    router.says("1:intercept https://a.example/ --respond-file secret.json")
    assert (await router.answers())[0].endswith(
        "secret.json: not supported in this mode\n\n# hint\nThe browser reads no files of the server's computer."
    )


async def test_an_id_counts_once(router: FakeRouter) -> None:
    router.says('1:eval "a"')
    await router.scripts("a")
    router.says('1:eval "a"')
    assert await router.answers() == ["0:error the id 1 was used before"], "the only answer of 1 is yet to come"
    router.event("a").set()
    await router.answers()
    router.says('1:eval "b"')
    assert await router.answers() == [
        '1:error eval "b": the id 1 was used before\n\n# hint\nGive each command an id of its own.'
    ]
    assert router.done == ["a"]


async def test_commands_in_flight_are_not_repeated_after_reconnect(router: FakeRouter) -> None:
    router.event("a").set()
    router.says('1:eval "a"')
    await router.answers()
    router.says('2:eval "b"', '3:eval "c"')
    await router.scripts("a", "b")
    router.router.drop()
    router.router.begin(files=True)
    router.says('2:eval "b"', '3:eval "c"', '1:eval "a"', '4:eval "a"')
    answers = await router.answers(4)
    for id, script in ((2, "b"), (3, "c")):
        assert (
            f'{id}:error eval "{script}": the command {id} was in flight when the connection was lost\n\n# hint\n'
            "It may have been done: run 'observe', then give it again with another id."
        ) in answers
    assert {'1:ok eval "a"\n\na', '4:ok eval "a"\n\na'} <= set(answers), "ids of an earlier connection may come again"
    assert router.done == ["a", "a", "a"]


async def test_dropped_command_is_not_answered_and_releases_its_tab(router: FakeRouter) -> None:
    router.says('1:eval "a"', '2:eval "b"')
    await router.scripts("a")
    router.router.drop()
    router.router.begin(files=True)
    router.event("c").set()
    router.says('1:eval "c"')
    assert await router.answers() == ['1:ok eval "c"\n\nc']
    assert [name for name, _ in router.begun] == ["c"], "b was waiting, and has gone"
    assert router.browsers[0].closed
    assert [row["status"] for row in router.activity.data()] == ["ok", "error", "error"]


async def test_command_dropped_before_its_start_releases_its_tab(router: FakeRouter) -> None:
    router.says('1:eval "a"')
    router.router.drop()
    router.router.begin(files=True)
    router.event("b").set()
    router.says('1:eval "b"')
    assert await router.answers() == ['1:ok eval "b"\n\nb']
    assert [name for name, _ in router.begun] == ["b"]


async def test_data_is_for_the_commands_that_came_while_it_was_wanted(router: FakeRouter) -> None:
    router.router.on_control(AnswerOptions(True))
    router.says('1:@tab1 eval "a"')
    router.router.on_control(AnswerOptions(False))
    router.says('2:@tab2 eval "b"')
    router.event("a").set()
    router.event("b").set()
    assert sorted(each[:8] for each in await router.answers(3)) == ["0:data 1", "1:ok @ta", "2:ok @ta"]


async def test_stop_answers_all_at_once_and_does_no_more(router: FakeRouter) -> None:
    router.says('1:eval "a"', '2:eval "b"', '3:@tab2 eval "c"')
    await router.scripts("a", "c")
    router.router.stop()
    hint = "\n\n# hint\nThe user wants it to end: ask before going on."
    assert router.sent == [
        f'1:error eval "a": stopped by the user{hint}',
        f'2:error eval "b": stopped by the user{hint}',
        f'3:error @tab2 eval "c": stopped by the user{hint}',
    ]
    assert router.router.controlled == set()
    await router.until(lambda: all(browser.closed for browser in router.browsers))
    assert len(router.sent) == 3
    assert router.done == []


async def test_a_server_cancels_what_runs_and_what_waits(router: FakeRouter) -> None:
    router.says('1:eval "a"', '2:eval "b"', '3:eval "c"', '4:@tab2 eval "d"')
    await router.scripts("a", "d")
    for id in (2, 1, 1, 99):
        router.router.on_control(Cancel(id))
    hint = "\n\n# hint\nWhat it had done by then is done: look before going on."
    assert router.sent == [
        f'2:error eval "b": cancelled by the client that sent it{hint}',
        f'1:error eval "a": cancelled by the client that sent it{hint}',
    ]
    router.sent.clear()
    await router.scripts("c")
    router.event("c").set()
    assert await router.answers() == ['3:ok eval "c"\n\nc']
    assert router.done == ["c"]


@pytest.mark.slow
async def test_no_more_commands_wait_than_may(router: FakeRouter) -> None:
    for id in range(1, routing.MAX_COMMANDS + 1):
        assert router.router.receive(WireMessage(id, 'eval "a"'))
    assert not router.router.receive(WireMessage(999, 'eval "a"'))
    assert router.sent == [
        '999:error eval "a": 256 commands wait\n\n# hint\nWait for some of them to end.',
    ]
    router.event("a").set()
    answers = await router.answers(routing.MAX_COMMANDS + 1)
    assert [int(each.partition(":")[0]) for each in answers[1:]] == list(range(1, routing.MAX_COMMANDS + 1))


async def test_a_bug_costs_one_answer(router: FakeRouter) -> None:
    router.says('1:eval "fail"')
    assert await router.answers() == [
        '1:error eval "fail": unexpected RuntimeError\n\n# hint\n'
        "This is a bug in Oryn: please report it at https://github.com/oryn-browser/oryn/issues."
    ]


async def test_a_browser_that_fails_costs_one_answer(router: FakeRouter, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(self: Any, name: str, tab: int | None) -> Session:
        if tab:
            raise BrowserFailed("the tab is gone", "Try another.")
        return routing.create_session(FakeRemote(router, tab), name)

    monkeypatch.setattr(router.router._sessions, "_create", make.__get__(router))
    router.says("1:@tab2 title", "2:help exit")
    answers = await router.answers(2)
    assert "1:error @tab2 title: the tab is gone\n\n# hint\nTry another." in answers


async def test_the_activity_has_lines_and_no_secrets(router: FakeRouter) -> None:
    router.says('1:typ password "hunter2"', '2:type password "hunter2"', '3:login "ada" "hunter2"', "4:help exit")
    await router.answers(4)
    rows = router.activity.data()
    assert [row["id"] for row in rows] == [4, 3, 2, 1]
    assert "hunter2" not in json.dumps(rows)
    assert [row["line"] for row in rows] == [
        "help exit",
        'login "ada" "••••"',
        'type password "••••"',
        "typ …",
    ]
    assert [row["status"] for row in rows] == ["ok", "error", "error", "error"]
    assert all(row["elapsed_ms"] >= 0 for row in rows)


async def test_the_activity_keeps_the_last_50(router: FakeRouter) -> None:
    router.event("a").set()
    for id in range(1, 61):
        router.says(f'{id}:eval "a"')
        await router.answers()
    rows = router.activity.data()
    assert [rows[0]["id"], rows[-1]["id"], len(rows)] == [60, 11, 50]
    assert rows[0]["tab"] == 1


async def test_an_answer_that_is_longer_than_a_message_may_be(
    router: FakeRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routing, "ANSWER_LIMIT", 300)
    router.event("x" * 300).set()
    router.says(f'1:eval "{"x" * 300}"')
    (answer,) = await router.answers()
    assert "…: the answer has " in answer
    assert answer.endswith("300 can be sent\n\n# hint\nAsk for a part of it: a selector, a limit, one element.")


async def test_a_flood_of_ids_forgets_none_of_the_latest(router: FakeRouter) -> None:
    for id in range(1, 5000):
        router.says(f"{id}:")
    await router.answers(4999)
    router.says("1:", "4999:", "5000:")
    assert [each.partition("\n")[0] for each in router.sent] == [
        "1:error: the id 1 was used before",
        "4999:error: the id 4999 was used before",
        "5000:",
    ]


async def test_a_request_is_answered_with_a_record(router: FakeRouter) -> None:
    router.event("a").set()
    router.says('1:{"action":"eval","args":{"script":"a"}}', '2:{"line":"@tab2 eval \\"a\\""}')
    router.says('3:{"action":"pay","args":{"card":"4711"}}')
    answers = {each[0]: each.partition(":")[2] for each in await router.answers(3)}
    assert json.loads(answers["1"]) == {"ok": True, "command": 'eval "a"', "result": "a", "text": 'ok eval "a"\n\na'}
    assert json.loads(answers["2"])["command"] == '@tab2 eval "a"'
    refused = json.loads(answers["3"])
    assert refused["error"]["code"] == "UNKNOWN_COMMAND" and "4711" not in answers["3"]
    router.says("4:url")
    assert (await router.answers())[0].startswith("4:")
