"""`console` and `errors` in the user's own browser, where the user allows its debugger."""

from __future__ import annotations

import re

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.headless.test_console import PAGE, without_times

__all__ = ["paired_browser", "trusted", "untrusted"]

# It asks for the missing file itself: of two that a page asks for, the browser may report either first.
FILE = """
console.log('from a file')
document.head.append(Object.assign(document.createElement('script'), { src: '/none.js' }))"""

REPORTED = f"""{PAGE}<button onclick="throw new Error('late')">Throw</button>
<button onclick="Promise.reject(new TypeError('later'))">Reject</button>
<script>console.log('one', 2, {{a: [1]}}); console.warn('th%s', 'ree')
console.error(new RangeError('four'))</script>"""
REPORTED_MESSAGES = (
    'ok console\n\n| TIME log /:3 one 2 {"a":[1]}\n| TIME warn /:3 three\n| TIME error /:4 RangeError: four'
)

NEEDS = "not supported in this mode\n\n# hint\nIt needs 'Real keys and mouse', a setting of the extension in Chromium."


async def cleared(oryn: PairedBrowser) -> PairedBrowser:
    """Attached to its tab, and with nothing in its console."""
    await oryn.show(f"{PAGE}begin")
    await oryn.ok("console clear")
    await oryn.ok("errors clear")
    return oryn


@pytest.mark.slow
async def test_levels_source_and_order(trusted: PairedBrowser) -> None:
    await cleared(trusted)
    trusted.pages["/app.js"] = (200, {"Content-Type": "text/javascript"}, FILE)
    await trusted.show(
        f"{PAGE}<script>console.log('one', {{a: 1}});console.info('two');console.warn('three')\nconsole.error('four')"
        "</script><script src=/app.js></script>"
    )
    await trusted.ok("wait idle")
    assert without_times(await trusted("console")) == (
        "ok console\n\n"
        "| TIME log /:1 one {a: 1}\n| TIME info /:1 two\n| TIME warn /:1 three\n| TIME error /:2 four\n"
        "| TIME log app.js:2 from a file\n"
        "| TIME error none.js Failed to load resource: the server responded with a status of 404 (Not Found)"
    )
    assert without_times(await trusted("console --level warn")).endswith("\n\n| TIME warn /:1 three")
    assert (await trusted("console --filter four --last 0")).endswith(
        "\n\nnone\n\n# note\n1 earlier left out by --last"
    )


@pytest.mark.slow
async def test_errors_that_nothing_caught(trusted: PairedBrowser) -> None:
    await cleared(trusted)
    await trusted.show(f"{PAGE}<script>\nmissing()</script><script>Promise.reject(new Error('why'))</script>")
    assert without_times(await trusted("errors")) == (
        "ok errors\n\n| TIME /:2 ReferenceError: missing is not defined\n| TIME /:2 Error: why"
    )
    assert await trusted("errors clear") == "ok errors clear\n\n2 dropped"
    assert await trusted("errors") == "ok errors\n\nnone"
    assert await trusted("console") == "ok console\n\nnone"


@pytest.mark.slow
async def test_what_a_command_brings_about(trusted: PairedBrowser) -> None:
    await cleared(trusted)
    await trusted.show(f"{PAGE}<button onclick=\"console.log('clicked')\">b</button>")
    await trusted.ok("click b")
    assert without_times(await trusted("console")).endswith("\n\n| TIME log /:1 clicked")


@pytest.mark.slow
async def test_it_goes_on_in_another_process(trusted: PairedBrowser) -> None:
    await cleared(trusted)
    await trusted.show(f"{PAGE}<script>console.log('here')</script>")
    trusted.pages["/there"] = f"{PAGE}<script>console.log('there')</script>"
    await trusted.ok(f"goto {trusted.pages.url('/there', 'localhost')}")
    assert without_times(await trusted("console")) == "ok console\n\n| TIME log /:1 here\n| TIME log there:1 there"


@pytest.mark.slow
async def test_a_debugger_that_comes_back_tells_nothing_twice(trusted: PairedBrowser) -> None:
    """The browser tells a new debugger what the page has said since it was loaded."""
    await cleared(trusted)
    await trusted.show(f"{PAGE}<script>console.log('before')</script>")
    await trusted.trust(False)
    await trusted.ok("eval \"console.log('meanwhile')\"")
    await trusted.trust(True)
    await trusted.ok("text")
    assert [line.rpartition(" ")[2] for line in (await trusted("console")).split("\n")[2:]] == ["before", "meanwhile"]


@pytest.mark.slow
async def test_without_the_debugger_a_script_in_the_page_reports(untrusted: PairedBrowser) -> None:
    await cleared(untrusted)
    await untrusted.show(REPORTED)
    assert without_times(await untrusted("console")) == REPORTED_MESSAGES
    assert without_times(await untrusted("console --level warn")) == "ok console --level warn\n\n| TIME warn /:3 three"
    await untrusted.ok('click "Throw"')
    await untrusted.ok('click "Reject"')
    errors = without_times(await untrusted("errors"))
    assert re.findall(r"(?m)^\| TIME \S+ (.*)$", errors) == ["Error: late", "TypeError: later"]
    await untrusted.ok("console clear")
    assert await untrusted("console") == "ok console\n\nnone"


@pytest.mark.slow
async def test_a_page_can_not_make_up_what_is_no_message(untrusted: PairedBrowser) -> None:
    await cleared(untrusted)
    await untrusted.show(f"""{PAGE}<script>for (const detail of [
        'no JSON', '[]', '{{"kind": "other"}}', {{}}, '{{"kind": "console", "text": {{}}, "level": 7, "time": "x"}}',
        JSON.stringify({{kind: 'console', text: 'x'.repeat(200000)}})])
        document.dispatchEvent(new CustomEvent('oryn-console', {{detail}}))</script>""")
    assert re.findall(r"(?m)^\| \S+ (.*)$", await untrusted("console")) == ["error {}"]


@pytest.mark.slow
async def test_a_page_that_writes_without_end_is_still_answered(untrusted: PairedBrowser) -> None:
    await untrusted.show(f"{PAGE}<button>b</button><script>for (let n = 0; n < 5000; n++) console.log(n)</script>")
    await untrusted.ok('click "b"')
    assert " log /:1 4999\n" in await untrusted("console --last 1")


async def test_what_a_page_said_before_is_known_once_it_is_allowed(untrusted: PairedBrowser) -> None:
    await untrusted.show(f"{PAGE}<script>console.log('early')</script>")
    await untrusted.trust(True)
    await untrusted.ok("text")
    assert without_times(await untrusted("console --last 1")).split("\n")[2] == "| TIME log /:1 early"
