"""`oryn vault` as a real process."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import segno

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


@pytest.mark.slow
def test_a_secret_comes_from_standard_input_and_only_its_name_comes_out(environment: dict[str, str]) -> None:
    ended = vault(
        environment, "set", "shop.password", "--origin", "https://Shop.example:443/login", text=f"{PASSWORD}\n"
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "ok vault set shop.password --origin https://shop.example\n"
    assert vault(environment, "set", "api.token", text=PASSWORD).stdout == "ok vault set api.token\n"
    listed = vault(environment, "list")
    rows = [row.split() for row in listed.stdout.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["api.token", "text"], ["shop.password", "text"]]
    assert [row[2] for row in rows[1:]] == ["anywhere", "https://shop.example"]
    told = json.loads(vault(environment, "list", "--json").stdout)
    assert [(one["name"], one["origins"]) for one in told] == [
        ("api.token", []),
        ("shop.password", ["https://shop.example"]),
    ]
    assert set(told[0]) == {"name", "kind", "origins", "set"}
    assert PASSWORD not in listed.stdout + json.dumps(told)


def test_an_empty_vault(environment: dict[str, str]) -> None:
    assert vault(environment, "list").stdout == "no secrets: 'oryn vault set NAME' stores one\n"
    assert vault(environment, "list", "--json").stdout == "[]\n"


@pytest.mark.slow
def test_delete(environment: dict[str, str]) -> None:
    vault(environment, "set", "shop.password", text=PASSWORD)
    vault(environment, "set", "shop.user", text="ann")
    assert vault(environment, "delete", "shop.user").stdout == "ok vault delete shop.user\n"
    again = vault(environment, "delete", "shop.user")
    assert (again.returncode, again.stdout) == (9, "")
    assert again.stderr == 'error vault delete: the vault has no "shop.user"\n\n# hint\nIt has shop.password.\n'
    assert vault(environment, "delete", "shop").returncode == 0
    assert vault(environment, "list", "--json").stdout == "[]\n"


@pytest.mark.slow
def test_a_value_on_the_command_line_is_refused(environment: dict[str, str]) -> None:
    ended = vault(environment, "set", "shop.password", PASSWORD)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nothing was stored" in ended.stderr
    assert PASSWORD not in ended.stderr
    assert vault(environment, "list", "--json").stdout == "[]\n"


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_passphrase_in_the_environment(environment: dict[str, str]) -> None:
    vault({**environment, "ORYN_VAULT_KEY": "pass phrase"}, "set", "shop.password", text=PASSWORD)
    ended = vault(environment, "list")
    assert (ended.returncode, ended.stdout) == (9, "")
    assert ended.stderr == (
        "error vault list: the environment variable ORYN_VAULT_KEY is not set\n\n"
        "# hint\nSet it to the key of the vault.\n"
    )
    assert vault({**environment, "ORYN_VAULT_KEY": "pass phrase"}, "list").returncode == 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_passkeys_are_added_listed_and_deleted(environment: dict[str, str]) -> None:
    refused = vault(environment, "passkey", "add", "shop")
    assert (refused.returncode, refused.stdout) == (9, "")
    assert "no origin says which sites they are for" in refused.stderr
    for origin in ("https://shop.example/login", "https://pay.example"):
        added = vault(environment, "passkey", "add", "shop", "--origin", origin)
        assert (added.returncode, added.stderr) == (0, "")
    assert added.stdout == "ok vault passkey add shop --origin https://shop.example --origin https://pay.example\n"
    assert "not a name of passkeys" in vault(environment, "passkey", "add", "a/b", "--origin", "a.example").stderr
    (row,) = json.loads(vault(environment, "passkey", "list", "--json").stdout)
    assert (row["name"], row["id"], row["origins"]) == ("shop", "", ["https://shop.example", "https://pay.example"])
    assert "private_key" not in row
    assert vault(environment, "passkey", "list").stdout.splitlines()[1].split()[:2] == ["shop", "-"]
    missing = vault(environment, "passkey", "delete", "shop", "abc")
    assert 'error vault passkey: "shop" has no passkey "abc"' in missing.stderr
    assert vault(environment, "passkey", "delete", "shop").stdout == "ok vault passkey delete shop\n"
    assert vault(environment, "passkey", "list").stdout.startswith("no passkeys: ")


KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.mark.slow
def test_keys_of_login_codes(environment: dict[str, str], tmp_path: Path) -> None:
    uri = f"otpauth://totp/Shop:ann?secret={KEY}&digits=8"
    stored = vault(environment, "set", "shop.totp", "--origin", "https://shop.example", text=uri)
    assert stored.stdout == "ok vault set shop.totp --origin https://shop.example: totp, sha1, 8 digits, 30 s\n"
    stored = vault(environment, "set", "a.code", "--totp", "--algorithm", "sha256", "--period", "60", text=KEY)
    assert stored.stdout == "ok vault set a.code: totp, sha256, 6 digits, 60 s\n"
    segno.make(uri).save(str(tmp_path / "code.png"), scale=5)
    stored = vault(environment, "set", "b.totp", "--qr", str(tmp_path / "code.png"))
    assert stored.stdout == "ok vault set b.totp: totp, sha1, 8 digits, 30 s\n"
    wrong = vault(environment, "set", "c.totp", text="no key!")
    assert (
        (wrong.returncode, wrong.stdout) == (2, "") and "not base32" in wrong.stderr and "no key!" not in wrong.stderr
    )
    tried = vault(environment, "test", "a.code")
    assert tried.stdout == (
        "ok vault test a.code: totp, sha256, 6 digits, 60 s; there is no site to compare the clock with; for any site\n"
    )
    listed = vault(environment, "list")
    assert [row.split()[0] for row in listed.stdout.splitlines()[1:]] == ["a.code", "b.totp", "shop.totp"]
    assert KEY not in listed.stdout + tried.stdout


@pytest.mark.slow
def test_sources_and_mail_accounts(environment: dict[str, str]) -> None:
    refused = vault(environment, "source", "op://Work/Shop")
    assert refused.returncode == 2 and "no origin is named" in refused.stderr
    allowed = vault(environment, "source", "op://Work/Shop", "--origin", "https://shop.example")
    assert allowed.stdout == "ok vault source op://Work/Shop --origin https://shop.example\n"
    early = vault(environment, "mail-code", "shop.mail-code", "--account", "work", "--from", "@shop.example")
    assert early.returncode == 9 and 'no mail account "work"' in early.stderr
    account = vault(environment, "mail", "work", "--server", "127.0.0.1:1", "--user", "ann@x.example", text=PASSWORD)
    assert account.stdout == "ok vault mail work --server 127.0.0.1:1 --user ann@x.example\n"
    code = vault(environment, "mail-code", "shop.mail-code", "--account", "work", "--from", "@Shop.example")
    assert code.stdout == "ok vault mail-code shop.mail-code: mail of @shop.example to work\n"
    listed = vault(environment, "list").stdout
    assert PASSWORD not in listed
    assert [row.split()[0] for row in listed.splitlines()[1:]] == ["shop.mail-code", "op://Work/Shop", "mail:work"]
    for name in ("mail:work", "shop.mail-code"):
        tried = vault(environment, "test", name)
        assert tried.returncode == 9 and "the mail server 127.0.0.1:1 does not answer" in tried.stderr
    for name in ("mail:work", "op://Work/Shop", "shop.mail-code"):
        assert vault(environment, "delete", name).stdout == f"ok vault delete {name}\n"
    assert vault(environment, "list").stdout == "no secrets: 'oryn vault set NAME' stores one\n"


@pytest.mark.slow
def test_a_clock_that_is_off(environment: dict[str, str]) -> None:
    class Site(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(200)
            self.send_header("Date", formatdate(time.time() + 95, usegmt=True))
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        vault(environment, "set", "shop.totp", "--origin", origin, text=KEY)
        tried = vault(environment, "test", "shop.totp")
        server.shutdown()
    assert tried.returncode == 9
    assert re.search(r"this computer's clock is 9\d s behind that of http", tried.stderr), tried.stderr
