"""`oryn demo --serve`: at which port, and what it says of one that is taken."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from oryn.demo.server import PORT


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def start_server(*words: str) -> Iterator[list[str]]:
    """The lines that it says, up to the one with the address."""
    command = [sys.executable, "-u", "-m", "oryn", "demo", "--serve", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            lines: list[str] = []
            while "the shop is at" not in (line := process.stdout.readline()):
                assert line, process.communicate()
                lines.append(line)
            yield [*lines, line]
        finally:
            process.send_signal(signal.SIGTERM)


def title_of(port: int) -> bool:
    with urllib.request.urlopen(f"http://localhost:{port}/", timeout=30) as page:
        return b"Fernhill" in page.read()


def test_the_port_that_is_asked_for_is_served() -> None:
    port = free_port()
    with start_server("--port", str(port)) as lines:
        assert lines == [f"the shop is at http://localhost:{port}; Ctrl-C ends it\n"]
        assert title_of(port)


def test_a_port_that_is_asked_for_and_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "demo", "--serve", "--port", str(port)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error demo: can't serve the shop at port {port}: Address already in use\n\n")


def test_another_port_than_the_usual_one_is_told() -> None:
    try:
        taken = socket.create_server(("127.0.0.1", PORT))
    except OSError:
        taken = socket.socket()  # somebody else has it, which is as good
    with taken, start_server() as lines:
        found = re.fullmatch(r"the shop is at http://localhost:(\d+); Ctrl-C ends it\n", lines[-1])
        assert found and int(found[1]) != PORT
        assert lines[0] == f"port {PORT} is taken: where examples say localhost:{PORT}, write localhost:{found[1]}\n"
        assert title_of(int(found[1]))


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_invalid_port_is_rejected(port: str) -> None:
    command = [sys.executable, "-m", "oryn", "demo", "--serve", "--port", port]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 2
