from __future__ import annotations

from typing import Any

import pytest

from oryn import engine
from oryn.cli.run import dialogue
from oryn.errors import BrowserNotFound, OrynError, TargetError, UnknownCommand
from oryn.hosts import script
from oryn.settings import load
from oryn.system.paths import find


class Answer:
    def __init__(self, error: OrynError | None = None, exit: bool = False) -> None:
        self.error, self.exit = error, exit


class Scripted:
    """Fails at `bad` and `lost`, ends at `exit`."""

    json = False

    async def execute(self, line: str) -> Answer:
        failures = {"bad": UnknownCommand("no such command"), "lost": TargetError("element not found")}
        return Answer(failures.get(line), line == "exit")


async def run(text: str, **options: Any) -> tuple[int, list[str]]:
    shown: list[str] = []
    code = await script.run_lines(
        Scripted(),  # type: ignore[arg-type]
        script.lines_of(text),
        lambda line, answer: shown.append(line),
        **options,
    )
    return code, shown


@pytest.mark.parametrize(
    ("text", "keep_going", "code", "shown"),
    [
        ("url\ntitle", False, 0, ["url", "title"]),
        ("url\nlost\ntitle", False, TargetError.exit_code, ["url", "lost"]),
        ("url\nbad\nlost\ntitle", True, UnknownCommand.exit_code, ["url", "bad", "lost", "title"]),
        ("url\nexit\ntitle", False, 0, ["url", "exit"]),
        ("lost\nexit\ntitle", True, TargetError.exit_code, ["lost", "exit"]),
        ("# only a comment", False, 0, ["# only a comment"]),
    ],
)
async def test_a_script_runs_until_its_end(text: str, keep_going: bool, code: int, shown: list[str]) -> None:
    assert await run(text, keep_going=keep_going) == (code, shown)


def test_exit_codes_tell_kinds_of_failure_apart() -> None:
    assert len({0, OrynError.exit_code, UnknownCommand.exit_code, BrowserNotFound.exit_code}) == 4


def test_the_echo_of_a_line_has_no_password(capsys: pytest.CaptureFixture[str]) -> None:
    show = dialogue(load({}, find(), {}))
    for prefix in ("", "@shop "):
        show(f"{prefix}login me hunter2  # mine", engine.Answer('login "me" "••••"'))
        assert capsys.readouterr().out == f'> {prefix}login "me" "••••"\nok login "me" "••••"\n\n'
    show("go to  a.example", engine.Answer("goto a.example"))
    assert capsys.readouterr().out.startswith("> go to  a.example\n")
