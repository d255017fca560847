"""The read-only mode: what may change something is refused before anything happens, by whatever way it comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.definitions import read_definition
from oryn.engine.plugin_tools import PluginTool, PluginTools
from oryn.engine.policy.policy import Policy
from tests.headless.conftest import Driver, Pages

PAGE = """<link rel=icon href=data:,><title>shop</title>
<form method=post action=/buy><label>Name <input name=n></label><input type=checkbox aria-label=Terms>
<input type=file aria-label=File><select aria-label=Size><option>S<option>L</select><button>Buy</button></form>
<p>Thirty <b>ferns</b></p>
<script>for (const kind of ['keydown', 'input', 'change', 'click', 'submit', 'focusin'])
  addEventListener(kind, () => document.title = 'changed by ' + kind)</script>"""
REFUSED = "# hint\nThe session only looks (read_only): only the user can change the setting."


@pytest.fixture
def oryn(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    pages.bodies.clear()
    options = Options(timeout=60, policy=Policy(read_only=True))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=options)
    yield Driver(session, pages)
    run(session.close())


@pytest.fixture
def sent(oryn: Driver) -> list[str]:
    """The methods of requests for `/buy`."""
    methods: list[str] = []

    def bought(request: Any) -> str:
        methods.append(request.command)
        return "<title>bought</title>"

    oryn.pages["/buy"] = bought
    return methods


async def code_of(oryn: Driver, line: str) -> str | None:
    error = (await oryn.session.execute(line)).error
    return error.code if error else None


@pytest.mark.slow
async def test_read_only_policy_allows_reading_and_navigation(oryn: Driver, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    assert "interception" not in oryn.session.browser._features.__dict__, "no request is stopped for it"  # type: ignore[attr-defined]
    await oryn.show("<link rel=icon href=data:,><title>two</title>", "/two")
    for line in (
        "back", "forward", "back", "refresh", "observe", "snapshot", "text", 'exists "b"', 'count "b"', "wait idle",
        "scroll down", 'hover "Buy"', "extract links", "requests", "console", "tabs", f"tab new {oryn.pages.url('/two')}",
        "tab switch 1", "frames", "cookies list", "storage list", "headers", "viewport 800 600", "dialog auto dismiss",
        f"screenshot --output {tmp_path / 'a.png'}", f"state save {tmp_path / 'state.json'}", "help", "output text",
        'highlight "Buy"', "intents", "throttle off", "script list", "clipboard read", "keys",
    ):  # fmt: skip
        await oryn.ok(line)


@pytest.mark.parametrize(
    "line",
    [
        'click "Buy"', 'type "Name" "Ann"', 'clear "Name"', "press enter", "keydown a", "keyup a",
        'select "Size" "L"', 'check "Terms"', 'uncheck "Terms"', 'focus "Name"', "submit", 'drag "Buy" to "Name"',
        'upload "File" /etc/hostname', 'clipboard write "a"', 'eval "document.title = 1"',
        """wait until "document.title = 'a'" """, "script add a.js", "script remove 1", "tool call a/b {}",
        'login "ann" "secret"', 'search "fern"', "dismiss popups", "accept_cookies", "logout", 'fill_form {"Name": "Ann"}',
        "cookies set a b", "cookies delete a", "cookies clear", "storage set a b", "storage delete a", "storage clear",
        "state load a.json", 'headers set {"X-A": "1"}', "headers clear", "intercept a --respond [1]", "intercept a --block",
        "intercept a", "intercept clear", 'credentials "ann" "secret"', "credentials clear", "dialog accept",
        "dialog auto accept", "learn save a", "learn discard", "program save a",
        "goto data:text/html,<script>fetch('/buy',{method:'POST'})</script>", "tab new data:text/html,a",
    ],
)  # fmt: skip
async def test_read_only_policy_rejects_changing_commands(oryn: Driver, sent: list[str], line: str) -> None:
    await oryn.show(PAGE)
    answer = await oryn.session.execute(line)
    assert answer.error is not None and answer.error.code == "READ_ONLY"
    assert answer.render().endswith(f" may change something\n\n{REFUSED}")
    assert await oryn.ok("title") == 'ok title\n\n"shop"'
    assert sent == []


async def test_read_only_error_names_command_and_reason(oryn: Driver) -> None:
    await oryn.show(PAGE)
    assert await oryn('click "Buy"') == f'error click "Buy": click may change something\n\n{REFUSED}'
    assert await oryn('type password "secret"') == f'error type password "••••": type may change something\n\n{REFUSED}'


@pytest.mark.parametrize(
    "steps",
    [
        ['click "Buy"'],
        [{"try": {"steps": ['click "Buy"'], "catch": ["url"]}}],
        [{"loop": {"times": 2, "steps": ["press enter"]}}],
        [{"branch": {"if": {"script": "document.title = 'changed'"}, "then": ["url"]}}],
        [{"branch": {"if": {"not": {"script": "document.title = 'changed'"}}, "then": ["url"]}}],
        ["run inner"],
    ],
)
async def test_custom_intent_does_not_bypass_read_only(oryn: Driver, sent: list[str], steps: Any) -> None:
    await oryn.show(PAGE)
    define(oryn, "inner", 'click "Buy"')
    define(oryn, "outer", "title", *steps, 'type "Name" "after"')
    answer = await oryn.session.execute("run outer")
    assert answer.error is not None and answer.error.code == "READ_ONLY", answer.render()
    assert answer.lines[0] == '1 title: "shop"'
    assert "after" not in answer.render(), "it ends there"
    assert await oryn.ok("title") == 'ok title\n\n"shop"'
    assert sent == []


async def test_an_intent_that_only_looks_runs(oryn: Driver) -> None:
    await oryn.show(PAGE)
    assert await oryn.ok('define look:\n  wait visible "ferns"\n  title') == ("ok define look:\n\n2 steps: run look")
    assert '2 title: "shop"' in await oryn.ok("run look")
    define(oryn, "search", "title")
    assert await code_of(oryn, 'search "fern"') == "READ_ONLY", "whatever one's own of that name would do"
    assert await code_of(oryn, "run logout") == "READ_ONLY"


async def test_a_tool_of_a_plugin_is_not_called(oryn: Driver) -> None:
    called = []

    class ShopTools(PluginTools):
        async def all(self) -> list[PluginTool]:
            return []

        async def call(self, name: str, arguments: Any, *, timeout: float) -> Any:
            called.append(name)

    oryn.session.tools = ShopTools()
    assert await code_of(oryn, "tool call shop/buy {}") == "READ_ONLY"
    assert called == []


async def test_a_form_that_the_page_has_sent_is_not_sent_again(oryn: Driver, sent: list[str]) -> None:
    await oryn.show("<form method=post action=/buy></form><script>document.forms[0].submit()</script>", "/auto")
    await oryn.ok('wait url "*/buy"')
    assert sent == ["POST"]
    assert "refresh would send a form again (POST)" in await oryn("refresh")
    assert sent == ["POST"]


async def test_a_dialog_may_be_cancelled_and_not_agreed_to(oryn: Driver) -> None:
    asking = "<script>onload = () => setTimeout(() => document.title = confirm('Buy?'))</script>"
    oryn.pages["/"] = asking
    await oryn(f"goto {oryn.pages.url()}")
    assert await code_of(oryn, "dialog accept") == "READ_ONLY"
    await oryn.ok("dialog dismiss")
    assert '"false"' in await oryn.ok("title")


def define(oryn: Driver, name: str, *steps: Any) -> None:
    oryn.session.custom_intents.definitions[name] = read_definition({"name": name, "steps": list(steps)})
