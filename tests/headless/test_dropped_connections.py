"""A server that closes connections without an answer: a load is tried once more, and then the answer says so."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.headless.conftest import Driver

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 19\r\nConnection: close\r\n\r\n<title>Fern</title>"
)


class DroppingServer:
    """Reads `drops` requests and closes their connections; answers those after them."""

    def __init__(self, drops: int) -> None:
        self.requests = 0
        self._drops = drops
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            if not connection.recv(10_000):
                return  # opened ahead of need, and not used
            self.requests += 1
            if self.requests > self._drops:
                connection.sendall(ANSWER)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def dropping(request: pytest.FixtureRequest) -> Iterator[DroppingServer]:
    server = DroppingServer(request.param)
    yield server
    server.close()


# The browser itself tries twice.
@pytest.mark.parametrize("dropping", [2], indirect=True)
async def test_a_load_without_an_answer_is_tried_once_more(oryn: Driver, dropping: DroppingServer) -> None:
    assert '"Fern"' in await oryn.ok(f"goto {dropping.url}")


@pytest.mark.parametrize("dropping", [100], indirect=True)
async def test_a_server_that_never_answers_is_not_asked_again_and_again(oryn: Driver, dropping: DroppingServer) -> None:
    answer = await oryn(f"goto {dropping.url}")
    assert answer.startswith("error") and "closed the connection without an answer" in answer
    assert dropping.requests == 4
