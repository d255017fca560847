"""Allowed and denied domains: what reaches another server, by every way that a page has, and what is said of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.network_options import host_rule_arguments
from oryn.core.urls import DomainPolicy
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from tests.headless.conftest import Driver, Pages

pytestmark = pytest.mark.browser

SHOP = "shop.localhost"
ADS = "ads.localhost"
DOMAINS = DomainPolicy.of([SHOP], None)
ICON = "<link rel=icon href=data:,>"


class ForbiddenServer:
    """A server that nobody should come to."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.connections = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                outer.requests.append(f"{self.command} {self.headers['Host'].partition(':')[0]}{self.path}")
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_OPTIONS = do_GET

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self) -> Any:
                outer.connections += 1
                return super().get_request()

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path: str = "/", host: str = ADS) -> str:
        return f"http://{host}:{self.server.server_port}{path}"


@pytest.fixture
def forbidden_server() -> Iterator[ForbiddenServer]:
    served = ForbiddenServer()
    yield served
    served.server.shutdown()
    served.server.server_close()


@pytest.fixture(scope="module")
def fenced(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    """A browser's process as the settings describe one with allowed domains."""
    headless = ChromiumBrowser(
        runtime_dir=Path(tmp_path_factory.mktemp("runtime")), extra_args=host_rule_arguments(DOMAINS)
    )
    run(headless.start())
    yield headless
    run(headless.close())


@pytest.fixture
def shop(fenced: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """A session that may speak to the shop alone."""
    yield from create_session(fenced, pages, run, tmp_path, DOMAINS)


def create_session(
    browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path, domains: DomainPolicy
) -> Iterator[Driver]:
    pages.bodies.clear()
    options = Options(timeout=60, policy=Policy.of(domains=domains))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=options)
    yield Driver(session, pages)
    run(session.close())


@pytest.fixture
def limited(
    browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> Iterator[Callable[[DomainPolicy], Driver]]:
    """Sessions in a process without flags: their requests alone are looked at."""
    made: list[Iterator[Driver]] = []

    def make(domains: DomainPolicy) -> Driver:
        made.append(create_session(browser, pages, run, tmp_path, domains))
        return next(made[-1])

    yield make
    for each in made:
        next(each, None)


async def show_shop(shop: Driver, body: str = "", path: str = "/") -> str:
    shop.pages[path] = f"{ICON}<title>shop</title>{body}"
    return await shop.ok(f"goto {shop.pages.url(path, SHOP)}")


async def script(shop: Driver, code: str) -> str:
    """What a promise of the page gives, and the rest of the answer."""
    answer = await shop.ok("eval " + '"' + code.replace("\\", "\\\\").replace('"', '\\"') + '"')
    return answer.partition("\n\n| ")[2]


BLOCKED = f"blocked 1 request: {ADS} is not in allowed_domains"
REFUSED = f"{ADS} is not in allowed_domains"


# --- navigations ---


async def test_a_page_of_another_host_is_refused_before_anything_is_sent(
    shop: Driver, forbidden_server: ForbiddenServer
) -> None:
    await show_shop(shop)
    url = forbidden_server.url("/secret")
    answer = await shop.session.execute(f"goto {url}")
    assert answer.error is not None and answer.error.code == "DOMAIN_NOT_ALLOWED"
    assert answer.render() == (
        f"error goto {url}: {REFUSED}\n\n# hint\nGo elsewhere: only the user can change the setting."
    )
    assert (await shop("tab new " + url)).startswith(f"error tab new {url}: {REFUSED}")
    assert (await shop.ok("tabs")).count("\n") == 2, "no tab is opened for it"
    assert '"shop"' in await shop.ok("title"), "the page stays"
    assert forbidden_server.connections == 0


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "chrome://version", "view-source:http://ads.localhost/", "devtools://devtools/x", "ftp://ads.localhost/"],
)  # fmt: skip
async def test_no_other_scheme_is_a_way_out(shop: Driver, url: str) -> None:
    await show_shop(shop)
    assert "is not in allowed_domains" in await shop(f"goto {url}")
    assert '"shop"' in await shop.ok("title")


