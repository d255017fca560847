"""What the history withholds: credentials in headers, addresses, cookies, fields. And the folder of its paths."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from oryn.language import parse, render
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser

SECRETS = [
    'headers set {{"Authorization": "Bearer hush"}}',
    'headers set localhost {{"Cookie": "a=hush", "Accept-Language": "de"}}',
    'headers set {{"X-Api-Key": "hush"}}',
    'goto {url} --headers {{"authorization": "Basic hush"}}',
    "goto {scheme}ann:hush@{host}/",
    "goto {scheme}hush@{host}/",
    "tab new {scheme}ann:hush@{host}/",
    "goto {url}?code=hush&state=1",
    "goto {url}#access_token=hush",
    'cookies set session_id "hush"',
    'storage set authToken "hush"',
    'type "Verification code" "hush"',
    'fill_form {{"One-time code": "hush"}}',
    'login "ann" "hush"',
    'credentials "ann" "hush"',
]
PUBLIC = [
    'headers set {"Accept-Language": "de"}',
    "goto a.example/?author=hush&postcode=1",
    "goto a.example/@hush",
    'cookies set theme "dark"',
    'headers set {"Authorization": "Bearer {{vault:shop.token}}"}',
    "goto https://{{vault:shop.user}}:{{vault:shop.password}}@a.example/",
    'type "Postcode" "hush"',
    'storage set lang "en"',
]


@pytest.mark.parametrize("line", PUBLIC)
def test_what_is_no_secret_stays(line: str) -> None:
    command = parse(line).command
    assert command is not None and command.masked() is command


@pytest.mark.parametrize("line", SECRETS)
def test_credentials_are_masked(line: str) -> None:
    command = parse(line.format(url="https://a.example/", scheme="https://", host="a.example")).command
    assert command is not None and command.has_secret
    masked = command.masked()
    assert "hush" not in render(masked)
    assert masked.masked() == masked


@pytest.mark.slow
async def test_the_history_has_none_of_them(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = "<title>Form</title><input aria-label='Verification code'><input aria-label='One-time code'>"
    scheme, _, host = pages.url().rstrip("/").partition("//")
    before = len(daemon.rows())
    for line in SECRETS:
        await daemon.ask(f"goto {pages.url()}", session="secrets")
        await daemon.ask(line.format(url=pages.url(), scheme=f"{scheme}//", host=host), session="secrets")
    rows = daemon.rows()[before:]
    assert len(rows) == 2 * len(SECRETS)
    assert "hush" not in json.dumps(rows)
    assert [row["withheld"] for row in rows] == [False, True] * len(SECRETS)
    typed = next(row for row in rows if row["action"] == "type")
    assert typed["report"] == ['~ input/text "Verification code" value: "{{varies}}"'] and typed["targets"]
    await daemon.ok({"action": "close"}, session="secrets")


async def test_what_a_command_reads_is_not_stored_unless_it_is_a_short_check(
    daemon: RunningDaemon, pages: Pages
) -> None:
    pages["/"] = f"<title>Form</title><script>document.cookie = 'theme=hush'</script><p>{'hush ' * 200}</p><b>Paid</b>"
    before = len(daemon.rows())
    for line in (f"goto {pages.url()}", "cookies get theme", "eval document.cookie", "text", "html", 'text "Paid"'):
        await daemon.ok(line, session="reads")
    rows = daemon.rows()[before:]
    assert "hush" not in json.dumps(rows)
    assert rows[-1]["report"] == ['= result "Paid"']
    await daemon.ok({"action": "close"}, session="reads")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["headless", pytest.param("embedded", marks=pytest.mark.webkit)])
async def test_no_user_of_an_address_is_shown_or_saved(
    daemon_of: Callable[..., RunningDaemon], pages: Pages, backend: str
) -> None:
    daemon = daemon_of()
    pages["/"] = "<title>Form</title>"
    scheme, _, host = pages.url().rstrip("/").partition("//")
    await daemon.ok(f"goto {scheme}//ann:hush@{host}/", backend=backend)
    assert "hush" not in json.dumps(await daemon.status())
    await daemon.wait_until_saved("default")
    assert "hush" not in (daemon.home / "data" / "daemon" / "sessions.json").read_text()


def oryn(daemon: RunningDaemon, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "oryn", *words]
    environment = daemon_environment(daemon.home)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_replay_keeps_the_folder(daemon: RunningDaemon, pages: Pages, tmp_path: Path) -> None:
    pages["/"] = "<title>Form</title><input type=file aria-label=CV>"
    (tmp_path / "cv.txt").write_text("cv")
    other = tmp_path / "other"
    other.mkdir()
    for words in (("goto", pages.url()), ("screenshot", "--output", "rel.png"), ("upload", "CV", "cv.txt")):
        ended = oryn(daemon, tmp_path, "--session", "files", *words)
        assert ended.returncode == 0, ended.stderr
    (tmp_path / "rel.png").unlink()
    ended = oryn(daemon, other, "daemon", "replay", "--session", "files", "--include-interactive")
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert (tmp_path / "rel.png").exists() and list(other.iterdir()) == []
    oryn(daemon, other, "--session", "files", "close")
