"""The same page and the same script give the same answers in `headless` and in `remote`, byte for byte, save where
`oryn.browsers.extension.differences` says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.browsers.common.differences import Difference
from oryn.browsers.extension.differences import DIFFERENCES
from oryn.language.commands import COMMANDS
from tests.command_coverage import forms
from tests.extension.conformance import program_suite
from tests.extension.conformance.engines import REMOTE, LineEngine
from tests.extension.conformance.suite import SCRIPTS, Conformance, forms_of

APART = {
    "exit": "ends the engine: tests/host/test_remote.py",
    "export --output": "writes a file: its path is another",
    "export --overwrite": "as `screenshot --overwrite`",
    "har start": "writes a file, with times in it: tests/extension/test_har.py",
    "har stop": "as `har start`",
    "har --overwrite": "as `screenshot --overwrite`",
    "media contrast custom": "one path with `media contrast more`: tests/headless/test_device.py",
    "media contrast less": "as `media contrast custom`",
    "media contrast no-preference": "as `media contrast custom`",
    "media forced-colors none": "one path with `media forced-colors active`: tests/headless/test_device.py",
    "media type screen": "one path with `media type print`: tests/headless/test_device.py",
    "script add": "reads a file: tests/extension/test_page_scripts.py",
    "screenshot --output": "writes a file: tests/extension/test_capture.py",
    "screenshot --format": "writes a file: tests/extension/test_capture.py",
    "screenshot --annotate": "writes a file: tests/extension/test_capture.py",
    "screenshot --overwrite": "its path is another: below",
    "screenshot": "writes a file: tests/extension/test_capture.py",
    "screenshot --fullpage": "as `screenshot`",
    "screenshot --clip": "writes a file: tests/extension/test_capture.py",
    "screenshot --scale": "writes a file: tests/extension/test_capture.py",
    "screenshot --quality": "writes a file: tests/extension/test_capture.py",
    "screenshot --if-changed": "writes a file: tests/extension/test_capture.py",
    "diff picture": "reads a file: tests/extension/test_capture.py",
    "diff picture --fullpage": "as `diff picture`",
    "diff picture --threshold": "as `diff picture`",
    "diff picture --mask": "as `diff picture`",
    "diff picture --fail-over": "as `diff picture`",
    "diff picture --output": "as `diff picture`",
    "diff picture --overwrite": "as `screenshot --overwrite`",
    "zoom": "writes a file: tests/extension/test_capture.py",
    "zoom --output": "as `screenshot --output`",
    "zoom --overwrite": "as `screenshot --overwrite`",
    "zoom --format": "as `screenshot --format`",
    "zoom --quality": "as `screenshot --quality`",
    "zoom --clip": "as `screenshot --clip`",
    "zoom --scale": "as `screenshot --scale`",
    "zoom --if-changed": "as `screenshot --if-changed`",
    "pdf": "as `screenshot`",
    "pdf --format": "as `screenshot`",
    "pdf --landscape": "as `screenshot`",
    "pdf --margin": "as `screenshot`",
    "pdf --overwrite": "as `screenshot --overwrite`",
    "intercept --respond-file": "reads a file: tests/extension/test_uploads.py",
    "upload": "reads files: tests/extension/test_uploads.py",
    "program": "reads a file: tests/headless/test_program.py",
    "program --text": "its answer has the time: `test_programs_do_the_same`",
    "program --resume": "as `program --text`",
    "program --report": "as `program --text`",
    "program --yielding": "as `program --text`",
    "program save": "writes a file: tests/headless/test_program_save.py",
    "program save --text": "as `program save`",
    "notes": "only a person makes notes: tests/extension/test_marks.py",
    "notes answer": "as `notes`",
    "notes done": "as `notes`",
    "notes picture": "as `notes`",
    "notes picture --output": "as `notes`",
    "notes picture --overwrite": "as `screenshot --overwrite`",
    "session": "names the mode and the time: tests/extension/test_router.py",
    "sessions": "as `session`",
    "session close": "as `session`",
    "vitals": "not in the extension, and its answers are times: tests/headless/test_vitals.py",
    "vitals --fail-on": "as `vitals`",
    "vitals --max-lcp": "as `vitals`",
    "vitals --max-cls": "as `vitals`",
    "vitals --max-inp": "as `vitals`",
    "vitals --max-fcp": "as `vitals`",
    "vitals --max-ttfb": "as `vitals`",
    "vitals --full": "as `vitals`",
    "tab release": "a session that is alone in its browser has none to give back: tests/extension/test_leases.py",
    "tab take": "as `tab release`",
}
"""Forms whose answers can't be the same, and where they are tested."""
OWN = {"clipboard", "console", "dialogs", "frames", "looking", "network", "reading", "scripts", "tabs"}
"""Scripts of what the extension's backend does by itself. In the others the engine and the scanner do as in `headless`,
whose tests prove it."""
PARAMETERS = [
    pytest.param(script, id=script.stem, marks=() if script.stem in OWN else pytest.mark.other_engine)
    for script in SCRIPTS
]


@pytest.fixture(scope="module")
def remote(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineEngine]:
    with LineEngine(REMOTE, str(tmp_path_factory.mktemp("remote"))) as engine:
        yield engine


@pytest.mark.slow
@pytest.mark.parametrize("script", PARAMETERS)
def test_the_answers_are_the_same(script: Path, remote: LineEngine, conformance: Conformance) -> None:
    assert remote.transcript(conformance.lines_of(script)) == conformance.expected(script)


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.form)
def test_the_table_of_differences_is_true(
    row: Difference, remote: LineEngine, headless: LineEngine, conformance: Conformance
) -> None:
    lines = conformance.lines(f"goto {{pages}}/form.html\n{row.example}")
    here, there = (engine.transcript(lines)[-1][1] for engine in (headless, remote))
    assert row.allows(there), there
    assert not row.allows(here), here


@pytest.mark.parametrize(
    "lines",
    [["screenshot --output mine"], ["har start mine", "har stop"], ["intents", "export count_all --output mine"]],
    ids=lambda lines: lines[0],
)
@pytest.mark.parametrize("mode", ["headless", "remote"])
def test_somebodys_file_is_replaced_on_request_alone(
    mode: str, lines: list[str], request: pytest.FixtureRequest, conformance: Conformance
) -> None:
    engine: LineEngine = request.getfixturevalue(mode)
    mine = Path(engine.home, "mine")
    mine.write_text("a letter")
    for line in conformance.lines('define count_all:\n  click "Count"\ngoto {pages}/form.html'):
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


def test_every_command_is_compared() -> None:
    """Each form of each command is in a script, or the table covers it."""
    lines = [line for script in SCRIPTS for line in re.split(r"\n(?! )", script.read_text("utf-8"))]
    compared = {form for line in lines for form in forms_of(line)}
    there_are = {form for command in COMMANDS for form in forms(command)} - APART.keys()
    missing = {form for form in there_are - compared if not any(row.covers(form) for row in DIFFERENCES)}
    assert sorted(missing) == []


@pytest.mark.slow
def test_programs_do_the_same(remote: LineEngine, conformance: Conformance) -> None:
    assert program_suite.transcript(remote, conformance) == program_suite.expected(conformance)
