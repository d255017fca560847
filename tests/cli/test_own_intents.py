"""Intents of one's own in whole processes: definitions over lines, files of the user, the schema."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.engine.definitions import json_schema

DEFINITION = """\
define look:
  goto {{page}}

\ttitle # and no more
run look --page about:blank
"""


def oryn(home: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name == "ORYN_BROWSER" or not name.startswith("ORYN_")}
    return subprocess.run(
        [sys.executable, "-m", "oryn", *arguments],
        env={**kept, "ORYN_HOME": str(home), "NO_COLOR": "1"},
        input=text, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_the_schema_is_printed(tmp_path: Path) -> None:
    assert json.loads(oryn(tmp_path, "schema").stdout) == json_schema("intent")
    assert json.loads(oryn(tmp_path, "schema", "pack").stdout) == json_schema("pack")
    assert oryn(tmp_path, "schema", "other").returncode == 2


@pytest.mark.slow
@pytest.mark.browser
def test_a_script_sends_a_definition_as_one(tmp_path: Path) -> None:
    ended = oryn(tmp_path, "run", "-", text=DEFINITION)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(
        "> define look:\n  goto {{page}}\n\ttitle # and no more\n"
        "ok define look:\n\n2 steps: run look --page <text>\n\n"
        '> run look --page about:blank\nok run look --page about:blank\n\n1 goto about:blank\n2 title: ""'
    )


@pytest.mark.slow
@pytest.mark.browser
def test_the_line_protocol_answers_each_line_of_a_body(tmp_path: Path) -> None:
    text = DEFINITION.replace("run look", "  clik 5\nrun look")
    told = oryn(tmp_path, "headless", text=text).stdout
    _, *answers, rest = re.split(r"^---\n", told, flags=re.MULTILINE)
    assert rest == ""
    answers = [answer.rstrip("\n") for answer in answers]
    assert answers[:2] == [
        "ok define look:\n\nno steps yet: indented lines after it are its steps",
        "ok define look:\n\n1 step: run look --page <text>",
    ]
    assert answers[2] == ""
    assert answers[3] == "ok define look:\n\n2 steps: run look --page <text>"
    assert answers[4].startswith('error define look:: line 3 of the body: unknown command "clik"')
    assert "2 title" in answers[5]
    assert len(answers) == 6


@pytest.mark.browser
def test_the_users_intents_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "intents"
    folder.mkdir()
    (folder / "look.yaml").write_text("name: look\nsteps: [goto about:blank, title]\n")
    ended = oryn(tmp_path, "run", "-", text="run look\npack load shop\npacks\n")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert '2 title: ""' in ended.stdout
    assert "shop 1.0  (loaded, not for this page)" in ended.stdout
