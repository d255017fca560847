"""Proxies of the environment, and TLS with the name that was asked for."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from oryn.errors import AddressNotAllowed, ConfigurationError, FetchFailed
from oryn.research.documents import FetchedPage
from oryn.research.fetching import Fetcher, FetchOptions, PageCache
from oryn.research.fetching.address_policy import Address
from oryn.research.fetching.transport import proxy_of
from tests.conftest import Run
from tests.research.names import Network
from tests.research.server import ReceivedRequest, Reply, Site


@pytest.fixture
def proxy() -> Iterator[Site]:
    """A proxy for http: it answers itself, and tells what it was asked."""
    with Site() as site:
        site.otherwise = lambda asked: Reply(f"{asked.method} {asked.target}")
        yield site


async def unresolved(host: str, port: int) -> list[Address]:
    raise AssertionError("a proxy resolves names itself")


def fetch_through_proxy(run: Run[Any], url: str, proxies: Mapping[str, str] | None, **options: Any) -> FetchedPage:
    async def main() -> FetchedPage:
        async with Fetcher(FetchOptions(**options), proxies=proxies, resolve=unresolved) as fetcher:
            return await fetcher.fetch(url)

    page: FetchedPage = run(main())
    return page


def test_a_proxy(run: Run[Any], proxy: Site) -> None:
    page = fetch_through_proxy(run, "http://example.org/a?b=c", {"http": proxy.origin})
    assert (page.body, page.url) == (b"GET http://example.org/a?b=c", "http://example.org/a?b=c")


def test_the_proxy_of_the_environment(run: Run[Any], proxy: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "no_proxy", "NO_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", proxy.origin.removeprefix("http://"))
    assert fetch_through_proxy(run, "http://example.org/", None).body == b"GET http://example.org/"
    monkeypatch.setenv("no_proxy", "example.org")
    with pytest.raises(AssertionError):
        fetch_through_proxy(run, "http://www.example.org/", None)
    with pytest.raises(AssertionError):
        fetch_through_proxy(run, "http://example.org/", None, environment=False)


def test_a_login_at_the_proxy(run: Run[Any], proxy: Site) -> None:
    fetch_through_proxy(run, "http://example.org/", {"all": proxy.origin.replace("//", "//ada:pw@")})
    assert proxy.requests[0].headers["proxy-authorization"] == "Basic YWRhOnB3"


def test_https_goes_through_a_tunnel(run: Run[Any], proxy: Site) -> None:
    proxy.otherwise = lambda asked: Reply("no", status=403)
    with pytest.raises(FetchFailed, match="the proxy does not connect to https:") as raised:
        fetch_through_proxy(run, "https://example.org/", {"https": proxy.origin})
    assert raised.value.again
    assert (proxy.requests[0].method, proxy.requests[0].target) == ("CONNECT", "example.org:443")


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/", "http://0x7f.1/"])
def test_a_proxy_is_not_asked_for_what_shows_to_be_inside(run: Run[Any], proxy: Site, url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        fetch_through_proxy(run, url, {"http": proxy.origin})
    assert proxy.requests == []


def test_pages_through_a_proxy_are_public(run: Run[Any], proxy: Site, tmp_path: Path) -> None:
    def page(asked: ReceivedRequest) -> Reply:
        return Reply("x", headers={"Cache-Control": "max-age=60"})

    proxy.otherwise = page

    async def main() -> list[str]:
        options = FetchOptions()
        cache = PageCache(tmp_path / "pages")
        async with Fetcher(options, cache=cache, proxies={"http": proxy.origin}, resolve=unresolved) as fetcher:
            return [(await fetcher.fetch("http://example.org/")).source for _ in range(2)]

    assert run(main()) == ["http", "cache"]


@pytest.mark.parametrize(
    ("proxy", "said"),
    [("ftp://proxy.example", "is ftp:"), ("http://[oops", "is not a URL"), ("socks5://127.0.0.1:1", "needs socksio")],
)
def test_proxies_that_are_none(run: Run[Any], proxy: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        fetch_through_proxy(run, "http://example.org/", {"http": proxy})


@pytest.mark.parametrize(
    ("url", "proxies", "proxy"),
    [
        ("http://a.example/", {}, None),
        ("http://a.example/", {"http": "http://p:1"}, "http://p:1"),
        ("https://a.example/", {"http": "http://p:1"}, None),
        ("https://a.example/", {"all": "p:1"}, "http://p:1"),
        ("http://a.example/", {"http": "http://p:1", "no": "example"}, None),
        ("http://a.example/", {"http": "http://p:1", "no": "b.example, a.example"}, None),
        ("http://a.example:81/", {"http": "http://p:1", "no": "a.example:81"}, None),
        ("http://a.example:82/", {"http": "http://p:1", "no": "a.example:81"}, "http://p:1"),
        ("http://a.example/", {"http": "http://p:1", "no": "*"}, None),
        ("http://[2606::1]/", {"http": "http://p:1", "no": ""}, "http://p:1"),
    ],
)
def test_which_proxy(url: str, proxies: dict[str, str], proxy: str | None) -> None:
    assert proxy_of(httpx.URL(url), proxies) == proxy


# --- TLS ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for ferns.example, by nobody that is known."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ferns.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("ferns.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "ferns.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def secure(certificate: Path) -> Iterator[tuple[Site, list[str | None]]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)
    with Site(tls=context) as site:
        site.page("/", "<p>secure")
        yield site, names


def over_tls(run: Run[Any], site: Site, host: str, tls: ssl.SSLContext | None) -> FetchedPage:
    async def public(name: str, port: int) -> list[Address]:
        return [ip_address("93.184.215.14")]

    async def main() -> FetchedPage:
        options = FetchOptions(environment=False)
        async with Fetcher(options, resolve=public, network=Network(site), tls=tls) as fetcher:
            return await fetcher.fetch(f"https://{host}/")

    page: FetchedPage = run(main())
    return page


def test_tls_has_the_name_and_not_the_address(
    run: Run[Any], secure: tuple[Site, list[str | None]], certificate: Path
) -> None:
    site, names = secure
    page = over_tls(run, site, "ferns.example", ssl.create_default_context(cafile=certificate))
    assert (page.body, page.url) == (b"<p>secure", "https://ferns.example/")
    assert names == ["ferns.example"] and site.requests[0].headers["host"] == "ferns.example"


def test_a_certificate_of_another_name(run: Run[Any], secure: tuple[Site, list[str | None]], certificate: Path) -> None:
    with pytest.raises(FetchFailed, match=r"the certificate of https://moss\.example/ can't be trusted") as raised:
        over_tls(run, secure[0], "moss.example", ssl.create_default_context(cafile=certificate))
    assert not raised.value.again


def test_a_certificate_of_nobody(run: Run[Any], secure: tuple[Site, list[str | None]]) -> None:
    with pytest.raises(FetchFailed, match="can't be trusted"):
        over_tls(run, secure[0], "ferns.example", None)
