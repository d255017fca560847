"""JavaScript in pages of the user's own browser: the same values and errors as in headless, with the debugger and
without."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browsers.test_evaluation import ERRORS, VALUES
from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

FORBIDS = "<meta http-equiv=content-security-policy content=\"script-src 'none'\"><title>forbids</title>"


NOTHING = "null"
"""How `eval` answers None."""


async def evaluated(oryn: PairedBrowser, expression: str) -> dict[str, Any]:
    await oryn.ok("output json")
    try:
        answer: dict[str, Any] = json.loads(await oryn.raw(f"eval {json.dumps(expression)}"))
        return answer
    finally:
        await oryn.ok("output text")


def whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.fixture(params=["untrusted", "trusted"])
def oryn(request: pytest.FixtureRequest) -> PairedBrowser:
    found: PairedBrowser = request.getfixturevalue(request.param)
    return found


@pytest.mark.slow
async def test_values(oryn: PairedBrowser) -> None:
    await oryn.show("<title>values</title>")
    for expression, value in VALUES:
        # The browser hands half a surrogate pair to an extension's debugger as what replaces it.
        wanted = whole(value) if isinstance(value, str) else NOTHING if value is None else value
        found = (await evaluated(oryn, expression))["result"]
        assert (whole(found) if isinstance(found, str) else found) == wanted, expression


@pytest.mark.slow
async def test_errors(oryn: PairedBrowser) -> None:
    await oryn.show("<title>errors</title>")
    for expression, message in ERRORS:
        answer = await evaluated(oryn, expression)
        assert answer["error"]["message"] == message, expression
        assert answer["error"]["code"] == "SCRIPT_ERROR"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("document.querySelector('p')", "p#p.a.b"),
        ("document", "#document"),
        ("window", "Window"),
        ("x => x + 1", "x => x + 1"),
        ("new Set([1, 2])", "Set(2)"),
        ("new Uint8Array(3)", "Uint8Array(3)"),
        ("new Error('no')", "Error: no\n    at <anonymous>:1:1"),
        ("[undefined, NaN, -0, Infinity]", [None, None, 0, None]),
        ("({a: undefined, f() {}, d: new Date(0)})", {"f": {}, "d": {}}),
        ("({b: 1n})", "Object"),
        ("({get a() { throw new Error('getter') }})", "Object"),
        ("({then(done) { done(5) }})", {"then": {}}),
        ("const text = await Promise.resolve('a;b'); text.length", 3),
        ("if (true) { await 1; }", NOTHING),
        ("'await'", "await"),
        ("/* nothing */", NOTHING),
    ],
)
async def test_values_without_a_json_form_are_described(untrusted: PairedBrowser, expression: str, value: Any) -> None:
    await untrusted.show("<p id=p class='a b'></p>")
    assert (await evaluated(untrusted, expression))["result"] == value


@pytest.mark.slow
async def test_it_runs_in_the_pages_own_world(oryn: PairedBrowser) -> None:
    await oryn.show("<script>var mine = 'of the page'; setTimeout(() => { window.late = 'came' }, 100)</script>")
    assert await oryn.value("mine") == "of the page"
    assert (await oryn('wait until "window.late"')).startswith('ok wait until "window.late"')
    assert (await oryn('wait until "window.never" --timeout 1s')).startswith("error wait until")


async def test_a_policy_that_forbids_it(untrusted: PairedBrowser) -> None:
    await untrusted.show(FORBIDS)
    assert await untrusted('eval "1 + 1"') == (
        'error eval "1 + 1": the page\'s content security policy forbids scripts that are given as text\n\n'
        "# hint\nWith 'Real keys and mouse', a setting of the extension in Chromium, scripts run there too."
    )
    assert (await untrusted('wait until "true" --timeout 2s')).startswith("error wait until")
    await untrusted.trust(True)
    assert await untrusted.value("1 + 1") == "2"


@pytest.mark.slow
async def test_in_a_frame(oryn: PairedBrowser) -> None:
    for host in ("127.0.0.1", "localhost"):
        oryn.pages["/inner"] = "<script>var mine = location.hostname</script><p>inner"
        await oryn.show(f"<iframe name=f src='{oryn.pages.url('/inner', host)}'></iframe>")
        await oryn.ok("frame css(iframe)")
        assert await oryn.value("mine") == host
        await oryn.ok("frame main")


async def test_a_promise_that_never_settles(oryn: PairedBrowser) -> None:
    await oryn.show("<title>never</title>")
    answer = await oryn('eval "new Promise(() => {})" --timeout 1s')
    assert answer.startswith('error eval "new Promise(() => {})" --timeout 1s: the script did not end in time')


async def test_a_page_that_has_changed_javascript_spoils_only_its_own_answers(untrusted: PairedBrowser) -> None:
    await untrusted.show("<script>JSON.stringify = () => '{\"value\": [1,'</script><button>b</button>")
    assert (await untrusted('eval "1"')).startswith('error eval "1": ')
    assert '"b"' in await untrusted("observe")
