"""`oryn doctor` finds what is wrong, in environments where it is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oryn.cli.checks import CHECKS
from oryn.cli.checks.installation import Requirement
from oryn.extension_server.keys import KeyStore
from oryn.skill import LocalMachine, assistants
from oryn.system.optional_dependencies import Extra, extra_requirement
from tests.cli.shell import Shell
from tests.environments import with_wheel

OPTIONAL: tuple[Extra, ...] = ("mcp", "agent", "research", "encryption")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    folder = tmp_path / "folder"
    folder.mkdir()
    shell = Shell(tmp_path / "oryn", folder)
    shell.environment |= {"HOME": str(home)}
    return shell


def findings_by_check(text: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for check in json.loads(text)["checks"]:
        found.setdefault(check["name"], []).append(check)
    return found


def run_check(shell: Shell, name: str, **environment: str) -> tuple[int, list[dict[str, str]]]:
    """The exit code and the findings of one check."""
    ended = shell("doctor", "--only", name, "--json", **environment)
    assert ended.err == ""
    return ended.code, findings_by_check(ended.out)[name]


# --- extras ---


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_wheel(tmp_path_factory.mktemp("base"))


def run(program: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [program, *words], env=kept, cwd=kept["HOME"], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
@pytest.mark.browser
def test_doctor_reports_missing_extras_of_a_base_install(base: Path, shell: Shell) -> None:
    assert run(base / "oryn", shell.environment, "title").returncode == 3
    ended = run(base / "oryn", shell.environment, "doctor", "--json")
    assert (ended.returncode, ended.stderr) == (3, "")
    assert json.loads(ended.stdout)["ok"] is False
    checks = findings_by_check(ended.stdout)
    assert list(checks) == list(CHECKS)
    (daemon,) = checks["daemon"]
    assert daemon["state"] == "missing"
    assert "starlette is not installed" in daemon["found"] and "every verb" in daemon["found"]
    for name in OPTIONAL:
        (found,) = checks[name]
        assert (found["state"], extra_requirement(name) in found["mend"]) == ("warning", True), found
    for name in ("daemon", *OPTIONAL):
        assert checks[name][0]["mend"].endswith(f"{base / 'python'} -m pip install '{extra_requirement(name)}'")
    assert [checks[name][0]["state"] for name in ("package", "folders", "browser", "model", "qdrant", "ray")] == [
        "ok"
    ] * 6


def test_on_a_base_install_each_is_told_in_words(base: Path, shell: Shell) -> None:
    ended = run(base / "oryn", shell.environment, "doctor", "--only", "daemon")
    assert ended.returncode == 3
    assert ended.stdout.startswith("daemon          missing ")
    assert f"fix: {base}" in ended.stdout and "-m pip install 'oryn-browser[daemon]'" in ended.stdout


@pytest.mark.slow
def test_doctor_reports_working_checks_as_ok(shell: Shell) -> None:
    code, found = run_check(shell, "daemon")
    assert (code, [each["state"] for each in found]) == (0, ["ok", "ok"])
    for name in (*OPTIONAL, "model"):
        assert run_check(shell, name)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "source", "state", "words"),
    [
        ("starlette", "raise ModuleNotFoundError('gone', name='starlette')", "missing", "starlette is not installed"),
        ("uvicorn", "import h_eleven", "missing", "h_eleven is not installed"),
        ("pydantic", "raise ImportError('libnothing.so: no such file')", "missing", "pydantic can't be imported"),
        ("pydantic", "1 / 0", "missing", "pydantic can't be imported (ZeroDivisionError"),
    ],
)
def test_doctor_reports_packages_that_can_not_be_imported(
    shell: Shell, tmp_path: Path, module: str, source: str, state: str, words: str
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / f"{module}.py").write_text(source)
    path = f"{broken}{os.pathsep}{shell.environment['PYTHONPATH']}"
    code, (found,) = run_check(shell, "daemon", PYTHONPATH=path)
    assert (code, found["state"], words in found["found"]) == (3, state, True), found


def distribution(folder: Path, name: str, version: str) -> str:
    about = folder / f"{name}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return str(folder)


def test_a_version_that_is_too_low_is_found(shell: Shell, tmp_path: Path) -> None:
    path = os.pathsep.join([distribution(tmp_path / "old", "uvicorn", "0.1.2"), shell.environment["PYTHONPATH"]])
    code, (found,) = run_check(shell, "daemon", PYTHONPATH=path)
    assert (code, found["state"]) == (3, "missing")
    assert "uvicorn is 0.1.2, and >=" in found["found"]


@pytest.mark.parametrize(
    ("line", "version", "fits"),
    [
        ("a>=1.2; extra == 'x'", "1.2", True),
        ("a>=1.2; extra == 'x'", "1.10.dev3", True),
        ("a>=1.2; extra == 'x'", "1.1.9", False),
        ("a>=0.46", "0.46.0", True),
        ("a==1.0.0; extra == 'x'", "1.0", True),
        ("a==1.0.0; extra == 'x'", "1.0.1", False),
        ("a[b]>=2.50", "2.5", False),
        ("a", "0.0.1", True),
    ],
)
def test_versions_are_compared_as_numbers(line: str, version: str, fits: bool) -> None:
    wanted = Requirement.read(line)
    assert wanted is not None and wanted.name == "a"
    assert wanted.takes(version) is fits


def test_another_distribution_with_the_same_programs_is_found(shell: Shell, tmp_path: Path) -> None:
    path = os.pathsep.join([distribution(tmp_path / "other", "oryn", "1.3"), shell.environment["PYTHONPATH"]])
    code, found = run_check(shell, "package", PYTHONPATH=path)
    (wrong,) = [each for each in found if each["state"] == "wrong"]
    assert code == 3 and "another distribution, oryn 1.3, has programs" in wrong["found"]
    assert "pip uninstall -y oryn &&" in wrong["mend"] and wrong["mend"].endswith("--no-deps oryn-browser")


def test_extras_that_settings_ask_for_are_needed(shell: Shell, base: Path) -> None:
    for name, setting in (("ray", {"ORYN_ENGINE": "ray"}), ("qdrant", {"ORYN_INDEX": "http://localhost:6333"})):
        ended = run(base / "oryn", shell.environment | setting, "doctor", "--only", name)
        assert (ended.returncode, "missing" in ended.stdout) == (3, True), ended.stdout
        assert f"pip install 'oryn-browser[{name}]'" in ended.stdout


# --- settings ---

BAD: dict[str, Any] = {
    "no TOML": b"browser =\n",
    "no setting": b"brwoser = 'chrome'\n",
    "no value": b"viewport = 'wide'\n",
    "no UTF-8": b"\xff\xfe\x00",
    "too deep": b"browser = " + b"[" * 100_000,
    "no file": None,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_of_settings_is_found_and_the_rest_is_looked_at(shell: Shell, kind: str) -> None:
    file = shell.home / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.mkdir() if BAD[kind] is None else file.write_bytes(BAD[kind])
    code, (found,) = run_check(shell, "configuration")
    assert (code, found["state"], bool(found["mend"])) == (3, "wrong", True)
    assert "config.toml" in found["found"]
    code, (found,) = run_check(shell, "folders")
    assert (code, found["state"]) == (0, "ok")
    assert str(shell.home) in found["found"]
    # What needs the settings says the same, in four lines and not in thirty.
    ended = shell("config")
    assert (ended.code, len(ended.err.splitlines())) == (2, 4), ended.err


def test_a_bad_variable_is_found_and_the_file_holds(shell: Shell) -> None:
    file = shell.home / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('state_encryption = "environment"\n')
    code, (found,) = run_check(shell, "configuration", ORYN_TIMEOUT="never")
    assert (code, found["state"]) == (3, "wrong")
    assert "timeout can't be 'never' (from the environment variable ORYN_TIMEOUT)" in found["found"]


def test_a_bad_flag_is_the_command_lines(shell: Shell) -> None:
    ended = shell("doctor", "--color", "pink")
    assert (ended.code, ended.out) == (2, "")
    assert "colour can't be 'pink' (from the flag --color)" in ended.err


# --- the daemon ---


@pytest.mark.slow
def test_a_port_that_is_named_and_taken_is_found(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, (_, found) = run_check(shell, "daemon", ORYN_PORT=port)
    assert (code, found["state"]) == (3, "wrong")
    assert f"port {port} is not available" in found["found"]


@pytest.mark.slow
def test_a_daemon_that_runs_is_asked(shell: Shell) -> None:
    shell.ok("daemon", "start")
    try:
        code, (_, found) = run_check(shell, "daemon")
        (process,) = shell.daemons()
        assert (code, found["state"]) == (0, "ok")
        assert f"process {process} at port" in found["found"]
    finally:
        shell("daemon", "stop")


# --- browsers of the user's own, and WebKit ---


@pytest.mark.slow
def test_pairings_are_looked_at(shell: Shell) -> None:
    code, (found,) = run_check(shell, "extension")
    assert (code, found["state"]) == (0, "ok") and "no browser of yours is paired" in found["found"]
    code, (found,) = run_check(shell, "extension", ORYN_BACKEND="remote")
    assert (code, found["state"]) == (3, "missing") and found["mend"].startswith("oryn daemon pair CODE")
    keys = shell.home / "data" / "remote-keys.json"
    KeyStore(keys).save("0" * 8, "1" * 64, "Chrome/156.0")
    code, (found,) = run_check(shell, "extension", ORYN_BACKEND="remote")
    assert (code, found["found"]) == (0, "paired with Chrome/156.0")
    keys.write_text('{"version": 1, "keys": {')
    code, (found,) = run_check(shell, "extension")
    assert (code, found["state"], found["mend"]) == (3, "wrong", f"rm {keys}")


@pytest.mark.slow
def test_a_browser_is_needed_only_for_embedded_mode(shell: Shell, tmp_path: Path) -> None:
    empty = str(tmp_path)
    code, (browser,) = run_check(shell, "embedded", PATH=empty, ORYN_WEBKIT_ENGINE="cog")
    assert (code, browser["state"]) == (0, "ok")
    assert "only for 'oryn embedded'" in browser["found"]
    code, (browser,) = run_check(shell, "embedded", PATH=empty, ORYN_WEBKIT_ENGINE="cog", ORYN_BACKEND="embedded")
    assert (code, browser["state"]) == (3, "missing") and browser["mend"].startswith("Install ")


@pytest.mark.webkit
def test_webkit_is_started(shell: Shell) -> None:
    code, (browser,) = run_check(shell, "embedded")
    assert (code, browser["state"]) == (0, "ok"), browser
    assert "engine wpe" in browser["found"]


# --- assistants ---


@pytest.mark.slow
def test_no_assistant_has_it(shell: Shell) -> None:
    code, (found,) = run_check(shell, "assistants")
    assert (code, found["found"]) == (0, "none has oryn in its configuration")


@pytest.mark.slow
def test_what_an_assistant_can_not_start_is_found(shell: Shell, home: Path, base: Path) -> None:
    def write(name: str, server: object) -> Path:
        file = LocalMachine.now().path(assistants()[name].configuration_path("linux"))
        file = home / file.relative_to(Path.home())
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({assistants()[name].key[0]: {"oryn": server, "other": {"command": "/nowhere"}}}))
        return file

    works = write("cursor", {"command": sys.executable, "args": ["-m", "oryn", "mcp"]})
    gone = write("windsurf", {"command": str(home / "oryn"), "args": ["mcp"]})
    without = write("gemini-cli", {"command": str(base / "oryn"), "args": ["mcp"]})
    by_http = write("claude-code", {"type": "http", "url": "http://127.0.0.1:7720/mcp"})
    code, found = run_check(shell, "assistants")
    states = {
        next(file for file in (works, gone, without, by_http) if str(file) in each["found"]): each for each in found
    }
    assert code == 3
    assert {file: each["state"] for file, each in states.items()} == {
        works: "ok", gone: "wrong", without: "wrong", by_http: "ok",
    }  # fmt: skip
    assert "can't be run: No such file" in states[gone]["found"]
    assert states[gone]["mend"] == "oryn skill --for windsurf --install --replace"
    assert "'oryn mcp' needs mcp, which is not installed" in states[without]["found"]
    assert "pip install 'oryn-browser[mcp]'" in states[without]["mend"]


@pytest.mark.slow
def test_a_projects_file_is_looked_at_too(shell: Shell) -> None:
    file = shell.folder / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"oryn": {"command": "no-such-oryn", "args": ["mcp"]}}}))
    code, (found,) = run_check(shell, "assistants")
    assert (code, found["state"]) == (3, "wrong")
    assert found["mend"] == "oryn skill --for claude-code --project --install --replace"


@pytest.mark.slow
def test_plugins_are_imported(shell: Shell, tmp_path: Path) -> None:
    assert run_check(shell, "plugins")[1][0]["found"] == "none installed"
    folder = tmp_path / "plugins"
    package = folder / "clock-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: clock\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[oryn.plugins]\ngood = clock_a:p\nbad = clock_b:p\n")
    (folder / "clock_a.py").write_text("from oryn.plugins import Plugin\np = Plugin('clock')\np.tool('now')(lambda: 1)")
    path = os.pathsep.join([str(folder), shell.environment["PYTHONPATH"]])
    code, (good, bad) = run_check(shell, "plugins", PYTHONPATH=path)
    assert code == 3 and (good["state"], good["found"]) == ("ok", "clock: now")
    assert bad["state"] == "wrong" and "No module named 'clock_b'" in bad["found"]
    assert "--upgrade clock" in bad["mend"]


@pytest.mark.slow
def test_search_providers_are_listed_with_what_they_need(shell: Shell) -> None:
    listed = shell.ok("doctor", "--only", "search")
    for name in ("brave: ", "duckduckgo: ", "searxng: ", "wikipedia: "):
        assert name in listed
    assert "needs searxng_url, which is not set" in listed
    assert "warning" not in listed


@pytest.mark.slow
def test_a_selected_provider_without_its_key_is_a_warning(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shell.environment, "ORYN_SEARCH_PROVIDER", "brave")
    found = shell.ok("doctor", "--only", "search")
    assert "needs brave_key, which is not set; search_provider" in found
    assert "fix: Set brave_key" in found
    monkeypatch.setitem(shell.environment, "ORYN_BRAVE_KEY", "secret-key")
    found = shell.ok("doctor", "--only", "search")
    assert "needs brave_key, which is set; search_provider" in found
    assert "secret-key" not in found
