"""`oryn skill --for … --install`: every assistant's files, in whole, and what must not happen to them."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oryn.cli.skill import skill
from oryn.errors import FileError
from oryn.skill import PLATFORMS, LocalMachine, assistants, skill_text
from oryn.skill.assistant import display_path
from oryn.skill.mcp_servers import configured_servers

SERVER = """#!/bin/sh
read greeting
echo '{"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "oryn", "version": "1"}}}'
"""
"""What answers a greeting sooner than ours: these tests are about files (`test_starting.py` has the real one)."""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `oryn` that was called, and that is in PATH."""
    file = tmp_path / "bin" / "oryn"
    file.parent.mkdir()
    file.write_text(SERVER)
    file.chmod(0o700)
    monkeypatch.setattr(sys, "argv", [str(file), "skill"])
    monkeypatch.setenv("PATH", f"{file.parent}{os.pathsep}{os.environ['PATH']}")
    return file


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    project = tmp_path / "project"
    project.mkdir()
    folder.mkdir()
    monkeypatch.setattr(LocalMachine, "now", lambda: LocalMachine("linux", folder, project, {}))
    return folder


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(skill, arguments)


def invoke_ok(*arguments: str) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def invoke_refused(*arguments: str) -> FileError:
    error = invoke(*arguments).exception
    assert isinstance(error, FileError)
    return error


def test_the_text_is_printed() -> None:
    assert invoke_ok() == skill_text()


@pytest.mark.parametrize("name", assistants())
@pytest.mark.parametrize("project", [False, True])
def test_every_assistant_gets_its_files(program: Path, name: str, project: bool) -> None:
    assistant = assistants()[name]
    scope = ["--project"] if project else []
    if project and not assistant.project:
        result = invoke("--for", name, *scope)
        assert (result.exit_code, "has no file for one project" in result.output) == (2, True)
        return
    here = LocalMachine.now()
    file = here.path(assistant.configuration_path("linux", project=project))
    shown = invoke_ok("--for", name, *scope)
    assert assistant.source in shown
    printed = invoke_ok("--for", name, *scope, "--install")
    assert f"wrote {file}\n" in printed
    assert assistant.then in printed
    text = file.read_text()
    assert text.strip() in shown
    data = (tomllib if assistant.format == "toml" else json).loads(text)
    for key in assistant.keys:
        data = data[key]
    command = "oryn" if project else str(program)
    assert data["command"] in (command, [command, "mcp"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if where := assistant.skill_path(project=project):
        assert display_path(where) in shown
        assert here.path(where).read_text() == skill_text()
    again = invoke_ok("--for", name, *scope, "--install")
    assert f"{file} has it already\n" in again
    assert "wrote" not in again
    assert file.read_text() == text
    (found,) = configured_servers()
    assert (found.assistant, found.file, found.is_project) == (assistant, file, project)
    assert found.command == (command, "mcp")


def test_places_of_each_platform() -> None:
    home, folder = Path("/home/ann"), Path("/work")
    set_to = {"APPDATA": "/home/ann/roaming", "XDG_CONFIG_HOME": "/home/ann/conf"}
    desktop = assistants()["claude-desktop"]
    places = [
        str(LocalMachine(each, home, folder, set_to).path(desktop.configuration_path(each))) for each in PLATFORMS
    ]
    assert places == [
        "/home/ann/conf/Claude/claude_desktop_config.json",
        "/home/ann/Library/Application Support/Claude/claude_desktop_config.json",
        "/home/ann/roaming/Claude/claude_desktop_config.json",
    ]
    unset = LocalMachine("windows", home, folder, {"APPDATA": ""}).path(desktop.configuration_path("windows"))
    assert str(unset) == "/home/ann/AppData/Roaming/Claude/claude_desktop_config.json"
    relative = LocalMachine("linux", home, folder, {"XDG_CONFIG_HOME": "conf"}).path(
        desktop.configuration_path("linux")
    )
    assert str(relative) == "/home/ann/.config/Claude/claude_desktop_config.json"


def test_dry_run_prints_changes_without_writing(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  "mcpServers": {}\n}\n')
    shown = invoke_ok("--for", "cursor", "--dry-run")
    assert '-  "mcpServers": {}\n+  "mcpServers": {\n+    "oryn": {\n' in shown
    assert "+++ " + str(home / ".cursor/skills/oryn/SKILL.md") in shown
    assert file.read_text() == '{\n  "mcpServers": {}\n}\n'
    assert not (home / ".cursor" / "skills").exists()


def test_another_entry_of_that_name_stays_unless_it_is_to_be_replaced(home: Path, program: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    theirs = '{"mcpServers": {"oryn": {"command": "mine"}, "other": {"env": {"KEY": "secret"}}}}'
    file.write_text(theirs)
    file.chmod(0o640)
    error = invoke_refused("--for", "cursor", "--install")
    assert error.message == f"{file} already has a different mcpServers.oryn"
    assert error.hint == "--replace replaces it."
    assert file.read_text() == theirs
    assert not (home / ".cursor" / "skills").exists()
    invoke_ok("--for", "cursor", "--install", "--replace")
    servers = json.loads(file.read_text())["mcpServers"]
    assert servers["oryn"] == {"command": str(program), "args": ["mcp"]}
    assert servers["other"] == {"env": {"KEY": "secret"}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_skill_that_says_something_else_stays_unless_it_is_to_be_replaced(home: Path) -> None:
    file = home / ".cursor" / "skills" / "oryn" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    assert invoke_refused("--for", "cursor", "--install").message == f"{file} already exists with other content"
    assert not (home / ".cursor" / "mcp.json").exists()
    invoke_ok("--for", "cursor", "--install", "--replace")
    assert file.read_text() == skill_text()


@pytest.mark.parametrize("text", ['{"mcpServers": ', "[]", '{"mcpServers": []}', '{"mcpServers": null}', "[" * 100_000])
def test_a_file_that_is_no_good_stays_as_it_is(home: Path, text: str) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    assert str(file) in invoke_refused("--for", "cursor", "--install").message
    assert file.read_text() == text


def test_a_file_in_another_encoding_stays_as_it_is(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes("{}".encode("utf-16"))
    assert invoke_refused("--for", "cursor", "--install").message == f"{file} is not a text"


def test_a_mark_of_the_encoding_stays(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes(b"\xef\xbb\xbf{}\r\n")
    invoke_ok("--for", "cursor", "--install")
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n')


def test_a_table_that_is_written_in_one_line_is_not_added_to(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('mcp_servers = { other = { command = "x" } }\n')
    error = invoke_refused("--for", "codex", "--install")
    assert error.message == f"can't add to {file} without touching the rest"
    assert file.read_text() == 'mcp_servers = { other = { command = "x" } }\n'


def test_a_link_stays_a_link(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}\n")
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.symlink_to(kept)
    invoke_ok("--for", "cursor", "--install")
    assert file.is_symlink()
    assert "mcpServers" in json.loads(kept.read_text())


def test_a_folder_that_can_not_be_made_is_told(home: Path) -> None:
    (home / ".cursor").write_text("a file")
    error = invoke_refused("--for", "cursor", "--install")
    assert error.message == f"can't read {home / '.cursor' / 'mcp.json'}: Not a directory"


def test_options_that_need_an_assistant_say_so() -> None:
    result = invoke("--install")
    assert (result.exit_code, "Say for which assistant: --for claude-code|" in result.output) == (2, True)
