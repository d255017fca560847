"""`offline`, `throttle`, `credentials`, `headers`: what the network is like, and what goes with each request."""

from __future__ import annotations

import base64
import json
import time

import pytest

from oryn.browsers.base.network import NETWORK_PRESETS
from oryn.language import Throttle, help_text

PAGE = "<link rel=icon href=data:,><title>page</title>"


def echo(handler):
    """The request's headers as the page's text."""
    return 200, {"Content-Type": "text/plain", "Access-Control-Allow-Origin": "*"}, str(handler.headers)


# --- offline and throttle ---


async def test_offline(alone):
    alone.pages["/api"] = "x"
    await alone.show(PAGE)
    assert await alone("offline on") == "ok offline on"
    assert "| false" in await alone('eval "navigator.onLine"')
    assert "TypeError: Failed to fetch" in await alone("eval \"fetch('/api').catch(String)\"")
    assert "net::ERR_INTERNET_DISCONNECTED" in await alone("requests --last 1")
    assert "there is no network (net::ERR_INTERNET_DISCONNECTED)" in await alone(f"goto {alone.pages.url()}")
    assert await alone("offline off") == "ok offline off"
    await alone.ok(f"goto {alone.pages.url()}")
    assert "| true" in await alone('eval "navigator.onLine"')


async def test_offline_holds_in_new_tabs_frames_and_workers(alone):
    alone.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        "onmessage = () => fetch('/api').then(() => postMessage('got'), () => postMessage('none')); postMessage('ready')",
    )
    alone.pages["/frame"] = (
        "<script>onmessage = e => fetch('/api').then(() => e.source.postMessage('got', '*'), () => e.source.postMessage('none', '*'))</script>"
    )
    await alone.show(
        f"{PAGE}<script>seen = []; w = new Worker('/worker.js'); w.onmessage = onmessage = e => seen.push(e.data)</script>"
        f"<iframe src={alone.pages.url('/frame', 'localhost')}></iframe>"
    )
    await alone.ok("wait until \"seen == 'ready'\"")
    await alone.ok("offline on")
    await alone.ok("eval \"w.postMessage(1); frames[0].postMessage(1, '*')\"")
    await alone.ok('wait until "seen.length == 3"')
    assert '"got"' not in await alone('eval "seen"')
    assert "net::ERR_INTERNET_DISCONNECTED" in await alone(f"tab new {alone.pages.url()}")


async def test_throttle(alone):
    alone.pages["/api"] = "x"
    await alone.show(PAGE)
    assert await alone("throttle Slow-3G") == "ok throttle Slow-3G\n\n2000 ms, 50.0 kB/s down, 50.0 kB/s up"
    begun = time.monotonic()
    await alone.ok("eval \"fetch('/api').then(r => r.status)\"")
    assert time.monotonic() - begun > 1.9
    await alone.ok("offline on")
    assert "ERR_INTERNET_DISCONNECTED" in await alone(f"goto {alone.pages.url()}")
    await alone.ok("offline off")
    assert await alone("throttle off") == "ok throttle off"
    await alone.ok(f"goto {alone.pages.url()}")
    begun = time.monotonic()
    await alone.ok("eval \"fetch('/api').then(r => r.status)\"")
    assert time.monotonic() - begun < 1.9


@pytest.mark.parametrize("preset", NETWORK_PRESETS)
async def test_every_preset(alone, preset):
    assert (await alone(f"throttle {preset}")).startswith(f"ok throttle {preset}\n\n")


async def test_no_such_preset(alone):
    assert await alone("throttle 6g") == (
        'error throttle 6g: no connection is called "6g"\n\n# hint\nOne of slow-3g, fast-3g, slow-4g, fast-4g, or off.'
    )


def test_help_names_the_presets():
    assert all(preset in help_text("throttle") for preset in NETWORK_PRESETS)
    assert Throttle.spec.name == "throttle"


async def test_sessions_have_networks_of_their_own(alone, oryn):
    alone.pages["/api"] = (200, {"Content-Type": "text/plain"}, "the server's")
    alone.pages["/echo"] = echo
    await alone.show(f"{PAGE}<script>console.log('mine')</script>")
    await oryn.show(PAGE)
    for line in ('intercept "/api" --respond 1', 'headers set {"X-Mine": "1"}', "har start", "offline on"):
        await alone.ok(line)
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


async def test_credentials(alone):
    alone.pages["/"] = guarded("ada", "l0ve:lace")
    assert "ERR_INVALID_AUTH_CREDENTIALS" in await alone(f"goto {alone.pages.url()}")
    assert await alone('credentials "ada" "l0ve:lace"') == 'ok credentials "ada" "••••"'
    await alone.ok(f"goto {alone.pages.url()}")
    assert "welcome" in await alone("text")


async def test_wrong_credentials_are_tried_once(alone):
    asked = []
    alone.pages["/"] = lambda handler: asked.append(1) or guarded("ada", "right")(handler)
    await alone.ok('credentials "ada" "wrong"')
    answer = await alone(f"goto {alone.pages.url()}")
    assert "HTTP 401" in answer or "ERR_INVALID_AUTH_CREDENTIALS" in answer
    assert len(asked) == 2
    assert "wrong" not in answer


async def test_credentials_are_forgotten(alone):
    alone.pages["/a"] = guarded("ada", "a")
    await alone.ok('credentials "ada" "a"')
    assert await alone("credentials clear") == "ok credentials clear"
    assert (await alone(f"goto {alone.pages.url('/a')}")).startswith("error")


