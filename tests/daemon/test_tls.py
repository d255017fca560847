"""A daemon whose port speaks TLS, and clients that reach it by URL and token (docs/access.md#tls)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from oryn import Oryn
from oryn.daemon.access.principals import SCOPES
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import Token, hash_of, new_token
from oryn.daemon.http.tls import server_context
from oryn.daemon_client.client import DaemonClient
from oryn.daemon_client.remote import RemoteDaemon
from oryn.errors import ConfigurationError, DaemonFailed, DaemonNotRunning, OrynError, Unauthorized
from oryn.settings import Settings
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find
from tests.certificates import Authority
from tests.daemon.daemon_process import RunningDaemon

CLIENT_VARIABLES = ("ORYN_DAEMON_URL", "ORYN_DAEMON_TOKEN", "ORYN_DAEMON_TOKEN_FILE", "SSL_CERT_FILE")


class SecureDaemon(RunningDaemon):
    """A daemon with a certificate for `localhost` alone, and a token for clients elsewhere."""

    def __init__(self, home: Path) -> None:
        folder = home.with_name("certificates")
        folder.mkdir()
        self.authority = Authority(folder)
        certificate, key = self.authority.issue("localhost")
        super().__init__(home, {"ORYN_TLS_CERTIFICATE": str(certificate), "ORYN_TLS_KEY": str(key)})
        self.given = new_token()
        file = TokenFile(self.home / "data" / "daemon" / "tokens.json")
        file.put(Token("elsewhere", hash_of(self.given), frozenset(SCOPES)))

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def client_environment(self) -> dict[str, str]:
        return {
            "ORYN_DAEMON_URL": self.url,
            "ORYN_DAEMON_TOKEN": self.given,
            "SSL_CERT_FILE": str(self.authority.file),
        }


@pytest.fixture(scope="module")
def secure(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureDaemon]:
    running = SecureDaemon(tmp_path_factory.mktemp("tls") / "home")
    yield running
    assert run(running.stop()) == 0, running.log()


@pytest.fixture
def elsewhere(secure: SecureDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SecureDaemon]:
    """The daemon for clients in this process, which have another home."""
    monkeypatch.setenv("ORYN_HOME", str(tmp_path))
    for name, value in secure.client_environment.items():
        monkeypatch.setenv(name, value)
    yield secure


def command_line(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name not in CLIENT_VARIABLES}
    return subprocess.run(
        [sys.executable, "-m", "oryn", *words],
        env={**own, "ORYN_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


async def test_the_port_speaks_tls_alone(secure: SecureDaemon) -> None:
    context = ssl.create_default_context(cafile=str(secure.authority.file))
    headers = {"Authorization": f"Bearer {secure.given}"}
    async with httpx.AsyncClient(verify=context, trust_env=False, headers=headers) as client:
        status = (await client.get(f"{secure.url}/status")).json()
        assert status["tls"] is True
        link = (await client.post(f"{secure.url}/link")).json()["url"]
        assert link.startswith(f"https://127.0.0.1:{secure.port}/")
        refused = await client.post(f"{secure.url}/command", json={"line": "title", "backend": "extension"})
        assert f"wss://localhost:{secure.port}/extension" in refused.json()["text"]
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(f"http://localhost:{secure.port}/healthz")
    with pytest.raises(InvalidStatus) as refused:  # a socket that is no session's: it was understood
        async with connect(f"wss://localhost:{secure.port}/sessions/a/takeover", ssl=context):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.slow
def test_programs_of_its_user_need_no_certificate(secure: SecureDaemon) -> None:
    done = command_line(secure.home, "daemon", "status", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["port"] == secure.port, done.stderr
    entry = json.loads(command_line(secure.home, "mcp", "--http").stdout)["mcpServers"]["oryn"]
    assert entry["url"] == f"https://127.0.0.1:{secure.port}/mcp"


@pytest.mark.slow
def test_the_command_line_elsewhere(secure: SecureDaemon, tmp_path: Path) -> None:
    environment = secure.client_environment
    done = command_line(tmp_path, "intents", **environment)
    assert done.returncode == 0 and done.stdout, done.stderr
    file = tmp_path / "token.txt"
    file.write_text(f"{secure.given}\n")
    by_file = {**environment, "ORYN_DAEMON_TOKEN": "", "ORYN_DAEMON_TOKEN_FILE": str(file)}
    assert "uptime" in command_line(tmp_path, "daemon", "status", **by_file).stdout
    entry = json.loads(command_line(tmp_path, "mcp", "--http", **environment).stdout)["mcpServers"]["oryn"]
    assert entry["url"] == f"{secure.url}/mcp" and secure.given in entry["headers"]["Authorization"]
    wrong = command_line(tmp_path, "title", **{**environment, "ORYN_DAEMON_TOKEN": "oryn_x"})
    assert wrong.returncode and "the token is missing or wrong" in wrong.stderr
    assert not (tmp_path / "run" / "daemon.json").exists()  # none was started here


@pytest.mark.slow
@pytest.mark.browser
async def test_the_library_elsewhere(elsewhere: SecureDaemon) -> None:
    async with Oryn("daemon", session="far") as oryn:
        await oryn.goto("data:text/html,<title>Far</title>")
        assert (await oryn.title()).data == "Far"
    status = await asyncio.to_thread(DaemonClient(DaemonInstance(find())).status)
    assert status["port"] == elsewhere.port
    assert (await elsewhere.ok("title", session="far"))["data"]["result"] == "Far"


class Listener:
    """A server with a certificate, which records what clients send after the handshake."""

    def __init__(self, authority: Authority, *names: str) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*authority.issue(*names))
        self.received = b""
        self.connections = 0

    async def __aenter__(self) -> Listener:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.context)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        await self.server.wait_closed()

    @property
    def port(self) -> int:
        port: int = self.server.sockets[0].getsockname()[1]
        return port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.received += await reader.read()
        writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["unknown authority", "another name"])
async def test_nothing_is_sent_to_a_server_whose_certificate_does_not_check(
    secure: SecureDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    authority = Authority(tmp_path, "other") if case == "unknown authority" else secure.authority
    async with Listener(authority, *(["localhost"] if case == "unknown authority" else ["elsewhere.test"])) as server:
        environment = {**secure.client_environment, "ORYN_DAEMON_URL": f"https://localhost:{server.port}"}
        done = await asyncio.to_thread(command_line, tmp_path / "home", "title", **environment)
        assert done.returncode and "does not check" in done.stderr and "Nothing was sent" in done.stderr, done.stderr
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("ORYN_HOME", str(tmp_path / "home"))
        with pytest.raises(DaemonFailed, match="does not check"):
            await Oryn("daemon").connect()
        with pytest.raises(DaemonFailed, match="does not check"):
            await asyncio.to_thread(DaemonClient(DaemonInstance(find()), start=True).status)
        assert server.received == b""


@pytest.mark.parametrize(
    ("url", "error", "text"),
    [
        ("http://oryn.example.org", ConfigurationError, "readable on its way"),
        ("ftp://localhost", ConfigurationError, "can't be"),
        ("https://user:x@localhost", ConfigurationError, "can't be"),
        ("https://localhost/path", ConfigurationError, "can't be"),
        ("https://localhost:99999", ConfigurationError, "can't be"),
        ("https://localhost:1", DaemonNotRunning, "no daemon answers"),
    ],
)
def test_urls_that_lead_to_no_daemon(
    monkeypatch: pytest.MonkeyPatch, url: str, error: type[OrynError], text: str
) -> None:
    monkeypatch.setenv("ORYN_DAEMON_URL", url)
    monkeypatch.setenv("ORYN_DAEMON_TOKEN", "oryn_x")
    with pytest.raises(error, match=text):
        remote = RemoteDaemon.of_environment()
        assert remote is not None
        remote.connect()


async def test_a_client_needs_a_token(elsewhere: SecureDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORYN_DAEMON_TOKEN", "")
    with pytest.raises(ConfigurationError, match="needs a token"):
        await Oryn("daemon").connect()
    monkeypatch.setenv("ORYN_DAEMON_TOKEN", "oryn_x")
    async with Oryn("daemon") as oryn:
        with pytest.raises(Unauthorized):
            await oryn.title()


# --- mistakes in the settings ---


def test_mistakes_are_named_with_their_place(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    other, locked = authority.issue("other.test")[1], authority.issue("locked.test", password=b"secret")
    empty, missing = tmp_path / "empty.pem", tmp_path / "missing.pem"
    empty.write_text("nothing")
    assert server_context(Settings()) is None
    assert server_context(Settings(tls_certificate=certificate, tls_key=key)) is not None
    for chosen, text in [
        ((certificate, None), "tls_key is missing"),
        ((None, key), "tls_certificate is missing"),
        ((missing, key), f"tls_certificate {missing} can't be read"),
        ((certificate, missing), f"tls_key {missing} can't be read"),
        ((empty, key), f"tls_certificate {empty} has no certificate"),
        ((certificate, empty), f"tls_key {empty} has no private key"),
        ((certificate, other), f"tls_key {other} does not belong to"),
        (locked, "can't be used"),
    ]:
        with pytest.raises(ConfigurationError) as error:
            server_context(Settings(tls_certificate=chosen[0], tls_key=chosen[1]))
        assert text in error.value.message, error.value.message


def certificate_of(daemon: SecureDaemon, server_name: str | None = None) -> str:
    """The certificate that a new connection gets, in PEM."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", daemon.port), timeout=60) as connection,
        context.wrap_socket(connection, server_hostname=server_name) as secured,
    ):
        found = secured.getpeercert(True)
        assert found is not None
        return ssl.DER_cert_to_PEM_cert(found)


