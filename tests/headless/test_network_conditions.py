"""`offline`, `throttle`, `credentials`, `headers`: what the network is like, and what goes with each request."""

from __future__ import annotations

import base64
import json
import time

import pytest

from oryn.browsers.base.network import NETWORK_PRESETS
from oryn.language import Throttle, help_text

pytestmark = pytest.mark.whole_browser

PAGE = "<link rel=icon href=data:,><title>page</title>"


def echo(handler):
    """The request's headers as the page's text."""
    return 200, {"Content-Type": "text/plain", "Access-Control-Allow-Origin": "*"}, str(handler.headers)


# --- offline and throttle ---


@pytest.mark.slow
async def test_offline(isolated):
    isolated.pages["/api"] = "x"
    await isolated.show(PAGE)
    assert await isolated("offline on") == "ok offline on"
    assert "| false" in await isolated('eval "navigator.onLine"')
    assert "TypeError: Failed to fetch" in await isolated("eval \"fetch('/api').catch(String)\"")
    assert "net::ERR_INTERNET_DISCONNECTED" in await isolated("requests --last 1")
    assert "there is no network (net::ERR_INTERNET_DISCONNECTED)" in await isolated(f"goto {isolated.pages.url()}")
    assert await isolated("offline off") == "ok offline off"
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert "| true" in await isolated('eval "navigator.onLine"')


@pytest.mark.slow
async def test_offline_holds_in_new_tabs_frames_and_workers(isolated):
    isolated.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        "onmessage = () => fetch('/api').then(() => postMessage('got'), () => postMessage('none')); postMessage('ready')",
    )
    isolated.pages["/frame"] = (
        "<script>onmessage = e => fetch('/api').then(() => e.source.postMessage('got', '*'), () => e.source.postMessage('none', '*'))</script>"
    )
    await isolated.show(
        f"{PAGE}<script>seen = []; w = new Worker('/worker.js'); w.onmessage = onmessage = e => seen.push(e.data)</script>"
        f"<iframe src={isolated.pages.url('/frame', 'localhost')}></iframe>"
    )
    await isolated.ok("wait until \"seen == 'ready'\"")
    await isolated.ok("offline on")
    await isolated.ok("eval \"w.postMessage(1); frames[0].postMessage(1, '*')\"")
    await isolated.ok('wait until "seen.length == 3"')
    assert '"got"' not in await isolated('eval "seen"')
    assert "net::ERR_INTERNET_DISCONNECTED" in await isolated(f"tab new {isolated.pages.url()}")


@pytest.mark.slow
async def test_throttle(isolated):
    isolated.pages["/api"] = "x"
    await isolated.show(PAGE)
    assert await isolated("throttle Slow-3G") == "ok throttle Slow-3G\n\n2000 ms, 50.0 kB/s down, 50.0 kB/s up"
    begun = time.monotonic()
    await isolated.ok("eval \"fetch('/api').then(r => r.status)\"")
    assert time.monotonic() - begun > 1.9
    assert "false" in await isolated('eval "navigator.connection.rtt < 1000"')
    await isolated.ok("offline on")
    assert "ERR_INTERNET_DISCONNECTED" in await isolated(f"goto {isolated.pages.url()}")
    await isolated.ok("offline off")
    assert await isolated("throttle off") == "ok throttle off"
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert "true" in await isolated('eval "navigator.connection.rtt < 1000"')


@pytest.mark.parametrize("preset", NETWORK_PRESETS)
async def test_every_preset(isolated, preset):
    assert (await isolated(f"throttle {preset}")).startswith(f"ok throttle {preset}\n\n")


async def test_no_such_preset(isolated):
    assert await isolated("throttle 6g") == (
        'error throttle 6g: no connection is called "6g"\n\n# hint\nOne of slow-3g, fast-3g, slow-4g, fast-4g, or off.'
    )


def test_help_names_the_presets():
    assert all(preset in help_text("throttle") for preset in NETWORK_PRESETS)
    assert Throttle.spec.name == "throttle"


