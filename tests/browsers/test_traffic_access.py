"""How a browser reaches the network: proxies, certificates, the cache."""

from __future__ import annotations

import base64
import http.client
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from oryn.browsers.base.network import HttpCredentials
from oryn.browsers.cdp.network.client_certificate import ClientCertificate
from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.network_options import NetworkOptions, split_proxy_login
from oryn.errors import ConfigurationError, NavigationError
from oryn.hosts.browser_factory import browser_for
from oryn.settings import load
from oryn.system import paths

LOGIN = HttpCredentials("ada", "l0ve:lace")
THROUGH = "<-loopback>"


class Proxy(ThreadingHTTPServer):
    """An HTTP proxy that wants a login, and remembers what went through it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ProxyHandler)
        self.wanted = "Basic " + base64.b64encode(f"{LOGIN.user}:{LOGIN.password}".encode()).decode()
        self.passed: list[str] = []
        self.refused = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # browsers hang up whenever they like


class ProxyHandler(BaseHTTPRequestHandler):
    server: Proxy

    def log_message(self, *_: Any) -> None:
        pass

    def _let_in(self) -> bool:
        if self.headers.get("Proxy-Authorization") == self.server.wanted:
            return True
        self.server.refused += 1
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return False

    def do_GET(self) -> None:
        if not self._let_in():
            return
        url = urlsplit(self.path)
        self.server.passed.append(self.path)
        with closing(http.client.HTTPConnection(url.hostname or "", url.port, timeout=10)) as beyond:
            beyond.request("GET", f"{url.path}?{url.query}")
            answer = beyond.getresponse()
            body = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type") or "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        if not self._let_in():
            return
        self.server.passed.append(self.path)
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=10) as beyond:
            self.send_response(200)
            self.end_headers()
            threading.Thread(target=_pump, args=(beyond, self.connection), daemon=True).start()
            _pump(self.connection, beyond)
        self.close_connection = True


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    server = Proxy()
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def create_browser(shared_browser, runtime_dir, run):
    """Makes browsers of the sessions beside the shared one, which reach the network in ways of their own."""
    made: list[ChromiumBrowser] = []

    async def start(access: NetworkOptions) -> ChromiumBrowser:
        browser = ChromiumBrowser(runtime_dir=runtime_dir, shared_with=shared_browser, network_options=access)
        made.append(browser)
        await browser.start()
        return browser

    yield start
    for browser in made:
        run(browser.close())


# --- proxies ---


async def test_a_proxy_that_wants_a_login(create_browser, proxy, server):
    browser = await create_browser(NetworkOptions(proxy=proxy.url, proxy_login=LOGIN, proxy_bypass=THROUGH))
    assert (await browser.page.goto(server.url("/ok?title=far"))).status == 200
    assert proxy.passed == [server.url("/ok?title=far")]
    assert proxy.refused == 1  # from then on the browser knows
    await browser.page.evaluate("fetch('/ok').then(r => r.text())")
    assert proxy.refused == 1


@pytest.mark.slow
async def test_a_proxy_that_refuses_the_login(create_browser, proxy, server):
    browser = await create_browser(
        NetworkOptions(proxy=proxy.url, proxy_login=HttpCredentials("ada", "wrong"), proxy_bypass=THROUGH)
    )
    try:
        assert (await browser.page.goto(server.url("/ok"))).status == 407
    except NavigationError as error:
        assert "wrong" not in str(error)
    assert proxy.passed == [] and proxy.refused == 2


@pytest.mark.slow
async def test_a_proxy_is_for_one_session(create_browser, proxy, server, page):
    browser = await create_browser(NetworkOptions(proxy=proxy.url, proxy_login=LOGIN, proxy_bypass=THROUGH))
    await page.goto(server.url("/ok"))
    assert proxy.passed == []
    await browser.page.goto(server.url("/ok"))
    assert len(proxy.passed) == 1


async def test_hosts_that_the_proxy_is_not_for(create_browser, proxy, server):
    browser = await create_browser(
        NetworkOptions(proxy=proxy.url, proxy_login=LOGIN, proxy_bypass=f"{THROUGH},localhost")
    )
    await browser.page.goto(server.url("/ok", "localhost"))
    assert proxy.passed == []


async def test_logins_of_the_server_and_of_the_proxy_are_kept_apart(create_browser, proxy, server):
    browser = await create_browser(NetworkOptions(proxy=proxy.url, proxy_login=LOGIN, proxy_bypass=THROUGH))
    await browser.network.set_credentials(HttpCredentials("other", "other"))
    assert (await browser.page.goto(server.url("/ok"))).status == 200
    await browser.network.set_credentials(None)
    assert (await browser.page.goto(server.url("/ok?again"))).status == 200


async def test_a_proxy_that_is_not_there(create_browser, server):
    browser = await create_browser(NetworkOptions(proxy="http://127.0.0.1:9", proxy_bypass=THROUGH))
    with pytest.raises(NavigationError, match="the proxy did not answer"):
        await browser.page.goto(server.url("/ok"))


def command_line_of(browser: ChromiumBrowser) -> str:
    """What every process on this machine may read of the browser's; empty where the system does not tell."""
    assert browser._shared.process is not None
    file = Path(f"/proc/{browser._shared.process.pid}/cmdline")
    return file.read_text("utf-8") if file.exists() else ""


