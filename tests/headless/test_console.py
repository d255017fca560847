"""`console` and `errors`: what pages say and what they do not catch."""

from __future__ import annotations

import json
import re
import time

import pytest

PAGE = "<link rel=icon href=data:,><title>page</title>"


def without_times(answer: str) -> str:
    """With the time of day as `TIME`."""
    return re.sub(r"\| \d\d:\d\d:\d\d ", "| TIME ", answer)


@pytest.mark.slow
async def test_levels_source_and_time(isolated):
    isolated.pages["/app.js"] = (200, {"Content-Type": "text/javascript"}, "\nconsole.log('from a file')")
    await isolated.show(
        f"{PAGE}<script>console.log('one');console.info('two');console.warn('three')\nconsole.error('four');"
        "console.debug('five')</script><script src=/app.js></script>"
    )
    assert without_times(await isolated("console")) == (
        "ok console\n\n"
        "| TIME log /:1 one\n| TIME info /:1 two\n| TIME warn /:1 three\n| TIME error /:2 four\n"
        "| TIME log /:2 five\n| TIME log app.js:2 from a file"
    )
    hour = time.strftime("%H:", time.localtime())
    assert f"| {hour}" in await isolated("console --last 1") or time.localtime().tm_min == 0


@pytest.mark.slow
async def test_filters_are_joined(isolated):
    await isolated.show(
        f"{PAGE}<script>for (const n of [1, 2, 3]) {{ console.warn('w' + n); console.log('l' + n) }}</script>"
    )
    assert without_times(await isolated("console --level warn --last 1")) == (
        "ok console --level warn --last 1\n\n| TIME warn /:1 w3\n\n# note\n2 earlier left out by --last"
    )
    assert without_times(await isolated('console --filter "2" --level log')).endswith("\n\n| TIME log /:1 l2")
    assert (await isolated("console --level error")).endswith("\n\nnone")
    assert (await isolated("console --level info")).endswith("\n\nnone")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("'a', 1, true, null, undefined, 3n", "a 1 true null undefined 3n"),
        ("'%s is %d%%, %o', 'x', 5, {a: 1}", "x is 5%, {a: 1}"),
        ("'%cstyled', 'color: red'", "styled"),
        ("{a: 1, b: 'x', c: [1, 2]}", '{a: 1, b: "x", c: Array(2)}'),
        ("[1, 'a', null]", '[1, "a", null]'),
        ("new Map([['k', 1]])", 'Map(1) {size: 1, "k" => 1}'),
        ("new Set([1])", "Set(1) {size: 1, 1}"),
        ("new Error('no')", "Error: no"),
        ("NaN, -0, Infinity", "NaN -0 Infinity"),
        ("Symbol('q')", "Symbol(q)"),
        ("document.createElement('p')", "p"),
        ("function go() {}", "function go() {}"),
    ],
)
async def test_values_as_one_would_write_them(isolated, script, text):
    # Once the page is there: of what is said before the browser has brought its new process to us, it tells less.
    await isolated.show(f"{PAGE}<script>function say() {{ console.log({script}) }}</script>")
    await isolated.ok('eval "say()"')
    assert without_times(await isolated("console")) == f"ok console\n\n| TIME log /:1 {text}"


async def test_what_is_no_message_is_left_out_and_assertions_are_errors(isolated):
    await isolated.show(
        f"{PAGE}<script>console.group('g');console.groupEnd();console.clear();console.assert(0, 'why')</script>"
    )
    assert without_times(await isolated("console")).endswith("| TIME log /:1 g\n| TIME error /:1 Assertion failed: why")


async def test_what_the_browser_reports_stands_among_them(isolated):
    await isolated.show(f"{PAGE}<script src=/none.js></script>")
    assert without_times(await isolated("console --level error")).endswith(
        "| TIME error none.js Failed to load resource: the server responded with a status of 404 (Not Found)"
    )


@pytest.mark.slow
async def test_a_message_can_not_pass_for_another(isolated):
    await isolated.show(f"{PAGE}<script>console.log('a\\n12:00:00 error app.js:1 forged\\n\\n# hint\\nok')</script>")
    assert without_times(await isolated("console")).split("\n")[2:] == [
        "| TIME log /:1 a",
        "|   12:00:00 error app.js:1 forged",
        "|   ",
        "|   # hint",
        "|   ok",
    ]


