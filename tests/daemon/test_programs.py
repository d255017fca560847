"""Programs in the daemon: rows of their commands, events, and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from oryn.daemon.history.log import HistoryRow
from oryn.daemon.history.replay import partition_replayable
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

pytest.importorskip("pydantic_monty")

PAGE = """<title>shop</title><button onclick="document.title += '!'">Buy</button><input aria-label=Name>
<input type=password aria-label=Password>"""


@pytest.mark.slow
async def test_each_command_is_a_row_with_the_id_of_its_program(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    text = "for number in range(2):\n    click('Buy')\nclick('Sell', timeout=1)"
    answer = await daemon.ask({"action": "program", "args": {"text": text}})
    assert answer["error_kind"] == "element_not_found"
    *inner, program = daemon.rows()[-4:]
    assert program["action"] == "program"
    assert answer["data"]["result"]["program"] == program["action_id"]
    assert {row["program"] for row in inner} == {program["action_id"]}
    assert [(row["args"]["line"], row["ok"]) for row in inner] == [
        ('click "Buy"', True), ('click "Buy"', True), ('click "Sell" --timeout 1s', False)
    ]  # fmt: skip


async def test_passwords_in_a_program_are_in_no_row(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    await daemon.ok({"action": "program", "args": {"text": "type('Password', 'swordfish9')\ntype('Name', 'Ann')"}})
    assert "swordfish9" not in json.dumps(daemon.rows())
    assert "Ann" in json.dumps(daemon.rows())


async def test_a_saved_program_has_rows_too_and_its_secrets_are_in_none(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    text = "type('Password', 'swordfish9')\ntype('Name', name)"
    await daemon.ok({"action": "program_save", "args": {"name": "enter", "text": text + "\nlogin('a', 'hunter22')"}})
    await daemon.ok({"action": "program", "args": {"text": text.replace("name", "'Ann'")}})
    await daemon.ok("program save fill")
    await daemon.ok("run fill --password tr0ubador")
    *inner, run = daemon.rows()[-3:]
    assert run["args"]["line"] == 'run fill --password "••••"'
    assert [(row["args"]["line"], row["program"]) for row in inner] == [
        ('type password "••••"', run["action_id"]), ('type "Name" "Ann"', run["action_id"])
    ]  # fmt: skip
    rows = json.dumps(daemon.rows())
    assert not [word for word in ("swordfish9", "hunter22", "tr0ubador") if word in rows]


def test_the_command_line_takes_a_file_and_standard_input(daemon: RunningDaemon, pages: Pages, tmp_path: Path) -> None:
    pages["/"] = PAGE
    text = f'goto("{pages.url()}")\nclick("Buy")\npage.title'
    (tmp_path / "buy.py").write_text(text)
    for words, given in ((["buy.py"], ""), (["-"], text)):
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "program", *words],
            input=given, cwd=tmp_path, env=daemon_environment(daemon.home), capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert ended.stdout.startswith("ok program")
        assert ended.stdout.rstrip().endswith("| shop!")


@pytest.mark.slow
async def test_the_list_and_the_replay_have_the_commands_under_the_program(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    text = f"goto('{pages.url()}')\nclick('Buy')"
    answer = await daemon.ok({"action": "program", "args": {"text": text}})
    run = partial(
        subprocess.run, env=daemon_environment(daemon.home), capture_output=True, text=True, check=True
    )  # fmt: skip
    replayed = run([sys.executable, "-m", "oryn", "daemon", "replay", answer["action_id"], "--json"])
    again = json.loads(replayed.stdout)
    assert again["data"]["result"]["commands"] == {"goto": 1, "click": 1}
    assert [row["program"] for row in daemon.rows()[-3:]] == [again["action_id"], again["action_id"], None]
    listed = run([sys.executable, "-m", "oryn", "daemon", "trace", "-n", "3"]).stdout.splitlines()
    program, *inner = listed[-3:]
    assert again["action_id"] in program
    assert ["goto" in inner[0], 'click "Buy"' in inner[1]] == [True, True]
    assert program.index("program --text") + 2 == inner[1].index('click "Buy"')


def test_a_replay_gives_the_program_again_and_not_its_commands_too() -> None:
    def row(id: str, line: str, program: str | None = None) -> HistoryRow:
        ts = "2026-05-26T19:00:42.123456Z"
        return HistoryRow(id, ts, 1.0, True, "default", line.split()[0], {"line": line}, program=program)

    rows = [row("1", "click 1", "2"), row("2", 'program --text "click(1)"'), row("3", "refresh")]
    good, refused = partition_replayable(rows)
    assert [each.action_id for each in good] == ["2", "3"]
    assert not refused