@pytest.mark.parametrize(
    "host", ["ADS.localhost", "ads.localhost.", "ａds.localhost", "%61ds.localhost", "127.1", "[::1]"]
)
async def test_host_spellings_do_not_bypass_allowed_domains(
    shop: Driver, forbidden_server: ForbiddenServer, host: str
) -> None:
    await show_shop(shop)
    assert "is not in allowed_domains" in await shop(f"goto {forbidden_server.url('/', host)}")
    assert "is not in allowed_domains" in await shop(f"goto {forbidden_server.url('/', f'{SHOP}@{host}')}")
    assert forbidden_server.connections == 0


async def test_allowed_host_matches_in_any_spelling(shop: Driver) -> None:
    shop.pages["/"] = f"{ICON}<title>shop</title>"
    for host in ("SHOP.localhost", "shop.localhost."):
        assert '"shop"' in await shop.ok(f"goto {shop.pages.url('/', host)}")


async def test_each_hop_of_a_redirect_is_looked_at(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    await show_shop(shop)
    shop.pages["/first"] = (302, {"Location": "/second"}, "")
    shop.pages["/second"] = (307, {"Location": forbidden_server.url("/token?secret")}, "")
    answer = await shop.session.execute(f"goto {shop.pages.url('/first', SHOP)}")
    assert answer.error is not None and answer.error.code == "DOMAIN_NOT_ALLOWED"
    assert answer.error.message == REFUSED
    assert '"shop"' in await shop.ok("title"), "the page stays"
    assert forbidden_server.connections == 0


@pytest.mark.slow
async def test_a_link_is_pressed_and_its_page_refused(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    shop.pages["/away"] = (302, {"Location": forbidden_server.url()}, "")
    await show_shop(
        shop,
        f'<a href="{forbidden_server.url()}">there</a><a href=/away>round</a>'
        f'<form method=post action="{forbidden_server.url()}"><input name=a value=secret><button>Send</button></form>'
        f'<a download href="{forbidden_server.url()}">file</a>',
    )
    for name in ("there", "round", "Send", "file"):
        assert await shop(f'click "{name}"') == f'ok click "{name}"\n\n# note\nnothing changed\n{BLOCKED}'
    assert '"shop"' in await shop.ok("title")
    assert forbidden_server.connections == 0


async def test_a_new_tab_stays_empty(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    await show_shop(shop, f'<a target=_blank href="{forbidden_server.url()}">there</a>')
    answer = await shop('click "there"')
    assert answer == f'ok click "there"\n\n# note\n{BLOCKED}\n\n# changes\n+ tab 2 about:blank ""'
    assert forbidden_server.connections == 0


async def test_history_and_reload_work_on_allowed_domains(shop: Driver) -> None:
    await show_shop(shop)
    await show_shop(shop, "<p>two", "/two")
    assert '"shop"' in await shop.ok("back")
    assert '"shop"' in await shop.ok("forward")
    assert '"shop"' in await shop.ok("refresh --hard")


# --- what a page loads and sends ---


async def test_subresource_requests_to_other_hosts_are_blocked_and_reported(
    shop: Driver, forbidden_server: ForbiddenServer
) -> None:
    answer = await show_shop(
        shop,
        f'<img src="{forbidden_server.url("/a.gif")}"><script src="{forbidden_server.url("/a.js")}"></script>'
        f'<link rel=stylesheet href="{forbidden_server.url("/a.css")}"><iframe src="{forbidden_server.url("/frame")}"></iframe>',
    )
    assert answer.endswith(f"# note\nblocked 4 requests: {ADS} is not in allowed_domains")
    assert (await shop.ok("url")).endswith("/"), "and told once"
    assert forbidden_server.connections == 0
    listed = await shop.ok("requests")
    assert listed.count("net::ERR_BLOCKED_BY_CLIENT") == 4


async def test_many_hosts_are_told_in_a_few_lines(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    answer = await show_shop(
        shop, "".join(f'<img src="{forbidden_server.url("/", f"a{n}.localhost")}">' for n in range(150))
    )
    assert answer.count("blocked 1 request: a") == 5
    assert "blocked 95 more to 95 other hosts" in answer, "of a hundred hosts that are kept apart"


FETCHES = {
    "fetch": "fetch('{0}', {{mode: 'no-cors', credentials: 'include'}}).then(() => 'out', () => 'refused')",
    "cors": "fetch('{0}', {{method: 'PUT', headers: {{'X-A': '1'}}}}).then(() => 'out', () => 'refused')",
    "keepalive": "fetch('{0}', {{mode: 'no-cors', keepalive: true}}).then(() => 'out', () => 'refused')",
    "post": "fetch('{0}', {{method: 'POST', body: 'secret', mode: 'no-cors'}}).then(() => 'out', () => 'refused')",
    "xhr": "new Promise(done => {{ const it = new XMLHttpRequest(); it.open('GET', '{0}'); it.onload = () => done('out');"
    " it.onerror = () => done('refused'); it.send() }})",
    "events": "new Promise(done => {{ const it = new EventSource('{0}'); it.onopen = () => done('out');"
    " it.onerror = () => done('refused') }})",
    "prefetch": "new Promise(done => {{ const it = document.createElement('link'); it.rel = 'prefetch'; it.href = '{0}';"
    " it.onload = () => done('out'); it.onerror = () => done('refused'); document.head.append(it) }})",
    "worker": "new Promise(done => {{ const it = new Worker(URL.createObjectURL(new Blob([`fetch('{0}', {{mode: 'no-cors'}})"
    ".then(() => postMessage('out'), () => postMessage('refused'))`]))); it.onmessage = told => done(told.data) }})",
    "frame": "new Promise(done => {{ const it = document.createElement('iframe'); onmessage = told => done(told.data);"
    " it.srcdoc = `<img src='{0}' onload=\"parent.postMessage('out', '*')\" onerror=\"parent.postMessage('refused', '*')\">`;"
    " document.body.append(it) }})",
    "data": "new Promise(done => {{ const it = document.createElement('iframe'); onmessage = told => done(told.data);"
    " it.src = 'data:text/html,' + encodeURIComponent(`<img src='{0}' onerror=\"parent.postMessage('refused', '*')\">`);"
    " document.body.append(it) }})",
}


@pytest.mark.parametrize("way", FETCHES)
async def test_no_request_of_a_script_goes_out(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer, way: str
) -> None:
    shop = limited(DOMAINS)
    await show_shop(shop, "<p>shop")
    assert (await script(shop, FETCHES[way].format(forbidden_server.url("/leak")))).startswith("refused")
    assert forbidden_server.requests == []


async def test_a_beacon_goes_nowhere(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    shop = limited(DOMAINS)
    await show_shop(shop, "<p>shop")
    told = await script(shop, f"navigator.sendBeacon('{forbidden_server.url()}', 'secret')")
    told += await show_shop(shop, "<p>later", "/later")
    assert BLOCKED in told
    assert forbidden_server.requests == []


async def test_a_redirect_of_a_request_is_looked_at(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    shop = limited(DOMAINS)
    await show_shop(shop)
    shop.pages["/away"] = (302, {"Location": forbidden_server.url("/leak")}, "")
    assert (await script(shop, FETCHES["fetch"].format("/away"))).startswith("refused")
    assert forbidden_server.requests == []


# --- what no protocol stops, one by one ---

UNSEEN = {
    "websocket": "new Promise(done => {{ const it = new WebSocket('ws://{0}/ws'); it.onopen = () => done('out');"
    " it.onerror = () => done('refused') }})",
    "shared worker": "new Promise(done => {{ const it = new SharedWorker(URL.createObjectURL(new Blob([`onconnect = to =>"
    " fetch('http://{0}/shared', {{mode: 'no-cors'}}).then(() => to.ports[0].postMessage('out'),"
    " () => to.ports[0].postMessage('refused'))`]))); it.port.onmessage = told => done(told.data) }})",
    "turn server": "new Promise(done => {{ const it = new RTCPeerConnection({{iceServers: [{{username: 'a', credential: 'b',"
    " urls: 'turn:{0}?transport=tcp'}}]}}); it.onicecandidateerror = () => done('refused'); it.createDataChannel('x');"
    " it.createOffer().then(offer => it.setLocalDescription(offer)) }})",
}


@pytest.mark.parametrize("way", UNSEEN)
async def test_names_of_other_hosts_do_not_resolve(shop: Driver, forbidden_server: ForbiddenServer, way: str) -> None:
    await show_shop(shop)
    place = forbidden_server.url().removeprefix("http://").removesuffix("/")
    assert (await script(shop, UNSEEN[way].format(place))).startswith("refused")
    address = place.replace(ADS, "127.0.0.1")
    assert (await script(shop, UNSEEN[way].format(address))).startswith("refused"), "nor is an address a way"
    assert forbidden_server.connections == 0


async def test_a_service_worker_reaches_no_other_host(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    shop.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        f"oninstall = event => event.waitUntil(fetch('{forbidden_server.url()}', {{mode: 'no-cors'}}))",
    )
    await show_shop(shop)
    code = """navigator.serviceWorker.register('/worker.js').then(found => new Promise(done => {
        const it = found.installing; it.onstatechange = () => done(it.state === 'redundant' ? 'refused' : 'out') }))"""
    assert (await script(shop, code.replace("\n", " "))).startswith("refused")
    assert forbidden_server.connections == 0


# --- denied domains ---


async def test_denied_domains_leave_all_others(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    shop = limited(DomainPolicy.of(None, [f"*.{ADS}"]))
    for host in (ADS, f"x.{ADS}"):
        answer = await shop(f"goto {forbidden_server.url('/', host)}")
        assert f": {host} is in denied_domains\n" in answer
    assert forbidden_server.requests == []
    body = f'<img src="{forbidden_server.url("/ad")}"><img src="{forbidden_server.url("/good", "good.localhost")}">'
    assert f"blocked 1 request: {ADS} is in denied_domains" in await show_shop(shop, body)
    assert forbidden_server.requests == ["GET good.localhost/good"]


async def test_a_rule_with_a_port_is_for_that_port(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    port = forbidden_server.server.server_port
    shop = limited(DomainPolicy.of(None, [f"{ADS}:{port}"]))
    assert "is in denied_domains" in await shop(f"goto {forbidden_server.url()}")
    assert forbidden_server.requests == []
    shop.pages["/"] = f"{ICON}<title>other port</title>"
    assert '"other port"' in await shop.ok(f"goto {shop.pages.url('/', ADS)}")


# --- beside other things that stop requests ---


async def test_a_rule_that_answers_is_no_way_to_a_refused_host(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    shop = limited(DOMAINS)
    await show_shop(shop)
    await shop.ok(f'intercept "*{ADS}*" --respond {{"a": 1}}')
    assert (await script(shop, FETCHES["fetch"].format(forbidden_server.url()))).startswith("refused")
    await shop.ok('intercept "*/api" --respond {"a": 1}')
    assert (await script(shop, "fetch('/api').then(it => it.text())")).startswith('{"a": 1}')


async def test_headers_and_logins_are_for_allowed_hosts_alone(
    limited: Callable[[DomainPolicy], Driver], forbidden_server: ForbiddenServer
) -> None:
    shop = limited(DOMAINS)
    await show_shop(shop)
    await shop.ok('headers set {"X-Secret": "1"}')
    await shop.ok(f'headers set {ADS} {{"X-Secret": "2"}}')
    await shop.ok('credentials "ann" "secret"')
    assert REFUSED in await shop(f'goto {forbidden_server.url()} --headers {{"X-Secret": "3"}}')
    assert (await script(shop, FETCHES["fetch"].format(forbidden_server.url()))).startswith("refused")
    assert forbidden_server.requests == []


async def test_a_session_without_rules_stops_nothing(isolated: Driver, forbidden_server: ForbiddenServer) -> None:
    await isolated.show(f'{ICON}<img src="{forbidden_server.url("/seen")}">')
    assert forbidden_server.requests == [f"GET {ADS}/seen"]
    assert "interception" not in isolated.session.browser._features.__dict__, "requests are not even stopped"  # type: ignore[attr-defined]


async def test_a_proxy_is_reached_all_the_same(pages: Pages, tmp_path: Path) -> None:
    """It looks names up itself, and its own name still resolves."""
    pages["/"] = f"{ICON}<title>through the proxy</title>"
    domains, proxy = DomainPolicy.of(["shop.example"], None), pages.url("", "localhost")
    flags = (*host_rule_arguments(domains, proxy), f"--proxy-server={proxy}")
    options = Options(timeout=60, policy=Policy.of(domains=domains))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, extra_args=flags), options=options)
    answer = (await session.execute("goto http://shop.example/")).render()
    assert answer.endswith('"through the proxy"'), answer
    assert (await session.execute("goto http://other.example/")).error is not None
    await session.close()