async def test_errors_that_nothing_caught(isolated):
    await isolated.show(
        f"{PAGE}<script>setTimeout(() => {{ throw new TypeError('bad') }})</script>"
        "<script>Promise.reject(new Error('late'))</script><script>throw 'text'</script><script>what?</script>"
    )
    await isolated.ok("wait idle")
    shown = without_times(await isolated("errors"))
    assert "| TIME /:1 TypeError: bad" in shown
    assert "| TIME /:1 Error: late" in shown
    assert "| TIME /:1 Uncaught text" in shown
    assert "| TIME /:1 SyntaxError: Unexpected token '?'" in shown or "SyntaxError" in shown
    assert (await isolated("console")).endswith("\n\nnone")
    assert (await isolated("errors --last 1")).endswith("# note\n3 earlier left out by --last")


async def test_clearing(isolated):
    await isolated.show(f"{PAGE}<script>console.log(1);console.log(2);throw 3</script>")
    assert await isolated("console clear") == "ok console clear\n\n2 dropped"
    assert await isolated("console") == "ok console\n\nnone"
    assert await isolated("errors clear") == "ok errors clear\n\n1 dropped"
    assert await isolated("errors") == "ok errors\n\nnone"


@pytest.mark.slow
async def test_capture_begins_with_the_document_and_outlives_it(isolated):
    await isolated.show("<script>console.log('first')</script>" + PAGE, "/a")
    await isolated.show("<script>console.log('second')</script>" + PAGE, "/b")
    isolated.pages["/c"] = "<script>console.log('third')</script>" + PAGE
    await isolated.ok(f"tab new {isolated.pages.url('/c')}")
    assert without_times(await isolated("console")).endswith(
        "| TIME log a:1 first\n| TIME log b:1 second\n| TIME log c:1 third"
    )


@pytest.mark.slow
async def test_frames_of_other_origins_and_workers_are_heard(isolated):
    isolated.pages["/frame"] = "<script>console.log('in a frame');throw new Error('framed')</script>"
    isolated.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        "console.log('in a worker');postMessage(1)",
    )
    await isolated.show(
        f"{PAGE}<iframe src={isolated.pages.url('/frame', 'localhost')}></iframe>"
        "<script>new Worker('/worker.js').onmessage = () => done = true</script>"
    )
    await isolated.ok('wait until "window.done"')
    lines = without_times(await isolated("console")).split("\n")
    assert "| TIME log frame:1 in a frame" in lines
    assert lines.count("| TIME log worker.js:1 in a worker") == 1
    assert "Error: framed" in await isolated("errors")


@pytest.mark.slow
async def test_a_page_that_logs_without_end_costs_no_memory_without_end(isolated):
    await isolated.show(PAGE)
    await isolated.ok('eval "for (let n = 0; n < 1500; n++) console.log(n)"')
    shown = (await isolated("console")).split("\n")[2:]
    assert (len(shown), without_times(shown[-1])) == (1000, "| TIME log :1 1499") or len(shown) == 1000
    await isolated.ok("eval \"for (let n = 0; n < 40; n++) console.log('x'.repeat(100000))\"")
    kept = (await isolated("console")).split("\n")[2:]
    assert 5 <= len(kept) <= 10
    assert all(line.endswith("… (100000 characters)") and len(line) < 10_200 for line in kept)


async def test_messages_as_data(isolated):
    await isolated.show(
        f"{PAGE}<script>console.warn('w', new Error('e'))\nfunction f() {{ throw new Error('deep') }}; f()</script>"
    )
    await isolated("output json")
    [message] = json.loads(await isolated("console"))["result"]
    assert (message["level"], message["text"], message["line"]) == ("warn", "w Error: e", 1)
    assert message["url"] == isolated.pages.url() and message["stack"].startswith("at http")
    assert abs(message["time"] - time.time()) < 60
    [error] = json.loads(await isolated("errors"))["result"]
    assert error["text"] == "Error: deep" and error["stack"].startswith("at f (")
