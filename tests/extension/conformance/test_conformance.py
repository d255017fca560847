"""The same page and the same script give the same answers in `headless` and in `remote`, byte for byte, save where
`oryn.browsers.extension.differences` says otherwise."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from oryn.browsers.common.differences import Difference
from oryn.browsers.extension.differences import DIFFERENCES
from oryn.errors import LanguageError
from oryn.language import parse
from oryn.language.commands import COMMANDS
from tests.command_coverage import forms, used
from tests.extension.conformance.engines import HEADLESS, REMOTE, LineEngine, transcripts

HERE = Path(__file__).parent
APART = {
    "exit": "ends the engine: tests/host/test_remote.py",
    "export --out": "writes a file: its path is another",
    "export --overwrite": "as `screenshot --overwrite`",
    "har start": "writes a file, with times in it: tests/extension/test_har.py",
    "har stop": "as `har start`",
    "har --overwrite": "as `screenshot --overwrite`",
    "script add": "reads a file: tests/extension/test_page_scripts.py",
    "screenshot --output": "writes a file: tests/extension/test_capture.py",
    "screenshot --format": "writes a file: tests/extension/test_capture.py",
    "screenshot --annotate": "writes a file: tests/extension/test_capture.py",
    "screenshot --overwrite": "its path is another: below",
    "screenshot": "writes a file: tests/extension/test_capture.py",
    "session": "names the mode and the time: tests/extension/test_router.py",
    "sessions": "as `session`",
    "session close": "as `session`",
}
"""Forms whose answers can't be the same, and where they are tested."""
SCRIPTS = sorted((HERE / "scripts").glob("*.oil"))


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


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    """`pages` is where the pages are, `nowhere` where nothing listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nowhere = probe.getsockname()[1]
    yield {"pages": f"http://127.0.0.1:{server.server_port}", "nowhere": f"http://127.0.0.1:{nowhere}"}
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(HEADLESS, str(tmp_path_factory.mktemp("headless"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def remote(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(REMOTE, str(tmp_path_factory.mktemp("remote"))) as engine:
        yield engine


def at(text: str, addresses: dict[str, str]) -> list[str]:
    """The lines of a text, with what stands in for an address replaced by it."""
    for name, address in addresses.items():
        text = text.replace(f"{{{name}}}", address)
    return text.splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_answers_are_the_same(
    script: Path, headless: LineEngine, remote: LineEngine, addresses: dict[str, str]
) -> None:
    lines = at(script.read_text("utf-8"), addresses)
    here, there = transcripts(lines, headless, remote)
    assert there == here


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.form)
def test_the_table_of_differences_is_true(
    row: Difference, headless: LineEngine, remote: LineEngine, addresses: dict[str, str]
) -> None:
    lines = at(f"goto {{pages}}/form.html\n{row.example}", addresses)
    here, there = (answers[-1][1] for answers in transcripts(lines, headless, remote))
    assert row.allows(there), there
    assert not row.allows(here), here


@pytest.mark.parametrize(
    "lines",
    [["screenshot --output mine"], ["har start mine", "har stop"], ["intents", "export count_all --out mine"]],
    ids=lambda lines: lines[0],
)
@pytest.mark.parametrize("mode", ["headless", "remote"])
def test_somebodys_file_is_replaced_on_request_alone(
    mode: str, lines: list[str], request: pytest.FixtureRequest, addresses: dict[str, str]
) -> None:
    engine: LineEngine = request.getfixturevalue(mode)
    mine = Path(engine.home, "mine")
    mine.write_text("a letter")
    for line in at('define count_all:\n  click "Count"\ngoto {pages}/form.html', addresses):
        engine.say(line)
    *before, writes = lines if "har" not in lines[0] else lines[:1]
    for line in before:
        engine.say(line)
    refused = engine.say(writes)
    assert refused.startswith(f"error {writes}: ") and "--overwrite" in refused
    assert mine.read_text() == "a letter"
    assert engine.say(f"{writes} --overwrite").startswith("ok")
    for line in lines[lines.index(writes) + 1 :]:
        assert engine.say(line).startswith("ok")
    assert mine.read_bytes() != b"a letter"
    mine.unlink()


def forms_of(line: str) -> set[str]:
    """The forms of commands that a line is, none where it is no line of the language."""
    try:
        command = parse(line).command
    except LanguageError:
        return set()
    return set(used(command)) if command else set()


def test_every_command_is_compared() -> None:
    """Each form of each command is in a script, or the table covers it."""
    lines = [line for script in SCRIPTS for line in re.split(r"\n(?! )", script.read_text("utf-8"))]
    compared = {form for line in lines for form in forms_of(line)}
    there_are = {form for command in COMMANDS for form in forms(command)} - APART.keys()
    missing = {form for form in there_are - compared if not any(row.covers(form) for row in DIFFERENCES)}
    assert sorted(missing) == []
