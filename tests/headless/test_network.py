"""`requests`, `request`, `har`: what a session has sent and been answered."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest

from scripts.ports import free_port

JSON = {"Content-Type": "application/json"}


def without_times(answer: str) -> str:
    """Without what differs from run to run: durations, sizes, ports."""
    return re.sub(r"127\.0\.0\.1:\d+", "HOST", re.sub(r" \d+ ms [\d.]+ k?B", "", answer))


@pytest.fixture
def pages(pages):
    # What the browser asks for by itself would stand among the rest.
    pages["/favicon.ico"] = (204, {}, "")
    return pages


async def test_requests_with_method_status_and_type(isolated):
    isolated.pages["/style.css"] = (200, {"Content-Type": "text/css"}, "p{}")
    await isolated.show("<link rel=stylesheet href=/style.css><link rel=icon href=data:,><p>Hi")
    assert without_times(await isolated("requests")) == (
        'ok requests\n\n[1] GET 200 document "http://HOST/"\n[2] GET 200 stylesheet "http://HOST/style.css"'
    )
    assert re.search(r"\[1\] GET 200 document \d+ ms \d+ B ", await isolated("requests"))


async def test_requests_of_a_session_that_has_sent_none(isolated):
    assert await isolated("requests") == "ok requests\n\nnone"


@pytest.mark.slow
async def test_filters_are_joined(isolated):
    isolated.pages["/api"] = (200, JSON, "{}")
    await isolated.show("<link rel=icon href=data:,>")
    for method in ("GET", "POST", "POST"):
        await isolated.ok(f"eval \"fetch('/api', {{method: '{method}'}}).then(r => r.status)\"")
    posts = without_times(await isolated('requests --filter "/api" --method post --last 1'))
    assert posts.endswith('\n\n[4] POST 200 fetch "http://HOST/api"\n\n# note\n1 earlier left out by --last')
    assert (await isolated("requests --method PUT")).endswith("\n\nnone")
    assert "[1]" not in await isolated("requests --last 0")


async def test_redirects_are_told_hop_by_hop(isolated):
    isolated.pages["/old"] = (302, {"Location": "/older"}, "")
    isolated.pages["/older"] = (301, {"Location": "/"}, "")
    isolated.pages["/"] = "<link rel=icon href=data:,>home"
    await isolated.ok(f"goto {isolated.pages.url('/old')}")
    assert without_times(await isolated("requests")).split("\n\n")[1] == (
        '[1] GET 302 document "http://HOST/old" → [2]\n'
        '[2] GET 301 document "http://HOST/older" → [3]\n'
        '[3] GET 200 document "http://HOST/"'
    )
    assert "| Location: /older" in await isolated("request 1")
    assert "| Location: /\n" in await isolated("request 2") + "\n"
    assert "the answer's body is not shown: the answer is a redirect" in await isolated("request 1")


async def test_a_request_that_fails_says_why(isolated):
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("eval \"fetch('http://127.0.0.1:1/').catch(String)\"")
    row = (await isolated("requests --last 1")).split("\n")[2]
    assert row.startswith("[2] GET failed fetch ")
    assert row.endswith('"http://127.0.0.1:1/": the browser refuses this port (net::ERR_UNSAFE_PORT)')


async def test_a_refused_navigation_has_no_size(isolated):
    """The browser loads its own error page under the same id: 250 kB that nobody has sent."""
    address = f"http://127.0.0.1:{free_port()}/"
    assert (await isolated(f"goto {address}")).startswith("error goto")
    assert "did not load" in await isolated("observe")  # the error page has
    row = (await isolated("requests")).split("\n")[2]
    assert re.fullmatch(rf'\[1\] GET failed document \d+ ms "{address}": the connection was refused \(net::\w+\)', row)
    assert row == (await isolated("request 1")).split("\n")[2]


async def test_cross_origin_failures_name_the_rule_that_was_broken(isolated):
    isolated.pages["/api"] = "secret"
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok(f"eval \"fetch('{isolated.pages.url('/api', 'localhost')}').catch(String)\"")
    assert "MissingAllowOriginHeader" in await isolated("requests --last 1")


async def test_one_request_whole(isolated):
    isolated.pages["/api"] = (201, {**JSON, "X-Answer": "a"}, '{"name": "Ada"}')
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok(
        "eval \"fetch('/api', {method: 'POST', body: 'name=Ada', headers: {'X-Ask': 'b'}}).then(r => r.text())\""
    )
    lines = (await isolated("request 2 --timeout 8s")).split("\n")
    assert lines[0] == "ok request 2 --timeout 8s"
    assert lines[4].startswith("| POST http://127.0.0.1:") and lines[4].endswith("/api")
    assert {"| X-Ask: b", "| name=Ada", "| 201 Created", "| X-Answer: a", '| {"name": "Ada"}'} <= set(lines)
    assert lines.index("| name=Ada") < lines.index("| 201 Created") < lines.index('| {"name": "Ada"}')


async def test_cookies_are_shown_as_they_were_on_the_wire(isolated):
    isolated.pages["/"] = (200, {"Set-Cookie": "taste=sweet; HttpOnly"}, "<link rel=icon href=data:,>")
    await isolated.ok(f"goto {isolated.pages.url()}")
    await isolated.ok("refresh")
    assert "| Set-Cookie: taste=sweet; HttpOnly" in await isolated("request 1")
    assert "| Cookie: taste=sweet" in await isolated("request 2")


async def test_bodies_outlive_the_page(isolated):
    await isolated.show("<link rel=icon href=data:,>first", "/first")
    await isolated.show("<link rel=icon href=data:,>second", "/second")
    isolated.pages["/third"] = "<link rel=icon href=data:,>third"
    await isolated.ok(f"goto {isolated.pages.url('/third', 'localhost')}")
    assert "| <link rel=icon href=data:,>first" in await isolated("request 1")


async def test_a_body_that_is_no_text_is_counted(isolated):
    isolated.pages["/bytes"] = (200, {"Content-Type": "application/octet-stream"}, "a\0b")
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("eval \"fetch('/bytes').then(r => r.text())\"")
    assert "| (3 bytes that are no text)" in await isolated("request 2")
    await isolated("output json")
    found = json.loads(await isolated("request 2"))["result"]
    assert (found["status"], found["response"]["body"]) == (200, {"base64": "YQBi"})


@pytest.mark.slow
async def test_an_answer_that_has_not_ended(isolated):
    answering = threading.Event()
    isolated.pages["/slow"] = lambda _: answering.wait(30) and "at last"
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("eval \"void (slow = fetch('/slow'))\" --timeout 20s")
    assert (
        without_times(await isolated("requests --last 1")).split("\n")[2] == '[2] GET pending fetch "http://HOST/slow"'
    )
    answering.set()
    assert "at last" in await isolated('eval "slow.then(r => r.text())"')
    assert without_times(await isolated("requests --last 1")).split("\n")[2] == '[2] GET 200 fetch "http://HOST/slow"'


async def test_web_sockets_are_requests_too(isolated):
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("eval \"void new WebSocket(location.href.replace(/^http/, 'ws') + 'socket')\"")
    assert " websocket " in await isolated("requests --last 1")


async def test_no_such_request(isolated):
    assert await isolated("request 7") == (
        "error request 7: no request 7\n\n# hint\nRun 'requests' to see which there are."
    )


async def test_a_page_can_not_forge_a_row(isolated):
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("eval \"fetch('/x?a=' + String.fromCharCode(34, 10) + '[9] GET 200').then(r => r.status)\"")
    assert len((await isolated("requests")).split("\n")) == 4
    assert "\n[9] GET" not in await isolated("requests")


async def test_requests_as_data(isolated):
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("wait idle")  # the page may be there before the end of its request is reported
    await isolated("output json")
    [row] = json.loads(await isolated("requests"))["result"]
    assert (row["number"], row["method"], row["type"], row["status"]) == (1, "GET", "document", 200)
    assert row["failure"] is None and 0 < row["seconds"] < 10 and row["url"] == isolated.pages.url()


@pytest.mark.slow
async def test_the_log_is_bounded(isolated):
    await isolated.show("<link rel=icon href=data:,>")
    isolated.pages["/n"] = "x"
    many = "(async () => { for (let i = 0; i < 1100; i += 50) await Promise.all([...Array(50)].map(() => fetch('/n'))) })()"
    await isolated.ok(f'eval "{many}" --timeout 60s')
    rows = (await isolated("requests")).split("\n")[2:]
    assert len(rows) == 1000
    assert rows[-1].startswith("[1101] ")
    assert (await isolated("request 1")).startswith("error request 1: no request 1")


# --- har ---


async def recorded(isolated, path: Path) -> dict:
    await isolated.ok(f"har stop {path}")
    return read(path)


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))["log"]


async def test_har_holds_what_was_sent_and_answered(isolated, tmp_path):
    isolated.pages["/api"] = (200, JSON, '{"a": 1}')
    await isolated.ok("har start")
    await isolated.show("<link rel=icon href=data:,><title>Shop</title>")
    await isolated.ok("eval \"fetch('/api?q=a%20b', {method: 'POST', body: 'x'}).then(r => r.text())\"")
    log = await recorded(isolated, tmp_path / "out.har")
    assert (log["version"], log["creator"]["name"]) == ("1.2", "Oryn")
    document, api = log["entries"]
    [page] = log["pages"]
    assert page["title"] == document["request"]["url"] == isolated.pages.url()
    assert document["pageref"] == api["pageref"] == page["id"]
    assert api["request"]["method"] == "POST"
    assert api["request"]["queryString"] == [{"name": "q", "value": "a b"}]
    assert api["request"]["postData"]["text"] == "x"
    assert api["response"]["status"] == 200
    assert api["response"]["content"] == {"size": 8, "mimeType": "application/json", "text": '{"a": 1}'}
    assert all(value >= -1 for value in api["timings"].values()) and api["time"] > 0


async def test_har_begins_with_the_start_and_ends_with_the_stop(isolated, tmp_path):
    await isolated.show("<link rel=icon href=data:,>", "/before")
    await isolated.ok("har start")
    await isolated.show("<link rel=icon href=data:,>", "/during")
    log = await recorded(isolated, tmp_path / "out.har")
    assert [each["request"]["url"] for each in log["entries"]] == [isolated.pages.url("/during")]
    await isolated.show("<link rel=icon href=data:,>", "/after")
    assert (await isolated(f"har stop {tmp_path / 'again.har'}")).startswith("error")


async def test_har_goes_where_the_stop_says(isolated, tmp_path):
    await isolated.ok(f"har start {tmp_path / 'start.har'}")
    answer = await isolated.ok(f"har stop {tmp_path / 'stop.har'}")
    assert answer.endswith(f'0 requests, 174 B, "{tmp_path / "stop.har"}"') or "0 requests" in answer
    assert not (tmp_path / "start.har").exists()
    assert (tmp_path / "stop.har").stat().st_mode & 0o777 == 0o600


async def test_har_goes_where_the_start_said(isolated, tmp_path):
    await isolated.ok(f"har start {tmp_path / 'start.har'}")
    await isolated.ok("har stop")
    assert json.loads((tmp_path / "start.har").read_text("utf-8"))["log"]["entries"] == []


async def test_har_tells_of_what_has_not_ended(isolated, tmp_path):
    await isolated.show("<link rel=icon href=data:,>")
    await isolated.ok("har start")
    await isolated.ok("eval \"void new WebSocket(location.href.replace(/^http/, 'ws'))\"")
    await isolated.ok("eval \"void fetch('http://127.0.0.1:1').catch(() => 0)\"")
    log = await recorded(isolated, tmp_path / "out.har")
    failed = next(each for each in log["entries"] if each["request"]["url"] == "http://127.0.0.1:1/")
    assert failed["response"]["status"] == 0
    assert failed["comment"].endswith("(net::ERR_UNSAFE_PORT)")


async def test_a_recording_that_can_not_be_written_is_not_lost(isolated, tmp_path, monkeypatch):
    await isolated.ok("har start")
    await isolated.show("<link rel=icon href=data:,>")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", full)
        assert "No space left on device" in await isolated(f"har stop {tmp_path / 'x.har'}")
    assert list_of(tmp_path) == []
    assert len((await recorded(isolated, tmp_path / "x.har"))["entries"]) == 1


def list_of(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_closed_tab_leaves_its_requests_in_the_log(isolated):
    await isolated.show("<link rel=icon href=data:,>first", "/first")
    isolated.pages["/second"] = "<link rel=icon href=data:,>second"
    await isolated.ok(f"tab new {isolated.pages.url('/second')}")
    await isolated.ok("tab close")
    assert "/second" in await isolated("requests --last 1")
    assert "the answer's body is not shown: the browser did not keep it" in await isolated("request 2")
    assert "| <link rel=icon href=data:,>first" in await isolated("request 1")


async def test_har_errors(isolated, tmp_path):
    assert await isolated("har stop") == "error har stop: no recording is under way\n\n# hint\nRun 'har start' first."
    assert (await isolated(f"har start {tmp_path / 'no' / 'x.har'}")).startswith("error har start")
    await isolated.ok("har start")
    assert await isolated("har start") == "error har start: a recording is under way\n\n# hint\nRun 'har stop' first."
    assert (await isolated("har stop")).startswith("error har stop: har stop needs a path")
    assert (await isolated(f"har stop {tmp_path}")).startswith("error har stop")
    await isolated.ok(f"har stop {tmp_path / 'x.har'}")


@pytest.mark.parametrize(
    "line",
    [
        "requests",
        "har start",
        "offline off",
        "throttle fast-4g",
        "throttle off",
        'credentials "a" "b"',
        "credentials clear",
        "console",
        "console clear",
        "errors",
        "errors clear",
        'intercept "x"',
        "intercept clear",
        "headers",
        'headers set {"A": "b"}',
        "headers clear",
    ],
)
async def test_every_command_takes_a_time_limit(isolated, line):
    assert (await isolated(f"{line} --timeout 8s")).startswith("ok ")
