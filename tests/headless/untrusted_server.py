"""A server over TLS whose certificate nobody vouches for."""

from __future__ import annotations

import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any


def self_signed(folder: Path) -> Path:
    """A certificate for localhost and its key in one file, signed by itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.DNSName("*.localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=9))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)
    file.write_bytes(text)
    return file


class UntrustedServer:
    """A server over TLS, and what came through to it."""

    def __init__(self, file: Path, body: bytes) -> None:
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                outer.requests.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # browsers hang up on it

        self.server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        self.server.socket = context.wrap_socket(
            self.server.socket, server_side=True, do_handshake_on_connect=False, suppress_ragged_eofs=True
        )
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path: str = "/", host: str = "localhost") -> str:
        return f"https://{host}:{self.server.server_port}{path}"


@contextmanager
def untrusted_server(folder: Path, body: bytes = b"<title>secret place</title>in") -> Iterator[UntrustedServer]:
    """One that serves until the end of the block; every path has `body`."""
    served = UntrustedServer(self_signed(folder), body)
    yield served
    served.server.shutdown()
    served.server.server_close()