@pytest.mark.slow
async def test_the_settings_reach_the_browser(proxy, server, tmp_path):
    place = paths.find({"ORYN_HOME": str(tmp_path)})
    flags = {"proxy": proxy.url.replace("//", "//ada:l0ve%3Alace@"), "proxy_bypass": THROUGH, "cache": False}
    browser = browser_for(load(flags, place, {}))
    try:
        await browser.start()
        assert (await browser.page.goto(server.url("/ok"))).status == 200
        assert server.url("/ok") in proxy.passed  # the browser may load things of its own
        assert "l0ve" not in command_line_of(browser)
    finally:
        await browser.close()


def test_a_proxys_url_is_taken_apart():
    assert split_proxy_login("http://a%40b:c%3Ad@h:80") == ("http://h:80", HttpCredentials("a@b", "c:d"))
    assert split_proxy_login("socks5://[::1]:9") == ("socks5://[::1]:9", None)
    assert "c:d" not in repr(HttpCredentials("a", "c:d"))


# --- certificates ---


class SelfSignedServer:
    """A server whose certificate nobody vouches for. `pin` is the hash of its public key."""

    def __init__(self, folder: Path) -> None:
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=localhost",
                 "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")  # fmt: skip
        public = _openssl("pkey", "-in", str(key), "-pubout", "-outform", "der")
        self.pin = base64.b64encode(_openssl("dgst", "-sha256", "-binary", stdin=public)).decode()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Hello)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"https://127.0.0.1:{self.server.server_port}/"


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<title>secure</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _openssl(*arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *arguments], input=stdin, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def self_signed_server(tmp_path_factory) -> Iterator[SelfSignedServer]:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    made = SelfSignedServer(tmp_path_factory.mktemp("certificate"))
    yield made
    made.server.shutdown()
    made.server.server_close()


async def test_a_certificate_that_nobody_vouches_for_is_refused(page, self_signed_server):
    with pytest.raises(NavigationError, match="CERT_AUTHORITY_INVALID"):
        await page.goto(self_signed_server.url)


@pytest.mark.slow
async def test_errors_of_certificates_can_be_ignored_in_one_session(create_browser, page, self_signed_server):
    browser = await create_browser(NetworkOptions(ignore_certificate_errors=True))
    assert (await browser.page.goto(self_signed_server.url)).status == 200
    assert (await browser.new_tab(self_signed_server.url)).status == 200
    with pytest.raises(NavigationError):
        await page.goto(self_signed_server.url)


@pytest.mark.slow
async def test_a_pinned_key_is_accepted_and_no_other(self_signed_server, runtime_dir, tmp_path):
    wrong = base64.b64encode(bytes(32)).decode()
    for pins, accepted in ((self_signed_server.pin, wrong), True), ((wrong,), False):
        access = NetworkOptions(certificate_pins=pins)
        browser = ChromiumBrowser(runtime_dir=runtime_dir, extra_args=access.arguments(), network_options=access)
        try:
            await browser.start()
            if accepted:
                assert (await browser.page.goto(self_signed_server.url)).status == 200
            else:
                with pytest.raises(NavigationError, match="CERT_AUTHORITY_INVALID"):
                    await browser.page.goto(self_signed_server.url)
        finally:
            await browser.close()


@pytest.mark.slow
async def test_through_a_proxy_to_a_secure_server(create_browser, proxy, self_signed_server):
    access = NetworkOptions(proxy=proxy.url, proxy_login=LOGIN, proxy_bypass=THROUGH, ignore_certificate_errors=True)
    browser = await create_browser(access)
    assert (await browser.page.goto(self_signed_server.url)).status == 200
    assert set(proxy.passed) == {urlsplit(self_signed_server.url).netloc}


# --- client certificates ---


class ClientCertificateServer:
    """A server that lets in nobody without a certificate of its own authority. `file` is such a certificate."""

    def __init__(self, folder: Path) -> None:
        self.authority, self.file = _authority(folder)
        self.requests: list[tuple[str, str, str | None, str]] = []
        client_certificate_server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
                subject = dict(pair[0] for pair in self.connection.getpeercert()["subject"])
                client_certificate_server.requests.append(
                    (self.command, subject["commonName"], self.headers.get("Cookie"), body)
                )
                to = {"/old": "/new"}.get(self.path)
                self.send_response(302 if to else 200)
                if to:
                    self.send_header("Location", to)
                self.send_header("Set-Cookie", "seen=1; Secure")
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f"<title>{self.path}</title>hello {subject['commonName']}".encode())

            do_POST = do_GET

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        context.load_verify_locations(self.authority)
        context.verify_mode = ssl.CERT_REQUIRED
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path: str = "/") -> str:
        return f"https://localhost:{self.server.server_port}{path}"