@pytest.mark.slow
async def test_sessions_have_networks_of_their_own(isolated, oryn):
    isolated.pages["/api"] = (200, {"Content-Type": "text/plain"}, "the server's")
    isolated.pages["/echo"] = echo
    await isolated.show(f"{PAGE}<script>console.log('mine')</script>")
    await oryn.show(PAGE)
    for line in ('intercept "/api" --respond 1', 'headers set {"X-Mine": "1"}', "har start", "offline on"):
        await isolated.ok(line)
    assert "| the server's" in await oryn("eval \"fetch('/api').then(r => r.text())\"")
    assert "X-Mine" not in await oryn("eval \"fetch('/echo').then(r => r.text())\"")
    latest = (await oryn("requests")).split("\n")[-2:]
    assert ["/api" in latest[0], "/echo" in latest[1]] == [True, True]
    assert await oryn("headers") == "ok headers\n\nnone"
    assert (await oryn("har stop")).startswith("error har stop: no recording is under way")
    assert await oryn("intercept clear") == "ok intercept clear\n\n0 dropped"
    assert "mine" not in await oryn("console")


# --- credentials ---


def guarded(user: str, password: str):
    wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def answer(handler):
        if handler.headers.get("Authorization") == wanted:
            return PAGE + "<p>welcome"
        return 401, {"WWW-Authenticate": 'Basic realm="here"'}, PAGE + "<p>who are you?" + " " * 600

    return answer


@pytest.mark.slow
async def test_credentials(isolated):
    isolated.pages["/"] = guarded("ada", "l0ve:lace")
    assert "ERR_INVALID_AUTH_CREDENTIALS" in await isolated(f"goto {isolated.pages.url()}")
    assert await isolated('credentials "ada" "l0ve:lace"') == 'ok credentials "ada" "••••"'
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert "welcome" in await isolated("text")


async def test_wrong_credentials_are_tried_once(isolated):
    asked = []
    isolated.pages["/"] = lambda handler: asked.append(1) or guarded("ada", "right")(handler)
    await isolated.ok('credentials "ada" "wrong"')
    answer = await isolated(f"goto {isolated.pages.url()}")
    assert "HTTP 401" in answer or "ERR_INVALID_AUTH_CREDENTIALS" in answer
    assert len(asked) == 2
    assert "wrong" not in answer


async def test_credentials_are_forgotten(isolated):
    isolated.pages["/a"] = guarded("ada", "a")
    await isolated.ok('credentials "ada" "a"')
    assert await isolated("credentials clear") == "ok credentials clear"
    assert (await isolated(f"goto {isolated.pages.url('/a')}")).startswith("error")


@pytest.mark.slow
async def test_credentials_are_for_what_a_page_loads_too(isolated):
    isolated.pages["/api"] = guarded("ada", "b")
    await isolated.show(PAGE)
    await isolated.ok('credentials "ada" "b"')
    assert "| 200" in await isolated("eval \"fetch('/api').then(r => r.status)\"")


# --- headers ---


@pytest.mark.slow
async def test_headers_of_every_request(isolated):
    isolated.pages["/echo"] = echo
    assert await isolated("headers") == "ok headers\n\nnone"
    await isolated.ok('headers set {"X-Key": "1", "X-Number": 7}')
    await isolated.ok(f"goto {isolated.pages.url('/echo')}")
    assert "| X-Key: 1" in await isolated("text") and "| X-Number: 7" in await isolated("text")
    assert await isolated("headers") == 'ok headers\n\nX-Key: "1"\nX-Number: "7"'
    await isolated.ok('headers set {"X-Other": "2"}')
    assert await isolated("headers") == 'ok headers\n\nX-Other: "2"'
    await isolated.ok(f"goto {isolated.pages.url('/echo')}")
    assert "X-Key" not in await isolated("text")
    await isolated.ok("headers clear")
    await isolated.ok(f"goto {isolated.pages.url('/echo')}")
    assert "X-Other" not in await isolated("text") and await isolated("headers") == "ok headers\n\nnone"


