"""Pages that research opens in a browser, and what they reach for in private networks: nothing arrives there.

Servers on loopback count who connects to them. The page that attacks is at a public address, which leads to one of them
here; everything else is real: the browser, the proxy, the connections."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpcore
import pytest

from oryn.browsers.base import Cookie
from oryn.browsers.chromium import ChromiumBrowser
from oryn.daemon.research import tab_renderer
from oryn.daemon.research.tab_renderer import SessionTabRenderer
from oryn.engine import Options, Session
from oryn.errors import AddressNotAllowed
from oryn.hosts.browser_factory import proxied_browser
from oryn.research.fetching.address_policy import Address
from oryn.research.fetching.forward_proxy import ForwardProxy
from oryn.research.fetching.upstream_proxy import UpstreamProxy
from oryn.research.options import ResearchOptions
from oryn.research.process import tab_renderer as process_tab_renderer
from oryn.research.process.request import ResearchRequest
from oryn.research.process.tab_renderer import CURRENT_REQUEST, TabRenderer
from oryn.settings import load
from oryn.system.paths import find
from tests.research.server import ReceivedRequest as Request
from tests.research.server import Reply, Site, redirect

pytestmark = pytest.mark.browser

PUBLIC = "93.184.215.14"

ATTACK = """<!doctype html><title>begun</title><p>The ferns of the valley</p><script>
const places = PLACES, ended = [];
const element = (name, attributes) => new Promise(done => {
  const made = Object.assign(document.createElement(name), attributes);
  made.onload = made.onerror = done; document.body.append(made);
});
for (const place of places) {
  const at = what => `http://${place}/${what}`, hop = what => `/hop?to=${encodeURIComponent(at(what))}`;
  const ways = {
    fetch: () => fetch(at("fetch"), {mode: "no-cors"}),
    hop: () => fetch(hop("hop"), {mode: "no-cors"}),
    post: () => fetch(at("post"), {mode: "no-cors", method: "POST", body: "x"}),
    xhr: () => new Promise(done => { const x = new XMLHttpRequest(); x.onloadend = done; x.open("GET", at("xhr")); x.send(); }),
    image: () => element("img", {src: at("image")}),
    frame: () => element("iframe", {src: at("frame")}),
    hopframe: () => element("iframe", {src: hop("hopframe")}),
    script: () => element("script", {src: at("script")}),
    style: () => element("link", {rel: "stylesheet", href: at("style")}),
    beacon: () => navigator.sendBeacon(at("beacon"), "x"),
    events: () => new Promise(done => { const e = new EventSource(at("events")); e.onerror = () => { e.close(); done(); }; }),
    worker: () => new Promise(done => {
      const code = `fetch(${JSON.stringify(at("worker"))}, {mode: "no-cors"}).catch(() => 0).then(() => postMessage(1))`;
      const w = new Worker(URL.createObjectURL(new Blob([code]))); w.onmessage = w.onerror = done;
    }),
    socket: () => new Promise(done => { const s = new WebSocket(`ws://${place}/socket`); s.onclose = done; }),
    secure: () => fetch(`https://${place}/secure`, {mode: "no-cors"}),
  };
  for (const way of Object.values(ways))
    ended.push(Promise.race([new Promise(done => setTimeout(done, 4000)), (async () => way())().catch(() => 0)]));
}
async function packets() {
  const servers = [];
  for (const place of places) servers.push({urls: `stun:${place}`},
    {urls: [`turn:${place}?transport=tcp`, `turn:${place}?transport=udp`], username: "a", credential: "b"});
  const one = new RTCPeerConnection({iceServers: servers.slice(0, 9)});
  one.createDataChannel("x");
  const gathered = new Promise(done => { one.onicegatheringstatechange = () => one.iceGatheringState == "complete" && done(); });
  await one.setLocalDescription(await one.createOffer());
  await Promise.race([gathered, new Promise(done => setTimeout(done, 3000))]);
}
ended.push(packets().catch(() => 0));
fetch("/held");
Promise.allSettled(ended).then(() => { document.title = "over"; fetch("/release"); });
</script>"""

WAYS = {"fetch", "hop", "post", "xhr", "image", "frame", "hopframe", "script", "style", "beacon", "events", "worker"}


class FakeResolver:
    """`PUBLIC` for every name but some. `turns.test` is there once, and then on this computer."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def __call__(self, host: str, port: int) -> list[Address]:
        self.requests.append(host)
        if host == "inner.test" or (host == "turns.test" and self.requests.count(host) > 1):
            return [ip_address("127.0.0.1")]
        return [ip_address({"inner6.test": "::1", "mapped.test": "::ffff:127.0.0.1"}.get(host, PUBLIC))]