def _authority(folder: Path) -> tuple[Path, Path]:
    """A certificate that vouches for others, and one that it vouches for, with its key in the same file."""
    authority, its_key, key, asked, file = (folder / name for name in ("ca.pem", "ca.key", "key", "asked", "file.pem"))
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    _openssl(
        "req",
        "-x509",
        *new_key,
        "-days",
        "2",
        "-keyout",
        str(its_key),
        "-out",
        str(authority),
        "-subj",
        "/CN=authority",
    )
    _openssl("req", *new_key, "-keyout", str(key), "-out", str(asked), "-subj", "/CN=ada")
    signed = _openssl(
        "x509",
        "-req",
        "-in",
        str(asked),
        "-CA",
        str(authority),
        "-CAkey",
        str(its_key),
        "-days",
        "2",
        "-set_serial",
        "2",
    )
    file.write_bytes(signed + key.read_bytes())
    return authority, file


@pytest.fixture
def client_certificate_server(tmp_path) -> Iterator[ClientCertificateServer]:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    made = ClientCertificateServer(tmp_path)
    yield made
    made.server.shutdown()
    made.server.server_close()


async def test_a_client_certificate_is_shown_to_the_servers_that_it_is_for(create_browser, client_certificate_server):
    certificate = ClientCertificate(client_certificate_server.file, [client_certificate_server.url("")], verify=False)
    browser = await create_browser(NetworkOptions(client_certificate=certificate))
    navigation = await browser.page.goto(client_certificate_server.url("/old"))
    assert (navigation.status, navigation.url) == (200, client_certificate_server.url("/new"))
    assert await browser.page.evaluate("document.body.innerText") == "hello ada"
    posted = "fetch('/api', {method: 'POST', body: 'x'.repeat(100000)}).then(r => r.text())"
    assert "hello ada" in await browser.page.evaluate(posted)
    assert client_certificate_server.requests[0] == ("GET", "ada", None, "")
    assert client_certificate_server.requests[1] == ("GET", "ada", "seen=1", "")
    assert (
        "POST",
        "ada",
        "seen=1",
        "x" * 100_000,
    ) in client_certificate_server.requests  # the icon may be fetched after it


@pytest.mark.slow
async def test_no_client_certificate_is_shown_to_others(create_browser, client_certificate_server):
    certificate = ClientCertificate(client_certificate_server.file, ["https://other.org"], verify=False)
    browser = await create_browser(NetworkOptions(client_certificate=certificate, ignore_certificate_errors=True))
    with pytest.raises(NavigationError):
        await browser.page.goto(client_certificate_server.url())
    assert client_certificate_server.requests == []


@pytest.mark.slow
async def test_the_server_is_checked_before_it_is_shown_a_certificate(create_browser, client_certificate_server):
    browser = await create_browser(
        NetworkOptions(
            client_certificate=ClientCertificate(client_certificate_server.file, [client_certificate_server.url("")])
        )
    )
    with pytest.raises(NavigationError):
        await browser.page.goto(client_certificate_server.url())
    assert client_certificate_server.requests == []


async def test_a_server_that_is_not_there(create_browser, client_certificate_server):
    certificate = ClientCertificate(client_certificate_server.file, ["https://localhost:9"], verify=False)
    browser = await create_browser(NetworkOptions(client_certificate=certificate))
    with pytest.raises(NavigationError):
        await browser.page.goto("https://localhost:9/")


def test_settings_of_client_certificates(client_certificate_server, tmp_path):
    place = paths.find({"ORYN_HOME": str(tmp_path)})

    def refused(**flags: str) -> str:
        with pytest.raises(ConfigurationError) as caught:
            browser_for(load(flags, place, {}))
        return caught.value.message

    origin = "https://localhost:8443"
    both = {"client_certificate": str(client_certificate_server.file), "client_certificate_origins": origin}
    assert browser_for(load(both, place, {})) is not None
    assert "given together" in refused(client_certificate=str(client_certificate_server.file))
    assert "given together" in refused(client_certificate_origins=origin)
    assert "proxy" in refused(**both, proxy="http://h:1")
    assert "can't be used" in refused(
        client_certificate=str(client_certificate_server.authority), client_certificate_origins=origin
    )
    assert "can't be used" in refused(client_certificate="/no/such/file", client_certificate_origins=origin)
    for bad in ("http://a.org", "a.org", "https://a.org/x", "https://u@a.org", ""):
        assert "client_certificate_origins can't be" in refused(client_certificate_origins=bad)


# --- the cache ---


@pytest.mark.slow
@pytest.mark.parametrize(("cache", "requests"), [(True, 1), (False, 3)])
async def test_without_the_cache_everything_is_asked_for_again(create_browser, server, cache, requests):
    browser = await create_browser(NetworkOptions(cache=cache))
    await browser.page.goto(server.page("x"))
    before = len(server.headers)
    fetch = "fetch('/cached').then(r => r.text())"
    for _ in range(3):
        assert await browser.page.evaluate(fetch) == "kept"
    assert len(server.headers) - before == requests
