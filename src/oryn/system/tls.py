"""The TLS settings of Oryn's own HTTP clients."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def client_ssl_context() -> ssl.SSLContext:
    """The context of httpx's clients, which trusts the authorities of certifi or of `SSL_CERT_FILE`.

    All clients of the process share one, because reading the authorities takes 20 to 50 ms."""
    import httpx

    return httpx.create_ssl_context()