async def test_credentials_are_for_what_a_page_loads_too(alone):
    alone.pages["/api"] = guarded("ada", "b")
    await alone.show(PAGE)
    await alone.ok('credentials "ada" "b"')
    assert "| 200" in await alone("eval \"fetch('/api').then(r => r.status)\"")


# --- headers ---


async def test_headers_of_every_request(alone):
    alone.pages["/echo"] = echo
    assert await alone("headers") == "ok headers\n\nnone"
    await alone.ok('headers set {"X-Key": "1", "X-Number": 7}')
    await alone.ok(f"goto {alone.pages.url('/echo')}")
    assert "| X-Key: 1" in await alone("text") and "| X-Number: 7" in await alone("text")
    assert await alone("headers") == 'ok headers\n\nX-Key: "1"\nX-Number: "7"'
    await alone.ok('headers set {"X-Other": "2"}')
    assert await alone("headers") == 'ok headers\n\nX-Other: "2"'
    await alone.ok(f"goto {alone.pages.url('/echo')}")
    assert "X-Key" not in await alone("text")
    await alone.ok("headers clear")
    await alone.ok(f"goto {alone.pages.url('/echo')}")
    assert "X-Other" not in await alone("text") and await alone("headers") == "ok headers\n\nnone"


async def test_headers_of_one_domain(alone):
    alone.pages["/echo"] = echo
    await alone.ok('headers set {"X-All": "1", "X-Both": "1"}')
    await alone.ok('headers set LOCALHOST {"X-Here": "2", "x-both": "2"}')
    assert await alone("headers localhost") == (
        'ok headers localhost\n\nX-Here: "2" for localhost\nx-both: "2" for localhost'
    )
    await alone.ok(f"goto {alone.pages.url('/echo')}")
    assert "X-Here" not in await alone("text") and "| X-Both: 1" in await alone("text")
    there = alone.pages.url("/echo", "localhost")
    text = await alone(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert "X-Here: 2" in text and "X-All: 1" in text and "x-both: 2" in text and "X-Both: 1" not in text
    await alone.ok("headers clear localhost")
    assert await alone("headers localhost") == "ok headers localhost\n\nnone"
    assert "not a domain: a/b" in await alone("headers a/b")
    assert "X-Here" not in await alone(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert "X-All" in await alone("headers")


async def test_a_server_is_not_asked_for_leave_of_headers_that_the_page_has_not_set(alone):
    asked = []

    def api(handler):
        asked.append((handler.command, handler.headers.get("X-Ours"), handler.headers.get("X-Theirs")))
        allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "X-Theirs"}
        return 200, allowed, "fine"

    alone.pages["/api"] = api
    await alone.show(PAGE)
    await alone.ok('headers set localhost {"X-Ours": "1"}')
    there = alone.pages.url("/api", "localhost")
    assert "| fine" in await alone(f"eval \"fetch('{there}').then(r => r.text())\"")
    assert asked == [("GET", "1", None)]
    assert "| fine" in await alone(f"eval \"fetch('{there}', {{headers: {{'X-Theirs': '2'}}}}).then(r => r.text())\"")
    assert asked[1][0] == "OPTIONS" and asked[2] == ("GET", "1", "2")


async def test_a_domain_holds_those_below_it(alone):
    alone.pages["/echo"] = echo
    await alone.ok('headers set localhost {"X-Here": "2"}')
    await alone.ok(f"goto {alone.pages.url('/echo', 'sub.localhost')}")
    assert "| X-Here: 2" in await alone("text")
    port = alone.pages.server.server_port
    await alone.ok(f'headers set localhost:{port} {{"X-Port": "3"}}')
    await alone.ok('headers set localhost:1 {"X-Port": "4"}')
    await alone.ok(f"goto {alone.pages.url('/echo', 'localhost')}")
    assert "| X-Port: 3" in await alone("text")


async def test_headers_of_one_navigation_win_and_end(alone):
    alone.pages["/echo"] = echo
    await alone.ok('headers set {"X-Key": "all"}')
    await alone.ok('headers set 127.0.0.1 {"X-Key": "domain"}')
    await alone.ok(f'goto {alone.pages.url("/echo")} --headers {{"X-Key": "once"}}')
    assert "| X-Key: once" in await alone("text")
    await alone.ok("refresh")
    assert "| X-Key: domain" in await alone("text")


async def test_headers_go_with_a_rule_for_everything(alone):
    alone.pages["/echo"] = echo
    await alone.ok('intercept "*"')
    await alone.ok('headers set 127.0.0.1 {"X-Key": "1"}')
    await alone.ok(f"goto {alone.pages.url('/echo')}")
    assert "| X-Key: 1" in await alone("text")


async def test_headers_do_not_follow_a_redirect_to_another_domain(alone):
    alone.pages["/echo"] = echo
    alone.pages["/away"] = (302, {"Location": alone.pages.url("/echo", "localhost")}, "")
    await alone.ok('headers set 127.0.0.1 {"X-Secret": "1"}')
    await alone.ok(f"goto {alone.pages.url('/away')}")
    assert "X-Secret" not in await alone("text")
    assert "| X-Secret: 1" in await alone("request 1")


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
async def test_headers_that_are_none(alone, line, message):
    answer = await alone(line)
    assert answer.startswith("error") and message in answer and "# hint" in answer
    assert await alone("headers") == "ok headers\n\nnone"


async def test_headers_as_data(alone):
    await alone("output json")
    await alone('headers set {"A": "1"}')
    await alone('headers set a.org {"B": "2"}')
    assert json.loads(await alone("headers"))["result"] == {"*": {"A": "1"}, "a.org": {"B": "2"}}