async def test_a_renewed_certificate_is_used_without_a_restart(secure: SecureDaemon) -> None:
    certificate, key = (secure.authority.folder / f"localhost.{kind}" for kind in ("pem", "key"))
    former, former_key = certificate.read_text(), key.read_bytes()
    assert certificate_of(secure) == certificate_of(secure, "localhost") == former
    context = ssl.create_default_context(cafile=str(secure.authority.file))
    async with httpx.AsyncClient(verify=context, trust_env=False) as client:
        assert (await client.get(f"{secure.url}/healthz")).text == "ok"
        secure.authority.issue("localhost")
        renewed, renewed_key = certificate.read_text(), key.read_bytes()
        key.write_bytes(former_key)  # a renewal that has written one of the two files
        assert certificate_of(secure) == former
        key.write_bytes(renewed_key)
        assert certificate_of(secure) == certificate_of(secure, "localhost") == renewed != former
        assert (await client.get(f"{secure.url}/healthz")).text == "ok", "connections stay"
        certificate.unlink()
        assert certificate_of(secure) == renewed
        certificate.write_text(renewed)
    log = secure.log()
    assert "the former certificate stays in use: tls_key" in log and "can't be read" in log


@pytest.mark.slow
def test_a_daemon_with_a_mistake_does_not_start(tmp_path: Path) -> None:
    ended = command_line(tmp_path, "daemon", "serve", ORYN_TLS_CERTIFICATE=str(tmp_path / "no.pem"))
    assert ended.returncode and "tls_key is missing" in ended.stderr
