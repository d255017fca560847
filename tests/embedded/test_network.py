"""The network of a session in WebKit: the tests of Chromium with the same result, and where WebKit differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Session
from tests import attacks
from tests.headless import test_messages, test_network, test_network_conditions, test_network_rules
from tests.headless.conftest import OPTIONS, Driver, Pages, quick_key_derivation
from tests.headless.test_network_conditions import PAGE, echo, guarded
from tests.streams import event_server
from tests.webkit import webkit_browser

pytestmark = [pytest.mark.webkit, pytest.mark.other_engine]
pages, fetch_in_page, socket = test_network.pages, test_network_rules.fetch_in_page, test_messages.socket
__all__ = ["fetch_in_page", "pages", "quick_key_derivation", "socket"]

DIFFERENT = {
    "a_request_that_fails_says_why": "no event tells of a request to a port that WebKit refuses",
    "har_tells_of_what_has_not_ended": "the same",
    "a_recording_that_can_not_be_written_is_not_lost": "it counts all files in the folder, where the browser's are too",
    "every_command_takes_a_time_limit": "`throttle` is refused",
    "respond_with_a_status": "an answer always has a media type",
    "respond_with_a_file": "its media type has no encoding",
    "answers_can_be_read_from_any_origin": "JavaScript's messages are WebKit's",
    "block": "the same",
    "an_edited_answer": "WebKit holds no answers back with their bodies",
    "an_answer_that_can_not_be_edited_says_why": "the same",
    "a_redirect_is_not_edited_and_its_goal_is": "the same",
    "rules_outlive_the_browser": "it ends Chromium",
    "offline": "`navigator.onLine` stays true",
    "throttle": "it is refused",
    "every_preset": "the same",
    "server_sent_events": "WebKit does not report them",
    "sessions_have_networks_of_their_own": "a browser has one session",
    "headers_do_not_follow_a_redirect_to_another_domain": "redirects are not held back",
}
"""The tests of Chromium that are not for WebKit, with the reason; most have a counterpart below."""
globals().update(
    (name, test)
    for module in (test_messages, test_network, test_network_conditions, test_network_rules)
    for name, test in vars(module).items()
    if name.startswith("test_") and name.removeprefix("test_") not in DIFFERENT
)


@pytest.fixture
def isolated(pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    pages.bodies.clear()
    session = Session(webkit_browser(runtime_dir=tmp_path / "run", load_timeout=10), options=OPTIONS)
    yield Driver(session, pages)
    run(session.close())


ASK = (
    "eval \"fetch('{0}').then(async r => [r.status, r.headers.get('content-type'), await r.text()].join(' '), String)\""
)


async def ask(isolated: Driver, url: str) -> str:
    """What a page gets for a URL: `status type body`, or the error."""
    return (await isolated.ok(ASK.format(url))).split("\n\n| ", 1)[1]


async def test_rules_block_and_answer(isolated: Driver, tmp_path: Path) -> None:
    file = tmp_path / "answer.csv"
    file.write_text("a,ü\n", "utf-8")
    isolated.pages["/api"] = "the server's"
    await isolated.show(PAGE)
    await isolated.ok('intercept "/api" --block')
    assert await ask(isolated, "/api") == "TypeError: Load failed"
    assert "a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)" in await isolated("requests --last 1")
    assert "a rule of the browser blocked it" in await isolated(f"goto {isolated.pages.url('/api')}")
    await isolated.show(PAGE)
    await isolated.ok(f'intercept "/api" --respond-file {file}')
    assert (await ask(isolated, "/api")).startswith("200 text/csv a,ü")
    await isolated.ok('intercept "/api" --status 404')
    assert (await ask(isolated, "/api")).startswith("404 ")
    other = isolated.pages.url("/api", "localhost")
    await isolated.ok('intercept "*/api" --respond [1]')
    assert await ask(isolated, other) == "200 application/json [1]"
    preflighted = f"fetch('{other}', {{method: 'PUT', headers: {{'X-A': '1'}}, credentials: 'include'}})"
    assert "| [" in await isolated(f'eval "{preflighted}.then(r => r.json(), String)"')


async def test_a_document_that_a_rule_answers(isolated: Driver, tmp_path: Path) -> None:
    """In UTF-8, although its encoding can't be told."""
    file = tmp_path / "page.html"
    file.write_text("<title>Größe</title><p>ü", "utf-8")
    await isolated.ok(f'intercept "*/page" --respond-file {file}')
    assert '"Größe"' in await isolated.ok(f"goto {isolated.pages.url('/page')}")
    assert "ü" in await isolated("text")


async def test_offline_fails_every_request(isolated: Driver) -> None:
    isolated.pages["/api"] = "x"
    await isolated.show(PAGE)
    await isolated.ok("offline on")
    assert await ask(isolated, "/api") == "TypeError: Load failed"
    assert "net::ERR_INTERNET_DISCONNECTED" in await isolated("requests --last 1")
    assert "there is no network (net::ERR_INTERNET_DISCONNECTED)" in await isolated(f"goto {isolated.pages.url()}")
    await isolated.ok("offline off")
    assert '"page"' in await isolated.ok(f"goto {isolated.pages.url()}")


