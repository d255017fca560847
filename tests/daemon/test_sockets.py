from __future__ import annotations

import socket
from pathlib import Path

from oryn.daemon.http.sockets import listen_on_port
from oryn.settings import load
from oryn.system.paths import find


def test_connections_send_without_delay(tmp_path: Path) -> None:
    """asyncio sets TCP_NODELAY only where the socket names its protocol: the second piece of each answer came 40 ms
    after the first."""
    configuration = load({"port": "0"}, find({"ORYN_HOME": str(tmp_path)}), {})
    with listen_on_port(configuration) as listening:
        assert listening.proto == socket.IPPROTO_TCP
