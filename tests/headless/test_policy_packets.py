"""Datagrams and bare connections out of a page: real sockets listen, pages try, and what arrived is counted.

The same pages run in a browser without limits. Once their packets are here, so would be those of the limited one, which
began before: nothing is waited for by the clock, and the test can notice. `-s` prints what arrived.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.network_options import host_rule_arguments
from oryn.core.urls import DomainPolicy
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from tests.headless.conftest import Driver, Pages

SHOP, PAY = "shop.localhost", "pay.localhost"
"""Two sites, so that a frame of one in the other lives in a process of its own."""
ICON = "<link rel=icon href=data:,>"
SECONDS = 60


def own_addresses() -> list[str]:
    """Loopback twice, and this machine's address to others, where it has one. Nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # https://datatracker.ietf.org/doc/html/rfc5737: nobody's
            outward = probe.getsockname()[0]
        except OSError:
            outward = "127.0.0.3"
    return ["127.0.0.1", "127.0.0.2", outward]


class Listeners:
    """What arrives at one port of each address, as datagrams and as connections."""

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        """By `udp 127.0.0.1` and the way's name."""
        self.received = asyncio.Event()

    def record(self, kind: str) -> None:
        self.arrived[kind] += 1
        self.received.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not holds():
                self.received.clear()
                await self.received.wait()


@asynccontextmanager
async def open_listeners(ways: tuple[str, ...]) -> AsyncIterator[tuple[Listeners, dict[str, list[str]]]]:
    """`Listeners`, and the places that each way is to try: a port of its own on each address."""
    heard, loop = Listeners(), asyncio.get_running_loop()
    places: dict[str, list[str]] = {way: [] for way in ways}
    ends: list[Any] = []

    class Datagrams(asyncio.DatagramProtocol):
        def __init__(self, way: str) -> None:
            self._way = way

        def datagram_received(self, data: bytes, _: Any) -> None:
            heard.record(f"udp {self._way}")

    async def open_port(address: str, way: str) -> int:
        """Listen on a port for both kinds, which nobody else has for either."""

        def connected(_: Any, writer: asyncio.StreamWriter) -> None:
            heard.record(f"tcp {way}")
            writer.close()

        while True:
            server = await asyncio.start_server(connected, address, 0)
            port: int = server.sockets[0].getsockname()[1]
            try:
                datagrams, _ = await loop.create_datagram_endpoint(lambda: Datagrams(way), (address, port))
            except OSError as error:
                server.close()
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                ends.extend([server, datagrams])
                return port

    for address in own_addresses():
        for way in ways:
            places[way].append(f"{address}:{await open_port(address, way)}")
    try:
        yield heard, places
    finally:
        for each in ends:
            each.close()


# Each way is a function of the places that it tries; none waits, for under limits nothing ever comes back.
WAYS = """
const peer = servers => {
  const it = new RTCPeerConnection({ iceServers: servers });
  it.createDataChannel('x');
  it.setLocalDescription();
  return it;
};
const ways = {
  stun: places => peer([{ urls: places.map(place => 'stun:' + place) }]),
  turn: places => peer([{ urls: places.map(place => `turn:${place}?transport=udp`), username: 'a', credential: 'b' }]),
  turn_tcp: places => peer([{ urls: places.map(place => `turn:${place}?transport=tcp`), username: 'a', credential: 'b' }]),
  turns: places => peer([{ urls: places.map(place => `turns:${place}?transport=tcp`), username: 'a', credential: 'b' }]),
  async candidates(places) {
    const it = peer([]), other = new RTCPeerConnection();
    await new Promise(done => { if (it.localDescription) done(); else it.onsignalingstatechange = done; });
    await other.setRemoteDescription(it.localDescription);
    const answer = await other.createAnswer();
    await it.setRemoteDescription(answer);
    for (const place of places) {
      const [address, port] = place.split(':');
      for (const kind of [`udp 2113937151 ${address} ${port} typ host`,
                          `tcp 1518280447 ${address} ${port} typ host tcptype passive`])
        await it.addIceCandidate({ candidate: `candidate:1 1 ${kind}`, sdpMLineIndex: 0 });
    }
  },
  transport: places => places.map(place => new WebTransport(`https://${place}/`).ready.catch(() => 0)),
};
const go = places => { for (const way in places) if (ways[way] && (way === 'transport' || self.RTCPeerConnection)) ways[way](places[way]); };
"""
TRIED = ("stun", "turn", "turn_tcp", "turns", "candidates", "transport")
UDP = {"udp stun", "udp turn", "udp candidates", "udp transport"}
TCP = {"tcp turn_tcp", "tcp turns"}