@pytest.mark.parametrize("line", ["throttle fast-4g", "throttle off"])
async def test_the_connection_is_not_slowed_down(isolated: Driver, line: str) -> None:
    assert (await isolated(line)).startswith(f"error {line}: not supported in this mode")


async def test_headers_go_along_with_a_redirect_and_so_no_bound_value_goes_into_one(
    isolated: Driver, tmp_path: Path, quick_key_derivation: None
) -> None:
    isolated.pages["/echo"] = echo
    isolated.pages["/away"] = (302, {"Location": isolated.pages.url("/echo", "localhost")}, "")
    await isolated.ok('headers set 127.0.0.1 {"X-Ours": "1"}')
    await isolated.ok(f"goto {isolated.pages.url('/away')}")
    assert "| X-Ours: 1" in await isolated("text")
    attacks.set_vault(isolated.session, tmp_path, isolated.pages.url("").rstrip("/"))
    value = '{"X-Secret": "{{vault:bank.password}}"}'
    domain = isolated.pages.url("").removeprefix("http://").rstrip("/")
    for line in (f"headers set {domain} {value}", f"goto {isolated.pages.url('/away')} --headers {value}"):
        answer = await isolated.session.execute(line)
        assert answer.error is not None and answer.error.code == "VAULT_ORIGIN", line
        assert "along with a redirect" in answer.error.message


async def test_a_login_goes_to_no_other_server_than_its_own(isolated: Driver, tmp_path: Path) -> None:
    sent: list[tuple[str, str]] = []

    def asks(handler: Any) -> Any:
        if authorization := handler.headers.get("Authorization"):
            sent.append((handler.headers["Host"].partition(":")[0], authorization))
        return guarded("ada", "l0ve:lace")(handler)

    isolated.pages["/in"] = asks
    isolated.pages["/open"] = lambda handler: handler.headers.get("Authorization") or "nothing"
    isolated.pages["/away"] = (302, {"Location": isolated.pages.url("/echo", "localhost")}, "")
    isolated.pages["/echo"] = echo
    await isolated.ok('credentials "ada" "l0ve:lace"')
    await isolated.ok(f"goto {isolated.pages.url('/open', 'localhost')}")
    assert "nothing" in await isolated("text"), "who does not ask for it gets none"
    await isolated.ok(f"goto {isolated.pages.url('/in')}")
    assert "welcome" in await isolated("text")
    await isolated.ok(f"goto {isolated.pages.url('/away')}")
    assert "Authorization" not in await isolated("text")
    assert {host for host, _ in sent} == {"127.0.0.1"}


async def test_a_page_that_asks_for_a_login_does_not_hang(isolated: Driver) -> None:
    isolated.pages["/in"] = guarded("ada", "x")
    await isolated.show(PAGE)
    answer = await isolated(f"goto {isolated.pages.url('/in')} --timeout 20s")
    assert "the server refused the credentials (net::ERR_INVALID_AUTH_CREDENTIALS)" in answer
    assert '"page"' in await isolated("title"), "the page stays"


async def test_requests_of_all_tabs_are_told_apart(isolated: Driver) -> None:
    """Each process of the browser counts its requests from the start."""
    isolated.pages["/two"] = f"{PAGE}two"
    await isolated.show(f"{PAGE}one")
    await isolated.ok(f"tab new {isolated.pages.url('/two')}")
    await isolated("output json")
    rows = json.loads(await isolated("requests"))["result"]
    assert [row["url"] for row in rows] == [isolated.pages.url(), isolated.pages.url("/two")]
    await isolated("output text")
    assert "one" in await isolated("request 1") and "two" in await isolated("request 2")


async def test_what_comes_from_memory_is_a_request_too(isolated: Driver) -> None:
    isolated.pages["/a.js"] = (200, {"Content-Type": "text/javascript", "Cache-Control": "max-age=1000"}, "let a")
    isolated.pages["/again"] = f"{PAGE}<script src=/a.js></script>"
    await isolated.show(f"{PAGE}<script src=/a.js></script>")
    await isolated.ok(f"goto {isolated.pages.url('/again')}")
    assert (await isolated("requests")).count("/a.js") == 2


async def test_without_a_cache_everything_is_asked_for_again(pages: Pages, run: Any, tmp_path: Path) -> None:
    asked: list[str] = []
    script = (200, {"Content-Type": "text/javascript", "Cache-Control": "max-age=1000"}, "let a")
    pages["/a.js"] = lambda handler: asked.append(handler.path) or script
    pages["/"] = pages["/again"] = f"{PAGE}<script src=/a.js></script>"
    session = Session(webkit_browser(runtime_dir=tmp_path / "run", load_timeout=10, cache=False), options=OPTIONS)
    driver = Driver(session, pages)
    await driver.ok(f"goto {pages.url()}")
    await driver.ok(f"goto {pages.url('/again')}")
    await session.close()
    assert len(asked) == 2


async def test_server_sent_events(isolated):
    async with event_server("event: price\ndata: 12") as url:
        await isolated.show("<link rel=icon href=data:,><title>Events</title>")
        script = f"new Promise(done => new EventSource('{url}').addEventListener('price', event => done(event.data)))"
        await isolated.ok(f'eval "{script}"')
        assert (await isolated("requests --messages")).endswith(
            "\n\nnone\n\n# note\nthis browser does not report the messages of eventsource"
        )
