"""A file that Oryn has not made is replaced with `--overwrite` alone, by every command that writes one; its own are
replaced without being asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Rect
from oryn.engine import Options, Session
from oryn.engine.page.marks import take_mark
from oryn.language.commands import COMMANDS
from tests.headless.test_recording_video import record_to

pytestmark = pytest.mark.browser

LETTER = b"a letter"

WRITING: dict[str, tuple[list[str], str, list[str]]] = {
    "screenshot": ([], "screenshot --output {file}", []),
    "diff picture": (
        ["screenshot --output {folder}/before.png"],
        "diff picture {folder}/before.png --output {file}",
        [],
    ),
    "zoom": ([], 'zoom "Go" --output {file}', []),
    "pdf": ([], "pdf {file}", []),
    "state save": ([], "state save {file}", []),
    "har": ([], "har start {file}", ["har stop"]),
    "har stop": (["har start"], "har stop {file}", []),
    "trace start": ([], "trace start {file}", ["trace stop"]),
    "trace stop": (["trace start"], "trace stop {file}", []),
    "record start": ([], "record start {file}", ["record stop"]),
    "notes picture": ([], "notes picture 1 --output {file}", []),
    "export": (['define look:\n  click "Go"'], "export look --output {file}", []),
}
"""By the command's name: what comes before, the line that names the file, what comes after it."""
ENDS = {".har": ("har",), ".zip": ("trace",), ".webm": ("record",), ".pdf": ("pdf",), ".yaml": ("export",)}


def test_every_command_that_writes_is_here() -> None:
    there_are = {command.spec.name for command in COMMANDS if "overwrite" in command.spec.options}
    assert there_are <= WRITING.keys()


async def write_note(session: Session) -> None:
    mark = await take_mark(session, Rect(20, 20, 0, 0), session.command_lock)
    session.person_notes.mark(mark)
    session.person_notes.add(mark.id, "make it green")


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITING)
async def test_foreign_file_is_not_overwritten(isolated: Any, tmp_path: Path, name: str) -> None:
    before, writes, after = WRITING[name]
    suffix = next((end for end, names in ENDS.items() if name.startswith(names)), ".png")
    mine = tmp_path / f"mine{suffix}"
    mine.write_bytes(LETTER)
    before, writes = [line.format(folder=tmp_path) for line in before], writes.format(file=mine, folder=tmp_path)
    isolated.session.files = Options(ledger_folder=tmp_path / "ledger").file_access()
    record_to(isolated.session, tmp_path / "run")
    await isolated.show("<button>Go</button>")
    if name == "notes picture":
        await write_note(isolated.session)
    for line in before:
        await isolated.ok(line)
    refused = await isolated(writes)
    assert refused.startswith(f"error {name} ") and "--overwrite" in refused
    assert mine.read_bytes() == LETTER
    for line in (f"{writes} --overwrite", *after):
        await isolated.ok(line)
    assert mine.read_bytes() not in (LETTER, b"")
    for line in (*before, writes, *after):  # it is Oryn's own now
        await isolated.ok(line)
    with mine.open("ab") as file:
        file.write(LETTER)
    for line in before:
        await isolated(line)
    answer = await isolated.session.execute(writes)
    assert answer.error is not None and answer.error.code == "FILE_EXISTS"
    assert mine.read_bytes().endswith(LETTER)