class FakeNetwork(httpcore.AsyncNetworkBackend):
    """The public address is that of a server here; others are what they are."""

    def __init__(self, site: Site) -> None:
        self._site, self._inner = site, httpcore.AnyIOBackend()
        self.connected: list[str] = []

    async def connect_tcp(self, host: str, port: int, *rest: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        self.connected.append(host)
        if host == PUBLIC:
            return await self._inner.connect_tcp(self._site.host, self._site.port)
        return await self._inner.connect_tcp(host, port, *rest, **options)


class LoopbackTargets:
    """What must not be reached: web servers on two addresses of loopback, a listener on IPv6, a socket for packets."""

    def __init__(self) -> None:
        self.one, self.two = Site("127.0.0.1"), Site("127.0.0.2")
        self.packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.six = socket.socket(socket.AF_INET6)
        self.six.bind(("::1", 0))
        self.six.listen(64)
        for each in (self.packets, self.six):
            each.setblocking(False)

    def __enter__(self) -> LoopbackTargets:
        for site in (self.one.__enter__(), self.two.__enter__()):
            site.otherwise = Reply("the secret of the intranet")
        self.packets.bind(("127.0.0.1", self.one.port))
        return self

    def __exit__(self, *error: Any) -> None:
        for site in (self.one, self.two):
            site.__exit__(None, None, None)
        self.packets.close()
        self.six.close()

    @property
    def places(self) -> list[str]:
        """How an attacker may write them."""
        port, six = self.one.port, self.six.getsockname()[1]
        hosts = ("127.0.0.1", "localhost", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "0.0.0.0", "a.localhost")
        ours = [f"{host}:{port}" for host in (*hosts, "inner.test", "mapped.test", "turns.test", "[::ffff:127.0.0.1]")]
        return [*ours, f"127.0.0.2:{self.two.port}", f"[::1]:{six}", f"inner6.test:{six}"]

    def reached(self) -> int:
        """How often anything came."""
        count = self.one.connections + self.two.connections
        for taken in (self.six.accept, lambda: self.packets.recv(4096)):
            with suppress(BlockingIOError):
                while True:
                    taken()
                    count += 1
        return count


@pytest.fixture
def loopback_targets() -> Iterator[LoopbackTargets]:
    with LoopbackTargets() as made:
        yield made


@pytest.fixture
def site() -> Iterator[Site]:
    with Site("127.0.0.3") as made:
        made.put("/hop", lambda asked: redirect(asked.query["to"]))
        yield made


@pytest.fixture
def session(browser: ChromiumBrowser, run: Any, tmp_path: Path) -> Iterator[Session]:
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "run", shared_with=browser), options=Options(timeout=60))
    yield session
    run(session.browser.close())


class Way:
    """What a request of research opens pages by."""

    def __init__(self, tabs: SessionTabRenderer, proxy: str, guard: ForwardProxy, network: FakeNetwork) -> None:
        self.tabs, self.proxy, self.guard, self.network = tabs, proxy, guard, network

    async def html(self, url: str) -> tuple[str, str]:
        return await self.tabs.render(url, self.proxy)


@asynccontextmanager
async def way(session: Session, site: Site, home: Path, **options: Any) -> AsyncIterator[Way]:
    network = FakeNetwork(site)
    guard = ForwardProxy(resolve=FakeResolver(), network=network, upstream=UpstreamProxy(environment={}), **options)
    configuration = load({"timeout": 60}, find({"ORYN_HOME": str(home)}), {})
    tabs = SessionTabRenderer(session, partial(proxied_browser, configuration))
    async with guard.serving() as proxy:
        try:
            yield Way(tabs, proxy, guard, network)
        finally:
            await tabs.close()


def attack(site: Site, places: list[str]) -> None:
    over = threading.Event()
    site.page("/", ATTACK.replace("PLACES", json.dumps(places)))
    site.put("/held", Reply("x", wait=over))

    def release(asked: Request) -> Reply:
        over.set()
        return Reply("x")

    site.put("/release", release)


@pytest.mark.slow
async def test_nothing_that_a_page_does_reaches_a_private_network(
    session, site, loopback_targets, tmp_path, monkeypatch
):
    monkeypatch.setattr(tab_renderer, "QUIET_SECONDS", 25.0)
    attack(site, loopback_targets.places)
    async with way(session, site, tmp_path) as opened:
        url, html = await opened.html("http://attacker.test/")
        assert url == "http://attacker.test/" and "ferns" in html and "<title>over" in html
        assert "secret" not in html
        assert set(opened.network.connected) == {PUBLIC}
    assert loopback_targets.reached() == 0
    assert opened.guard.refused


