"""The conformance suite: pages, scripts for them, and the answers of `oryn headless` with which those of every other
engine are compared. A pytest plugin, for the tests of several folders compare (`tests/scheduling.py`)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from oryn.errors import LanguageError
from oryn.language import parse
from tests.command_coverage import used

if TYPE_CHECKING:
    from tests.extension.conformance.engines import LineEngine, Transcript

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").glob("*.oil"), key=lambda script: (script.stem != "learning", script.stem))
"""All scripts. `learning` comes first: its answers count the commands that the session has had before."""


class _Pages(SimpleHTTPRequestHandler):
    """The pages; `{other}` in one is the same server under another host's name, another origin."""

    def log_message(self, *_: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def do_GET(self) -> None:
        file = HERE / "pages" / Path(self.path.partition("?")[0]).name
        if not file.is_file():
            self.send_error(404)
            return
        other = f"http://localhost:{self.server.server_port}"  # type: ignore[attr-defined]
        content = file.read_text("utf-8").replace("{other}", other).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()


def forms_of(line: str) -> set[str]:
    """The forms of commands that a line is, none where it is no line of the language."""
    try:
        command = parse(line).command
    except LanguageError:
        return set()
    return set(used(command)) if command else set()


class Conformance:
    """The pages, and `oryn headless`. `addresses` replace their names in scripts: `pages` is where the pages are, and
    nothing listens at `nowhere`."""

    def __init__(self, addresses: dict[str, str], headless: LineEngine) -> None:
        self.addresses = addresses
        self.headless = headless
        self._answers: dict[Path, Transcript] = {}

    def lines(self, text: str) -> list[str]:
        """The lines of a text, with what stands in for an address replaced by it."""
        for name, address in self.addresses.items():
            text = text.replace(f"{{{name}}}", address)
        return text.splitlines()

    def lines_of(self, script: Path) -> list[str]:
        """The same of a script."""
        return self.lines(script.read_text("utf-8"))

    def expected(self, script: Path) -> Transcript:
        """What `oryn headless` answers to a script, which it executes once."""
        if script not in self._answers:
            self._answers[script] = self.headless.transcript(self.lines_of(script))
        return self._answers[script]

    def restart(self) -> None:
        """Let a new `oryn headless` execute the scripts, and `learning` at once."""
        self._answers.clear()
        self.headless.restart()
        self.expected(SCRIPTS[0])


def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """The test runs once more, and it may have been the answer of `oryn headless` that was wrong. Both sides start
    anew: what tests have changed in their sessions, such as the number of tabs so far, is in later answers."""
    if isinstance(node, pytest.Function) and "conformance" in node.funcargs:
        from tests.extension.conformance.engines import LineEngine  # not above: as below

        for argument in node.funcargs.values():
            if isinstance(argument, Conformance | LineEngine):
                argument.restart()


@pytest.fixture(scope="session")
def conformance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conformance]:
    # Not above: Pyodide, which loads this plugin too, starts no processes.
    from tests.extension.conformance.engines import HEADLESS, LineEngine

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nowhere = probe.getsockname()[1]
    addresses = {"pages": f"http://127.0.0.1:{server.server_port}", "nowhere": f"http://127.0.0.1:{nowhere}"}
    with LineEngine(HEADLESS, str(tmp_path_factory.mktemp("headless"))) as headless:
        yield Conformance(addresses, headless)
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    """Another `oryn headless`, for other commands than those of scripts: they may change later answers. It ends with
    the module, for some start a recording, which takes much of a processor."""
    from tests.extension.conformance.engines import HEADLESS, LineEngine

    with LineEngine(HEADLESS, str(tmp_path_factory.mktemp("headless"))) as engine:
        yield engine
