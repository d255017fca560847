"""The server of these tests (`tests/research/server.py`)."""

from __future__ import annotations

import gc
import socket
from contextlib import closing

from tests.research.server import Site


def test_a_server_that_ends_while_clients_connect_leaves_no_connection_open() -> None:
    """A socket that is left is a `ResourceWarning`, in this test or in one that comes later."""
    for _ in range(20):
        with Site() as site:
            clients = [socket.create_connection((site.host, site.port)) for _ in range(8)]
        for client in clients:
            with closing(client):
                client.settimeout(10)
                try:
                    assert client.recv(1) == b""
                except ConnectionResetError:
                    pass
    gc.collect()
