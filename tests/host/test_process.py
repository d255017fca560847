"""`oryn headless` and `oryn run` as a client sees them: real processes with a real browser."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from oryn import __version__
from oryn.demo.server import Shop
from oryn.errors import ElementNotFound
from tests.host.terminal_screen import Screen
from tests.terminal import ignoring_hang_ups

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

READY = f"ready oryn-h v{__version__} protocol=2"


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(0) as shop:
        yield shop


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name == "ORYN_BROWSER" or not name.startswith("ORYN_")}
    return {**kept, "ORYN_HOME": str(tmp_path), "TERM": "xterm"}


@contextmanager
def start(environment: dict[str, str], *arguments: str, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    with subprocess.Popen([sys.executable, "-m", "oryn", *arguments], env=environment, **pipes) as host:
        try:
            yield host
        finally:
            host.kill()


def answer(stdout: IO[bytes] | None) -> str:
    """The next answer without its terminator."""
    assert stdout
    lines = []
    while (line := stdout.readline().decode()) != "---\n":
        assert line, "the host has ended"
        lines.append(line)
    return "".join(lines).removesuffix("\n")


def ask(host: subprocess.Popen[bytes], line: bytes) -> str:
    assert host.stdin
    host.stdin.write(line + b"\n")
    host.stdin.flush()
    return answer(host.stdout)


def leftovers(environment: dict[str, str]) -> list[str]:
    """The command lines of processes that were started for this home, and temporary files in it."""
    home = environment["ORYN_HOME"]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if home in command and int(folder.name) != os.getpid():
            found.append(command)
    return found + [str(file) for file in Path(home).joinpath("run").glob("*")]


def run(environment: dict[str, str], *arguments: str, text: bytes = b"") -> tuple[int, str, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", *arguments],
        env=environment, input=text, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


@pytest.mark.slow
def test_a_dialogue_over_pipes(environment: dict[str, str], shop: Shop) -> None:
    with start(environment, "headless") as host:
        assert answer(host.stdout) == READY
        assert ask(host, f"goto {shop.url}".encode()).startswith("ok goto ")
        assert ask(host, b"") == ""
        assert ask(host, b"\xff").startswith("error line: not UTF-8 at byte 0")
        assert ask(host, b"nonsense \0 \x1b[2J").startswith("error ")
        assert ask(host, b"x" * 1024 * 1024).startswith("error ")
        assert ask(host, b"x" * 9 * 1024 * 1024).startswith("error line: a line of 9437184 bytes")
        assert ask(host, b"title").startswith("ok title")
        assert ask(host, b"quit").startswith("ok exit")
        assert host.wait(20) == 0
        assert host.stderr
        assert host.stderr.read() == b""
    assert leftovers(environment) == []


@pytest.mark.slow
def test_the_end_of_the_input_ends_it_after_the_last_answer(environment: dict[str, str], shop: Shop) -> None:
    code, told, logged = run(environment, "headless", text=f"goto {shop.url}\ntitle".encode())
    assert (code, logged) == (0, "")
    ready, went, titled, rest = told.split("\n---\n")
    assert (ready, rest) == (READY, "")
    assert went.startswith("ok goto")
    assert "Fernhill" in titled
    assert leftovers(environment) == []


@pytest.mark.slow
def test_a_file_as_standard_input(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "lines"
    script.write_bytes(b"url\n")
    with script.open("rb") as stream, start(environment, "headless", stdin=stream) as host:
        told, _ = host.communicate(timeout=60)
        assert host.returncode == 0
    assert told.count(b"---\n") == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_running_command_and_the_browser(environment: dict[str, str], number: signal.Signals) -> None:
    with start(environment, "headless") as host:
        answer(host.stdout)
        ask(host, b"goto about:blank")
        assert host.stdin
        host.stdin.write(b"wait 25s\n")
        host.stdin.flush()
        host.send_signal(number)
        assert host.wait(20) == 128 + number
        assert host.stderr
        assert host.stderr.read() == b""
    assert leftovers(environment) == []


@pytest.mark.slow
def test_under_nohup_a_hang_up_ends_nothing(environment: dict[str, str]) -> None:
    with ignoring_hang_ups(), start(environment, "headless") as host:
        answer(host.stdout)
        ask(host, b"goto about:blank")
        host.send_signal(signal.SIGHUP)
        assert ask(host, b"url").startswith("ok url")
        host.terminate()
        assert host.wait(20) == 128 + signal.SIGTERM
    assert leftovers(environment) == []


@pytest.mark.slow
def test_a_signal_while_the_browser_starts(environment: dict[str, str]) -> None:
    with start(environment, "headless") as host:
        answer(host.stdout)
        host.terminate()
        assert host.wait(20) == 128 + signal.SIGTERM
    assert leftovers(environment) == []


@pytest.mark.slow
def test_a_client_that_goes_away_ends_it(environment: dict[str, str]) -> None:
    with start(environment, "headless") as host:
        answer(host.stdout)
        assert host.stdin
        assert host.stdout
        host.stdout.close()
        host.stdin.write(b"url\n")
        host.stdin.flush()
        assert host.wait(20) == 0
    assert leftovers(environment) == []


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "processes"), [((), 1), (("--profile", "mine"), 2)])
def test_sessions_share_a_process_save_one_with_a_profile(
    environment: dict[str, str], shop: Shop, arguments: tuple[str, ...], processes: int
) -> None:
    with start(environment, "headless", *arguments) as host:
        assert answer(host.stdout) == READY
        for name in (b"one", b"two"):
            assert ask(host, b"session new " + name).startswith("ok session new ")
        for name in (b"default", b"one", b"two"):
            assert ask(host, b"@%b goto %b" % (name, shop.url.encode())).startswith("ok @")
            assert ask(host, b'@%b storage set me "%b"' % (name, name)).startswith("ok @")
        for name in (b"default", b"one", b"two"):
            assert f'"{name.decode()}"' in ask(host, b"@%b storage get me" % name)
        begun = [command for command in leftovers(environment) if "--user-data-dir=" in command]
        assert len([command for command in begun if "--type=" not in command]) == processes
        assert ask(host, b"session close default").startswith("ok")
        assert ask(host, b"session new again").startswith("ok")
        assert ask(host, b"exit").startswith("ok exit")
        assert host.wait(20) == 0
        assert host.stderr
        assert host.stderr.read() == b""
    assert leftovers(environment) == []
    assert list(Path(environment["ORYN_HOME"], "sessions").iterdir()) == []


@pytest.mark.slow
def test_a_session_is_listed_while_it_runs(environment: dict[str, str]) -> None:
    listed = Path(environment["ORYN_HOME"], "sessions", "agent1.pid")
    with start(environment, "--session", "agent1", "headless") as host:
        answer(host.stdout)
        assert int(listed.read_text()) == host.pid
        assert ask(host, b"@agent1 help").startswith("ok @agent1 help")
        assert ask(host, b"@agent2 help").startswith("error")
        ask(host, b"exit")
        host.wait(20)
    assert not listed.exists()


def test_without_a_browser_the_first_command_that_needs_one_says_so(environment: dict[str, str]) -> None:
    with start({**environment, "ORYN_BROWSER": "/nowhere/chrome"}, "headless") as host:
        assert answer(host.stdout) == READY
        assert ask(host, b"help goto").startswith("ok help")
        failed = ask(host, b"goto example.org")
        assert failed.startswith("error goto example.org: ")
        assert "oryn install-browser" in failed
        ask(host, b"exit")
        assert host.wait(20) == 0


@pytest.mark.slow
def test_answers_as_json(environment: dict[str, str]) -> None:
    code, told, _ = run(environment, "headless", "--output", "json", text=b"url\n\xff\n")
    assert code == 0
    _, *answers, _ = told.split("\n---\n")
    assert [json.loads(text)["ok"] for text in answers] == [True, False]


@pytest.mark.slow
def test_a_script_stops_at_the_first_error(environment: dict[str, str], shop: Shop, tmp_path: Path) -> None:
    script = tmp_path / "script.oil"
    script.write_text(f'# a comment\n\ngoto {shop.url}\nclick "No such thing" --timeout 1s\nurl\n')
    code, told, _ = run(environment, "run", str(script))
    assert code == ElementNotFound.exit_code
    assert told.startswith(f"# a comment\n> goto {shop.url}\nok goto")
    assert "error click" in told
    assert "> url" not in told
    code, told, _ = run(environment, "run", "--keep-going", "-", text=script.read_bytes())
    assert code == ElementNotFound.exit_code
    assert "> url\nok url" in told


@pytest.mark.slow
def test_a_script_without_errors(environment: dict[str, str]) -> None:
    code, told, _ = run(environment, "run", "-", text=b"help exit\nexit\nurl\n")
    assert code == 0
    assert told.startswith("> help exit\nok help exit\n")
    assert told.endswith("> exit\nok exit\n\n")


@pytest.mark.slow
def test_the_demo_runs_to_its_end(environment: dict[str, str]) -> None:
    code, told, logged = run(environment, "demo")
    assert (code, logged) == (0, ""), told
    assert "Order 1001 comes on Saturday, wrapped as a gift." in told
    assert "error" not in told


@pytest.mark.slow
def test_doctor_starts_the_browser(environment: dict[str, str]) -> None:
    code, told, _ = run(environment, "doctor", "--only", "browser", "--json")
    checks = {check["name"]: check for check in json.loads(told)["checks"]}
    assert code == 0
    assert checks["browser"]["state"] == "ok"
    assert "Chrome/" in checks["browser"]["found"]


@pytest.mark.slow
def test_doctor_names_the_command_that_brings_a_browser(environment: dict[str, str]) -> None:
    code, told, _ = run({**environment, "ORYN_BROWSER": "/nowhere/chrome"}, "doctor")
    assert code == 3
    row = told.index("browser         missing")
    assert "fix: " in told[row:]


@pytest.mark.slow
def test_on_a_terminal_it_is_a_prompt(environment: dict[str, str]) -> None:
    controller, terminal = pty.openpty()
    screen = Screen(controller)
    with start(environment, "headless", stdin=terminal, stdout=terminal, stderr=terminal) as host:
        os.close(terminal)
        assert READY in screen.until("default>")
        os.write(controller, b"url\r")
        assert "url" in screen.until("about:blank")
        screen.until("default>")  # between two prompts Ctrl-D would be the terminal's, not the prompt's
        os.write(controller, b"\x04")
        screen.until_hung_up()
        assert host.wait(20) == 0
    os.close(controller)
    assert leftovers(environment) == []