@pytest.mark.slow
async def test_all_of_it_arrives_if_private_networks_are_allowed(
    session, site, loopback_targets, tmp_path, monkeypatch
):
    monkeypatch.setattr(tab_renderer, "QUIET_SECONDS", 10.0)  # its answers that nobody reads never end
    attack(site, [f"127.0.0.1:{loopback_targets.one.port}", f"inner.test:{loopback_targets.one.port}"])
    async with way(session, site, tmp_path, allow_private=True) as opened:
        assert "<title>over" in (await opened.html("http://attacker.test/"))[1]
    asked = {(request.path[1:], request.headers["host"].partition(":")[0]) for request in loopback_targets.one.requests}
    assert {what for what, host in asked if host == "127.0.0.1"} >= WAYS | {"socket"}
    assert {what for what, host in asked if host == "inner.test"} >= WAYS | {"socket"}


@pytest.mark.slow
async def test_a_session_that_may_go_there_uses_its_own_tabs(session, loopback_targets, monkeypatch):
    monkeypatch.setattr(tab_renderer, "QUIET_SECONDS", 10.0)  # its answers that nobody reads never end
    attack(loopback_targets.one, [f"127.0.0.2:{loopback_targets.two.port}", f"127.0.0.1:{loopback_targets.one.port}"])
    tabs = SessionTabRenderer(session, lambda proxy: pytest.fail("another browser"))
    assert "The ferns" in (await tabs.render(loopback_targets.one.url("/")))[1]
    await tabs.close()
    assert {request.path[1:] for request in loopback_targets.two.requests} >= WAYS - {"hop", "hopframe"}
    assert loopback_targets.packets.recv(4096), "WebRTC sends packets where nothing keeps it from that"


MOVES = {
    "redirect": redirect("TO"),
    "location": Reply("<script>location.href = 'TO'</script>"),
    "replace": Reply("<script>addEventListener('load', () => location.replace('TO'))</script>"),
    "meta": Reply("<meta http-equiv=refresh content='0;url=TO'>"),
    "form": Reply("<form action='TO' method=post></form><script>document.forms[0].submit()</script>"),
}


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES)
async def test_a_page_that_moves_there_is_refused(session, site, loopback_targets, tmp_path, monkeypatch, move):
    reply = MOVES[move]
    async with way(session, site, tmp_path) as opened:

        async def render(url: str, proxy: str | None = None) -> tuple[str, str]:
            assert proxy is not None
            return await opened.html(url)

        asked = ResearchRequest(1, "extract", ResearchOptions(), {}, _nobody)
        monkeypatch.setattr(asked, "render", render)
        monkeypatch.setattr(process_tab_renderer, "forward_proxy", lambda options: opened.guard)
        monkeypatch.setattr(process_tab_renderer, "resolve", FakeResolver())
        monkeypatch.setattr(opened.guard, "serving", _served(opened.proxy))
        CURRENT_REQUEST.set(asked)
        for place in (
            f"127.0.0.1:{loopback_targets.one.port}",
            f"inner.test:{loopback_targets.one.port}",
            f"[::1]:{loopback_targets.one.port}",
        ):
            body = reply.body if isinstance(reply.body, str) else reply.body.decode()
            to = f"http://{place}/end"
            headers = {name: value.replace("TO", to) for name, value in reply.headers.items()}
            site.put("/", Reply(body.replace("TO", to), status=reply.status, headers=headers))
            with pytest.raises(AddressNotAllowed):
                await TabRenderer().render("http://attacker.test/")
        await asked.exit_stack.aclose()
    assert loopback_targets.reached() == 0


def _served(proxy: str) -> Any:
    @asynccontextmanager
    async def serving() -> AsyncIterator[str]:
        yield proxy

    return serving


async def _nobody(message: Any) -> None:
    pytest.fail("nobody is told")


@pytest.mark.slow
async def test_what_the_session_has_goes_along_and_its_limits_hold(session, site, loopback_targets, tmp_path):
    await session.execute("goto about:blank")
    await session.browser.set_cookies([Cookie("who", "Ada", "attacker.test", "/")])
    await session.browser.network.set_headers({"X-Own": "one"})
    async with way(session, site, tmp_path) as opened:
        site.page("/", "<title>a</title>")
        await opened.html("http://attacker.test/")
    (asked,) = [request for request in site.requests if request.path == "/"]
    assert asked.headers["cookie"] == "who=Ada"
    assert asked.headers["x-own"] == "one"
    assert "proxy-authorization" not in asked.headers


async def test_proxy_rejects_other_clients(session, site, loopback_targets, tmp_path):
    async with way(session, site, tmp_path) as opened:
        port = int(opened.proxy.rpartition(":")[2])
        for login in (b"", b"Proxy-Authorization: Basic b3J5bjp4\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"CONNECT attacker.test:80 HTTP/1.1\r\n" + login + b"\r\n")
            assert b" 407 " in await reader.readline()
            writer.close()
    assert opened.network.connected == []
