"""JavaScript in the page's own world, and what becomes of its values."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import ScriptError, Timeout

pytestmark = pytest.mark.browser


VALUES: list[tuple[str, Any]] = [
    ("1 + 1", 2),
    ("'text'", "text"),
    ("undefined", None),
    ("null", None),
    ("let a = 1; a + 1", 2),
    ("let a = 2; a", 2),
    ("const [x, y] = [1, 2]; if (x) { y } else { 3 }", 2),
    ("({a: [1, {b: null}]})", {"a": [1, {"b": None}]}),
    ("[]", []),
    ("Promise.resolve({a: 1})", {"a": 1}),
    ("await Promise.resolve(3)", 3),
    ("(async () => 'late')()", "late"),
    ("NaN", "NaN"),
    ("-0", "-0"),
    ("10n", "10n"),
    ("Symbol('s')", "Symbol(s)"),
    ("/a+/g", "/a+/g"),
    ("new Map([[1, 2]])", "Map(1)"),
    ("new Error('no').message", "no"),
    ("'half \\ud83d'", "half \ud83d"),
    ("'whole 👩'", "whole 👩"),
    ("const loop = {}; loop.self = loop; loop", "Object"),
]
"""Expressions and their values, wherever scripts are run."""


@pytest.mark.parametrize(("expression", "value"), VALUES)
async def test_values(page, expression, value):
    assert await page.evaluate(expression) == value


async def test_what_json_can_not_hold_is_described(page, server):
    await page.goto(server.page("<p id=p class=a></p>"))
    assert await page.evaluate("p") == "p#p.a"
    assert await page.evaluate("window") == "Window"
    assert await page.evaluate("x => x + 1") == "x => x + 1"
    assert await page.evaluate("({get a() { throw new Error('getter') }})") == "Object"


ERRORS = [
    ("nothing.at.all", "ReferenceError: nothing is not defined"),
    ("throw new TypeError('bad')", "TypeError: bad"),
    ("throw 'a string'", "a string"),
    ("throw null", "null"),
    ("Promise.reject(new Error('later'))", "Error: later"),
    ("1 +", "SyntaxError: Unexpected end of input"),
]
"""Expressions and what is said of them."""


@pytest.mark.parametrize(("expression", "message"), ERRORS)
async def test_errors(page, expression, message):
    with pytest.raises(ScriptError) as caught:
        await page.evaluate(expression)
    assert caught.value.message == message


async def test_a_promise_that_never_settles(page):
    with pytest.raises(Timeout):
        await page.evaluate("new Promise(() => {})", timeout=0.2)


async def test_it_runs_in_the_pages_own_world(page, server):
    await page.goto(server.page("<script>var mine = 'of the page'</script>"))
    assert await page.evaluate("mine") == "of the page"
    response = await page.scanner({"cmd": "execute", "script": "return mine + arguments[0]", "args": [1]})
    assert response == {"ok": True, "data": {"result": "of the page1"}}


async def test_a_policy_of_the_page_does_not_forbid_it(page, server):
    await page.goto(server.page("<meta http-equiv=content-security-policy content=\"script-src 'none'\">"))
    assert await page.evaluate("1 + 1") == 2
    assert (await page.scanner({"cmd": "execute", "script": "1 + 1"}))["data"] == {"result": 2}


@pytest.mark.parametrize(
    ("script", "result"),
    [("document.title", "page"), ("return 1; // so", 1), ("const a = 2; return a", 2), ("await Promise.resolve(4)", 4)],
)
async def test_execute(page, server, script, result):
    await page.goto(server.page(""))
    response = await page.scanner({"cmd": "execute", "script": script})
    assert response == {"ok": True, "data": {"result": result}}


async def test_execute_says_what_is_wrong(page):
    assert await page.scanner({"cmd": "execute", "script": "throw new Error('no')"}) == {
        "ok": False, "code": "SCRIPT_ERROR", "error": "Error: no",
    }  # fmt: skip
    assert (await page.scanner({"cmd": "execute"}))["code"] == "INVALID_REQUEST"


async def test_wait_for_an_expression(page, server):
    await page.goto(server.page("<script>setTimeout(() => { window.ready = 'yes' }, 150)</script>"))
    response = await page.scanner({"cmd": "wait_for", "condition": "custom", "expression": "window.ready"})
    assert (response["ok"], response["data"]["result"]) == (True, "yes")
    refused = await page.scanner({"cmd": "wait_for", "condition": "custom", "expression": "0", "timeout": 200})
    assert (refused["ok"], refused["code"]) == (False, "TIMEOUT")


async def test_in_a_frame(page, server):
    for host in ("127.0.0.1", "localhost"):
        inner = server.page("<script>var mine = location.hostname</script>").replace("127.0.0.1", host)
        await page.goto(server.page(f"<iframe src='{inner}'></iframe>"))
        assert await page.evaluate("mine", page.frames()[1]) == host
