"""`make -s agent-engine`: lines in, answers out, and between them nothing but what the protocol shows a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.sessions.framing import AnswerSplitter
from tests.headless.conftest import Pages, pages

__all__ = ["pages"]

PAGE = """<title>Form</title><h1>A form</h1><label>Name <input value=Ada></label>
<label><input type=checkbox> Rust</label><select aria-label=Land><option>France<option>Spain</select>
<a href="/next?page=2">Next</a><textarea aria-label=More>old</textarea>
<button onclick="document.querySelector('h1').textContent = document.querySelector('input').value">Send</button>"""


@pytest.mark.browser
def test_a_dialogue(pages: Pages, tmp_path: Path) -> None:
    pages.bodies.clear()
    pages["/"], pages["/next"] = PAGE, "<title>Next</title><p>The end"
    lines = (
        f"goto {pages.url()}", "observe", 'type 1 "Grace"', "check 2", 'select 3 "Spain"', "observe", "click 6", "text",
        "# a note", "click 99", "clik 1", "click 4", "observe", "text", "quit",
    )  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-m", "scripts.agent_engine"],
        input="\n".join(lines), capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "ORYN_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    ready, *answers = AnswerSplitter().feed(ended.stdout.encode())
    assert ready.startswith("ready oryn-h ")
    assert answers == [
        f"ok goto {pages.url()}",
        '[1] input/text "Name" value: "Ada"\n[2] input/checkbox "Rust"\n[3] select "Land" value: "France"\n'
        '[4] link "Next"\n[5] textarea "More" value: "old"\n[6] button "Send"',
        'ok type 1 "Grace"',
        "ok check 2",
        'ok select 3 "Spain"',
        '[1] input/text "Name" value: "Grace"\n[2] input/checkbox "Rust" {checked}\n[3] select "Land" value: "Spain"\n'
        '[4] link "Next"\n[5] textarea "More" value: "old"\n[6] button "Send"',
        "ok click 6",
        "ok text\n\n| Grace\n| Name Rust\n| France\n| Spain\n| Next Send",
        "",
        "error click 99: Element ID 99 not found.",
        'error clik 1: unknown command "clik"',
        "ok click 4",
        "",  # no element
        "ok text\n\n| The end",
    ]
