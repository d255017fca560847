"""How long another request waits for its answer while the daemon has one of 2 MB that was made to be slow: the worst of
many, for each kind of body and each endpoint, beside a daemon that nobody attacks. At most 200 ms.

    .venv/bin/python -m benchmarks.hostile_requests [WORD]     only kinds whose name has the word
"""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks._session import row
from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

SIZE = 2_000_000
BOUND_MS = 200.0
ANSWER_SECONDS = 120.0
QUIET_SECONDS = 2.0

REQUESTS = (("GET", "/status", None), ("POST", "/command", '{"line": "help click", "session": "another"}'))
"""What another client asks meanwhile."""


def filled(piece: str, start: str = "", end: str = "", join: str = "") -> bytes:
    """So many pieces that it has `SIZE` bytes; `{}` in a piece is its number."""
    count = SIZE // (len(piece.format(123_456)) + len(join))
    return (start + join.join(piece.format(number) for number in range(count)) + end).encode()


def line(text: str) -> bytes:
    return json.dumps({"line": text}).encode()


def action(name: str, **args: object) -> bytes:
    return json.dumps({"action": name, "args": args}).encode()


def commands() -> Iterator[tuple[str, bytes]]:
    """Bodies for `/command`."""
    size = SIZE
    yield "names, one twice", filled('"n{}": 1', '{"line": "help", "args": {', ', "z": 1, "z": 2}}', ", ")
    yield "names, all twice", filled('"n{0}": 1, "n{0}": 2', '{"line": "help", "args": {', "}}", ", ")
    yield "objects with a name twice", filled('{{"a": 1, "b": {}}}', '{"action": "goto", "args": {"x": [', "]}}", ", ")
    yield "names of the envelope", filled('"n{}": 1', '{"line": "help", ', "}", ", ")
    yield "names of arguments", filled('"n{}": 1', '{"action": "goto", "args": {', "}}", ", ")
    yield "names of settings", filled('"n{}": 1', '{"line": "help", "settings": {', "}}", ", ")
    yield "names alike", filled('"{:>06}": 1', '{"action": "goto", "args": {', "}}", ", ")
    yield "words", filled('"a"', '{"argv": [', "]}", ",")
    yield "words that are none", filled("1", '{"argv": [', "]}", ",")
    yield "words that are options", filled('"--o{}"', '{"argv": [', "]}", ",")
    yield "words for a target", filled('"near"', '{"argv": ["click", ', "]}", ",")
    yield "brackets", filled("[]", '{"action": "goto", "args": {"url": [', "]}}", ",")
    yield "brackets in text", action("goto", url="[{" * (size // 2))
    yield "deep", b"[" * size
    yield "deep and legal", filled("[" * 60 + "]" * 60, '{"line": "help", "args": {"x": [', "]}}", ",")
    yield "numbers", filled("{}.5", '{"action": "goto", "args": {"url": [', "]}}", ",")
    yield "long numbers", filled("9" * 4300, '{"action": "goto", "args": {"url": [', "]}}", ",")
    yield "a number", b'{"line": "help", "timeout_ms": ' + b"9" * size + b"}"
    yield "a number with a point", b'{"line": "help", "timeout_ms": 0.' + b"9" * size + b"}"
    yield "escapes", b'{"line": "help ' + b"\\u0041" * (size // 6) + b'"}'
    yield "half characters", b'{"line": "help ' + b"\\ud800" * (size // 6) + b'"}'
    yield "pairs of halves", b'{"line": "help ' + b"\\ud83d\\ude00" * (size // 12) + b'"}'
    yield "no UTF-8", b'{"line": "' + b"\xff" * size + b'"}'
    yield "no UTF-8 at the end", b'{"line": "' + "é".encode() * (size // 2) + b'\xff"}'
    yield "backslashes", b'{"line": "' + b"\\" * size
    yield "space", b" " * size + b"{"
    yield "a name of an action", action("a" * size)
    yield "a name of an action, in words", action("a_" * (size // 2))
    yield "a name of a session", json.dumps({"line": "help", "session": "a" * size}).encode()
    yield "a line", line("x" * size)
    yield "a line of words", line("a " * (size // 2))
    yield "a line of quotes", line('"' * size)
    yield "a line of brackets", line("click " + "(" * size)
    yield "a line of targets", line("click 1 " + "near 1 " * (size // 7))
    yield "a line of lines", line("click 1\n" * (size // 8))
    yield "a line of options", line("click 1 " + "--double " * (size // 9))
    yield "a line of spaces", line("click" + " " * size + "1")
    yield "a definition", line("define x:\n" + "  click 1\n" * (size // 10))
    yield "a text to type", line(f'type 1 "{"x" * size}"')
    yield "a text to type, of escapes", line('type 1 "' + "\\n" * (size // 2) + '"')
    yield "a text to type, as data", action("type", target=1, text="\n" * (size // 2))
    yield "a script", action("eval", script="x" * size)
    yield "a script of quotes", action("eval", script='"\\' * (size // 2))
    yield "a form", action("fill_form", values_by_field={f"f{number}": "x" for number in range(size // 14)})
    yield "a form in a line", line("fill_form " + json.dumps({f"f{number}": "x" for number in range(size // 14)}))
    yield "a selector", action("click", target={"css": "a " * (size // 2)})
    yield "a target", action("click", target="a b " * (size // 4))
    yield "files", action("upload", target=1, paths=["a"] * (size // 5))
    yield "pages", action("extract", urls=["a.org"] * (size // 9))
    yield "an address", action("goto", url="a." * (size // 2))
    yield "an address to read", action("extract", urls=["https://a.org/" + "%41" * (size // 3)])
    yield "a query to search", action("search", query="a " * (size // 2))
    yield "another session", line("@" + "a" * size + " click 1")
    yield "a vault's value", line('type 1 "' + "{{vault:" * (size // 8) + '"')


def messages() -> Iterator[tuple[str, bytes]]:
    """Bodies for `/mcp`."""
    head = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
    yield "names", filled('"n{}": 1', head, "}", ", ")
    yield "names, one twice", filled('"n{}": 1', head, ', "z": 1, "z": 1}', ", ")
    yield "names of arguments", filled('"n{}": 1', f'{head} "params": {{"name": "goto", "arguments": {{', "}}}", ", ")
    yield "many messages", filled('{{"jsonrpc": "2.0", "id": {}, "method": "ping"}}', "[", "]", ", ")
    yield "numbers", filled("{}.5", f'{head} "params": [', "]}", ", ")
    yield "brackets", filled("[]", f'{head} "params": {{"name": "goto", "arguments": {{"url": [', "]}}}", ", ")
    yield "deep", head.encode() + b'"params": ' + b"[" * SIZE
    yield "an id", b'{"jsonrpc": "2.0", "method": "ping", "id": ' + b"9" * SIZE + b"}"
    yield "a method", f'{{"jsonrpc": "2.0", "id": 1, "method": "{"m" * SIZE}"}}'.encode()
    yield "no UTF-8", b'{"jsonrpc": "' + b"\xff" * SIZE


def of_http(path: str, body: bytes, token: str, *, chunk: int = 0) -> Callable[[int], None]:
    """Sends a request; with `chunk` in pieces of that size, as one says that does not know how long it gets."""

    def send(port: int) -> None:
        head = [f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", "Connection: close"]
        head += ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
        if chunk:
            head.append("Transfer-Encoding: chunked")
            pieces = (body[at : at + chunk] for at in range(0, len(body), chunk))
            sent = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            head.append(f"Content-Length: {len(body)}")
            sent = body
        with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as asking:
            try:
                asking.sendall("\r\n".join((*head, "", "")).encode() + sent)
                while asking.recv(1 << 16):
                    pass
            except (ConnectionError, TimeoutError):
                pass  # refused in the middle, or not at all

    return send


def of_extension(payload: Callable[[int], bytes]) -> Callable[[int], None]:
    """Sends what comes after the handshake of `WS /extension`."""

    def send(port: int) -> None:
        head = ["GET /extension HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"]
        head += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        with socket.create_connection(("127.0.0.1", port), 5) as asking:
            asking.sendall("\r\n".join((*head, "", "")).encode())
            asking.recv(1 << 16)
            try:
                asking.sendall(payload(SIZE))
                asking.shutdown(socket.SHUT_WR)
                while asking.recv(1 << 16):
                    pass
            except (ConnectionError, TimeoutError):
                pass

    return send


def frame(text: bytes) -> bytes:
    """A text frame whose mask changes nothing."""
    length = len(text)
    size = bytes([128 | length]) if length < 126 else b"\xff" + length.to_bytes(8)
    return b"\x81" + size + bytes(4) + text


def kinds(token: str) -> Iterator[tuple[str, Callable[[int], None]]]:
    for name, body in commands():
        yield f"command: {name}", of_http("/command", body, token)
    for size in (1, 7, 100):
        yield f"command: pieces of {size}", of_http("/command", line("help " + "x" * (SIZE // 6)), token, chunk=size)
    yield "pair: names", of_http("/pair", filled('"n{}": 1', '{"code": "x", ', "}", ", "), token)
    for name, body in messages():
        yield f"mcp: {name}", of_http("/mcp", body, token)
    yield "mcp: pieces of 1", of_http("/mcp", b"[" * (SIZE // 6), token, chunk=1)
    yield "extension: a frame", of_extension(lambda size: frame(b"x" * size))
    yield "extension: a file", of_extension(lambda size: frame(b"0:file 1 a " + base64.b64encode(bytes(size * 3 // 4))))
    yield "extension: an error", of_extension(lambda size: frame(b"0:error " + b" a" * (size // 2)))
    yield "extension: a registration", of_extension(lambda size: frame(b"0:register " + b"a=%41&" * (size // 6)))
    yield "extension: empty frames", of_extension(lambda size: frame(b"") * (size // 6))
    pieces = b"\x01\x80" + bytes(4) + (b"\x00\x81" + bytes(5)) * (SIZE // 7)
    yield "extension: pieces of a frame", of_extension(lambda size: pieces)


def probe(port: int, token: str, pipe: Connection) -> None:
    """Ask one thing after the other until something comes, and tell the longest that an answer took, in ms."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = HTTPConnection("127.0.0.1", port)
    while pipe.recv() is not None:
        worst, has_begun = 0.0, False
        while not (has_begun and pipe.poll()):
            for method, path, body in REQUESTS:
                begun = time.perf_counter()
                connection.request(method, path, body, headers)
                connection.getresponse().read()
                worst = max(worst, time.perf_counter() - begun)
            if not has_begun:
                has_begun = True
                pipe.send("begun")
        pipe.recv()
        pipe.send(worst * 1000)


class Prober:
    """Another client, in a process of its own."""

    def __init__(self, port: int, token: str) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=probe, args=(port, token, theirs), daemon=True)
        self._process.start()

    def worst_during(self, work: Callable[[], None]) -> float:
        self._pipe.send("begin")
        self._pipe.recv()
        work()
        self._pipe.send("end")
        worst: float = self._pipe.recv()
        return worst

    def end(self) -> None:
        self._pipe.send(None)
        self._process.join()


def measure(port: int, token: str, chosen: str) -> None:
    prober = Prober(port, token)
    bare = prober.worst_during(lambda: time.sleep(QUIET_SECONDS))
    row("kind", "worst ms", "took s")
    row("(nobody attacks)", f"{bare:.1f}", f"{QUIET_SECONDS:.1f}")
    over, slowest = 0, ("", 0.0)
    for name, send in kinds(token):
        if chosen not in name:
            continue
        begun = time.perf_counter()
        worst = prober.worst_during(lambda send=send: send(port))  # type: ignore[misc]
        row(name, f"{worst:.1f}", f"{time.perf_counter() - begun:.2f}")
        over += worst > BOUND_MS
        slowest = max(slowest, (name, worst), key=lambda each: each[1])
    prober.end()
    row("slowest", f"{slowest[1]:.1f}", slowest[0])
    row("ratio to nobody's attack", f"{slowest[1] / bare:.1f}")
    row(f"kinds over {BOUND_MS:g} ms", over)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        oryn = [sys.executable, "-m", "oryn", "daemon"]
        subprocess.run([*oryn, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            port = DaemonClient(DaemonInstance(find())).status()["port"]
            token = Path(home, "data", "daemon", "token").read_text().strip()
            measure(port, token, "".join(sys.argv[1:]))
        finally:
            subprocess.run([*oryn, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
