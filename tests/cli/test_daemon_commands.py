"""The daemon's life from the command line: started by whoever needs it, looked at, ended; what it did, done again."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from pathlib import Path
from urllib.parse import quote

import pytest

from oryn import __version__
from oryn.cli.main import main
from oryn.daemon_client import http, launcher
from tests.cli.shell import Shell

pytestmark = pytest.mark.browser

CONNECTED = http.connect
FORM = f"data:text/html,{quote('<label>Name <input></label><label>Password <input type=password></label>')}"


@pytest.mark.slow
def test_ten_concurrent_commands_start_one_daemon(new_shell: Shell) -> None:
    asked = [new_shell.start("url") for _ in range(10)]
    assert [(each.communicate(timeout=120)[0], each.returncode) for each in asked] == [
        ("ok url\n\nabout:blank\n", 0)
    ] * 10
    assert len(new_shell.daemons()) == 1
    assert len(new_shell.json("daemon", "trace", "--json")) == 10


@pytest.mark.slow
def test_daemon_start_status_and_stop(new_shell: Shell) -> None:
    assert new_shell("daemon", "status")[:2] == (3, "")
    missing = new_shell("daemon", "status", "--json")
    assert (missing.code, json.loads(missing.out)["running"]) == (3, False)
    assert new_shell.ok("daemon", "stop") == "no daemon runs\n"
    assert new_shell.ok("daemon", "start", "--timeout", "7").startswith("the daemon runs: process ")
    first = new_shell.json("daemon", "status", "--json")
    assert (first["version"], first["protocol_version"], first["sessions"]) == (__version__, "1", [])
    assert Path(first["token_file"]).stat().st_mode & 0o777 == Path(first["log"]).stat().st_mode & 0o777 == 0o600
    assert new_shell.ok("daemon", "start") == f"the daemon runs: process {first['pid']}, port {first['port']}\n"
    refused = new_shell("daemon", "start", "--timeout", "8")
    assert refused.code == 3 and "a daemon runs already" in refused.err and "oryn daemon restart" in refused.err
    assert "process" in new_shell.ok("daemon", "restart")
    assert new_shell.json("daemon", "status", "--json")["pid"] != first["pid"]
    assert "pid" in new_shell.ok("daemon", "status")
    assert new_shell.ok("daemon", "stop") == "the daemon has ended\n"
    assert not (new_shell.home / "run" / "daemon.sock").exists()


@pytest.mark.slow
def test_killed_daemon_does_not_prevent_a_new_start(new_shell: Shell) -> None:
    new_shell.ok("daemon", "start")
    os.kill(new_shell.json("daemon", "status", "--json")["pid"], signal.SIGKILL)
    assert new_shell.ok("url") == "ok url\n\nabout:blank\n"


@pytest.mark.slow
def test_a_verb_while_one_is_ending_waits_for_the_next(new_shell: Shell) -> None:
    for _ in range(2):
        new_shell.ok("url")
        stopping = new_shell.start("daemon", "stop")
        for _ in range(3):
            assert new_shell.ok("url").startswith("ok url\n\nabout:blank\n")
        assert stopping.communicate(timeout=60)[1] == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["url"], 0, "ok url\n\nabout:blank\n"),
        (["do", "url"], 0, "ok url\n\nabout:blank\n"),
        (["crawl", "ftp://example.org"], 2, "error crawl ftp://example.org: "),
    ],
)
def test_command_rejected_by_a_stopping_daemon_runs_in_the_next_one(
    new_shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    told: str,
) -> None:
    new_shell.ok("url")
    (first,) = new_shell.daemons()
    for name, value in new_shell.environment.items():
        monkeypatch.setenv(name, value)
    # A connection that the daemon has taken before it began to end, as happens when a machine is busy.
    taken = [http.connect(str(new_shell.home / "run"))]
    for module in (http, launcher):
        monkeypatch.setattr(module, "connect", lambda folder: taken.pop() if taken else CONNECTED(folder))
    waiting = new_shell.start("wait", "visible", 'css("#never")', "--timeout", "60s")
    while not new_shell.json("daemon", "status", "--json")["running"]:
        pass
    os.kill(first, signal.SIGTERM)
    while (new_shell.home / "run" / "daemon.json").exists():
        pass
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capfd.readouterr()
    assert not taken and (ended.value.code or 0) == code
    assert (err if code else out).startswith(told)
    assert first not in new_shell.daemons()
    assert "the daemon ended in the middle of the command" in waiting.communicate(timeout=60)[1]


@pytest.mark.slow
def test_sessions_are_listed_while_no_daemon_runs(new_shell: Shell) -> None:
    assert "no session is open" in new_shell.ok("sessions")
    new_shell.ok("--session", "work", "goto", FORM)
    new_shell.ok("daemon", "stop")
    row = new_shell.json("sessions", "--json")[0]
    assert (row["name"], row["state"], row["mode"], row["url"]) == ("work", "dormant", "headless", FORM)
    assert "dormant" in new_shell.ok("sessions")
    assert new_shell.daemons() == []
    new_shell.ok("close", "--session", "work")
    new_shell.ok("daemon", "stop")
    assert new_shell.json("sessions", "--json") == []


@pytest.mark.slow
def test_one_that_dies_in_the_middle_of_a_command(new_shell: Shell) -> None:
    new_shell.ok("goto", FORM)
    waiting = new_shell.start("wait", "visible", "Never", "--timeout", "100s")
    while new_shell.json("daemon", "status", "--json")["running"] == 0:
        assert waiting.poll() is None
    os.kill(new_shell.daemons()[0], signal.SIGKILL)
    out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, out) == (3, "") and "the daemon ended in the middle of the command" in err


@pytest.mark.slow
def test_daemon_start_failure_reports_its_reason(new_shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = new_shell("title", ORYN_PORT=port)
    assert ended.code == 3
    assert f"the daemon did not start: can't listen on port {port}" in ended.err
    assert "# hint\nChoose another" in ended.err
    ended = new_shell("title", ORYN_TIMEOUT="never")
    assert "timeout can't be 'never'" in ended.err
    assert new_shell.daemons() == []


@pytest.mark.slow
def test_missing_package_is_reported_with_install_command(new_shell: Shell) -> None:
    missing = new_shell.folder / "missing"
    missing.mkdir()
    (missing / "starlette.py").write_text("raise ModuleNotFoundError('gone', name='starlette')")
    path = f"{missing}{os.pathsep}{new_shell.environment['PYTHONPATH']}"
    ended = new_shell("title", PYTHONPATH=path)
    assert ended.code == 3 and "the daemon needs starlette, which is not installed" in ended.err
    assert "pip install 'oryn-browser[daemon]'" in ended.err


@pytest.mark.slow
def test_one_of_another_version_is_refused(shell: Shell) -> None:
    shell.ok("daemon", "start")
    command = list(Shell.command("title"))
    command[2] = f"from oryn.system import daemon_paths; daemon_paths.DAEMON_PROTOCOL = '0'; {command[2]}"
    shell_of_old = Shell(shell.home, shell.folder)
    shell_of_old.command = lambda *words: [*command[:3], *words]  # type: ignore[method-assign]
    ended = shell_of_old("title")
    assert ended.code == 2 and "'0'" in ended.err and "'1'" in ended.err and "oryn daemon restart" in ended.err


def test_unread_request_is_retried_after_daemon_exit(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home", tmp_path)
    for folder in ("run", "data/daemon"):
        (shell.home / folder).mkdir(parents=True)
    (shell.home / "data/daemon/token").write_text("t")
    asked: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(shell.home / "run" / "daemon.sock"))
        listening.listen()

        def answer() -> None:
            listening.accept()[0].close()
            connection, _ = listening.accept()
            asked.append(connection.recv(1 << 16))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nOryn-Exit-Code: 0\r\n\r\nfine")
            connection.close()

        answering = threading.Thread(target=answer)
        answering.start()
        ended = shell("title")
        answering.join()
    assert ended == (0, "fine\n", "") and b'"argv":["title"]' in asked[0]


@pytest.mark.slow
def test_the_history_is_shown(shell: Shell) -> None:
    shell.ok("--session", "traced", "goto", FORM)
    shell.ok("--session", "traced", "type", "Name", "Ann")
    shell("--session", "traced", "click", "Nothing")
    rows = shell.json("daemon", "trace", "--json", "--session", "traced")
    assert [row["action"] for row in rows] == ["goto", "type", "click"]
    assert [row["action"] for row in shell.json("daemon", "trace", "-n", "1", "--session", "traced", "--json")] == [
        "click"
    ]
    assert shell.json("daemon", "trace", "last")["action_id"] == rows[-1]["action_id"]
    assert len(shell.json("daemon", "trace", "--action", "type", "--session", "traced", "--json")) == 1
    assert shell.json("daemon", "trace", "--since", "0", "--json") == []
    assert shell.json("daemon", "trace", "--prev", "--json") == []
    told = shell.ok("daemon", "trace", "--session", "traced")
    assert 'type "Name" "Ann"' in told and "element_not_found" in told
    shell.ok("--session", "traced", "close")


@pytest.mark.slow
def test_replay_repeats_a_history_row(shell: Shell) -> None:
    shell.ok("--session", "again", "goto", FORM)
    shell.ok("--session", "again", "type", "Name", "Ann")
    row = shell.json("daemon", "trace", "last")
    shell.ok("--session", "again", "type", "Name", "Bea")
    assert shell.ok("daemon", "replay", row["action_id"]).startswith('ok type "Name" "Ann"')
    assert shell.json("value", "Name", "--json", "--session", "again")["data"]["result"] == "Ann"
    replayed = shell.json("daemon", "trace", "--json", "--session", "again", "--action", "type")[-1]
    assert replayed["source_action_id"] == row["action_id"]

    ended = shell("daemon", "replay", "--session", "again", "--since", "1000", "--json")
    assert ended.code == 0
    assert [json.loads(line)["action"] for line in ended.out.splitlines()] == ["goto", "type", "type", "value"]
    assert shell.json("value", "Name", "--json", "--session", "again")["data"]["result"] == "Bea"
    shell.ok("--session", "again", "close")


@pytest.mark.slow
def test_replay_rejects_rows_that_can_not_be_repeated(shell: Shell) -> None:
    shell.ok("--session", "secret", "goto", FORM)
    shell.ok("--session", "secret", "type", "Password", "hunter2")
    row = shell.json("daemon", "trace", "last")
    assert row["withheld"] and "hunter2" not in json.dumps(row)
    ended = shell("daemon", "replay", row["action_id"])
    assert ended.code == 1 and "a part of it was withheld" in ended.err
    ended = shell("daemon", "replay", "--session", "secret")
    assert ended.code == 0 and f"left out {row['action_id']} (type)" in ended.err
    assert shell("daemon", "replay", "0" * 16)[:2] == (1, "")
    assert shell("daemon", "replay").code == 2
    shell.ok("--session", "secret", "close")


@pytest.mark.slow
def test_watch_prints_events_as_they_occur(shell: Shell) -> None:
    shell.ok("daemon", "start")
    watching = [
        shell.start("daemon", "watch", "--json-lines", "--filter", "action.finish"),
        shell.start("daemon", "watch"),
    ]
    seen = [threading.Event() for _ in watching]
    lines: list[str] = ["", ""]

    def read(number: int) -> None:
        stream = watching[number].stdout
        assert stream is not None
        lines[number] = stream.readline()
        seen[number].set()

    reading = [threading.Thread(target=read, args=(number,)) for number in range(2)]
    for thread in reading:
        thread.start()
    while not all(event.is_set() for event in seen):
        shell.ok("--session", "watched", "url")
    for process in watching:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    event = json.loads(lines[0])
    assert event["type"] == "action.finish" and event["data"]["action"] == "url" and event["data"]["ok"] is True
    assert "watched" in lines[1]
    shell.ok("--session", "watched", "close")


@pytest.mark.slow
def test_its_log(shell: Shell) -> None:
    shell.ok("daemon", "stop")
    log = shell.home / "data" / "daemon" / "daemon.log"
    log.write_text("one\ntwo\nthree\n")
    assert shell.ok("daemon", "logs", "-n", "2") == "two\nthree\n"
    following = shell.start("daemon", "logs", "-n", "1", "-f")
    assert following.stdout is not None
    assert following.stdout.readline() == "three\n"
    with log.open("a") as more:
        more.write("four\n")
    assert following.stdout.readline() == "four\n"
    following.send_signal(signal.SIGINT)
    following.communicate(timeout=60)
    log.write_bytes(b"x" * 1_000_001)
    shell.ok("daemon", "start")
    assert log.with_suffix(".prev.log").stat().st_size == 1_000_001 and log.stat().st_size < 1_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("oryn cl", {"click", "clear", "close", "clipboard"}),
        ("oryn da", {"daemon"}),
        ("oryn daemon st", {"start", "stop", "status"}),
        ("oryn click --fo", {"--force"}),
        ("oryn cookies ", {"list", "get", "set", "delete", "clear"}),
        ("oryn screenshot --format ", {"png", "jpeg", "webp"}),
        ("oryn --prof", {"--profile"}),
        ("oryn --headful go", {"goto"}),
        ("oryn --session comp", {"completed"}),
        ("oryn title --session comp", {"completed"}),
        ("oryn do --keep", {"--keep-going"}),
    ],
)  # fmt: skip
def test_a_shell_completes(shell: Shell, line: str, offered: set[str]) -> None:
    shell.ok("--session", "completed", "url")
    words = line.split(" ")
    told = shell.ok(_ORYN_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert {item.partition(",")[2] for item in told.splitlines()} == offered


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_of_every_shell(shell: Shell, name: str) -> None:
    told = shell.ok("completion", name)
    assert "_ORYN_COMPLETE" in told and "oryn" in told
