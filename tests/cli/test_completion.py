"""Completion through the protocol that shells use, and in a real bash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import Shell


def completed(shell: Shell, *words: str) -> list[str]:
    """The completions of the last word."""
    line = {"COMP_WORDS": " ".join(["oryn", *words]), "COMP_CWORD": str(len(words)), "_ORYN_COMPLETE": "bash_complete"}
    return shell.ok(**line).splitlines()


def values(shell: Shell, *words: str) -> list[str]:
    return [line.partition(",")[2] for line in completed(shell, *words)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("clic",), ["click"]),
        (("doc",), ["doctor"]),
        (("sta",), ["start", "status", "state"]),
        (("pai",), ["pairings", "pair"]),
        (("scroll", "d"), ["down"]),
        (("is", "visible", "em"), ["email"]),
        (("click", "email", "n"), ["near"]),
        (("click", "--do"), ["--double"]),
        (("click", "3", "--ra"), ["--raw"]),
        (("screenshot", "--format", "j"), ["jpeg"]),
        (("wait", "i"), ["idle", "items"]),
        (("device", "iPhone", "15", "Pro", "M"), ["Max", "Max landscape"]),
        (("throttle", "slow-3"), ["slow-3g"]),
        (("--json", "scroll", "d"), ["down"]),
        (("--viewport", "800x600", "scroll", "d"), ["down"]),
        (("help", "cli"), ["click", "clipboard"]),
        (("help", "tar"), ["targets"]),
        (("help", "sett"), ["settings"]),
        (("help", "doc"), ["doctor"]),
        (("--backend", "em"), ["embedded"]),
        (("--output", "j"), ["json"]),
        (("--color", "al"), ["always"]),
        (("--view",), ["--viewport"]),
        (("daemon", "sta"), ["start", "status"]),
        (("skill", "--for", "cur"), ["cursor"]),
        (("history", "--action", "goto"), ["goto"]),
        (("doctor", "--only", "fold"), ["folders"]),
        (("completion", "z"), ["zsh"]),
        (("nothing", "x"), []),
    ],
)
def test_words_are_completed_by_their_position(shell: Shell, words: tuple[str, ...], expected: list[str]) -> None:
    assert values(shell, *words) == expected
    assert shell.daemons() == []


@pytest.mark.slow
def test_paths_are_completed_by_the_shell(new_shell: Shell) -> None:
    assert completed(new_shell, "state", "save", "") == ["file,"]
    assert completed(new_shell, "run", "") == ["file,"]


@pytest.mark.slow
def test_what_sessions_know_is_completed(shell: Shell) -> None:
    shell.ok("--session", "work", "goto", "about:blank")
    shell.ok("--session", "work", "do", "define compare:\n  title")
    for words in (("--session", "wo"), ("click", "3", "--session", "wo"), ("session", "close", "wo")):
        assert values(shell, *words) == ["work"], words
    assert values(shell, "history", "--session", "wo") == ["work"]
    assert "compare" in values(shell, "--session", "work", "run_intent", "comp")
    assert values(shell, "--session", "nothing", "run_intent", "comp") == []
    assert "documentation" in values(shell, "--session", "work", "pack", "load", "docu")
    assert [each["name"] for each in shell.json("--json", "status")["sessions"]] == ["work"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script_and_its_form(new_shell: Shell, name: str) -> None:
    assert f"_ORYN_COMPLETE={name}_complete" in new_shell.ok("completion", name)
    line = {"COMP_WORDS": "oryn scroll d", "COMP_CWORD": "d" if name == "fish" else "2"}
    printed = new_shell.ok(_ORYN_COMPLETE=f"{name}_complete", **line)
    assert "down" in printed
    assert f"_ORYN_COMPLETE={name}_complete" in new_shell.ok(_ORYN_COMPLETE=f"{name}_source")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(new_shell: Shell, tmp_path: Path) -> None:
    program = tmp_path / "oryn"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m oryn "$@"\n')
    program.chmod(0o755)
    script = """
eval "$(oryn completion bash)"
completes() {
  COMP_WORDS=(oryn "$@"); COMP_CWORD=$#; COMPREPLY=()
  _oryn_completion oryn
  printf '%s\\n' "${COMPREPLY[*]}"
}
completes scroll d
completes click --do
completes --backend em
"""
    environment = {**new_shell.environment, "PATH": f"{tmp_path}:{new_shell.environment['PATH']}"}
    ended = subprocess.run(
        ["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert ended.stdout.splitlines() == ["down", "--double", "embedded"], ended


def test_verbs_are_completed_without_the_rest_of_the_command_line(new_shell: Shell) -> None:
    code = (
        "import json, os, sys\nfrom oryn.cli.main import main\n"
        "try: main([])\nfinally: print(json.dumps(sorted(sys.modules)))"
    )
    line = {"COMP_WORDS": "oryn click em", "COMP_CWORD": "2", "_ORYN_COMPLETE": "bash_complete"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**new_shell.environment, **line}, capture_output=True, text=True, check=True
    )
    modules = json.loads(ended.stdout.splitlines()[-1])
    heavy = {"asyncio", "rich", "prompt_toolkit", "oryn.engine", "oryn.settings", "oryn.cli.app", "oryn.sessions"}
    assert not heavy.intersection(modules)
