"""`oryn vault` as a real process."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

PASSWORD = "correct horse"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
    backend = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    return {**kept, **backend, "ORYN_HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "120"}


def vault(environment: dict[str, str], *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oryn", "vault", *arguments],
        env=environment, input=text, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_secret_comes_from_standard_input_and_only_its_name_comes_out(environment: dict[str, str]) -> None:
    ended = vault(
        environment, "set", "shop.password", "--origin", "https://Shop.example:443/login", text=f"{PASSWORD}\n"
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "ok vault set shop.password --origin https://shop.example\n"
    assert vault(environment, "set", "api.token", text=PASSWORD).stdout == "ok vault set api.token\n"
    listed = vault(environment, "list")
    rows = [row.split() for row in listed.stdout.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["api.token", "anywhere"], ["shop.password", "https://shop.example"]]
    told = json.loads(vault(environment, "list", "--json").stdout)
    assert [(one["name"], one["origins"]) for one in told] == [
        ("api.token", []),
        ("shop.password", ["https://shop.example"]),
    ]
    assert set(told[0]) == {"name", "origins", "set"}
    assert PASSWORD not in listed.stdout + json.dumps(told)


def test_an_empty_vault(environment: dict[str, str]) -> None:
    assert vault(environment, "list").stdout == "no secrets: 'oryn vault set NAME' stores one\n"
    assert vault(environment, "list", "--json").stdout == "[]\n"


def test_delete(environment: dict[str, str]) -> None:
    vault(environment, "set", "shop.password", text=PASSWORD)
    vault(environment, "set", "shop.user", text="ann")
    assert vault(environment, "delete", "shop.user").stdout == "ok vault delete shop.user\n"
    again = vault(environment, "delete", "shop.user")
    assert (again.returncode, again.stdout) == (9, "")
    assert again.stderr == 'error vault delete: the vault has no "shop.user"\n\n# hint\nIt has shop.password.\n'
    assert vault(environment, "delete", "shop").returncode == 0
    assert vault(environment, "list", "--json").stdout == "[]\n"


def test_a_value_on_the_command_line_is_refused(environment: dict[str, str]) -> None:
    ended = vault(environment, "set", "shop.password", PASSWORD)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nothing was stored" in ended.stderr
    assert PASSWORD not in ended.stderr
    assert vault(environment, "list", "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "text", "why"),
    [
        (("set", "shop"), PASSWORD, "not the name of a secret: 'shop'"),
        (("set", "shop.password"), "", "the value is empty"),
        (("set", "shop.password"), "abc\n", "shorter than 4 characters"),
        (("set", "shop.password", "--origin", "file:///etc"), PASSWORD, "has no origin"),
        (("set", "shop.password", "--vault", "keyring"), PASSWORD, "no keyring that keeps secrets"),
        (("set", "shop.password", "--vault", "paper"), PASSWORD, "vault can't be 'paper'"),
    ],
)
def test_what_is_refused(environment: dict[str, str], arguments: tuple[str, ...], text: str, why: str) -> None:
    ended = vault(environment, *arguments, text=text)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert why in ended.stderr
    assert vault(environment, "list", "--json").stdout == "[]\n"


def test_a_passphrase_in_the_environment(environment: dict[str, str]) -> None:
    vault({**environment, "ORYN_VAULT_KEY": "pass phrase"}, "set", "shop.password", text=PASSWORD)
    ended = vault(environment, "list")
    assert (ended.returncode, ended.stdout) == (9, "")
    assert ended.stderr == (
        "error vault list: the environment variable ORYN_VAULT_KEY is not set\n\n"
        "# hint\nSet it to the key of the vault.\n"
    )
    assert vault({**environment, "ORYN_VAULT_KEY": "pass phrase"}, "list").returncode == 0


def test_a_prompt_on_a_terminal_shows_nothing_of_what_is_typed(environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "oryn", "vault", "set", "shop.password"]
    with subprocess.Popen(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown = b""
        while b"Value of shop.password: " not in shown:  # the space comes when the terminal shows nothing any more
            shown += os.read(ours, 1000)
        os.write(ours, f"{PASSWORD}\n".encode())
        while b"ok vault set" not in shown:
            shown += os.read(ours, 1000)
        assert process.wait(60) == 0
    os.close(ours)
    assert PASSWORD.encode() not in shown
    assert [one["name"] for one in json.loads(vault(environment, "list", "--json").stdout)] == ["shop.password"]
