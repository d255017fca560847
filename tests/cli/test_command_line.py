from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oryn import __version__
from oryn.cli.app import COMMANDS
from oryn.cli.flags import AGENT, BROWSING
from oryn.errors import FileError, LanguageError
from oryn.settings import SETTINGS


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
    return {**kept, "ORYN_HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "120"}


def oryn(environment: dict[str, str], *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oryn", *arguments],
        env=environment, input=text, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("arguments", [["version"], ["--version"]])
def test_version(environment: dict[str, str], arguments: list[str]) -> None:
    assert oryn(environment, *arguments).stdout == f"oryn {__version__} (protocol 2)\n"


def test_help_lists_every_command(environment: dict[str, str]) -> None:
    ended = oryn(environment, "--help")
    assert ended.returncode == 0
    for command in COMMANDS:
        assert f" {command} " in ended.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(environment: dict[str, str], command: str) -> None:
    ended = oryn(environment, command, "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"Usage: oryn {command}" in ended.stdout


def test_an_unknown_command_is_a_usage_error(environment: dict[str, str]) -> None:
    assert oryn(environment, "nothing").returncode == 2


def test_config_tells_values_and_origins(environment: dict[str, str]) -> None:
    ended = oryn({**environment, "ORYN_TIMEOUT": "5"}, "config", "--strict")
    rows = {row.split()[0]: row.split()[1:] for row in ended.stdout.splitlines() if row.strip()}
    assert rows["timeout"] == ["5", "environment"]
    assert rows["strict"] == ["true", "flag"]
    assert rows["session"] == ["default", "default"]
    assert rows["file"] == [str(Path(environment["ORYN_HOME"]) / "config" / "config.toml")]


def test_config_as_json(environment: dict[str, str]) -> None:
    told = json.loads(oryn(environment, "--session", "agent1", "config", "--json").stdout)
    assert told["settings"]["session"] == {"value": "agent1", "origin": "flag"}
    assert told["folders"]["sessions"] == str(Path(environment["ORYN_HOME"]) / "sessions")


def test_the_nearer_of_two_session_flags_holds(environment: dict[str, str]) -> None:
    told = json.loads(oryn(environment, "--session", "one", "config", "--session", "two", "--json").stdout)
    assert told["settings"]["session"]["value"] == "two"


def test_a_bad_setting_is_told_and_has_its_exit_code(environment: dict[str, str]) -> None:
    ended = oryn(environment, "config", "--viewport", "wide")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "error config: viewport can't be 'wide' (from the flag --viewport)\n\n"
        "# hint\nviewport must be a width and a height in pixels, such as 1280x720.\n"
    )


def test_a_script_that_is_not_there_is_told(environment: dict[str, str]) -> None:
    ended = oryn(environment, "run", "nowhere.oil")
    assert ended.returncode == FileError.exit_code
    assert ended.stderr.startswith("error run: can't read nowhere.oil: ")


def test_an_unknown_check_is_told(environment: dict[str, str]) -> None:
    ended = oryn(environment, "doctor", "--only", "nothing")
    assert ended.returncode == 2
    assert "# hint\nThe checks: python, package," in ended.stderr


def test_a_check_that_finds_nothing_missing(environment: dict[str, str]) -> None:
    ended = oryn(environment, "doctor", "--only", "folders", "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["ok"], told["checks"][0]["state"]) == (0, True, "ok")


def test_parse_prints_an_object_for_each_line_that_is_not_blank(environment: dict[str, str]) -> None:
    ended = oryn(environment, "parse", text="scan\r\n\n  # nothing\nclick 99x\ngoto ß.org\n")
    first, second, third, fourth = map(json.loads, ended.stdout.splitlines())
    assert (ended.returncode, ended.stderr) == (LanguageError.exit_code, "")
    assert first["canonical"] == "observe"
    assert second == {"canonical": "# nothing", "command": None, "comment": "# nothing"}
    assert third["error"]["phase"] == "parsing"
    assert fourth["canonical"] == "goto ß.org"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("# nothing", 0), ("click 3\nback", 0), ("clik 3", 2), ("clik 3\nback", 2), ("define a:\n  clik 3", 2)],
)
def test_parse_ends_with_the_exit_code_of_an_error(environment: dict[str, str], text: str, code: int) -> None:
    assert oryn(environment, "parse", text=text).returncode == code


@pytest.mark.parametrize("content", ["viewport = 'wide'", "vieport = '800x600'", "viewport = "])
def test_a_bad_file_of_settings_is_named_with_its_path(environment: dict[str, str], content: str) -> None:
    file = Path(environment["ORYN_HOME"]) / "config" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8")
    ended = oryn(environment, "config")
    assert ended.returncode == 2
    assert str(file) in ended.stderr.splitlines()[0]


def test_parse_needs_no_third_party_package_beyond_the_command_line(environment: dict[str, str]) -> None:
    code = "import sys; from oryn.cli.main import main\ntry: main(['parse'])\nfinally: print(*sys.modules, sep='\\n')"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, input="", capture_output=True, text=True, check=True
    )
    loaded = set(ended.stdout.split())
    assert not loaded & {"asyncio", "rich", "prompt_toolkit", "websockets", "platformdirs", "oryn.engine"}


def test_reference_explains_a_command(environment: dict[str, str]) -> None:
    assert oryn(environment, "reference", "cookies", "set").stdout.startswith('cookies set <name> "<value>"')


def test_help_explains_the_settings_in_one_place(environment: dict[str, str]) -> None:
    """The help of a command names its own; it was some hundred lines long with their explanations."""
    text = " ".join(oryn(environment, "help", "settings").stdout.split())
    assert [name for name, setting in SETTINGS.items() if f"{setting.flag} " not in text] == []
    assert [name for name, setting in SETTINGS.items() if " ".join(setting.help.split()) not in text] == []
    told = oryn(environment, "run", "--help").stdout
    assert "--viewport" in told and "'oryn help settings' explains" in told and len(told.splitlines()) < 40


def test_every_setting_is_an_option_where_a_browser_is_driven(environment: dict[str, str]) -> None:
    told = oryn(environment, "headless", "--help").stdout
    assert [SETTINGS[name].flag for name in BROWSING if SETTINGS[name].flag not in told] == []
    served = oryn(environment, "daemon", "serve", "--help").stdout
    assert [name for name, setting in SETTINGS.items() if setting.flag not in served and name not in AGENT] == []
    agents = oryn(environment, "agent", "--help").stdout
    assert [SETTINGS[name].flag for name in (*AGENT, *BROWSING) if SETTINGS[name].flag not in agents] == []