async def test_headers_of_one_domain(isolated):
    isolated.pages["/echo"] = echo
    await isolated.ok('headers set {"X-All": "1", "X-Both": "1"}')
    await isolated.ok('headers set LOCALHOST {"X-Here": "2", "x-both": "2"}')
    assert await isolated("headers localhost") == (
        'ok headers localhost\n\nX-Here: "2" for localhost\nx-both: "2" for localhost'
    )
    await isolated.ok(f"goto {isolated.pages.url('/echo')}")
    assert "X-Here" not in await isolated("text") and "| X-Both: 1" in await isolated("text")
    there = isolated.pages.url("/echo", "localhost")
    text = await isolated(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert "X-Here: 2" in text and "X-All: 1" in text and "x-both: 2" in text and "X-Both: 1" not in text
    await isolated.ok("headers clear localhost")
    assert await isolated("headers localhost") == "ok headers localhost\n\nnone"
    assert "not a domain: a/b" in await isolated("headers a/b")
    assert "X-Here" not in await isolated(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert "X-All" in await isolated("headers")


@pytest.mark.slow
async def test_a_server_is_not_asked_for_leave_of_headers_that_the_page_has_not_set(isolated):
    asked = []

    def api(handler):
        asked.append((handler.command, handler.headers.get("X-Ours"), handler.headers.get("X-Theirs")))
        allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "X-Theirs"}
        return 200, allowed, "fine"

    isolated.pages["/api"] = api
    await isolated.show(PAGE)
    await isolated.ok('headers set localhost {"X-Ours": "1"}')
    there = isolated.pages.url("/api", "localhost")
    assert "| fine" in await isolated(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert asked == [("GET", "1", None)]
    assert "| fine" in await isolated(
        f"eval \"fetch('{there}', {{headers: {{'X-Theirs': '2'}}}}).then(r => r.text())\""
    )
    assert asked[1][0] == "OPTIONS" and asked[2] == ("GET", "1", "2")


@pytest.mark.slow
async def test_a_domain_holds_those_below_it(isolated):
    isolated.pages["/echo"] = echo
    await isolated.ok('headers set localhost {"X-Here": "2"}')
    await isolated.ok(f"goto {isolated.pages.url('/echo', 'sub.localhost')}")
    assert "| X-Here: 2" in await isolated("text")
    port = isolated.pages.server.server_port
    await isolated.ok(f'headers set localhost:{port} {{"X-Port": "3"}}')
    await isolated.ok('headers set localhost:1 {"X-Port": "4"}')
    await isolated.ok(f"goto {isolated.pages.url('/echo', 'localhost')}")
    assert "| X-Port: 3" in await isolated("text")


@pytest.mark.slow
async def test_headers_of_one_navigation_win_and_end(isolated):
    isolated.pages["/echo"] = echo
    await isolated.ok('headers set {"X-Key": "all"}')
    await isolated.ok('headers set 127.0.0.1 {"X-Key": "domain"}')
    await isolated.ok(f'goto {isolated.pages.url("/echo")} --headers {{"X-Key": "once"}}')
    assert "| X-Key: once" in await isolated("text")
    await isolated.ok("refresh")
    assert "| X-Key: domain" in await isolated("text")


async def test_headers_go_with_a_rule_for_everything(isolated):
    isolated.pages["/echo"] = echo
    await isolated.ok('intercept "*"')
    await isolated.ok('headers set 127.0.0.1 {"X-Key": "1"}')
    await isolated.ok(f"goto {isolated.pages.url('/echo')}")
    assert "| X-Key: 1" in await isolated("text")


async def test_headers_do_not_follow_a_redirect_to_another_domain(isolated):
    isolated.pages["/echo"] = echo
    isolated.pages["/away"] = (302, {"Location": isolated.pages.url("/echo", "localhost")}, "")
    await isolated.ok('headers set 127.0.0.1 {"X-Secret": "1"}')
    await isolated.ok(f"goto {isolated.pages.url('/away')}")
    assert "X-Secret" not in await isolated("text")
    assert "| X-Secret: 1" in await isolated("request 1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('headers set {"a b": "1"}', 'not the name of a header: "a b"'),
        ('headers set {"X": "1\\n2"}', "not the value of a header: X"),
        ('headers set {"Content-Length": "1"}', "the browser alone sets the header Content-Length"),
        ('headers set a.org/x {"A": "1"}', "not a domain: a.org/x"),
        ("headers clear http://a.org", "not a domain: http://a.org"),
    ],
)
async def test_headers_that_are_none(isolated, line, message):
    answer = await isolated(line)
    assert answer.startswith("error") and message in answer and "# hint" in answer
    assert await isolated("headers") == "ok headers\n\nnone"


async def test_headers_as_data(isolated):
    await isolated("output json")
    await isolated('headers set {"A": "1"}')
    await isolated('headers set a.org {"B": "2"}')
    assert json.loads(await isolated("headers"))["result"] == {"*": {"A": "1"}, "a.org": {"B": "2"}}