STARTS = {
    "page": "go(places)",
    "srcdoc": "const it = document.createElement('iframe'); it.srcdoc = source; document.body.append(it)",
    "sandbox": "const it = document.createElement('iframe'); it.sandbox = 'allow-scripts'; it.srcdoc = source; document.body.append(it)",
    "data": "const it = document.createElement('iframe'); it.src = 'data:text/html,' + encodeURIComponent(source);"
    " document.body.append(it)",
    "site": "const it = document.createElement('iframe'); it.src = elsewhere; document.body.append(it)",
    "blank": "const it = document.createElement('iframe'); document.body.append(it);"
    " it.contentWindow.eval(code); it.contentWindow.go(places)",
    "window": "document.querySelector('button').onclick = () => { const it = window.open(''); it.eval(code); it.go(places) }",
}
WORKERS = {
    "worker": "new Worker(URL.createObjectURL(new Blob([code + `go(${JSON.stringify(places)})`])))",
    "shared": "new SharedWorker(URL.createObjectURL(new Blob([code + `go(${JSON.stringify(places)})`])))",
}


def scripted(places: dict[str, list[str]], start: str, pages: Pages) -> str:
    """A page that tries all ways from where `start` says."""
    code = WAYS.replace("const ", "var ")
    frame_script = f"{code}\ngo({json.dumps(places)})"
    pages["/frame"] = f"{ICON}<script>{frame_script}</script>"
    texts = {"code": code, "source": f"<script>{frame_script}</script>", "elsewhere": pages.url("/frame", PAY)}
    told = "".join(f"const {name} = {json.dumps(text)};\n" for name, text in texts.items()).replace("</", "<\\/")
    return f"{ICON}<title>shop</title><body><button>b</button><script>{code}\n{told}const places = {json.dumps(places)};\n{start}</script>"


@pytest.fixture(scope="module")
def fenced(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[DomainPolicy], ChromiumBrowser]]:
    """A browser's process as the settings describe one with these rules, one for each set of them."""
    made: dict[DomainPolicy, ChromiumBrowser] = {}

    def browser(domains: DomainPolicy) -> ChromiumBrowser:
        if domains not in made:
            folder = Path(tmp_path_factory.mktemp("runtime"))
            made[domains] = ChromiumBrowser(runtime_dir=folder, extra_args=host_rule_arguments(domains))
            run(made[domains].start())
        return made[domains]

    yield browser
    for each in made.values():
        run(each.close())


@asynccontextmanager
async def session_that_tries(
    browser: ChromiumBrowser, folder: Path, pages: Pages, start: str, domains: DomainPolicy
) -> AsyncIterator[Listeners]:
    """A session in which a page has begun to try, and what arrives of it."""
    options = Options(timeout=60, policy=Policy.of(domains=domains) if domains else Policy())
    session = Session(ChromiumBrowser(runtime_dir=folder, shared_with=browser), options=options)
    async with open_listeners(TRIED) as (heard, places):
        try:
            pages["/"] = scripted(places, start, pages)
            driver = Driver(session, pages)
            await driver.ok(f"goto {pages.url('/', SHOP)}")
            await driver.ok('click "b"')  # which is what a browser asks for before a page opens a window
            yield heard
        finally:
            await session.close()


RULES = {
    "allowed": DomainPolicy.of([SHOP, PAY], None),
    "denied": DomainPolicy.of(None, ["ads.localhost"]),
    "denied with a port": DomainPolicy.of(None, ["ads.localhost:81"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("start", [*STARTS, *WORKERS])
def test_no_packet_leaves_a_page_that_may_speak_to_two_hosts(
    start: str, fenced: Any, browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> None:
    compare("allowed", start, fenced, browser, pages, run, tmp_path, TCP | UDP)


@pytest.mark.parametrize("rules", ["denied", "denied with a port"])
def test_no_datagram_leaves_where_hosts_are_denied(
    rules: str, fenced: Any, browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path
) -> None:
    """An address may be that of a denied host, and WebRTC takes addresses: it sends nothing. All else is asked for by
    name, or is the page's to speak to."""
    compare(rules, "page", fenced, browser, pages, run, tmp_path, UDP - {"udp transport"})


def compare(
    rules: str,
    start: str,
    fenced: Any,
    browser: ChromiumBrowser,
    pages: Pages,
    run: Any,
    folder: Path,
    refused: set[str],
) -> None:
    limited = fenced(RULES[rules])
    pages.bodies.clear()
    script = {**STARTS, **WORKERS}[start]
    expected = UDP | TCP
    if start in WORKERS:
        expected = {"udp transport"}  # the one that workers have
    elif start == "data":
        expected -= {"udp transport"}  # which is for secure contexts

    async def both() -> None:
        async with (
            session_that_tries(limited, folder / "limited", pages, script, RULES[rules]) as held,
            session_that_tries(browser, folder / "free", pages, script, DomainPolicy()) as free,
        ):
            await free.until(lambda: all(free.arrived[each] >= 3 for each in expected))
            told = f"{rules}, {start}: {dict(held.arrived)} arrived; without limits {dict(free.arrived)}"
            print(f"\n{told}")  # noqa: T201 — the figure
            assert {each for each in held.arrived if each in refused} == set()

    run(both())
